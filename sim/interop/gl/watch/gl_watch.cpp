// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/watch/gl_watch.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/machine/misuse.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/gl/watch/gl_watch_protocol.hpp"
#include "sim/interop/gl/watch/gl_watch_uses.hpp"
#include "sim/os/library.hpp"

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

constexpr const char must_not[] = "Graphics must not access a resource while CUDA has it mapped.";

// Returns "vertex attribute 0 and vertex attribute 1" and the like.
std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

// Something lent that the call touches.
struct Hit {
  Ref<const memory::Lender> lender;
  Manner manner;
  bool mapped;
  std::vector<std::string> as;

  std::string words() const { return as.empty() ? "" : " as " + list(as); }
};

// Reports everything that is touched in the same manner at once, because a place is reported only
// once.
void report(const Call& call, const std::vector<Hit>& hits, Manner manner) {
  const auto of_manner = [&](const Hit& hit) { return hit.manner == manner; };
  const auto first = std::find_if(hits.begin(), hits.end(), of_manner);
  if (first == hits.end()) return;
  std::string others;
  for (auto hit = first + 1; hit != hits.end(); ++hit)
    if (of_manner(*hit)) others += ", and so is " + hit->lender->describe() + hit->words();
  others += ". ";

  using device::MisuseKind;
  const std::string what = first->lender->describe();
  if (manner == Manner::used)
    return device::notify_misuse(MisuseKind::graphics_used_while_mapped, *first->lender, call.place,
                                 what + " is used by " + call.function + first->words() +
                                     " while CUDA has it mapped" + others + must_not);
  device::notify_misuse(
      MisuseKind::graphics_storage_changed, *first->lender, call.place,
      what + (manner == Manner::deleted ? " is deleted by " : " is given other storage by ") +
          call.function +
          (first->mapped ? " while CUDA has it mapped" : " while it is registered") + others +
          "A registration is for the storage that the object had then: unregister the object "
          "before its storage is replaced or it is deleted, and register it again.");
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
        return one.lender == entry->lender && one.manner == use.manner;
      });
      if (hit == hits.end()) hit = hits.insert(hits.end(), {entry->lender, use.manner, false, {}});
      hit->mapped |= mapped;
      if (!use.as.empty() && std::find(hit->as.begin(), hit->as.end(), use.as) == hit->as.end())
        hit->as.push_back(use.as);
    }
  }
  for (const Manner manner : {Manner::used, Manner::replaced, Manner::deleted})
    report(call, hits, manner);
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
    const auto watch =
        reinterpret_cast<gl_watch::Watch>(os::find_loaded(nullptr, gl_watch::watch_function));
    return watch ? watch(gl_watch::protocol, before_call) : nullptr;
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
