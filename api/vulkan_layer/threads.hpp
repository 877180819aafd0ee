// SPDX-License-Identifier: Apache-2.0
// Threads that the layer starts: what becomes of them when the process exits or forks.
//
// Threads: any.
#pragma once

#include <functional>
#include <thread>

namespace cuvette::vulkan_layer {

// Starts a thread that takes no signals; not joinable if the system has none, or the process exits.
std::thread start_thread(const char* name, std::function<void()> body);

// Whether the process has begun to exit. Threads end soon after: the driver may be gone.
bool is_exiting();
// Whether this process is a child that was forked after the first start, or after set_exit_work().
// It has none of the threads.
bool is_forked();

// Calls `at_exit` when the process begins to exit, before threads are waited for.
void set_exit_work(void (*at_exit)());

}  // namespace cuvette::vulkan_layer
