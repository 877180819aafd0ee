// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/symbol.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/hex.hpp"
#include "sim/base/mutex.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/callsite/host_code.hpp"
#include "sim/callsite/python_lines.hpp"
#include "sim/callsite/symbol_table.hpp"

namespace cuvette::callsite {
namespace {

// A reader wants the few frames that are the program's mistake; stacks of frameworks are deep.
constexpr size_t most_described = 12;

size_t distance(const void* from, const void* to) {
  return static_cast<size_t>(static_cast<const char*>(to) - static_cast<const char*>(from));
}

// Where the file that the address lies in is loaded; null if there is none.
const void* file_of(const void* address) {
  Dl_info info{};
  return address && dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fbase : nullptr;
}

// Returns a function's name, as the linker knows it; empty if none is known.
std::string name_at(const void* address, const Dl_info& info) {
  if (info.dli_sname) return info.dli_sname;
  const auto function = find_local_function(info.dli_fname, reinterpret_cast<uint64_t>(address),
                                            reinterpret_cast<uint64_t>(info.dli_fbase));
  return function ? function->name : "";
}

bool is_runtime_library(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::array<std::string_view, 10> names = {
      "libcuda.so",  "libcudart.so", "libcuvette", "libstdc++.so", "libc++",
      "libgcc_s.so", "libc.so",      "libc-2",     "libpthread",   "ld-linux"};
  return std::ranges::any_of(names, [&](auto name) { return file.starts_with(name); });
}

// Whether a function stands between the program's code and the runtime: CUDA's own functions, which
// may be linked statically, their forms as templates, and what nvcc makes of a launch.
bool is_of_runtime(std::string_view name) {
  if (name.starts_with("__cudart") || name.starts_with("cudart")) return true;
  if (name.find("__device_stub__") != std::string_view::npos) return true;
  return name.starts_with("cuda") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z';
}

// Whether a function, by its mangled name, stands between a test and main(), or between a callable
// object and its caller: frameworks and templates of the C++ library that the program's file holds.
bool is_of_framework(std::string_view name) {
  constexpr std::array<std::string_view, 20> beginnings = {"_ZN7testing8internal",
                                                           "_ZN7testing4Test",
                                                           "_ZN7testing8TestInfo",
                                                           "_ZN7testing9TestSuite",
                                                           "_ZN7testing8TestCase",
                                                           "_ZN7testing8UnitTest",
                                                           "_Z13RUN_ALL_TESTSv",
                                                           "_ZN5Catch",
                                                           "_ZNK5Catch",
                                                           "_ZN12_GLOBAL__N_15Catch",
                                                           "_ZN7doctest",
                                                           "_ZNK7doctest",
                                                           "_ZN5boost9unit_test",
                                                           "_ZN5boost17execution_monitor",
                                                           "_ZN5boost6detail8function",
                                                           "_ZN9benchmark8internal",
                                                           "_ZNSt",
                                                           "_ZNKSt",
                                                           "_ZSt",
                                                           "_ZN9__gnu_cxx"};
  return std::ranges::any_of(beginnings, [&](auto begin) { return name.starts_with(begin); });
}

// Whether a source file is one of theirs, for what the compiler inlined.
bool is_file_of_framework(std::string_view file) {
  constexpr std::array<std::string_view, 8> parts = {
      "/gtest/",   "/googletest/", "/catch2/",      "/catch.hpp",
      "doctest.h", "/boost/test/", "/include/c++/", "catch_amalgamated"};
  return std::ranges::any_of(parts, [&](auto part) { return file.find(part) != file.npos; });
}

// Whether a file is a Python interpreter, or what it calls C functions with.
bool is_of_interpreter(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("python") || file.starts_with("libpython") ||
         file.starts_with("libffi") || file.starts_with("_ctypes.");
}

// Returns the lines of Python that are the program's own: those in no package, if there are any.
std::vector<const void*> own_lines(std::span<const void* const> lines) {
  std::vector<const void*> own;
  for (const void* const line : lines) {
    const std::string_view text = python_line(line);
    constexpr std::array<std::string_view, 4> packages = {"/site-packages/", "/dist-packages/",
                                                          "/lib/python3", "(<frozen "};
    if (std::ranges::none_of(packages, [&](auto part) { return text.find(part) != text.npos; }))
      own.push_back(line);
  }
  return own.empty() ? std::vector<const void*>(lines.begin(), lines.end()) : own;
}

// Returns the return addresses of the program's own frames, the innermost first; if none is known
// to be one, the first of all. Lines of Python, which end the stack, take the place of the
// interpreter's frames.
std::vector<const void*> find_program_frames(std::span<const void* const> whole) {
  const auto begin_of_lines = std::ranges::find_if(whole, python_line);
  const auto stack = whole.first(static_cast<size_t>(begin_of_lines - whole.begin()));
  std::vector<const void*> lines = own_lines({begin_of_lines, whole.end()});
  const bool is_python = !lines.empty();
  std::vector<const void*> frames;
  std::string stub;  // the last frame's name, if it is a stub for a kernel
  for (const void* const frame : stack) {
    Dl_info info{};
    const auto* const call = static_cast<const char*>(frame) - 1;
    if (dladdr(call, &info) == 0 || !info.dli_fname || is_runtime_library(info.dli_fname)) continue;
    if (is_python && is_of_interpreter(info.dli_fname)) {
      frames.insert(frames.end(), lines.begin(), lines.end());
      lines.clear();
      continue;
    }
    const std::string name = name_at(call, info);
    if (frames.empty() && !name.empty()) {
      if (is_of_runtime(readable_name(name.c_str()))) {
        stub = name.find("__device_stub__") == std::string::npos ? "" : name;
        continue;
      }
      // The kernel's name on the host is a function that calls the stub.
      if (!stub.empty() && stub.find(name) != std::string::npos) {
        stub.clear();
        continue;
      }
    }
    if (name == "_start" || (!frames.empty() && is_of_framework(name))) continue;
    frames.push_back(frame);
    if (name == "main") break;
  }
  frames.insert(frames.end(), lines.begin(), lines.end());
  if (frames.empty()) frames.push_back(stack[0]);
  return frames;
}

// Like find_program_frames(); a stack is looked at once.
std::vector<const void*> program_frames(const void* place) {
  const auto stack = stack_of(place);
  if (stack.size() == 1) return {stack[0]};
  static auto* const mutex = new Mutex;
  static auto* const known = new std::unordered_map<const void*, std::vector<const void*>>;
  MutexLock lock(*mutex);
  const auto [found, fresh] = known->try_emplace(place);
  if (fresh) found->second = find_program_frames(stack);
  return found->second;
}

// Describes the call that returns there, as many frames as were inlined there.
// Returns the name of the shared library that the address lies in; empty for the program's own
// code.
std::string library_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || !info.dli_fname) return "";
  const std::string_view path = info.dli_fname, name = path.substr(path.rfind('/') + 1);
  return name.find(".so") == std::string_view::npos ? "" : std::string(name);
}

std::vector<std::string> describe_frame(const void* return_address) {
  if (!return_address) return {"unknown"};
  if (const char* const line = python_line(return_address)) return {line};
  // A call may be the last instruction of its function; its return address is then in the next
  // function.
  const auto* const call = static_cast<const char*>(return_address) - 1;
  const std::string library = library_of(call);
  std::vector<std::string> frames;
  for (const SourceFrame& frame : source_frames(call)) {
    // A form of CUDA's own functions as a template, which is inlined into the program.
    if (frames.empty() && is_of_runtime(readable_name(frame.function.c_str()))) continue;
    if (!frames.empty() && is_file_of_framework(frame.file)) continue;
    const std::string name =
        frame.function.empty() ? name_of_function(call) : readable_name(frame.function.c_str());
    frames.push_back((name.empty() ? "unknown" : name) + " (" +
                     std::filesystem::path(frame.file).lexically_normal().string() + ":" +
                     std::to_string(frame.line) + (library.empty() ? "" : ", " + library) + ")");
  }
  if (frames.empty()) frames.push_back(describe(call));
  return frames;
}

}  // namespace

std::string readable_name(const char* name) {
  // The demangler takes other names for types: "f" would be "float".
  if (std::string_view(name).substr(0, 2) != "_Z") return name;
  int status = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = readable ? readable : name;
  free(readable);
  return text;
}

std::string describe(const void* address) {
  Dl_info info{};
  if (!address || dladdr(address, &info) == 0 || !info.dli_fname) return "unknown";
  std::string file = info.dli_fname;
  file += "+" + hexadecimal(distance(info.dli_fbase, address));
  const auto function =
      info.dli_sname ? LocalFunction{info.dli_sname, distance(info.dli_saddr, address)}
                     : find_local_function(info.dli_fname, reinterpret_cast<uint64_t>(address),
                                           reinterpret_cast<uint64_t>(info.dli_fbase));
  if (!function) return file;
  return readable_name(function->name.c_str()) + "+" + hexadecimal(function->offset) + " (" + file +
         ")";
}

std::string function_at(const void* address) {
  Dl_info info{};
  if (!address || dladdr(address, &info) == 0 || !info.dli_sname) return "unknown";
  return readable_name(info.dli_sname);
}

std::string name_of_function(const void* address) {
  Dl_info info{};
  if (!address || dladdr(address, &info) == 0 || !info.dli_fname) return "";
  const std::string name = name_at(address, info);
  return readable_name(name.substr(0, name.find('.')).c_str());
}

std::string runtime_function() {
  struct Walk {
    const void* frames[48];
    size_t count = 0;
  } walk;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* to) {
        auto& into = *static_cast<Walk*>(to);
        if (into.count == std::size(into.frames)) return _URC_END_OF_STACK;
        into.frames[into.count++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
        return _URC_NO_REASON;
      },
      &walk);
  // Its functions call each other, so the outermost of the innermost ones' file is meant.
  std::string function;
  const void* file = nullptr;
  for (size_t i = 0; i < walk.count; ++i) {
    if (!walk.frames[i]) continue;  // where a thread begins
    const auto* const call = static_cast<const char*>(walk.frames[i]) - 1;
    Dl_info info{};
    if (dladdr(call, &info) == 0 || !info.dli_fname || (file && info.dli_fbase != file)) continue;
    std::string name = name_at(call, info);
    // What compilers have a program call.
    if (name.starts_with("__cudaLaunch") || name.starts_with("__cudaUnregister")) name.erase(0, 2);
    if (!is_of_runtime(name) || !name.starts_with("cuda") || name.starts_with("cudart")) continue;
    function = name.substr(0, name.find('.'));  // without "cold", which compilers split off
    file = info.dli_fbase;
  }
  for (const std::string_view twin : {"_ptsz", "_ptds"})
    if (function.ends_with(twin)) function.resize(function.size() - twin.size());
  return function;
}

bool is_of_this_library(const void* address) {
  static const void* const own = file_of(reinterpret_cast<const void*>(&is_of_this_library));
  return own && file_of(address) == own;
}

bool is_of_c_library(const void* address) {
  static const void* const library = file_of(dlsym(RTLD_NEXT, "memmove"));
  return library && file_of(address) == library;
}

bool is_code(const void* address) { return file_of(address) != nullptr; }

std::string describe_call(const void* place) {
  if (!keeps_stacks()) return describe_caller(place);
  std::string text;
  size_t count = 0;
  for (const void* const address : program_frames(place))
    for (const std::string& frame : describe_frame(address)) {
      if (count++ == most_described) return text + ", called from ...";
      text += (text.empty() ? "" : ", called from ") + frame;
    }
  return text;
}

std::string describe_caller(const void* place) {
  const void* const return_address = caller_of(place);
  if (const char* const line = python_line(return_address)) return line;
  return return_address ? describe(static_cast<const char*>(return_address) - 1) : "unknown";
}

const void* caller_of(const void* place) { return program_frames(place).front(); }

}  // namespace cuvette::callsite
