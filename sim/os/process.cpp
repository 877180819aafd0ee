// SPDX-License-Identifier: Apache-2.0
#include "sim/os/process.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "sim/os/cgroup.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::os {
namespace {

// Returns all signals that are sent. Signals that a thread's own instructions cause are left out:
// if they were blocked they would end the process without a word.
sigset_t asynchronous_signals() {
  sigset_t set;
  sigfillset(&set);
  for (const int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
    sigdelset(&set, synchronous);
  }
  return set;
}

size_t machine_memory_left() {
  const std::string text = read_small_file("/proc/meminfo");
  const char* const name = "MemAvailable:";
  const size_t at = text.find(name);
  if (at == std::string::npos) return SIZE_MAX;
  return std::strtoull(text.c_str() + at + 13, nullptr, 10) * 1024;
}

unsigned cores_of_affinity() {
  // The kernel refuses a set smaller than its own.
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(capacity),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const size_t size = CPU_ALLOC_SIZE(capacity);
    if (set && sched_getaffinity(0, size, set.get()) == 0) {
      return static_cast<unsigned>(CPU_COUNT_S(size, set.get()));
    }
  }
  return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

size_t available_memory() {
  const std::optional<Cgroup> group = find_cgroup("memory");
  return std::min(machine_memory_left(), group ? group->memory_left() : SIZE_MAX);
}

bool memory_is_limited() {
  const std::optional<Cgroup> group = find_cgroup("memory");
  return group && group->memory_left() != SIZE_MAX;
}

SignalsBlocked::SignalsBlocked() {
  const sigset_t blocked = asynchronous_signals();
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}
SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void adopt_thread(const char* name) {
  DeviceAccess::deny();  // it inherited the rights of the thread that made it
  const sigset_t blocked = asynchronous_signals();
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  pthread_setname_np(pthread_self(), name);
}

std::thread start_thread(const char* name, std::function<void()> body) {
  // The signals are blocked before the thread exists, so at no moment could it take one.
  const SignalsBlocked blocked;
  try {
    return std::thread([body = std::move(body), name = std::string(name, strnlen(name, 15))] {
      adopt_thread(name.c_str());
      body();
    });
  } catch (const std::system_error&) {
    return {};
  }
}

void on_fork(void (*before)(), void (*in_child)()) { pthread_atfork(before, nullptr, in_child); }

void on_exit(void (*at_exit)()) { std::atexit(at_exit); }

bool accessible(uint64_t address, size_t size, bool writable) {
  const uint64_t end = address + size;
  if (end < address) return false;
  FILE* maps = fopen("/proc/self/maps", "re");
  if (!maps) return true;
  char* line = nullptr;
  size_t room = 0;
  // The lines are in rising order, so neighbouring mappings follow each other.
  while (address < end && getline(&line, &room, maps) > 0) {
    unsigned long long first, last;
    char rights[5];
    if (sscanf(line, "%llx-%llx %4s", &first, &last, rights) != 3 || last <= address) continue;
    if (first > address || rights[0] != 'r' || (writable && rights[1] != 'w')) break;
    address = last;
  }
  free(line);
  fclose(maps);
  return address >= end;
}

unsigned number_of_cores() {
  const unsigned cores = cores_of_affinity();
  const std::optional<Cgroup> group = find_cgroup("cpu");
  const unsigned quota = group ? group->cores() : 0;
  return quota == 0 ? cores : std::min(cores, quota);
}

}  // namespace cuvette::os
