// SPDX-License-Identifier: Apache-2.0
// Sleeping until a word changes, and waking the sleepers.
//
// The C++ library's std::atomic::wait() yields the processor several times before it sleeps. On a
// busy machine each of these yields waits for another thread's turn to end.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace cuvette::os {

// Sleeps until a thread of this process wakes the word. Returns at once if the word is not `value`,
// and sometimes for no reason.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value);
// Like the above, but sleeps for at most `nanoseconds`.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value, int64_t nanoseconds);
// Wakes one thread that sleeps in sleep_while() on the word.
void wake_one(std::atomic<uint32_t>& word);

// Like sleep_while(), on a word that processes share: a thread of any process may wake it.
void sleep_while_shared(std::atomic<uint32_t>& word, uint32_t value, int64_t nanoseconds);
// Wakes all threads, of any process, that sleep on a word that processes share.
void wake_all(std::atomic<uint32_t>& word);

}  // namespace cuvette::os
