// SPDX-License-Identifier: Apache-2.0
// Chain: a copy of what an application has chained to one of its structures by pNext, so that
// something can be changed there. The application's own structures are never written to.
//
// Threads: a value of one thread; the application's chain must live as long as the copy.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace cuvette::vulkan_layer {

// Returns the structure of this type in a chain, or null.
const VkBaseInStructure* find_in_chain(const void* chain, VkStructureType type);

template <typename Structure>
const Structure* find_in_chain(const void* chain, VkStructureType type) {
  return reinterpret_cast<const Structure*>(find_in_chain(chain, type));
}

class Chain {
 public:
  explicit Chain(const void* application) : first_(application) {}

  const void* first() const { return first_; }

  // Puts `structure`, which must live as long as the chain, in front.
  template <typename Structure>
  void prepend(Structure& structure) {
    structure.pNext = const_cast<void*>(first_);
    first_ = &structure;
  }

  // Returns a copy of the structure of this type, which is part of the chain from now on; null if
  // there is none, or if a structure before it is of a type that is newer than this layer.
  template <typename Structure>
  Structure* change(VkStructureType type) {
    return reinterpret_cast<Structure*>(copy_up_to(type));
  }

  // Takes the structure of this type out of the chain. False as for change().
  bool remove(VkStructureType type);

 private:
  VkBaseOutStructure* copy_up_to(VkStructureType type);

  const void* first_;
  std::vector<std::unique_ptr<std::max_align_t[]>> copies_;
};

}  // namespace cuvette::vulkan_layer
