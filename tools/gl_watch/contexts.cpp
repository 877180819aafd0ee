// SPDX-License-Identifier: Apache-2.0
#include "tools/gl_watch/contexts.hpp"

#include <pthread.h>

#include <cstdlib>

namespace cuvette::gl_watch {

struct Context {
  Context* next;
  void* display;
  void* handle;
  uint64_t group;
  unsigned threads;  // in which it is current
  bool destroyed;    // its handle is free, and may soon be another's
};

namespace {

constinit pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
constinit Context* contexts = nullptr;
constinit uint64_t last_group = 0;
constinit thread_local Context* current = nullptr;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

Context* find(void* handle) {
  if (!handle) return nullptr;
  for (Context* one = contexts; one; one = one->next)
    if (one->handle == handle && !one->destroyed) return one;
  return nullptr;
}

// Forgets a context; returns its group if it was the last one of it, else 0.
uint64_t drop(Context* context) {
  const uint64_t group = context->group;
  for (Context** at = &contexts; *at; at = &(*at)->next)
    if (*at == context) {
      *at = context->next;
      break;
    }
  free(context);
  for (const Context* one = contexts; one; one = one->next)
    if (one->group == group) return 0;
  return group;
}

uint64_t destroy(Context* context) {
  context->destroyed = true;
  return context->threads == 0 ? drop(context) : 0;
}

}  // namespace

void note_made(void* display, void* context, void* share) {
  if (!context) return;
  const Lock lock;
  // One of this handle has ended unseen.
  if (Context* const stale = find(context)) destroy(stale);
  auto* const made = static_cast<Context*>(malloc(sizeof(Context)));
  if (!made) return;  // unknown: libcuda asks in its own way then
  const Context* const other = find(share);
  *made = {contexts, display, context, other ? other->group : ++last_group, 0, false};
  contexts = made;
}

uint64_t group_of(void* context) {
  const Lock lock;
  // The calling thread's own may be destroyed, and another may have its handle.
  if (current && current->handle == context) return current->group;
  const Context* const found = find(context);
  return found ? found->group : 0;
}

uint64_t note_destroyed(void* display, void* context) {
  const Lock lock;
  Context* const found = find(context);
  return found && found->display == display ? destroy(found) : 0;
}

uint64_t note_terminated(void* display) {
  const Lock lock;
  for (Context* one = contexts; one;) {
    Context* const next = one->next;
    if (one->display == display && !one->destroyed)
      if (const uint64_t ended = destroy(one)) return ended;
    one = next;
  }
  return 0;
}

Change::Change() : left_(current) {
  const Lock lock;
  current = nullptr;
  if (left_ && --left_->threads == 0 && left_->destroyed) {
    ended_ = drop(left_);
    left_ = nullptr;
  }
}

void Change::finish(bool made, void* context) {
  const Lock lock;
  current = made ? find(context) : left_;
  if (current) ++current->threads;
}

}  // namespace cuvette::gl_watch
