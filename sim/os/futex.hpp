// SPDX-License-Identifier: Apache-2.0
// Waking threads of other processes that sleep until a word they share changes.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace cuvette::os {

// Wakes all threads, of any process, that sleep in this word.
void wake_all(std::atomic<uint32_t>& word);

}  // namespace cuvette::os
