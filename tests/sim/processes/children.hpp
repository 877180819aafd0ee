// SPDX-License-Identifier: Apache-2.0
// A register of the test's own, and processes that enter it.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "sim/os/named_memory.hpp"
#include "sim/processes/own_entry.hpp"
#include "sim/processes/register.hpp"

class ProcessRegister : public testing::Test {
 protected:
  ProcessRegister() {
    static int number = 0;
    name_ = cuvette::processes::register_name("test-" + std::to_string(getpid()) + "-" +
                                              std::to_string(++number));
  }
  ~ProcessRegister() override {
    while (!children_.empty()) end(children_.back());
    cuvette::os::NamedMemory::remove(name_);
  }

  // Starts a process that runs `body`, which need not return.
  pid_t start(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      body();
      _exit(0);
    }
    children_.push_back(child);
    return child;
  }
  // Starts one that is in the register and answers readers, saying each time how often it has
  // answered. Returns once it is in.
  pid_t start_entered(uint64_t used = 0) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = start([&] {
      std::string trouble;
      const auto entry = cuvette::processes::OwnEntry::take(name_, false, trouble);
      if (!entry) _exit(1);
      cuvette::processes::DeviceUse use;
      use.uuid[0] = 7;
      use.in_context = true;
      use.used = used;
      entry->publish({use}, true);
      if (write(ends[1], "", 1) != 1) _exit(1);
      while (entry->wait_until_asked()) {
        ++use.pending;
        entry->publish({use}, true);
      }
    });
    close(ends[1]);
    char byte;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
  }
  void end(pid_t child) {
    kill(child, SIGKILL);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    std::erase(children_, child);
  }

  // The numbers of the processes in the register, in order.
  std::vector<pid_t> listed() const {
    std::vector<pid_t> pids;
    for (const auto& process : list().processes)
      pids.push_back(static_cast<pid_t>(process.identity.pid));
    std::sort(pids.begin(), pids.end());
    return pids;
  }
  cuvette::processes::Listing list() const {
    return cuvette::processes::list(name_, int64_t{10'000'000'000});
  }

  std::string name_;
  std::vector<pid_t> children_;
};
