// SPDX-License-Identifier: Apache-2.0
#include "sim/os/exit_status.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace cuvette::os {
namespace {

int (*last_word)(int status) = nullptr;
pid_t owner = 0;
bool exiting = false;
int given_status = 0;

// The status can only be changed by ending the process at once. An exit handler of ours runs
// between the program's own and would cut some of them off, so it only remembers the status; the
// loader runs this function after all of them and after the program's destructors.
[[gnu::destructor]] void change_status() {
  if (!exiting || getpid() != owner) return;
  const int status = last_word(given_status);
  if (status == given_status) return;
  fflush(nullptr);
  _exit(status);
}

}  // namespace

void decide_exit_status(int (*decide)(int status)) {
  last_word = decide;
  owner = getpid();
  ::on_exit(
      [](int status, void*) {
        exiting = true;
        given_status = status & 0xff;
      },
      nullptr);
}

}  // namespace cuvette::os
