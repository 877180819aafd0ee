// SPDX-License-Identifier: Apache-2.0
// Recycled<T>: memory for objects that one thread makes and another deletes, over and over.
//
// A general allocator gives such memory back to the thread that asked for it, under a lock that
// both then want. Here a thread keeps a few pieces to itself and leaves others on a list; a thread
// without any takes all of the list at once.
//
// Threads: any. Invariant: at most `most` pieces are on the list, and `few` with a thread that only
// deletes.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

#include "sim/base/thread_end.hpp"

namespace cuvette {

// Used as `class Thing : public Recycled<Thing>`; only for Thing itself, not for what derives from
// it.
template <typename T>
class Recycled {
 public:
#if !defined(CUVETTE_ADDRESS_SANITIZER) && !defined(CUVETTE_THREAD_SANITIZER)
  // Sanitizers want to see each allocation.
  static void* operator new(size_t bytes) {
    if (!first) first = take_all();
    if (!first) return ::operator new(bytes);
    kept -= kept > 0;
    return std::exchange(first, first->next);
  }
  static void operator delete(void* memory) {
    auto* const piece = static_cast<Piece*>(memory);
    if (kept < few && gives_back()) {
      ++kept;
      piece->next = std::exchange(first, piece);
      return;
    }
    if (count.load(std::memory_order_relaxed) >= most) return ::operator delete(memory);
    count.fetch_add(1, std::memory_order_relaxed);
    piece->next = list.load(std::memory_order_relaxed);
    while (!list.compare_exchange_weak(piece->next, piece, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }

 private:
  static constexpr size_t most = 4096, few = 16;
  struct Piece {
    Piece* next;
  };
  // Returns whether the thread will give its pieces back when it ends; otherwise it keeps none.
  static bool gives_back() {
    if (!promised) [[unlikely]]
      promised = ThreadEnd::current().add(&give_back);
    return promised;
  }
  static void give_back() {
    kept = few;  // what the thread still deletes goes to the list
    while (Piece* const piece = first) {
      first = piece->next;
      ::operator delete(piece);
    }
  }

  static Piece* take_all() {
    if (!list.load(std::memory_order_relaxed) || !gives_back()) return nullptr;
    count.store(0, std::memory_order_relaxed);
    return list.exchange(nullptr, std::memory_order_acquire);
  }

  alignas(64) static inline constinit std::atomic<Piece*> list{nullptr};
  static inline constinit std::atomic<size_t> count{0};
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local Piece* first = nullptr;
  // How many of the thread's pieces come from its own deletions.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local size_t kept = 0;
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local bool promised = false;
#endif
};

}  // namespace cuvette
