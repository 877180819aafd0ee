// SPDX-License-Identifier: Apache-2.0
// What happens when the calling thread ends, and whether others may end it.
#pragma once

namespace cuvette::os {

// Calls `at_exit(argument)` when the calling thread ends, however it does (not for the last thread
// of a process that exits). What was asked for last is done first.
void at_thread_exit(void (*at_exit)(void* argument), void* argument);

// While it lives the calling thread, one of ours, may be cancelled; it is not otherwise.
class Cancellable {
 public:
  Cancellable();
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
};

}  // namespace cuvette::os
