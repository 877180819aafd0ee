// SPDX-License-Identifier: Apache-2.0
#include "tools/run_watch/notes.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/base/run_notes.hpp"

namespace cuvette::run_watch {
namespace {

constinit char notes[PATH_MAX] = "";
constinit char library[PATH_MAX] = "";
constinit char libraries[PATH_MAX] = "";

// Copies the text if there is room for it.
void copy(char (&to)[PATH_MAX], const char* text) {
  if (text && strlen(text) < sizeof to) strcpy(to, text);
}

// Appends to a line; text that does not fit is cut off.
class Line {
 public:
  void add(const char* text) {
    for (; *text && length_ + 1 < sizeof text_; ++text)
      text_[length_++] = *text == '\n' ? '?' : *text;
  }
  void add(pid_t number) {
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    add(digits + at);
  }
  void append_to(const char* file) {
    text_[length_++] = '\n';
    // The command removes the file, and a process may outlive it: no O_CREAT.
    const int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return;
    while (write(fd, text_, length_) < 0 && errno == EINTR) {
    }
    close(fd);
  }

 private:
  char text_[2 * PATH_MAX + 128];
  size_t length_ = 0;
};

}  // namespace

void begin() {
  copy(notes, getenv(run_notes::variable));
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&begin), &info) == 0) return;
  copy(library, info.dli_fname);
  copy(libraries, info.dli_fname);
  if (char* const slash = strrchr(libraries, '/')) *slash = '\0';
}

bool is_watching() { return *notes && *library; }
const char* own_path() { return library; }
const char* folder() { return libraries; }

void note(const char* word, const char* reason, pid_t process, const char* file) {
  const int before = errno;
  Line line;
  line.add(word);
  if (reason) {
    line.add(" ");
    line.add(reason);
  }
  line.add(" ");
  line.add(process);
  if (file) {
    line.add(" ");
    line.add(file);
  }
  line.append_to(notes);
  errno = before;
}

}  // namespace cuvette::run_watch
