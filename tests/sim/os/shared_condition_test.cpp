// SPDX-License-Identifier: Apache-2.0
#include "sim/os/shared_condition.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace cuvette::os {
namespace {

struct Words {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int value;
};

class SharedConditionTest : public testing::Test {
 protected:
  SharedConditionTest()
      : words(*static_cast<Words*>(mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))),
        shared(&words.mutex, &words.condition) {
    pthread_mutexattr_t mutex;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&words.mutex, &mutex);
    pthread_condattr_t condition;
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&words.condition, &condition);
  }
  ~SharedConditionTest() override { munmap(&words, sizeof(Words)); }

  Words& words;
  SharedCondition shared;
};

TEST_F(SharedConditionTest, WakesAnotherProcess) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    pthread_mutex_lock(&words.mutex);
    while (words.value == 0) pthread_cond_wait(&words.condition, &words.mutex);
    pthread_mutex_unlock(&words.mutex);
    _exit(0);
  }
  usleep(10'000);
  ASSERT_TRUE(shared.lock_within(1'000'000'000));
  words.value = 1;
  shared.notify_all();
  shared.unlock();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(SharedConditionTest, WaitsForNobodyForEver) {
  ASSERT_TRUE(shared.try_lock());
  EXPECT_FALSE(shared.try_lock());
  EXPECT_FALSE(shared.lock_within(1'000'000));
  shared.unlock();
  EXPECT_TRUE(shared.lock_within(0));
  shared.unlock();
}

TEST_F(SharedConditionTest, TouchesNoOtherKindOfMutex) {
  EXPECT_TRUE(shared.sound());
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&words.mutex, &robust);
  EXPECT_FALSE(shared.try_lock());
  for (const int byte : {0, 0x5a, 0xff}) {
    std::memset(&words.mutex, byte, sizeof words.mutex);
    EXPECT_FALSE(shared.try_lock());
    EXPECT_FALSE(shared.lock_within(1000));
  }
}

}  // namespace
}  // namespace cuvette::os
