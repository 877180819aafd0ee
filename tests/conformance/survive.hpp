// SPDX-License-Identifier: Apache-2.0
// SURVIVE asks a question to which a driver may answer with a crash, and goes on.
#pragma once

#include <csetjmp>

#include "harness.hpp"

namespace conformance {

inline sigjmp_buf before_the_call;

// Prints what `call` answers, or that it crashed. A crash may leave one of the driver's locks
// locked; then the case's alarm ends it.
template <typename Call>
void survive(const char* question, Call call) {
  struct sigaction action {
  }, old{};
  action.sa_handler = [](int) { siglongjmp(before_the_call, 1); };
  sigaction(SIGSEGV, &action, &old);
  sigaction(SIGFPE, &action, nullptr);
  if (sigsetjmp(before_the_call, 1) == 0)
    answer(question, call());
  else
    say(question, "crashes");
  sigaction(SIGSEGV, &old, nullptr);
}

}  // namespace conformance

#define SURVIVE(call) conformance::survive(#call, [&] { return call; })
