// SPDX-License-Identifier: Apache-2.0
// A library that stands in for a function of the C library, as wrappers do: what comes next is
// asked for by dlsym, and that depends on who asks.
#include <dlfcn.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) pid_t getppid() noexcept {
  static const auto next = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "getppid"));
  return next();
}
