// SPDX-License-Identifier: Apache-2.0
// A library that interposes a function of the C library, as wrappers do: it finds the next
// definition by dlsym, whose answer depends on the caller.
#include <dlfcn.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) pid_t getppid() noexcept {
  static const auto next = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "getppid"));
  return next();
}
