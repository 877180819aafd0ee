// SPDX-License-Identifier: Apache-2.0
// The choices that knobs offer. The enumerators of a choice are the words that its knob takes.
#pragma once

#include <cstdint>
#include <string_view>

namespace cuvette {

// Declares the choice, and words_of(), which returns its words in order, separated by commas.
#define CUVETTE_CHOICE(Name, ...)            \
  enum class Name : uint8_t { __VA_ARGS__ }; \
  constexpr std::string_view words_of(Name) { return #__VA_ARGS__; }

// How much of an allocation is filled when it is given out and when it is freed. `edges`: all of it
// up to 64 KiB, else its first and last 4 KiB.
CUVETTE_CHOICE(Fill, none, edges, all)

// The effect on a host thread that dereferences device memory.
CUVETTE_CHOICE(HostAccess, fault, warn, allow)

// Who is right where driver and documentation disagree. `strict`: the documentation, and what it
// calls undefined is refused.
CUVETTE_CHOICE(Contract, documented, driver, strict)

// The vector units that the processor has, or that kernels may use.
CUVETTE_CHOICE(Vectors, sse, avx2, avx512)

// The results of PTX's `.approx` instructions: within the errors that its manual states, or the
// bits of a GPU.
CUVETTE_CHOICE(Approx, fast, hardware)

// Further checks (checks.def); `all` is every one of them.
enum class Check : uint8_t {
#define CHECK(word, ...) word,
#include "sim/base/checks.def"
#undef CHECK
  all
};
constexpr std::string_view words_of(Check) {
#define CHECK(word, ...) #word ", "
  return
#include "sim/base/checks.def"
      "all";
#undef CHECK
}

// Whether a kernel sees by one address what it wrote by another, without an order: everything, or
// nothing.
CUVETTE_CHOICE(Aliases, coherent, adversary)

// How reports are written to a file.
CUVETTE_CHOICE(ReportFormat, json, text, sarif, junit, github, gitlab)

#undef CUVETTE_CHOICE

}  // namespace cuvette
