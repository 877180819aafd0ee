// SPDX-License-Identifier: Apache-2.0
// The environment knobs of config.def, read once at cuInit.
//
// Threads: config() may be called from any thread; the values do not change after the first call.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace cuvette {

// What the environment says. A knob that is not set has its default; one without a default is
// empty.
struct Config {
#define KNOB(variable, field, fallback, sentence) std::optional<std::string> field;
#include "sim/config.def"
#undef KNOB
};

// One row of config.def, for programs that list the knobs. `fallback` is null where there is none.
struct Knob {
  const char* variable;
  const char* fallback;
  const char* sentence;
};

// Reads the environment on the first call.
const Config& config();

// Whether CUVETTE_CONTRACT asks for it: what the documentation calls undefined is refused.
bool is_strict();

std::span<const Knob> knobs();

// "64", "512K", "16G": a number of bytes with an optional binary suffix; nothing if it is no such
// text.
std::optional<size_t> parse_bytes(const std::string& text);

}  // namespace cuvette
