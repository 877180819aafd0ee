// SPDX-License-Identifier: Apache-2.0
// The table of exported functions as data: the name of each, the CUDA version that brought it, and
// how far it works. Constants only: nothing here runs or is linked, so a tool can use it without
// the library. Invariant: the functions are in the order of functions.def and then of
// per_thread.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "api/driver/stub_needs.hpp"

namespace cuvette::driver {

enum class Support : std::uint8_t { none, partial, full };

// Reasons that many rows share.
inline constexpr const char* before_cuda_3_2 =
    "The entry from before CUDA 3.2, with 32-bit addresses; programs built since ask for its "
    "successor.";
inline constexpr const char* superseded =
    "An older entry; programs built with CUDA 11.4 or newer ask for its successor.";

// One exported symbol.
struct Function {
  const char* name;    // as exported: "cuMemcpyHtoD_v2_ptds"
  const char* base;    // as cuGetProcAddress is asked for it: "cuMemcpyHtoD"
  const char* reason;  // why it is not, or not wholly, supported; empty where it is
  const char* group;   // the section's title
  const char* file;    // where its body is, or would be
  int since;           // the version of CUDA that brought it; 0: cuGetProcAddress never gives it
  Support support;
  StubNeeds needs;
  bool per_thread;  // a twin: its null stream is the calling thread's own
  bool object;      // data, not code
};

namespace table {

// The index of each row in the table, named by the symbol.
enum FunctionIndex : std::size_t {
#define SECTION(title, file, reason)
#define FULL(name, suffix, since, needs) place_of_##name##suffix,
#define PARTIAL(name, suffix, since, needs, reason) place_of_##name##suffix,
#define NONE(name, suffix, since, needs, ...) place_of_##name##suffix,
#define OBJECT(name, bytes) place_of_##name,
#include "api/driver/functions.def"
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments) \
  place_of_##name##suffix##flavour,
#include "api/driver/per_thread.def"
  place_count
};

// A line of functions.def: a section, or a function that still lacks what its section says.
struct Line {
  bool section;
  Function function;
};

constexpr const char* own_reason() { return nullptr; }
constexpr const char* own_reason(const char* reason) { return reason; }

// clang-format off
inline constexpr Line lines[] = {
#define SECTION(title, file, reason) \
  {true, {nullptr, nullptr, reason, title, file, 0, Support::none, StubNeeds::nothing, false, false}},
#define FULL(name, suffix, since, needs) \
  {false, {#name #suffix, #name, "", nullptr, nullptr, since, Support::full, StubNeeds::needs, false, false}},
#define PARTIAL(name, suffix, since, needs, reason) \
  {false, {#name #suffix, #name, reason, nullptr, nullptr, since, Support::partial, StubNeeds::needs, false, false}},
#define NONE(name, suffix, since, needs, ...) \
  {false, {#name #suffix, #name, own_reason(__VA_ARGS__), nullptr, nullptr, since, Support::none, StubNeeds::needs, false, false}},
#define OBJECT(name, bytes) \
  {false, {#name, #name, nullptr, nullptr, nullptr, 0, Support::none, StubNeeds::nothing, false, true}},
#include "api/driver/functions.def"
};
// clang-format on

constexpr Function twin(Function function, const char* name, int since) {
  function.name = name;
  function.since = since;
  function.per_thread = true;
  return function;
}

constexpr std::array<Function, place_count> make() {
  std::array<Function, place_count> functions{};
  std::size_t count = 0;
  Function section{};
  for (const Line& line : lines) {
    if (line.section) {
      section = line.function;
      continue;
    }
    Function& function = functions[count++];
    function = line.function;
    function.group = section.group;
    function.file = section.file;
    if (function.reason == nullptr) function.reason = section.reason;
  }
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments) \
  functions[place_of_##name##suffix##flavour] =                         \
      twin(functions[place_of_##name##suffix], #name #suffix #flavour, since);
#include "api/driver/per_thread.def"
  return functions;
}

}  // namespace table

// Every exported symbol.
inline constexpr std::array<Function, table::place_count> functions = table::make();

}  // namespace cuvette::driver
