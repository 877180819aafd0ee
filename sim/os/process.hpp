// SPDX-License-Identifier: Apache-2.0
// The resources of this process, and its events: memory that is left, threads without signals,
// fork, exit.
//
// Threads: any.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace cuvette::os {

// Returns how many more bytes of memory can be touched before the machine or the cgroup (v1 or v2,
// any parent) runs out and the kernel kills a process. Reads files under /proc and /sys, which
// takes about 50 µs.
size_t available_memory();
// Whether the cgroup, or one above it, has a limit.
bool memory_is_limited();

// Runs `body` in a new thread that takes no asynchronous signals (they belong to the host program's
// own threads) and is not cancelled, named `name` (15 characters at most). The result is not
// joinable if the system refused the thread.
std::thread start_thread(const char* name, std::function<void()> body);

// Makes the calling thread, which a library has started, like those of start_thread(). Once for
// each thread is enough.
void adopt_thread(const char* name);

// Keeps asynchronous signals from the calling thread while it lives, and for good from threads that
// are started by it in that time.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Calls `before` in the parent before each fork(), and `in_child` in the child after it.
void on_fork(void (*before)(), void (*in_child)());

// Calls `at_exit` when the process exits normally, before the program's static objects that were
// constructed earlier are destroyed.
void on_exit(void (*at_exit)());

// Whether all of [address, address + size) is mapped and readable, and writable if `writable`.
// Returns true if the system does not report it.
bool accessible(uint64_t address, size_t size, bool writable);

unsigned number_of_cores();  // those this process may run on (affinity, cgroup quota rounded up)

}  // namespace cuvette::os
