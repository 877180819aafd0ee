// SPDX-License-Identifier: Apache-2.0
#include "sim/os/shared_condition.hpp"

#include <pthread.h>
#include <time.h>

#include <cstring>

namespace cuvette::os {
namespace {

static_assert(sizeof(pthread_mutex_t) == SharedCondition::mutex_size);
static_assert(sizeof(pthread_cond_t) == SharedCondition::condition_size);

pthread_mutex_t* mutex_at(void* at) { return static_cast<pthread_mutex_t*>(at); }

// Where the C library keeps a mutex's kind, and the kind of a plain process-shared mutex.
constexpr unsigned kind_offset = 16;
constexpr int shared_kind = 0x80;

}  // namespace

bool SharedCondition::sound() const {
  int kind;
  std::memcpy(&kind, static_cast<const char*>(mutex_) + kind_offset, sizeof kind);
  return kind == shared_kind;
}

bool SharedCondition::try_lock() { return sound() && pthread_mutex_trylock(mutex_at(mutex_)) == 0; }

bool SharedCondition::lock_within(int64_t nanoseconds) {
  if (!sound()) return false;
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  const int64_t after = end.tv_nsec + nanoseconds;
  end.tv_sec += after / 1'000'000'000;
  end.tv_nsec = after % 1'000'000'000;
  return pthread_mutex_timedlock(mutex_at(mutex_), &end) == 0;
}

void SharedCondition::unlock() { pthread_mutex_unlock(mutex_at(mutex_)); }

void SharedCondition::notify_all() {
  pthread_cond_broadcast(static_cast<pthread_cond_t*>(condition_));
}

}  // namespace cuvette::os
