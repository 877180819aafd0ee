// SPDX-License-Identifier: Apache-2.0
// What refuse() said last in a thread, for the entry point that answers with it: a sentence belongs
// to a call of the program, and one whose error nobody answers is no refusal.
//
// Threads: any; what is kept is the thread's own.
#pragma once

#include <atomic>

#include "sim/error.hpp"

namespace cuvette {

namespace detail {
extern std::atomic<bool> keeping_sentences, explaining;
}

// Whether refuse() makes its sentences. Asked at each call, so it is one load.
inline bool keeps_sentences() { return detail::keeping_sentences.load(std::memory_order_relaxed); }
// From now on it does.
void keep_sentences();

// Whether CUVETTE_EXPLAIN asks for them on stderr.
inline bool explains() { return detail::explaining.load(std::memory_order_relaxed); }

// Reads the knob.
void read_explain_knob();

// A call begins: nothing has been said in it.
void forget_refusal();

// The last sentence with this error since then; null if there is none.
const char* refusal_of(Error error);

// "CUDA_ERROR_INVALID_VALUE"; null for a number that is none of CUDA's.
const char* name_of(Error error);

}  // namespace cuvette
