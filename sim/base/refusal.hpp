// SPDX-License-Identifier: Apache-2.0
// The last sentence of refuse() in a thread, for the entry point that answers with its error. A
// sentence belongs to one call of the program, and counts only if the call answers with that error.
//
// Threads: any; each has its own sentence.
#pragma once

#include <atomic>

#include "sim/base/error.hpp"

namespace cuvette {

namespace detail {
extern std::atomic<bool> keeping_sentences, explaining;
}

// Whether refuse() makes its sentences. Asked at each call, so it is one load.
inline bool keeps_sentences() { return detail::keeping_sentences.load(std::memory_order_relaxed); }
// Has refuse() make them from now on.
void keep_sentences();

// Whether CUVETTE_EXPLAIN asks for the sentences on stderr.
inline bool explains() { return detail::explaining.load(std::memory_order_relaxed); }

// Reads the knob.
void read_explain_knob();

// Forgets the last sentence, because a new call begins.
void forget_refusal();

// Puts "`what`: " before the sentence about this error, if one is kept. Returns the error.
Error refused_about(Error error, const char* what);

// Returns the sentence kept since then, if it is about this error; else null.
const char* refusal_of(Error error);

// Returns "CUDA_ERROR_INVALID_VALUE" and the like; null for a number that is none of CUDA's.
const char* name_of(Error error);

}  // namespace cuvette
