// SPDX-License-Identifier: Apache-2.0
// Notes each program that begins, each that is started in a way that hides Cuvette's libraries from
// it, and each that has loaded another driver by its end.
//
// This library interposes the C library's functions that start a program. Some are called in the
// child of vfork(), or after fork() in a process of many threads: see notes.hpp.
#include <dlfcn.h>
#include <link.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdarg>
#include <cstring>

#include "sim/base/run_notes.hpp"
#include "tools/run_watch/notes.hpp"
#include "tools/run_watch/program_file.hpp"

extern char** environ;

namespace cuvette::run_watch {
namespace {

// The C library's functions.
struct Next {
  int (*execve)(const char*, char* const*, char* const*);
  int (*execvpe)(const char*, char* const*, char* const*);
  decltype(&::posix_spawn) spawn;
  decltype(&::posix_spawnp) spawnp;
};
constinit Next next{};

template <typename Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Another library's constructor may come here first.
const Next& libc() {
  if (!next.execve) {
    find(next.execvpe, "execvpe");
    find(next.spawn, "posix_spawn");
    find(next.spawnp, "posix_spawnp");
    find(next.execve, "execve");
  }
  return next;
}

void note_program(const char* file, char* const* environment, pid_t process) {
  if (!is_watching()) return;
  if (const char* const reason = why_missed(file, environment, folder()))
    note(run_notes::missed, reason, process, file);
}

int start(const char* file, char* const* arguments, char* const* environment) {
  note_program(file, environment, getpid());
  return libc().execve(file, arguments, environment);
}

int start_by_name(const char* name, char* const* arguments, char* const* environment) {
  char path[PATH_MAX];
  if (is_watching() && find_program(name, path)) note_program(path, environment, getpid());
  return libc().execvpe(name, arguments, environment);
}

// Whether the file is the libcuda.so.1 beside this library.
bool is_ours(const char* file) {
  char ours[PATH_MAX];
  const size_t length = strlen(folder());
  if (length + sizeof "/libcuda.so.1" > sizeof ours) return false;
  memcpy(ours, folder(), length);
  strcpy(ours + length, "/libcuda.so.1");
  struct stat one, other;
  return stat(file, &one) == 0 && stat(ours, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

int look_at_library(dl_phdr_info* info, size_t, void*) {
  const char* const slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : nullptr;
  if (!slash || strncmp(slash + 1, "libcuda.so", 10) != 0 || is_ours(info->dlpi_name)) return 0;
  // The program's file and the driver's, separated by a tab.
  char files[2 * PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", files, PATH_MAX - 1);
  char* const end = files + (length > 0 ? length : 0);
  *end = '\t';
  strncpy(end + 1, info->dlpi_name, PATH_MAX - 1);
  end[PATH_MAX] = '\0';
  note(run_notes::missed, run_notes::driver, getpid(), files);
  return 1;
}

[[gnu::constructor]] void begin_process() {
  begin();
  libc();
  if (is_watching()) note(run_notes::started, nullptr, getpid(), nullptr);
}

[[gnu::destructor]] void end_process() {
  if (is_watching()) dl_iterate_phdr(look_at_library, nullptr);
}

// Calls `function` with the words of an argument list that a null pointer ends.
template <typename Function>
int with_words(const char* first, va_list& list, const Function& function) {
  va_list counted;
  va_copy(counted, list);
  size_t count = 1;
  if (first)
    while (va_arg(counted, const char*)) ++count;
  va_end(counted);
  // On the stack: another thread may hold the heap's lock.
  auto** const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  words[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) words[i] = first ? va_arg(list, char*) : nullptr;
  return function(words, list);
}

}  // namespace
}  // namespace cuvette::run_watch

using namespace cuvette::run_watch;

extern "C" {

[[gnu::visibility("default")]] int execve(const char* file, char* const arguments[],
                                          char* const environment[]) noexcept {
  return start(file, arguments, environment);
}

[[gnu::visibility("default")]] int execv(const char* file, char* const arguments[]) noexcept {
  return start(file, arguments, environ);
}

[[gnu::visibility("default")]] int execvp(const char* name, char* const arguments[]) noexcept {
  return start_by_name(name, arguments, environ);
}

[[gnu::visibility("default")]] int execvpe(const char* name, char* const arguments[],
                                           char* const environment[]) noexcept {
  return start_by_name(name, arguments, environment);
}

[[gnu::visibility("default")]] int execl(const char* file, const char* first, ...) noexcept {
  va_list list;
  va_start(list, first);
  const int result =
      with_words(first, list, [&](char** words, va_list&) { return start(file, words, environ); });
  va_end(list);
  return result;
}

[[gnu::visibility("default")]] int execlp(const char* name, const char* first, ...) noexcept {
  va_list list;
  va_start(list, first);
  const int result = with_words(
      first, list, [&](char** words, va_list&) { return start_by_name(name, words, environ); });
  va_end(list);
  return result;
}

[[gnu::visibility("default")]] int execle(const char* file, const char* first, ...) noexcept {
  va_list list;
  va_start(list, first);
  const int result = with_words(first, list, [&](char** words, va_list& rest) {
    return start(file, words, va_arg(rest, char* const*));
  });
  va_end(list);
  return result;
}

[[gnu::visibility("default")]] int posix_spawn(pid_t* process, const char* file,
                                               const posix_spawn_file_actions_t* actions,
                                               const posix_spawnattr_t* attributes,
                                               char* const arguments[], char* const environment[]) {
  pid_t started = 0;
  const int failure = libc().spawn(&started, file, actions, attributes, arguments, environment);
  if (failure == 0) {
    if (process) *process = started;
    note_program(file, environment, started);
  }
  return failure;
}

[[gnu::visibility("default")]] int posix_spawnp(pid_t* process, const char* name,
                                                const posix_spawn_file_actions_t* actions,
                                                const posix_spawnattr_t* attributes,
                                                char* const arguments[],
                                                char* const environment[]) {
  pid_t started = 0;
  const int failure = libc().spawnp(&started, name, actions, attributes, arguments, environment);
  char path[PATH_MAX];
  if (failure == 0) {
    if (process) *process = started;
    if (is_watching() && find_program(name, path)) note_program(path, environment, started);
  }
  return failure;
}

}  // extern "C"
