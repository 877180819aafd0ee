// SPDX-License-Identifier: Apache-2.0
// Callbacks for the end of the calling thread, and whether others may end it.
#pragma once

namespace cuvette::os {

// Calls `at_exit(argument)` when the calling thread ends, however it ends (but not for the last
// thread of a process that exits). The function registered last is called first.
void at_thread_exit(void (*at_exit)(void* argument), void* argument);

// While a Cancellable lives, the calling thread, which is one of ours, may be cancelled; otherwise
// it may not.
class Cancellable {
 public:
  Cancellable();
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
};

}  // namespace cuvette::os
