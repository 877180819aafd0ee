// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/call_stack.hpp"

#include <sys/mman.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/callsite/python_lines.hpp"

namespace cuvette::callsite {
namespace detail {
std::atomic<bool> keeping_stacks{false};
}

namespace {

constexpr size_t most_frames = 24;
// How many frames of ours may lie below the program's.
constexpr size_t most_own_frames = 16;
// Addresses for stacks that are kept; pages come as they fill.
constexpr size_t arena_bytes = size_t{64} << 20;

// A stack as it is kept: its length, then its addresses.
struct KeptStack {
  uint64_t count;
  const void* frames[];
};

std::atomic<const std::byte*> arena{nullptr};

struct Stacks {
  Mutex mutex;
  std::byte* next GUARDED_BY(mutex) = nullptr;
  std::unordered_multimap<uint64_t, const KeptStack*> known GUARDED_BY(mutex);  // by hash
};
Stacks& stacks() {
  static auto* const instance = new Stacks;
  return *instance;
}

struct Walk {
  const void* wanted;
  size_t skipped = 0;
  size_t count = 0;
  const void* frames[most_frames];
  const void* const* slots[most_frames];  // where the addresses lie
  bool checkable = true;                  // whether all of them do
};

// AddressSanitizer must not mind that return addresses are read.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] const void* load(const void* const* slot) {
  return *static_cast<const void* const volatile*>(slot);
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (!address) return _URC_END_OF_STACK;
  if (walk.count == 0 && address != walk.wanted)
    return ++walk.skipped > most_own_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
  // The frame of the caller begins right above the return address into it.
  const auto* const slot =
      reinterpret_cast<const void* const*>(_Unwind_GetCFA(context) - sizeof(void*));
  walk.checkable = walk.checkable && load(slot) == address;
  walk.frames[walk.count] = address;
  walk.slots[walk.count] = slot;
  return ++walk.count == most_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

uint64_t hash_of(std::span<const void* const> frames) {
  uint64_t hash = 0;
  for (const void* const frame : frames) {
    hash = (hash ^ reinterpret_cast<uint64_t>(frame)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

// Returns the one stack that consists of these frames; null if they cannot be kept.
const KeptStack* keep(std::span<const void* const> frames) {
  const uint64_t hash = hash_of(frames);
  Stacks& all = stacks();
  MutexLock lock(all.mutex);
  const auto [begin, end] = all.known.equal_range(hash);
  for (auto one = begin; one != end; ++one)
    if (std::ranges::equal(std::span(one->second->frames, one->second->count), frames))
      return one->second;
  if (!all.next) {
    void* const place = mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return nullptr;
    all.next = static_cast<std::byte*>(place);
    arena.store(all.next, std::memory_order_release);
  }
  const size_t bytes = sizeof(KeptStack) + frames.size_bytes();
  if (all.next + bytes > arena.load(std::memory_order_relaxed) + arena_bytes) return nullptr;
  auto* const kept = reinterpret_cast<KeptStack*>(all.next);
  kept->count = frames.size();
  std::copy(frames.begin(), frames.end(), kept->frames);
  all.next += bytes;
  all.known.emplace(hash, kept);
  return kept;
}

// The last stacks of a thread, by the place of their first return address.
struct Remembered {
  const KeptStack* kept = nullptr;
  uint64_t below = 0;  // the frame that was below all of it
  size_t walked = 0;   // so many frames are code; lines of Python follow
  const void* const* slots[most_frames];
};
constexpr size_t remembered_count = 64;
[[gnu::tls_model(
    "initial-exec")]] thread_local constinit std::array<Remembered, remembered_count>* remembered =
    nullptr;

// Frees what the thread remembers when it ends.
struct Forgets {
  ~Forgets() {
    delete remembered;
    remembered = nullptr;
  }
};

bool still_there(const Remembered& one, std::span<const void* const> lines) {
  for (size_t i = 0; i < one.walked; ++i)
    if (load(one.slots[i]) != one.kept->frames[i]) return false;
  // One loop of the interpreter runs all lines.
  return std::ranges::equal(lines,
                            std::span(one.kept->frames, one.kept->count).subspan(one.walked));
}

}  // namespace

namespace detail {

const void* keep_stack(const void* return_address) {
  thread_local Forgets forgets;
  if (!remembered) {
    static_cast<void>(forgets);
    remembered = new std::array<Remembered, remembered_count>;
  }
  const void* lines[most_python_lines];
  const std::span<const void* const> python(lines, python_lines(lines));
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  Remembered& own =
      (*remembered)[((reinterpret_cast<uint64_t>(return_address) * 0x9e3779b97f4a7c15u ^ here) >>
                     4) %
                    remembered_count];
  if (own.kept && own.below == here && own.kept->frames[0] == return_address &&
      still_there(own, python))
    return own.kept;
  Walk walk{.wanted = return_address, .frames = {}, .slots = {}};
  _Unwind_Backtrace(visit, &walk);
  if (walk.count == 0) return return_address;
  const void* all[most_frames + most_python_lines];
  std::copy_n(walk.frames, walk.count, all);
  std::ranges::copy(python, all + walk.count);
  const KeptStack* const kept = keep(std::span(all, walk.count + python.size()));
  if (!kept) return return_address;
  if (walk.checkable) {
    own.kept = kept;
    own.below = here;
    own.walked = walk.count;
    std::copy_n(walk.slots, walk.count, own.slots);
  }
  return kept;
}

}  // namespace detail

void keep_stacks() { detail::keeping_stacks.store(true, std::memory_order_relaxed); }

std::span<const void* const> stack_of(const void* const& place) {
  const std::byte* const begin = arena.load(std::memory_order_acquire);
  const auto* const at = static_cast<const std::byte*>(place);
  if (!begin || at < begin || at >= begin + arena_bytes) return {&place, 1};
  const auto* const kept = reinterpret_cast<const KeptStack*>(at);
  return {kept->frames, kept->count};
}

}  // namespace cuvette::callsite
