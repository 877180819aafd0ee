// SPDX-License-Identifier: Apache-2.0
// A register of processes that only this test uses, removed in the end. Children inherit it by
// their environment.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

class ProcessRegister {
 public:
  ProcessRegister() : name_("test-" + std::to_string(getpid())) {
    setenv("CUVETTE_REGISTER", name_.c_str(), 1);
  }
  ~ProcessRegister() {
    unsetenv("CUVETTE_REGISTER");
    shm_unlink(("/" + file()).c_str());
  }
  ProcessRegister(const ProcessRegister&) = delete;
  ProcessRegister& operator=(const ProcessRegister&) = delete;

  std::string file() const {
    return "cuvette-register-1." + std::to_string(geteuid()) + "." + name_;
  }

 private:
  const std::string name_;
};
