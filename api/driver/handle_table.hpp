// SPDX-License-Identifier: Apache-2.0
// HandleTable: the live handles of one type. A handle is a number, not a pointer, so a stale or
// random one is recognised without touching any memory that it might name.
//
// A handle is 8 * (type + 32 * (index + 2^22 * generation)): below 2^48, never 0, 1 or 2.
// Destroying an object raises its slot's generation, so the old handle means nothing any more.
//
// A table is all zero until it is used, so it takes no space in the library's file.
//
// Threads: any. Invariant: find() returns an object whose handle was live during the call.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"

namespace cuvette::driver {

// How an object remembers its handle: see handle_types.def.
enum class Names { once, anew, never };

enum class Ending { none, alone, with_its_context };

// `type` differs for each table.
template <typename T, unsigned type, Names names>
class HandleTable {
  static_assert(type < 32, "a handle has five bits for its type");

 public:
  // Returns the object's handle; the first call creates it, and threads that call at once get the
  // same one. An object that keeps no handle gets a new one at each call. Errors: out_of_memory if
  // four million are alive.
  Result<uintptr_t> add(T& object) EXCLUDES(mutex_) {
    if constexpr (names == Names::never) {
      MutexLock lock(mutex_);
      return insert(object);
    } else {
      if (const uintptr_t known = object.api_name()) return known;
      MutexLock lock(mutex_);
      if (const uintptr_t known = object.api_name()) return known;
      const uintptr_t handle = TRY(insert(object));
      object.set_api_name(handle);
      return handle;
    }
  }

  // Returns the object, or null if the handle is not live.
  Ref<T> find(uintptr_t handle) const {
    Ref<T> found;
    visit(handle, [&](T& object) { found = Ref<T>(&object); });
    return found;
  }

  // Calls `use` with the object, without counting a reference to it. False, and no call, if the
  // handle is not live. Whoever ends the handle waits until `use` returns, so it must be short and
  // must not end a handle.
  template <typename Use>
  bool visit(uintptr_t handle, const Use& use) const {
    Slot* const slot = slot_of(handle);
    if (!slot || !pin(*slot, generation_of(handle))) return false;
    use(*slot->object);
    slot->state.fetch_sub(1, std::memory_order_release);
    return true;
  }

  bool live(uintptr_t handle) const {
    const Slot* const slot = slot_of(handle);
    return slot &&
           (slot->state.load(std::memory_order_acquire) & ~pins) == state(generation_of(handle), 0);
  }

  // Says whether the handle was live once and has ended, and how.
  Ending ending(uintptr_t handle) const EXCLUDES(mutex_) {
    const Slot* slot = slot_of(handle);
    const uint32_t generation = generation_of(handle);
    if (!slot || generation == 0) return Ending::none;
    MutexLock lock(mutex_);
    if (generation >= slot->generation) return Ending::none;
    return slot->orphan == generation ? Ending::with_its_context : Ending::alone;
  }

  // Ends the handle and returns its object; null if the handle is not live.
  Ref<T> remove(uintptr_t handle, Ending how) EXCLUDES(mutex_) {
    Slot* slot = slot_of(handle);
    if (!slot) return nullptr;
    const uint32_t generation = generation_of(handle);
    uint64_t live = state(generation, 0);
    while (!slot->state.compare_exchange_weak(live, dead, std::memory_order_acq_rel)) {
      if ((live & ~pins) != state(generation, 0)) return nullptr;
      if (live & pins)
        std::this_thread::yield();  // another thread is taking a reference, for nanoseconds
      live = state(generation, 0);
    }
    Ref<T> object = Ref<T>::adopt(std::exchange(slot->object, nullptr));
    MutexLock lock(mutex_);
    slot->generation = generation == last_generation ? 1 : generation + 1;
    if (how == Ending::with_its_context) slot->orphan = generation;
    const uint32_t index = index_of(handle);
    if (size_ == live_--) {
      oldest_free_ = index;
    } else {
      this->slot(newest_free_).next_free = index;
    }
    newest_free_ = index;
    if constexpr (names == Names::anew) object->clear_api_name(handle);
    return object;
  }

  // Ends the handles of all objects that satisfy `predicate`.
  template <typename Predicate>
  void remove_if(const Predicate& predicate, Ending how) EXCLUDES(mutex_) {
    uint32_t size;
    {
      MutexLock lock(mutex_);
      size = size_;
    }
    for (uint32_t index = 0; index < size; ++index) {
      const uint64_t live = slot(index).state.load(std::memory_order_acquire);
      if (live == dead) continue;
      const uintptr_t one = handle(index, static_cast<uint32_t>(live >> 32));
      if (Ref<T> object = find(one); object && predicate(*object)) remove(one, how);
    }
  }

 private:
  static constexpr uint32_t index_bits = 22, generation_bits = 18;
  static constexpr uint32_t capacity = 1u << index_bits, chunk_size = 1024;
  static constexpr uint32_t last_generation = (1u << generation_bits) - 1;
  static constexpr uint32_t reserve = 256;  // free slots that wait before one is reused
  static constexpr uint64_t dead = 0, pins = 0x7fffffff;

  // The state of a live slot: generation in the upper half, then one bit set, then the number of
  // threads inside visit().
  static constexpr uint64_t state(uint32_t generation, uint32_t pinned) {
    return uint64_t{generation} << 32 | uint64_t{1} << 31 | pinned;
  }

  struct Slot {
    std::atomic<uint64_t> state{dead};
    T* object = nullptr;
    uint32_t generation = 1;
    uint32_t orphan = 0;  // the last generation that ended with its context
    uint32_t next_free = 0;
  };
  struct Chunk {
    std::array<Slot, chunk_size> slots;
  };

  Result<uintptr_t> insert(T& object) REQUIRES(mutex_) {
    uint32_t index;
    // Takes the slot that has been free for longest, so that a stale handle means nothing for as
    // long as possible.
    if (size_ - live_ > reserve || size_ == capacity) {
      if (size_ == live_)
        return refuse(Error::out_of_memory, "There are already %u live handles of this type.",
                      size_);
      index = oldest_free_;
      oldest_free_ = slot(index).next_free;
    } else {
      if (size_ % chunk_size == 0)
        chunks_[size_ / chunk_size].store(new Chunk, std::memory_order_release);
      index = size_++;
      slot(index).generation = 1;
    }
    ++live_;
    Slot& free = slot(index);
    free.object = Ref<T>(&object).leak();
    const uint32_t generation = free.generation;
    free.state.store(state(generation, 0), std::memory_order_release);
    return handle(index, generation);
  }

  static uintptr_t handle(uint32_t index, uint32_t generation) {
    return (uintptr_t{generation} << index_bits | index) << 8 | uintptr_t{type} << 3;
  }
  static uint32_t index_of(uintptr_t handle) { return handle >> 8 & (capacity - 1); }
  static uint32_t generation_of(uintptr_t handle) {
    return static_cast<uint32_t>(handle >> (8 + index_bits));
  }

  Slot& slot(uint32_t index) const {
    return chunks_[index / chunk_size].load(std::memory_order_acquire)->slots[index % chunk_size];
  }
  // Returns the slot that `handle` names, if it has the form of this table's handles.
  Slot* slot_of(uintptr_t handle) const {
    if ((handle & 0xff) != uintptr_t{type} << 3 || handle >> (8 + index_bits + generation_bits))
      return nullptr;
    const uint32_t index = index_of(handle);
    Chunk* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
    return chunk ? &chunk->slots[index % chunk_size] : nullptr;
  }
  static bool pin(Slot& slot, uint32_t generation) {
    uint64_t now = slot.state.load(std::memory_order_relaxed);
    do {
      if ((now & ~pins) != state(generation, 0)) return false;
    } while (!slot.state.compare_exchange_weak(now, now + 1, std::memory_order_acquire,
                                               std::memory_order_relaxed));
    return true;
  }

  mutable Mutex mutex_;
  uint32_t size_ = 0;  // slots that were ever used
  uint32_t live_ = 0;
  uint32_t oldest_free_ = 0, newest_free_ = 0;  // a queue through next_free, if size_ > live_
  std::array<std::atomic<Chunk*>, capacity / chunk_size> chunks_{};
};

}  // namespace cuvette::driver
