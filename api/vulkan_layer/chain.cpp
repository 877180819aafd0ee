// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/chain.hpp"

#include <vulkan/vk_layer.h>

#include <cstring>

namespace cuvette::vulkan_layer {
namespace {

// Returns how large a structure of this type is; 0 if that is not known.
size_t size_of(VkStructureType type) {
  switch (type) {
#define CHAINED(structure, number) \
  case number:                     \
    return sizeof(structure);
#include "api/vulkan_layer/known_structures.def"
#undef CHAINED
    case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO:  // the loader's own links
      return sizeof(VkLayerDeviceCreateInfo);
    default:
      return 0;
  }
}

}  // namespace

const VkBaseInStructure* find_in_chain(const void* chain, VkStructureType type) {
  const auto* one = static_cast<const VkBaseInStructure*>(chain);
  while (one && one->sType != type) one = one->pNext;
  return one;
}

VkBaseOutStructure* Chain::copy_up_to(VkStructureType type) {
  const auto* const wanted = find_in_chain(first_, type);
  if (!wanted) return nullptr;
  const auto* one = static_cast<const VkBaseInStructure*>(first_);
  for (const VkBaseInStructure* each = one; each != wanted->pNext; each = each->pNext)
    if (size_of(each->sType) == 0) return nullptr;

  const void* copied = nullptr;
  VkBaseOutStructure* last = nullptr;
  for (; one != wanted->pNext; one = one->pNext) {
    const size_t size = size_of(one->sType);
    const size_t units = (size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    copies_.push_back(std::make_unique<std::max_align_t[]>(units));
    auto* const copy = reinterpret_cast<VkBaseOutStructure*>(copies_.back().get());
    memcpy(static_cast<void*>(copy), one, size);
    if (last)
      last->pNext = copy;
    else
      copied = copy;
    last = copy;  // its pNext is still the application's, which is right for the last one
  }
  first_ = copied;
  return last;
}

bool Chain::remove(VkStructureType type) {
  VkBaseOutStructure* const found = copy_up_to(type);
  if (!found) return false;
  if (first_ == found) {
    first_ = found->pNext;
    return true;
  }
  // Everything up to it is a copy.
  auto* before = static_cast<VkBaseOutStructure*>(const_cast<void*>(first_));
  while (before->pNext != found) before = before->pNext;
  before->pNext = found->pNext;
  return true;
}

}  // namespace cuvette::vulkan_layer
