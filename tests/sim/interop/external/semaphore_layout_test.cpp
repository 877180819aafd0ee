// SPDX-License-Identifier: Apache-2.0
// The imported layout is the one that <cuvetteSemaphore.h> documents, and its functions work
// without CUDA.
#include "sim/interop/external/semaphore_layout.hpp"

#include <cuvetteSemaphore.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

namespace cuvette::interop {
namespace {

TEST(OwnSemaphore, IsWhatTheHeaderDocuments) {
  static_assert(sizeof(OwnSemaphore) == sizeof(cuvetteSemaphore));
  static_assert(
      offsetof(cuvetteSemaphore, magic) == 0 && offsetof(cuvetteSemaphore, version) == 8 &&
      offsetof(cuvetteSemaphore, kind) == 12 && offsetof(cuvetteSemaphore, value) == 16 &&
      offsetof(cuvetteSemaphore, changes) == 24 && offsetof(cuvetteSemaphore, waiters) == 28);
  EXPECT_EQ(OwnSemaphore::right_magic, CUVETTE_SEMAPHORE_MAGIC);
  EXPECT_EQ(OwnSemaphore::right_version, CUVETTE_SEMAPHORE_VERSION);
  EXPECT_EQ(OwnSemaphore::size, CUVETTE_SEMAPHORE_SIZE);
  EXPECT_EQ(OwnSemaphore::binary, static_cast<uint32_t>(CUVETTE_SEMAPHORE_BINARY));
  EXPECT_EQ(OwnSemaphore::timeline, static_cast<uint32_t>(CUVETTE_SEMAPHORE_TIMELINE));
  EXPECT_TRUE(std::atomic<uint64_t>::is_always_lock_free);
}

class Made {
 public:
  explicit Made(cuvetteSemaphoreKind kind, uint64_t initial = 0)
      : fd(cuvetteSemaphoreCreate(kind, initial)), mapped(cuvetteSemaphoreMap(fd)) {}
  ~Made() {
    cuvetteSemaphoreUnmap(mapped);
    close(fd);
  }
  const int fd;
  cuvetteSemaphore* const mapped;
};

constexpr uint64_t second = 1'000'000'000;

TEST(cuvetteSemaphoreCreate, MakesAMemfdThatNobodyCanCutOff) {
  const Made made(CUVETTE_SEMAPHORE_TIMELINE, 7);
  ASSERT_NE(made.mapped, nullptr);
  EXPECT_EQ(cuvetteSemaphoreValue(made.mapped), 7u);
  EXPECT_NE(ftruncate(made.fd, 0), 0);
  EXPECT_TRUE(fcntl(made.fd, F_GETFD) & FD_CLOEXEC);
}

TEST(cuvetteSemaphoreMap, RefusesOtherFiles) {
  EXPECT_EQ(cuvetteSemaphoreMap(-1), nullptr);
  const int fd = memfd_create("none", MFD_CLOEXEC);
  EXPECT_EQ(cuvetteSemaphoreMap(fd), nullptr);
  ASSERT_EQ(ftruncate(fd, CUVETTE_SEMAPHORE_SIZE), 0);
  EXPECT_EQ(cuvetteSemaphoreMap(fd), nullptr);
  close(fd);
}

TEST(cuvetteSemaphoreTryWait, TakesABinarySignalOnce) {
  const Made made(CUVETTE_SEMAPHORE_BINARY);
  EXPECT_FALSE(cuvetteSemaphoreTryWait(made.mapped, 0));
  cuvetteSemaphoreSignal(made.mapped, 0);
  cuvetteSemaphoreSignal(made.mapped, 0);
  EXPECT_TRUE(cuvetteSemaphoreTryWait(made.mapped, 99));
  EXPECT_FALSE(cuvetteSemaphoreTryWait(made.mapped, 0));
}

TEST(cuvetteSemaphoreSignal, NeverTakesATimelineBack) {
  const Made made(CUVETTE_SEMAPHORE_TIMELINE, 5);
  cuvetteSemaphoreSignal(made.mapped, 4);
  EXPECT_EQ(cuvetteSemaphoreValue(made.mapped), 5u);
  cuvetteSemaphoreSignal(made.mapped, 9);
  EXPECT_TRUE(cuvetteSemaphoreTryWait(made.mapped, 8));
  EXPECT_FALSE(cuvetteSemaphoreTryWait(made.mapped, 10));
}

TEST(cuvetteSemaphoreWait, GivesUpInTime) {
  const Made made(CUVETTE_SEMAPHORE_TIMELINE);
  EXPECT_EQ(cuvetteSemaphoreWait(made.mapped, 1, 0), -1);
  EXPECT_EQ(errno, ETIMEDOUT);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(cuvetteSemaphoreWait(made.mapped, 1, second / 20), -1);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(50));
  EXPECT_EQ(made.mapped->waiters, 0u);
}

// Each with a mapping of its own, as two processes have.
TEST(cuvetteSemaphoreWait, IsWokenByAnotherProcess) {
  const Made there(CUVETTE_SEMAPHORE_BINARY), back(CUVETTE_SEMAPHORE_TIMELINE);
  constexpr unsigned rounds = 500;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    for (unsigned i = 1; i <= rounds; ++i) {
      if (cuvetteSemaphoreWait(there.mapped, 0, UINT64_MAX) != 0) _exit(1);
      cuvetteSemaphoreSignal(back.mapped, i);
    }
    _exit(0);
  }
  for (unsigned i = 1; i <= rounds; ++i) {
    cuvetteSemaphoreSignal(there.mapped, 0);
    ASSERT_EQ(cuvetteSemaphoreWait(back.mapped, i, 30 * second), 0) << i;
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace cuvette::interop
