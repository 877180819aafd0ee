// SPDX-License-Identifier: Apache-2.0
// A program with its own SIGSEGV and SIGBUS handlers: its faults reach them and a command's faults
// reach the device, in whatever order the handlers were installed.
#include <signal.h>

#include "program.hpp"

namespace {

constexpr size_t size = 64 << 10;
volatile sig_atomic_t seen_segv = 0, seen_bus = 0;

void on_fault(int signal, siginfo_t* info, void*) {
  volatile sig_atomic_t& seen = signal == SIGBUS ? seen_bus : seen_segv;
  seen = seen + 1;
  // Maps memory there, so that the faulting instruction can run again.
  void* const page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(info->si_addr) & ~4095ul);
  if (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
      MAP_FAILED) {
    _exit(2);
  }
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

// The program's own faults reach its own handler.
void fault_myself() {
  const int before_segv = seen_segv, before_bus = seen_bus;
  auto* page = static_cast<volatile char*>(
      mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  page[0] = 1;
  REQUIRE(seen_segv == before_segv + 1 && seen_bus == before_bus);
  const int empty = memfd_create("empty", 0);
  page = static_cast<volatile char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, empty, 0));
  page[0] = 1;
  REQUIRE(seen_segv == before_segv + 1 && seen_bus == before_bus + 1);
}

// A command that loses its memory ends with an error; the program's handler is not called.
void lose(Imported& imported, bool asynchronous) {
  const int before_segv = seen_segv, before_bus = seen_bus;
  imported.shrink();
  static char host[size];
  if (asynchronous) {
    WORKS(cuMemsetD8Async(imported.address, 1, size, nullptr));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(nullptr));
  } else {
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemcpyDtoH(host, imported.address, size));
  }
  REQUIRE(seen_segv == before_segv && seen_bus == before_bus);
  // "The context cannot be used" any more, and its calls say so.
  CUdeviceptr more;
  ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&more, 16));
}

void handler_before(bool asynchronous) {
  install();
  begin();
  fault_myself();
  Imported imported(size);
  lose(imported, asynchronous);
  fault_myself();
}

void handler_after(bool asynchronous) {
  begin();
  Imported imported(size);
  WORKS(cuMemsetD8(imported.address, 1, size));
  install();
  fault_myself();
  lose(imported, asynchronous);
  fault_myself();
}

void handler_again() {
  install();
  begin();
  Imported imported(size);
  signal(SIGBUS, SIG_DFL);
  signal(SIGSEGV, SIG_DFL);
  WORKS(cuMemsetD8(imported.address, 1, size));
  install();
  lose(imported, true);
  fault_myself();
}

void no_handler() {
  begin();
  Imported imported(size);
  lose(imported, true);
}

// The default action for the program's own faults is unchanged.
void dies_of_its_own() {
  begin();
  do_some_work();
  auto* page = static_cast<volatile char*>(
      mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  page[0] = 1;
}

}  // namespace

int main(int count, char** words) {
  return run_scenario(count, words,
                      {{"before", [] { handler_before(false); }},
                       {"before_asynchronous", [] { handler_before(true); }},
                       {"after", [] { handler_after(false); }},
                       {"after_asynchronous", [] { handler_after(true); }},
                       {"again", handler_again},
                       {"none", no_handler},
                       {"dies", dies_of_its_own}});
}
