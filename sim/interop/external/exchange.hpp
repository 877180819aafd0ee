// SPDX-License-Identifier: Apache-2.0
// Exchange: how processes ask each other for memory and events, by the names that handles hold.
// Each process answers in one thread (os/fd_exchange).
//
// Threads: any.
#pragma once

#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/os/fd_exchange.hpp"

namespace cuvette::interop::exchange {

enum class Kind : uint64_t { memory = 1, event = 2 };

struct Request {
  Kind kind;
  uint64_t number;  // of the object, in the process that is asked
  uint64_t size;    // for memory
};
struct Reply {
  uint64_t known;   // 1: a descriptor comes with this
  uint64_t offset;  // for memory: where it lies in the file
};

// Answers a request in the thread that answers other processes. Returns the descriptor, which lives
// as long as `kept`; -1 if there is no such object.
using Answerer = int (*)(const Request& request, Reply& reply, Ref<Counted>& kept);

// Returns this process's name; from then on the process answers, requests for `kind` by `answers`.
// Errors: operating_system.
Result<os::ExchangeName> own_name(Kind kind, Answerer answers);
// Whether the name is this process's.
bool is_own(const os::ExchangeName& name);

// The descriptor, which becomes the caller's; -1 if the process does not (or no longer) know what
// it was asked for.
struct Answer {
  int fd;
  uint64_t offset;
};
// Asks a process. Errors: map_failed if it has ended or does not answer.
Result<Answer> ask(const os::ExchangeName& process, const Request& request);

// Returns a check of the first `size` bytes of a name (FNV-1a). It guards against accidents; it is
// not a secret.
uint64_t check_of(const void* name, size_t size);

}  // namespace cuvette::interop::exchange
