// SPDX-License-Identifier: Apache-2.0
// The results that a library which calls the driver for the program declares for its own calls
// (cuvetteCallSite.h), for the API check.
//
// Threads: any; each says it of the calls that it makes.
#pragma once

#include <string>

namespace cuvette::driver::detail {

// Returns the name of the function that the program has called: where a runtime library calls the
// driver for it, that library's. `entry`: an address in the driver's function.
std::string called_function(const void* entry);

// The call that the thread's slot names fails with `error`, which the library keeps. `unseen`: the
// program gets no result of it.
void runtime_fails(int error, int unseen);
// The same, with the library's name for the error; null: the driver's.
void runtime_fails_as(int error, int unseen, const char* name);
// A call begins and ends, for the record of this process. runtime_begins() returns null if it has
// none.
void* runtime_begins();
void runtime_ends(void* call, int result);
// The program has asked for the error that is kept.
void runtime_is_asked();

}  // namespace cuvette::driver::detail
