// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/terminal_page.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

namespace cuvette::tools {
namespace {
volatile sig_atomic_t noted = 0;
}  // namespace

TerminalPage::TerminalPage(Suspend suspend) : has_keys_(tcgetattr(STDIN_FILENO, &before_) == 0) {
  struct sigaction action {};
  action.sa_handler = [](int signal) { noted = signal; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  if (has_keys_) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    if (suspend == Suspend::is_ignored) keys.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  fputs("\033[?1049h\033[?25l", stdout);  // another page, and no cursor
}

TerminalPage::~TerminalPage() {
  fputs("\033[?25h\033[?1049l", stdout);
  fflush(stdout);
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

winsize TerminalPage::size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    size = {24, 80, 0, 0};
  return size;
}

int TerminalPage::stopped_by() { return noted; }

}  // namespace cuvette::tools
