// SPDX-License-Identifier: Apache-2.0
// Sandbox: a process in which somebody else's program may run: without network, without files that
// it can change outside of one folder, without a view of other processes, with limits. It uses what
// the machine allows (namespaces, Landlock), and says what is not there. It keeps accidents away;
// it is no defence against an attack on the kernel.
//
// Threads: for a process with one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace cuvette::tools {

struct SandboxLimits {
  double seconds = 20;
  double memory = 2048;     // MiB, of all processes together
  unsigned processes = 64;  // at a time
};

class Sandbox {
 public:
  // Tries what is possible here.
  explicit Sandbox(const SandboxLimits& limits);

  // What is not possible here, a sentence each.
  const std::vector<std::string>& missing() const { return missing_; }

  // Whether everything in it dies with the process that has entered.
  bool dies_whole() const;

  // In a process that will become the program: puts it into the sandbox. `folder` stays writable.
  // Returns, maybe in a child of the calling process, whether the program may start.
  bool enter(const std::string& folder) const;

  // Of the process that has entered: which limit it and its descendants exceed, a sentence; empty:
  // none.
  std::string exceeded(pid_t process) const;

 private:
  const SandboxLimits limits_;
  int namespaces_ = 0;  // flags of unshare(2)
  bool landlock_ = false;
  std::vector<std::string> missing_;
};

}  // namespace cuvette::tools
