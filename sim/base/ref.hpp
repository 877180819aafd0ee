// SPDX-License-Identifier: Apache-2.0
// Ref<T>: a counted reference to an object that counts itself.
//
// Threads: counting is atomic; a Ref object itself belongs to one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "sim/base/sanitizer.hpp"

namespace cuvette {

// The count. Objects are born with one reference, which adopt() takes over.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void retain() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    release_at(this);
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    acquire_at(this);
    delete this;
  }
  // Like retain(), where the last reference may be gone already. The caller keeps the object alive
  // during the call. False if no reference was left.
  bool retain_if_alive() const {
    uint32_t references = references_.load(std::memory_order_relaxed);
    while (references != 0)
      if (references_.compare_exchange_weak(references, references + 1, std::memory_order_relaxed))
        return true;
    return false;
  }
  // Returns whether the caller's reference is the only one: no other thread can use the object.
  bool unique() const { return references_.load(std::memory_order_acquire) == 1; }

 protected:
  virtual ~Counted() = default;

 private:
  mutable std::atomic<uint32_t> references_{1};
};

template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename Derived>
  Ref(Ref<Derived> other) : object_(other.leak()) {}
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  // Takes over a reference that the caller owns.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Gives the reference up to the caller, who owes a release().
  T* leak() { return std::exchange(object_, nullptr); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Arguments>
Ref<T> make_ref(Arguments&&... arguments) {
  return Ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace cuvette
