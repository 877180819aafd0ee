// SPDX-License-Identifier: Apache-2.0
// Exchange: what processes ask each other for, by the names that handles hold: memory and events.
// Each process answers in one thread (os/fd_exchange).
//
// Threads: any.
#pragma once

#include <cstdint>

#include "sim/error.hpp"
#include "sim/os/fd_exchange.hpp"

namespace cuvette::interop::exchange {

enum class Kind : uint64_t { memory = 1, event = 2 };

struct Request {
  Kind kind;
  uint64_t number;  // of the thing in the process that is asked
  uint64_t size;    // of memory
};
struct Reply {
  uint64_t known;   // 1: a descriptor comes with this
  uint64_t offset;  // of memory in it
};

// This process's name; from now on it answers. Errors: operating_system.
Result<os::ExchangeName> own_name();
// Whether it is this process's.
bool is_own(const os::ExchangeName& name);

// The descriptor becomes the caller's; -1 if the process does not know (any more) what is asked
// for. Errors: map_failed if the process has ended or does not answer.
struct Answer {
  int fd;
  uint64_t offset;
};
Result<Answer> ask(const os::ExchangeName& process, const Request& request);

// The check of the first `size` bytes of a name (FNV-1a): not a secret, but against accidents.
uint64_t check_of(const void* name, size_t size);

}  // namespace cuvette::interop::exchange
