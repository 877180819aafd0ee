// SPDX-License-Identifier: Apache-2.0
#include "sim/os/fault.hpp"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "sim/os/device_access.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {
namespace {

volatile char* pointer_to(uint64_t address) { return reinterpret_cast<volatile char*>(address); }

FaultAction pass_on(const MemoryFault&) { return FaultAction::chain; }

// Runs `body` in a child, since signal handlers belong to the whole process.
int status_of(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS}) ::signal(signal, SIG_DFL);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

#define EXPECT_TRUE_IN_CHILD(condition) \
  if (!(condition)) _exit(__LINE__ % 251 + 1)

void expect_success(const std::function<void()>& body) {
  const int status = status_of(body);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "line, modulo 251, less 1";
}

void expect_death(int signal, const std::function<void()>& body) {
  const int status = status_of(body);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), signal);
}

// An address outside all reservations, with nothing mapped there.
uint64_t hole() {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return reinterpret_cast<uint64_t>(page);
}

sigjmp_buf recovery;
volatile int calls = 0;
void (*passed_to)(int, siginfo_t*, void*) = nullptr;

void recover(int) {
  calls = calls + 1;
  siglongjmp(recovery, 1);
}

void install(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

// Whether reading the byte reaches `recover`.
bool recovers(uint64_t address) {
  if (sigsetjmp(recovery, 1)) return true;
  (void)*pointer_to(address);
  return false;
}

TEST(watch_faults, DefaultDispositionEndsTheProcess) {
  expect_death(SIGSEGV, [] {
    watch_faults(pass_on);
    *pointer_to(hole()) = 1;
  });
}

TEST(watch_faults, AnIgnoredFaultEndsTheProcessToo) {
  expect_death(SIGSEGV, [] {
    install(SIGSEGV, SIG_IGN, 0);
    watch_faults(pass_on);
    *pointer_to(hole()) = 1;
  });
}

TEST(watch_faults, SignalsThatSomebodySendsKeepTheirMeaning) {
  expect_success([] {
    install(SIGSEGV, SIG_IGN, 0);
    watch_faults(pass_on);
    raise(SIGSEGV);
  });
  expect_death(SIGBUS, [] {
    watch_faults(pass_on);
    raise(SIGBUS);
  });
}

TEST(watch_faults, TheHandlerThatWasThereGetsWhatIsNotOurs) {
  expect_success([] {
    install(SIGSEGV, recover, 0);
    watch_faults(pass_on);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_TRUE_IN_CHILD(recovers(hole()));
      EXPECT_TRUE_IN_CHILD(calls == i);
    }
  });
}

TEST(watch_faults, AHandlerWithInformationGetsIt) {
  expect_success([] {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void* context) {
      mprotect(info->si_addr, 4096, PROT_READ | PROT_WRITE);
      calls = context != nullptr;
    };
    sigaction(SIGSEGV, &action, nullptr);
    watch_faults(pass_on);
    const uint64_t page = hole();
    *pointer_to(page) = 7;
    EXPECT_TRUE_IN_CHILD(*pointer_to(page) == 7 && calls == 1);
  });
}

TEST(watch_faults, AHandlerRunsUnderTheMaskItAskedFor) {
#ifdef CUVETTE_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer runs every handler with all signals blocked.";
#endif
  expect_success([] {
    struct sigaction action {};
    sigaddset(&action.sa_mask, SIGUSR1);
    action.sa_handler = [](int) {
      sigset_t now;
      pthread_sigmask(SIG_SETMASK, nullptr, &now);
      calls =
          sigismember(&now, SIGUSR1) && sigismember(&now, SIGSEGV) && !sigismember(&now, SIGUSR2);
      siglongjmp(recovery, 1);
    };
    sigaction(SIGSEGV, &action, nullptr);
    watch_faults(pass_on);
    EXPECT_TRUE_IN_CHILD(recovers(hole()) && calls == 1);
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_TRUE_IN_CHILD(!sigismember(&after, SIGUSR1));
  });
}

TEST(watch_faults, AHandlerForOnceIsCalledOnce) {
  expect_death(SIGSEGV, [] {
    install(SIGSEGV, recover, static_cast<int>(SA_RESETHAND));
    watch_faults(pass_on);
    if (!recovers(hole())) _exit(1);
    (void)recovers(hole());
    _exit(2);
  });
}

TEST(watch_faults, GoesInFrontAgainOfAHandlerInstalledSince) {
  expect_success([] {
    watch_faults(pass_on);
    install(SIGSEGV, recover, 0);
    static Reservation* const range =
        new Reservation(Reservation::reserve(1 << 30, 1 << 30).value());
    watch_range(range->begin(), range->end());
    watch_faults([](const MemoryFault&) { return FaultAction::replace_page; });
    *pointer_to(range->begin()) = 1;  // our fault
    EXPECT_TRUE_IN_CHILD(calls == 0);
    EXPECT_TRUE_IN_CHILD(recovers(hole()) && calls == 1);  // the program's fault
  });
}

// A program's handler that passes foreign faults on to the handler it replaced, which is ours.
void pass_back(int signal, siginfo_t* info, void* context) {
  calls = calls + 1;
  passed_to(signal, info, context);
}

void install_pass_back() {
  struct sigaction action {
  }, before{};
  action.sa_sigaction = pass_back;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
  if (before.sa_sigaction != pass_back) passed_to = before.sa_sigaction;
}

TEST(watch_faults, IsNotCaughtBetweenItselfAndAHandlerThatPassesBack) {
  expect_death(SIGSEGV, [] {
    watch_faults(pass_on);
    install_pass_back();
    watch_faults(pass_on);
    *pointer_to(hole()) = 1;
  });
  expect_success([] {
    install(SIGSEGV, recover, SA_NODEFER);
    watch_faults(pass_on);
    for (int i = 1; i <= 4; ++i) {
      install_pass_back();
      watch_faults(pass_on);
      const int before = calls;
      EXPECT_TRUE_IN_CHILD(recovers(hole()));
      EXPECT_TRUE_IN_CHILD(calls == before + 2);  // the handler itself, and the one before it
    }
  });
}

TEST(watch_faults, WorksOnAnAlternateStackAgainAndAgain) {
  expect_success([] {
    static char memory[64 << 10];
    const stack_t stack{memory, 0, sizeof memory};
    sigaltstack(&stack, nullptr);
    install(SIGSEGV, recover, SA_ONSTACK);
    watch_faults(pass_on);
    install_pass_back();
    watch_faults(pass_on);
    // Each frame lies in the place of the one before, which siglongjmp left.
    for (int i = 1; i <= 5; ++i) {
      EXPECT_TRUE_IN_CHILD(recovers(hole()));
      EXPECT_TRUE_IN_CHILD(calls == 2 * i);
    }
  });
}

class FaultScopeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_up_device_key();
    watch_faults(pass_on);
    watch_range(range_.begin(), range_.end());
  }
  void TearDown() override { unwatch_range(range_.begin(), range_.end()); }

  Reservation range_ = Reservation::reserve(1 << 30, 1 << 30).value();
};

TEST_F(FaultScopeTest, AnUnmappedPageIsReplacedAndTold) {
  const uint64_t address = range_.begin() + 8192 + 12;
  volatile uint32_t number = 1;
  FaultScope scope;
  scope.keep(const_cast<const uint32_t*>(&number));
  {
    const DeviceAccess access;
    EXPECT_FALSE(scope.faulted());
    number = 2;
    *pointer_to(address) = 5;
    number = 3;
    EXPECT_EQ(*pointer_to(address), 5);
    EXPECT_EQ(*pointer_to(address + 4096), 0);
  }
  EXPECT_EQ(scope.kept(), 2u);
  ASSERT_TRUE(scope.faulted());
  EXPECT_EQ(scope.first().kind, FaultKind::unmapped);
  EXPECT_EQ(scope.first().address, address);
  EXPECT_TRUE(scope.first().write);
  EXPECT_TRUE(scope.first().in_command);
  EXPECT_NE(scope.first().instruction, nullptr);
}

TEST_F(FaultScopeTest, APageThatItsFileLostIsReplacedAndTold) {
  const int fd = memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 8192), 0);
  auto segment = Segment::adopt(fd, 1).value();
  ASSERT_TRUE(range_.map(range_.begin(), *segment, 0, 8192).ok());
  ASSERT_EQ(ftruncate(segment->fd(), 4096), 0);
  FaultScope scope;
  {
    const DeviceAccess access;
    EXPECT_EQ(*pointer_to(range_.begin() + 4100), 0);
  }
  ASSERT_TRUE(scope.faulted());
  EXPECT_EQ(scope.first().kind, FaultKind::lost);
  EXPECT_EQ(scope.first().address, range_.begin() + 4100);
  EXPECT_FALSE(scope.first().write);
}

TEST_F(FaultScopeTest, EndsWithItsScope) {
  { const FaultScope scope; }
  const uint64_t address = range_.begin();
  expect_death(SIGSEGV, [address] {
    watch_faults(pass_on);
    *pointer_to(address) = 1;
  });
}

MemoryFault seen;

TEST_F(FaultScopeTest, OutsideOfOneTheHookDecides) {
  watch_faults([](const MemoryFault& fault) {
    seen = fault;
    return FaultAction::replace_page;
  });
  EXPECT_EQ(*pointer_to(range_.begin() + 1), 0) << "by a thread without the right";
  DeviceAccess::deny();
  EXPECT_EQ(seen.kind, FaultKind::unmapped);
  EXPECT_EQ(seen.address, range_.begin() + 1);
  EXPECT_FALSE(seen.in_command);
  EXPECT_FALSE(seen.write);
  watch_faults(pass_on);
}

TEST_F(FaultScopeTest, ADeniedAccessMayBeAllowed) {
  if (!has_device_key()) GTEST_SKIP() << "This processor or kernel has no protection keys.";
  auto segment = Segment::create("test", 4096).value();
  ASSERT_TRUE(range_.map(range_.begin(), *segment, 0, 4096).ok());
  seen = {};
  watch_faults([](const MemoryFault& fault) {
    seen = fault;
    return FaultAction::allow;
  });
  *pointer_to(range_.begin() + 3) = 9;
  EXPECT_EQ(seen.kind, FaultKind::denied);
  EXPECT_EQ(seen.address, range_.begin() + 3);
  EXPECT_TRUE(seen.write);
  seen = {};
  EXPECT_EQ(*pointer_to(range_.begin() + 3), 9);
  EXPECT_EQ(seen.address, 0u) << "this thread has the right now";
  DeviceAccess::deny();
  EXPECT_EQ(*pointer_to(range_.begin() + 3), 9);
  EXPECT_EQ(seen.address, range_.begin() + 3) << "and has lost it again";
  DeviceAccess::deny();
  watch_faults(pass_on);
}

TEST_F(FaultScopeTest, ADeniedPageIsNeverReplaced) {
  if (!has_device_key()) GTEST_SKIP() << "This processor or kernel has no protection keys.";
  const uint64_t address = range_.begin();
  auto segment = Segment::create("test", 4096).value();
  Reservation& range = range_;
  expect_death(SIGSEGV, [&] {
    watch_faults([](const MemoryFault&) { return FaultAction::replace_page; });
    if (!range.map(address, *segment, 0, 4096).ok()) _exit(1);
    *pointer_to(address) = 1;
  });
}

TEST_F(FaultScopeTest, ADeniedAccessIsPassedOnToTheProgram) {
  if (!has_device_key()) GTEST_SKIP() << "This processor or kernel has no protection keys.";
  const uint64_t address = range_.begin();
  auto segment = Segment::create("test", 4096).value();
  Reservation& range = range_;
  expect_success([&] {
    install(SIGSEGV, recover, 0);
    watch_faults(pass_on);
    EXPECT_TRUE_IN_CHILD(range.map(address, *segment, 0, 4096).ok());
    EXPECT_TRUE_IN_CHILD(recovers(address) && calls == 1);
    EXPECT_TRUE_IN_CHILD(recovers(address) && calls == 2);
  });
}

}  // namespace
}  // namespace cuvette::os
