// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/watch/gl_watch.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/gl/watch/gl_watch_library.hpp"
#include "sim/interop/gl/watch/gl_watch_uses.hpp"

namespace cuvette::interop::gl {

using gl_watch::Call;
using gl_watch::Manner;

struct Watched::Entry final : Counted {
  Entry(const Ref<ShareGroup>& group, Object object, const memory::Lender& lender)
      : group(group), object(object), lender(&lender) {}

  const Ref<ShareGroup> group;
  const Object object;
  const Ref<const memory::Lender> lender;
  std::atomic<bool> mapped{false};
  std::atomic<bool> deleted{false};  // its name is free and may soon belong to another object
};

namespace {

using Entries = std::vector<Ref<Watched::Entry>>;

constinit thread_local bool own_calls = false;

constinit Mutex mutex;  // a leaf
Entries& entries() REQUIRES(mutex) {
  static auto* const all = new Entries;
  return *all;
}

// Something lent that the call touches.
struct Hit {
  Manner manner;
  device::misuse::Touched what;
};

// Reports everything that is touched in the same manner at once, because a place is reported only
// once.
void report(const Call& call, const std::vector<Hit>& hits, Manner manner) {
  std::vector<device::misuse::Touched> objects;
  for (const Hit& hit : hits)
    if (hit.manner == manner) objects.push_back(hit.what);
  if (objects.empty()) return;
  const Ref<const memory::Lender> first = objects.front().lender;
  if (manner == Manner::used)
    device::notify_misuse(device::misuse::UsedWhileMapped{call.function, std::move(objects)},
                          *first, call.place);
  else
    device::notify_misuse(device::misuse::ReplacedByCall{call.function, std::move(objects),
                                                         manner == Manner::deleted},
                          *first, call.place);
}

// Returns the watched objects that the calling thread's context has.
Entries candidates(const CurrentContext& current) {
  Entries found;
  {
    MutexLock lock(mutex);
    for (const auto& entry : entries())
      if (!entry->deleted.load(std::memory_order_relaxed) &&
          entry->group->system() == current.system)
        found.push_back(entry);
  }
  const ShareGroup* asked = nullptr;
  bool is_current = false;
  std::erase_if(found, [&](const auto& entry) {
    if (asked != entry->group.get()) {
      asked = entry->group.get();
      is_current = asked->is_current();
    }
    return !is_current;
  });
  return found;
}

void look(const Call& call) {
  const std::optional<CurrentContext> current = current_context();
  if (!current) return;
  Uses uses(current->system);
  if (!uses.can_share()) return;
  const bool storage = std::any_of(call.touches, call.touches + call.count,
                                   [](const auto& touch) { return touch.manner != Manner::used; });
  Entries known = candidates(*current);
  if (!storage)
    std::erase_if(known,
                  [](const auto& entry) { return !entry->mapped.load(std::memory_order_acquire); });
  if (known.empty()) return;
  std::vector<Object> objects;
  objects.reserve(known.size());
  for (const auto& entry : known) objects.push_back(entry->object);

  std::vector<Hit> hits;
  for (const Uses::Use& use : uses.of(call, objects)) {
    for (const auto& entry : known) {
      if (entry->object != use.object) continue;
      const bool mapped = entry->mapped.load(std::memory_order_acquire);
      if (use.manner == Manner::used && !mapped) continue;
      if (use.manner == Manner::deleted) entry->deleted.store(true, std::memory_order_relaxed);
      // One object may have several registrations.
      auto hit = std::find_if(hits.begin(), hits.end(), [&](const Hit& one) {
        return one.what.lender == entry->lender && one.manner == use.manner;
      });
      if (hit == hits.end())
        hit = hits.insert(hits.end(), {use.manner, {entry->lender, {}, false}});
      hit->what.mapped |= mapped;
      std::vector<std::string>& as = hit->what.as;
      if (!use.as.empty() && std::ranges::find(as, use.as) == as.end()) as.push_back(use.as);
    }
  }
  for (const Manner manner : {Manner::used, Manner::replaced, Manner::deleted})
    report(call, hits, manner);
  for (const Hit& hit : hits)
    if (hit.manner != Manner::used && hit.what.mapped) storage_ends(*hit.what.lender);
}

// OwnCalls, because our questions to OpenGL may lead to the program's debug callback, which may
// itself call OpenGL.
void before_call(const Call& call) noexcept {
  if (own_calls || device::Machine::state() != device::Machine::State::running) return;
  const OwnCalls own;
  try {
    look(call);
  } catch (const std::bad_alloc&) {
    // Out of memory: nothing can be said, and the program's call must not fail because of it.
  }
}

// Returns where to count the calls that are wanted; null if the library is not loaded.
gl_watch::Wanted* wanted() {
  static gl_watch::Wanted* const found = [] {
    listen_to_calls(before_call);
    return watch_library().wanted;
  }();
  return found;
}

}  // namespace

OwnCalls::OwnCalls() : before_(own_calls) { own_calls = true; }
OwnCalls::~OwnCalls() { own_calls = before_; }

std::unique_ptr<Watched> Watched::begin(const Ref<ShareGroup>& group, Object object,
                                        const memory::Lender& lender) {
  if (!wanted()) return nullptr;
  auto entry = make_ref<Entry>(group, object, lender);
  {
    MutexLock lock(mutex);
    entries().push_back(entry);
  }
  wanted()->registered.fetch_add(1, std::memory_order_relaxed);
  return std::unique_ptr<Watched>(new Watched(std::move(entry)));
}

Watched::Watched(Ref<Entry> entry) : entry_(std::move(entry)) {}

Watched::~Watched() {
  set_mapped(false);
  wanted()->registered.fetch_sub(1, std::memory_order_relaxed);
  MutexLock lock(mutex);
  std::erase(entries(), entry_);
}

void Watched::set_mapped(bool mapped) {
  if (entry_->mapped.exchange(mapped, std::memory_order_acq_rel) == mapped) return;
  if (mapped) {
    wanted()->mapped.fetch_add(1, std::memory_order_relaxed);
  } else {
    wanted()->mapped.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace cuvette::interop::gl
