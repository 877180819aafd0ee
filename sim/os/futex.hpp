// SPDX-License-Identifier: Apache-2.0
// Sleeping until a word changes, and waking whoever does.
//
// The C++ library's std::atomic::wait() gives the processor away several times before it sleeps,
// which on a machine where others compute costs a turn of theirs each time.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace cuvette::os {

// Sleeps until a thread of this process wakes the word; returns at once if it is not `value`, and
// sometimes for no reason.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value);
// The same for at most so many nanoseconds.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value, int64_t nanoseconds);
// Wakes one thread that is in there.
void wake_one(std::atomic<uint32_t>& word);

// Wakes all threads, of any process, that sleep in a word that processes share.
void wake_all(std::atomic<uint32_t>& word);

}  // namespace cuvette::os
