// SPDX-License-Identifier: Apache-2.0
// Hands file descriptors to other processes on demand: a thread of this process answers requests
// that come through a socket with an unguessable name in Linux's abstract namespace. Unlike
// pidfd_getfd() and /proc/PID/fd it needs no right to look into the other process.
//
// Threads: any. Only processes of the same user and of root are answered. A child of fork() closes
// the socket: it is the parent's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/base/error.hpp"

namespace cuvette::os {

using ExchangeName = std::array<uint8_t, 16>;

// Fills `reply` and returns the descriptor to send with it, or -1 for none; it stays the server's,
// open until the exchange says that it was sent.
using FdAnswer = int (*)(const void* request, void* reply);

struct FdExchange {
  size_t request_size, reply_size;  // bytes, at most 256
  FdAnswer answer;
  void (*sent)();  // after each answer, or the attempt
};

// Starts the thread; called once in a process. Errors: operating_system.
Result<ExchangeName> serve_fds(const FdExchange& exchange);

// Sends a request to the process that has `name`; `fd` becomes the descriptor that came back, which
// is the caller's, or -1. Waits for a few seconds at most. Errors: invalid_handle if that process
// has ended, map_failed if it does not answer.
Result<> ask_for_fd(const ExchangeName& name, const void* request, size_t request_size, void* reply,
                    size_t reply_size, int& fd);

}  // namespace cuvette::os
