// SPDX-License-Identifier: Apache-2.0
// HeldPages: host memory that the program's threads should leave alone for a while.
//
// A page is held for reading (it should not be written) or for writing (it should not be touched),
// as often as holders say. A thread that touches it nevertheless is noted, gets the page, and goes
// on; the page is held again when the notes are read. Copies and fills of devices go around the
// rights of pages: they read and write through /proc/self/mem.
//
// System calls on a held page fail with EFAULT, so a holder holds only pages that are concerned as
// a whole.
//
// Threads: any. The fault handler comes here with a lock that is taken by code that touches no held
// page; it allocates nothing, because the page may belong to an allocator's thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/range_map.hpp"

namespace cuvette::os {

// An access of a thread of the program to a held page.
struct HeldTouch {
  uint64_t address;
  bool write;
  const void* instruction;
  const void* caller;  // where the instruction's function returns to, if it keeps no frame
};

enum class HeldFor : uint8_t { reading, writing };

// Allocates the nodes of a map without the C library's allocator: a thread inside that allocator
// may touch a held page, and would wait in the handler for the thread that needs a node. One lock,
// of the map's owner, guards all of it.
template <typename Node>
struct NodeAllocator {
  using value_type = Node;
  NodeAllocator() = default;
  template <typename Other>
  NodeAllocator(const NodeAllocator<Other>&) {}  // NOLINT: containers convert it
  Node* allocate(size_t count);
  void deallocate(Node* node, size_t count);
  bool operator==(const NodeAllocator&) const { return true; }
};

class HeldPages {
 public:
  static HeldPages& get();

  // Whole pages that can be read and written. Each hold is ended by one release, which does nothing
  // to pages that are held no more.
  void hold(uint64_t begin, uint64_t end, HeldFor what) EXCLUDES(mutex_);
  void release(uint64_t begin, uint64_t end, HeldFor what) EXCLUDES(mutex_);
  // Ends all holds of whole pages in the range: they are about to change hands.
  void forget(uint64_t begin, uint64_t end) EXCLUDES(mutex_);

  // Returns what threads have done since the last call, and holds the pages again.
  std::vector<HeldTouch> take_touches() EXCLUDES(mutex_);

  // For the fault handler: gives the page's rights back if it is held, or was held just now.
  // `in_command`: the device touches it, which is not noted.
  bool let_through(const HeldTouch& touch, bool in_command) EXCLUDES(mutex_);

  // Reads memory of this process, regardless of its pages' rights. Returns false if it is not
  // there, or the system does not let us.
  bool read(void* to, uint64_t from, size_t size) EXCLUDES(mutex_);

  // Copies for a device.
  void copy(char* to, const char* from, size_t size) EXCLUDES(mutex_);

 private:
  struct Held {
    uint32_t readers = 0, writers = 0;
  };
  using Pages = RangeMap<Held, NodeAllocator>;

  void change(uint64_t begin, uint64_t end, HeldFor what, bool add) REQUIRES(mutex_);
  bool touches(uint64_t begin, uint64_t end) EXCLUDES(mutex_);
  int own_memory() EXCLUDES(mutex_);

  static constexpr size_t most_touches = 64, most_opened = 256;

  Mutex mutex_;
  Pages pages_ GUARDED_BY(mutex_);
  HeldTouch touches_[most_touches] GUARDED_BY(mutex_);
  size_t touch_count_ GUARDED_BY(mutex_) = 0;
  // Pages that got their rights back; with more of them, the rest stays open.
  uint64_t opened_[most_opened] GUARDED_BY(mutex_);
  size_t opened_count_ GUARDED_BY(mutex_) = 0;
  std::atomic<bool> news_{false};
  std::atomic<uint32_t> releases_{0};
  int memory_fd_ GUARDED_BY(mutex_) = -1;  // /proc/self/mem
};

namespace detail {
extern std::atomic<bool> pages_were_held;
}
// Whether pages are held, or have been.
inline bool pages_held() { return detail::pages_were_held.load(std::memory_order_relaxed); }

}  // namespace cuvette::os
