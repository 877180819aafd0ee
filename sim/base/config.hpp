// SPDX-License-Identifier: Apache-2.0
// The knobs of config.def: what the environment says, and what can be wrong with it. A misspelt
// check that is silently not made would look like one that found nothing.
//
// Threads: config() may be called from any thread; the values do not change after the first call.
// The rest are pure functions, except environment_complaint(), which reads the environment.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/choices.hpp"
#include "sim/base/knob_kinds.hpp"

namespace cuvette {

namespace knob {
using Devices = Number<1, 16>;
using Workers = Number<1, 1024>;
using ExitStatus = Number<0, 255>;
using Memory = Bytes<size_t{1} << 20>;

// The values of all knobs, each of its kind.
struct Values {
#define KNOB(variable, field, kind, fallback, sentence) kind::Value field{};
#include "sim/base/config.def"
#undef KNOB
};
}  // namespace knob

// The settings from the environment. A knob that is not set, or set to something meaningless, has
// its default; cuInit refuses the latter.
using Config = knob::Values;

// Reads the environment on the first call.
const Config& config();

// Whether CUVETTE_CONTRACT is `strict`: what the documentation calls undefined is refused.
bool is_strict();
// Whether it is `driver`: the driver is followed where the documentation says otherwise.
bool follows_driver();

// One row of config.def, for programs that list the knobs. `fallback` is empty where there is none.
struct Knob {
  const char* variable;
  const char* fallback;
  const char* sentence;
  bool is_switch;
  std::string (*complaint)(std::string_view value);
  bool (*names_path)(std::string_view value);  // null: no value is a file's or a folder's name
};

std::span<const Knob> knobs();

// Returns what is wrong with `value`, as the end of a sentence that begins with "CUVETTE_FILL is";
// empty if nothing is. Values of kind Text, and of those made of it, are judged by the rooms that
// use them.
std::string value_complaint(std::string_view variable, std::string_view value);

// Returns a sentence about the first thing that is wrong with the CUVETTE_ variables of the
// environment; empty if nothing is. Names that begin with CUVETTE_TEST_ belong to tests.
std::string environment_complaint();

}  // namespace cuvette
