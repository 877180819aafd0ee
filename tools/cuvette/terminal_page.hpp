// SPDX-License-Identifier: Apache-2.0
// TerminalPage: another page of the terminal, with keys that need no Enter, while it lives.
//
// SIGINT, SIGTERM and SIGHUP are noted from then on instead of ending the process.
//
// Threads: one.
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

namespace cuvette::tools {

class TerminalPage {
 public:
  // What Ctrl-Z does: stops the process and leaves the page as it is, or nothing.
  enum class Suspend { stops, is_ignored };

  explicit TerminalPage(Suspend suspend);
  ~TerminalPage();
  TerminalPage(const TerminalPage&) = delete;
  TerminalPage& operator=(const TerminalPage&) = delete;

  // Whether the standard input is a terminal, and so has keys.
  bool has_keys() const { return has_keys_; }
  // 24 rows of 80 columns where the terminal does not say it.
  static winsize size();
  // The signal that was noted last; 0: none.
  static int stopped_by();

 private:
  termios before_{};
  const bool has_keys_;
};

}  // namespace cuvette::tools
