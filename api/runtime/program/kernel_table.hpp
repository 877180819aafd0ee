// SPDX-License-Identifier: Apache-2.0
// KernelTable: which kernel an address of the host stands for. Every launch asks it, and takes no
// lock for that.
//
// A kernel is in the first free place from the one on that the hash of its address names. A place
// is never emptied: an address that no longer stands for a kernel keeps its place, without a
// kernel. A table that is half full is replaced by one at least twice as large. The old one stays,
// since other threads may be reading it; all old ones together are smaller than the present one.
//
// Threads: known() from any. find() and each() exclude add() and remove(), which exclude each
// other; the caller's lock does that.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuvette::runtime {

class Image;

class KernelTable {
 public:
  struct Entry {
    std::atomic<const void*> host{nullptr};  // written once
    std::atomic<CUkernel> kernel{nullptr};   // null until it was looked up in the driver
    Image* image = nullptr;                  // null if the address stands for no kernel any more
    const char* name = nullptr;
  };

  // Returns the kernel if it was looked up in the driver before, else null.
  CUkernel known(const void* host) const noexcept {
    const Places* const places = newest_.load(std::memory_order_acquire);
    if (places == nullptr) [[unlikely]]
      return nullptr;
    return places->place_of(host).kernel.load(std::memory_order_acquire);
  }

  // Returns the entry of an address that stands for a kernel, else null.
  Entry* find(const void* host) noexcept;

  // From now on `host` stands for the kernel of this name. Null stands for none.
  void add(const void* host, Image* image, const char* name);
  // The kernels of `image` can no longer be found.
  void remove(const Image* image) noexcept;

  // Calls `visit` with the entry of each address that stands for a kernel, until it returns true.
  template <typename Visit>
  void each(const Visit& visit) {
    if (all_.empty()) return;
    for (Entry& entry : all_.back()->entries)
      if (entry.image != nullptr && visit(entry)) return;
  }

 private:
  struct Places {
    explicit Places(std::size_t capacity) : entries(capacity) {}

    // Returns the address's entry or, if it has none, the free one where it would be.
    const Entry& place_of(const void* host) const noexcept {
      // Functions are aligned, so the lowest bits say little. The product's upper half depends on
      // all bits.
      const std::uint64_t number = reinterpret_cast<std::uintptr_t>(host) >> 4;
      for (std::size_t at = number * 0x9e3779b97f4a7c15 >> 32;; ++at) {
        const Entry& entry = entries[at & (entries.size() - 1)];
        const void* const present = entry.host.load(std::memory_order_acquire);
        if (present == host || present == nullptr) return entry;
      }
    }
    Entry& place_of(const void* host) noexcept {
      return const_cast<Entry&>(static_cast<const Places*>(this)->place_of(host));
    }

    std::vector<Entry> entries;  // a power of two
    std::size_t used = 0;        // those with an address
  };

  void grow();

  std::atomic<const Places*> newest_{nullptr};
  std::vector<std::unique_ptr<Places>> all_;  // the newest is the last
};

}  // namespace cuvette::runtime
