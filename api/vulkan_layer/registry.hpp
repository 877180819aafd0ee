// SPDX-License-Identifier: Apache-2.0
// Registry: which object of the layer belongs to a handle. The loader puts its own pointer at
// the beginning of what a dispatchable handle points to: an instance and its physical devices have
// one in common, and so have a device and its queues.
//
// Threads: any. An object lives until it is removed, which the application does not do while it
// uses the handle.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace cuvette::vulkan_layer {

template <typename Handle>
const void* key_of(Handle handle) {
  return *reinterpret_cast<const void* const*>(handle);
}

template <typename Object>
class Registry {
 public:
  Object& add(const void* key, std::unique_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    auto& place = objects_[key];
    place = std::move(object);
    return *place;
  }

  template <typename Handle>
  Object& find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    return *objects_.at(key_of(handle));
  }

  std::unique_ptr<Object> remove(const void* key) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return nullptr;
    auto object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  template <typename Body>
  void for_each(const Body& body) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [key, object] : objects_) body(*object);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<Object>> objects_;
};

}  // namespace cuvette::vulkan_layer
