// SPDX-License-Identifier: Apache-2.0
// TextureReference and SurfaceReference: variables of a module that a program binds to memory or an
// array, and which kernels read by their name. A launch uses what is bound at that time.
//
// Threads: any. Locks: leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/texture/texture.hpp"

namespace cuvette::device {

class Context;

class TextureReference final : public Counted, public ApiObject {
 public:
  // The application's settings. Elements are read with this format and these channels.
  struct State {
    std::optional<TextureResource> resource;
    ArrayFormat format = ArrayFormat::FLOAT;
    unsigned channels = 1;
    TextureSampling sampling;
    State() { sampling.address.fill(AddressMode::clamp); }
  };

  State state() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return state_;
  }
  // Calls `change(State&)` under the lock.
  template <typename F>
  void change(const F& change) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    change(state_);
    texture_ = nullptr;
  }
  // Returns a texture of what is bound; null if nothing is. Errors: as Texture::create.
  Result<Ref<Texture>> bound(const Context& context) EXCLUDES(mutex_);

 private:
  ~TextureReference() override = default;

  mutable Mutex mutex_;
  State state_ GUARDED_BY(mutex_);
  Ref<Texture> texture_ GUARDED_BY(mutex_);  // made of the state at the first request
};

class SurfaceReference final : public Counted, public ApiObject {
 public:
  Ref<Array> array() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return array_;
  }
  void set(Ref<Array> array) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    array_ = std::move(array);
  }
  // Returns a surface of the array; null if there is none. Errors: as Surface::create.
  Result<Ref<Surface>> bound(const Context& context) const EXCLUDES(mutex_);

 private:
  ~SurfaceReference() override = default;

  mutable Mutex mutex_;
  Ref<Array> array_ GUARDED_BY(mutex_);
};

// The bindings of a module's references, by the addresses of its variables; null for unbound
// references.
struct BoundReferences {
  std::vector<std::pair<uint64_t, Ref<Texture>>> textures;
  std::vector<std::pair<uint64_t, Ref<Surface>>> surfaces;
};

}  // namespace cuvette::device
