// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/sandbox.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/exit_statuses.hpp"

namespace cuvette::tools {
namespace {

constexpr double mebibyte = 1 << 20;

// --- What the C library may be too old to have a function for ------------------------------------

constexpr uint64_t changes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                             LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

int landlock_ruleset() {
  landlock_ruleset_attr rules{};
  rules.handled_access_fs = changes;
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0));
}

bool allow_changes(int ruleset, const char* path) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = changes;
  rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return false;
  // Of a device, only writing makes sense.
  if (strncmp(path, "/dev/", 5) == 0) rule.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
  const bool added =
      syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close(rule.parent_fd);
  return added;
}

bool restrict_changes(const std::string& folder) {
  const int ruleset = landlock_ruleset();
  if (ruleset < 0) return false;
  bool done = allow_changes(ruleset, folder.c_str());
  for (const char* const device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"})
    allow_changes(ruleset, device);
  done = done && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

struct MountAttributes {
  uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};

bool change_mount(const char* path, unsigned flags, const MountAttributes& attributes) {
  constexpr long mount_setattr_number = 442;
  return syscall(mount_setattr_number, AT_FDCWD, path, flags, &attributes, sizeof attributes) == 0;
}

// Makes all files unchangeable but those in the folder, in this process's own view of them.
bool freeze_mounts(const std::string& folder) {
  constexpr unsigned recursive = 0x8000;  // AT_RECURSIVE
  constexpr uint64_t read_only = 1;       // MOUNT_ATTR_RDONLY
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  if (!change_mount("/", recursive, {read_only})) return false;
  return change_mount(folder.c_str(), 0, {0, read_only});
}

// Takes every capability away for good, also what root would get back when it starts a program.
void drop_capabilities() {
  for (unsigned long one = 0; prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
    prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  syscall(SYS_capset, &header, none);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

bool write_line(const char* file, const std::string& line) {
  const int out = open(file, O_WRONLY | O_CLOEXEC);
  if (out < 0) return false;
  const bool written = write(out, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  close(out);
  return written;
}

// Inside, the user is who it was outside.
bool map_user(uid_t user, gid_t group) {
  write_line("/proc/self/setgroups", "deny");
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  return write_line("/proc/self/uid_map", map(user)) &&
         write_line("/proc/self/gid_map", map(group));
}

// Tries something in a process of its own.
template <typename Try>
bool is_possible(const Try& attempt) {
  const pid_t child = fork();
  if (child == 0) _exit(attempt() ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

bool can_unshare(int flags) {
  return is_possible([flags] {
    const uid_t user = getuid();
    const gid_t group = getgid();
    if (unshare(flags) != 0) return false;
    return !(flags & CLONE_NEWUSER) || map_user(user, group);
  });
}

void limit(int resource, double most) {
  rlimit one{};
  getrlimit(static_cast<__rlimit_resource>(resource), &one);
  const auto wanted = static_cast<rlim_t>(most);
  if (one.rlim_max != RLIM_INFINITY && one.rlim_max < wanted) return;
  one = {wanted, wanted};
  setrlimit(static_cast<__rlimit_resource>(resource), &one);
}

// Root's processes are not limited by RLIMIT_NPROC. Since Linux 6.14 a namespace has a greatest
// number of its own for processes and threads; before, it was the machine's, which is left alone.
bool can_limit_process_numbers() {
  utsname system{};
  int major = 0, minor = 0;
  return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 14));
}

void limit_process_numbers(unsigned most) {
  constexpr unsigned least_allowed = 400;
  if (can_limit_process_numbers())
    write_line("/proc/sys/kernel/pid_max", std::to_string(std::max(most, least_allowed)));
}

// Becomes the first process of the namespace in a child, and stays as the one that waits for it.
bool become_first() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    // When the first process dies, all others in the namespace do.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return true;
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

Sandbox::Sandbox(const SandboxLimits& limits) : limits_(limits) {
  struct Means {
    int flag;
    const char* without;
  };
  constexpr Means all[] = {
      {CLONE_NEWPID, "a submission can see the processes of this user"},
      {CLONE_NEWNET, "a submission can use the network"},
      {CLONE_NEWNS, ""},
      {CLONE_NEWIPC, ""},
  };
  int wanted = 0;
  for (const Means& one : all) wanted |= one.flag;
  if (can_unshare(CLONE_NEWUSER | wanted)) {
    namespaces_ = CLONE_NEWUSER | wanted;
  } else {
    for (const int user : {0, CLONE_NEWUSER})
      for (const Means& one : all)
        if (!(namespaces_ & one.flag) && can_unshare(namespaces_ | user | one.flag))
          namespaces_ |= user | one.flag;
  }
  for (const Means& one : all)
    if (!(namespaces_ & one.flag) && *one.without) missing_.emplace_back(one.without);
  if (getuid() == 0 && !((namespaces_ & CLONE_NEWPID) && can_limit_process_numbers()))
    missing_.emplace_back(
        "root's processes are counted, but not limited: a fork bomb slows the machine down before "
        "it "
        "is stopped; another user's are limited");
  const int ruleset = landlock_ruleset();
  landlock_ = ruleset >= 0;
  if (ruleset >= 0) close(ruleset);
  const bool freezes = (namespaces_ & CLONE_NEWNS) && is_possible([this] {
                         const uid_t user = getuid();
                         const gid_t group = getgid();
                         return unshare(namespaces_) == 0 &&
                                (!(namespaces_ & CLONE_NEWUSER) || map_user(user, group)) &&
                                freeze_mounts("/tmp");
                       });
  if (!freezes) namespaces_ &= ~CLONE_NEWNS;
  if (!freezes && !landlock_) missing_.emplace_back("a submission can change this user's files");
}

bool Sandbox::dies_whole() const { return (namespaces_ & CLONE_NEWPID) != 0; }

bool Sandbox::enter(const std::string& folder) const {
  constexpr unsigned threads = 16;  // of a process, about
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits_.seconds * 8 + 1);
  // Device memory is not among it: that is in shared files. They are looked at from outside.
  limit(RLIMIT_DATA, (limits_.memory + 2048) * mebibyte);
  limit(RLIMIT_NOFILE, 4096);
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (namespaces_ != 0 && unshare(namespaces_) != 0) return false;
  if (namespaces_ & CLONE_NEWUSER) {
    if (!map_user(user, group)) return false;
    // Processes of the namespace alone are counted, and their threads.
    limit(RLIMIT_NPROC, limits_.processes * threads);
  }
  if ((namespaces_ & CLONE_NEWPID) && !become_first()) return false;
  if (namespaces_ & CLONE_NEWNS) {
    if (!freeze_mounts(folder)) return false;
    // A view of the own processes alone; where it is not allowed, nothing depends on it.
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  }
  if (namespaces_ & CLONE_NEWPID) limit_process_numbers(limits_.processes * threads);
  if (landlock_ && !restrict_changes(folder)) return false;
  drop_capabilities();
  return true;
}

std::string Sandbox::exceeded(pid_t process) const {
  const std::vector<pid_t> all = descendants(process);
  if (all.size() > limits_.processes)
    return "it started more than " + std::to_string(limits_.processes) + " processes";
  static const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  double own = 0, shared = 0;
  for (const pid_t one : all) {
    double size = 0, resident = 0, common = 0;
    std::ifstream("/proc/" + std::to_string(one) + "/statm") >> size >> resident >> common;
    own += (resident - common) * page;
    shared = std::max(shared, common * page);
  }
  if (own + shared <= limits_.memory * mebibyte) return "";
  char text[80];
  snprintf(text, sizeof text, "it used more than %g MiB of memory", limits_.memory);
  return text;
}

}  // namespace cuvette::tools
