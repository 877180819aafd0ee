// SPDX-License-Identifier: Apache-2.0
#include "sim/os/symbol.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "sim/os/symbol_table.hpp"

namespace cuvette::os {
namespace {

std::string hexadecimal(size_t number) {
  char text[24];
  snprintf(text, sizeof text, "0x%zx", number);
  return text;
}

size_t distance(const void* from, const void* to) {
  return static_cast<size_t>(static_cast<const char*>(to) - static_cast<const char*>(from));
}

}  // namespace

std::string readable_name(const char* name) {
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

std::string describe_call(const void* return_address) {
  // A call may be the last instruction of its function; its return address is then in the next
  // function.
  return return_address ? describe(static_cast<const char*>(return_address) - 1) : "unknown";
}

}  // namespace cuvette::os
