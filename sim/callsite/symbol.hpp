// SPDX-License-Identifier: Apache-2.0
// Names for addresses of code, for reports.
//
// Threads: any. May be called in the handler of a fault that the program's own instruction raised:
// it takes the loader's lock, which is recursive.
#pragma once

#include <string>

namespace cuvette::callsite {

// Returns a C++ symbol's name as its source spells it, and any other name unchanged.
std::string readable_name(const char* name);

// Returns `main+0x1f (/path/program+0x114f)`: the function, unless the file is stripped, and where
// the address is in the file, as addr2line takes it. "unknown" for an address in no loaded file.
std::string describe(const void* address);

// Returns only the name of the exported function that `address` lies in: "cuMemAlloc_v2"; "unknown"
// if there is none.
std::string function_at(const void* address);

// Like it, but knows functions that their file does not export, too; empty if there is none. A part
// of a function that the compiler has split off counts as the function.
std::string name_of_function(const void* address);

// Returns where the program called: for a place with a stack (call_stack.hpp) the program's frames,
// `load (/src/app.cpp:12, libapp.so), called from main (/src/app.cpp:40)`, without those of runtime
// libraries; a library is named where the code is not the program's own.
// Frames without debug information are as describe() has them; where no stacks are kept, so is the
// one frame that is known. Test frameworks and the C++ library are left out, and there are twelve
// frames at most.
std::string describe_call(const void* place);

// Returns the innermost of these frames alone, as describe() has it.
std::string describe_caller(const void* place);

// Returns the return address of that frame, which identifies the line of the program.
const void* caller_of(const void* place);

// Returns the function of CUDA's runtime that the program has called and the calling thread is in:
// "cudaMemcpy"; empty if there is none.
std::string runtime_function();

// Whether the address lies in the same file as this function, in the C library, in any loaded file.
bool is_of_this_library(const void* address);
bool is_of_c_library(const void* address);
bool is_code(const void* address);

}  // namespace cuvette::callsite
