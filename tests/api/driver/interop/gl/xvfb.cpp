// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/interop/gl/xvfb.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/api/driver/interop/gl/gl_context.hpp"

namespace {

[[noreturn]] void become_server(int parent, int ready, const char* folder) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before prctl could take effect
  // Drops the server's messages about its keyboard.
  if (!freopen("/dev/null", "w", stderr)) _exit(1);
  const std::string number = std::to_string(ready);
  execl(XVFB_PROGRAM, "Xvfb", "-displayfd", number.c_str(), "-screen", "0", "640x480x24", "-fbdir",
        folder, "-nolisten", "tcp", "-noreset", nullptr);
  _exit(127);
}

// Reads the display number and newline that the server writes once it takes connections.
std::string read_number(int ready) {
  std::string number;
  char digit;
  pollfd file{ready, POLLIN, 0};
  while (poll(&file, 1, 30'000) == 1 && read(ready, &digit, 1) == 1 && digit != '\n')
    number += digit;
  return number;
}

}  // namespace

const Xvfb& Xvfb::get() {
  static const Xvfb server;
  return server;
}

Xvfb::Xvfb() {
  char folder[] = "/tmp/cuvette-xvfb-XXXXXX";
  need_gl(mkdtemp(folder), "folder for temporary files");
  folder_ = folder;
  int ends[2];
  need_gl(pipe(ends) == 0, "pipe");
  const int parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    become_server(parent, ends[1], folder);
  }
  close(ends[1]);
  const std::string number = read_number(ends[0]);
  close(ends[0]);
  need_gl(!number.empty(), "X server (" XVFB_PROGRAM ")");
  display_ = ":" + number;
  setenv("DISPLAY", display_.c_str(), 1);
}

Xvfb::~Xvfb() {
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
  unlink(screen_file().c_str());
  rmdir(folder_.c_str());
}

// Called by LeakSanitizer. The window libraries leak, and they unload the driver, whose memory then
// seems leaked; the tests without a window look for leaks.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_options();
const char* __lsan_default_options() { return "detect_leaks=0"; }
