// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/owned_parts.hpp"

namespace cuvette::vulkan_layer {

void OwnedParts::give(uint64_t begin, uint64_t end) { parts_.erase(begin, end); }

void OwnedParts::own(uint64_t begin, uint64_t end, uint64_t since, const void* acquired_at) {
  if (begin < end) parts_.assign(begin, end, {since, acquired_at, nullptr});
}

void OwnedParts::note_release(uint64_t begin, uint64_t end, const void* place) {
  for (auto& [at, range] : parts_.isolate(begin, end)) range.value.released_at = place;
}

void OwnedParts::use(uint64_t begin, uint64_t end, uint64_t since) {
  parts_.fill(parts_.isolate(begin, end), [&] { return Part{since, nullptr, nullptr}; });
}

}  // namespace cuvette::vulkan_layer
