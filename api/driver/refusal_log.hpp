// SPDX-License-Identifier: Apache-2.0
// The log of calls that were refused: the text that cuLogsDumpToMemory() writes and callbacks
// receive.
//
// Threads: any. Locks: a leaf; callbacks are called without it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

namespace cuvette::driver {

// Adds that `function`, an address within an entry point, answered with `error`, and the sentence
// that says why, if there is one.
void log_refusal(const void* function, Error error, const char* sentence);

// Lines are numbered from 0 in the order in which they came. Returns the next one's number.
unsigned end_of_log();

// Returns the lines from number `from` on, as far as they are kept, and says in `first` the number
// of the first of them.
std::vector<std::string> read_log(unsigned from, unsigned* first);

// Calls `function` with each line that comes from now on. Returns what ends it.
using LogCallback = std::function<void(char* text, size_t length)>;
const void* add_log_callback(LogCallback function);
// Returns whether there was such a callback. It may still be running in another thread.
bool remove_log_callback(const void* callback);

}  // namespace cuvette::driver
