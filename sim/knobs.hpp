// SPDX-License-Identifier: Apache-2.0
// What can be wrong with the knobs of config.def: a variable that is none of them, a value that
// means nothing. A misspelt check that is silently not made would look like one that found nothing.
//
// Threads: any; pure functions, but for environment_complaint(), which reads the environment.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cuvette {

// The nearest of `names`, for who has misspelt one; empty if none is near.
std::string nearest(std::string_view name, std::span<const std::string_view> names);

// What is wrong with `value`, as the end of a sentence that begins with "CUVETTE_FILL is": empty if
// nothing is. Knobs whose values other rooms know are theirs to judge.
std::string value_complaint(std::string_view variable, std::string_view value);

// The first sentence about what is wrong with the CUVETTE_ variables of the environment; empty if
// nothing is. Names that begin with CUVETTE_TEST_ are tests' own.
std::string environment_complaint();

}  // namespace cuvette
