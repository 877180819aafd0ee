// SPDX-License-Identifier: Apache-2.0
#include "sim/os/thread_exit.hpp"

#include <pthread.h>

#include <utility>

namespace cuvette::os {
namespace {

struct Entry {
  void (*at_exit)(void*);
  void* argument;
  Entry* before;
};

// A pthread key, not a thread_local object: its destructor would need the C++ runtime of a library
// that may be the last one to know this thread.
pthread_key_t make_key() {
  pthread_key_t key;
  pthread_key_create(&key, [](void* value) {
    // Callbacks that are registered during this become a new list, for the C library's next round.
    for (auto* entry = static_cast<Entry*>(value); entry;) {
      entry->at_exit(entry->argument);
      delete std::exchange(entry, entry->before);
    }
  });
  return key;
}

}  // namespace

void at_thread_exit(void (*at_exit)(void*), void* argument) {
  static const pthread_key_t key = make_key();
  auto* const before = static_cast<Entry*>(pthread_getspecific(key));
  pthread_setspecific(key, new Entry{at_exit, argument, before});
}

Cancellable::Cancellable() { pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr); }
Cancellable::~Cancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); }

}  // namespace cuvette::os
