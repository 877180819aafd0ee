// SPDX-License-Identifier: Apache-2.0
// A Profile is what one model of GPU says of itself: name, memory, attributes and limits, as
// constant data.
//
// Threads: any; nothing here changes. No static constructors: the data is there before any code
// runs.
//
// Invariant: a profile answers every attribute of attributes.def. An attribute for something that
// Cuvette does not do yet is answered as the GPU answers it, because it is what programs decide by;
// the function behind it then says that it is not supported.
//
// A new GPU is a file in profiles/ that includes its architecture's rows and adds its own, and a
// line in profile.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cuvette::device {

// CUDA's device attributes with CUDA's names and numbers.
enum class Attribute : int {
#define ATTRIBUTE(number, name) name = number,
#include "sim/model/attributes.def"
#undef ATTRIBUTE
};

// CUlimit's numbers.
enum class Limit : int {
  stack_size = 0,                        // of a thread
  printf_fifo_size = 1,                  // the buffer of printf
  malloc_heap_size = 2,                  // that kernels allocate from
  dev_runtime_sync_depth = 3,            // of grids that wait for the grids that they launched
  dev_runtime_pending_launch_count = 4,  // launches from the device that wait
  max_l2_fetch_granularity = 5,          // bytes that the second level of cache fetches at once
  persisting_l2_cache_size = 6,          // set aside for accesses that persist
  shmem_size = 7,                        // dynamic shared memory of a block
  cig_enabled = 8,                       // CUDA in graphics
  cig_shmem_fallback_enabled = 9,
};

// How one device of a machine reaches the memory of another one of its model.
enum class PeerLink {
  none,         // it does not
  pci_express,  // no atomic operations
  nvlink,
};

struct Profile {
  static constexpr int attribute_end = 148;  // numbers of attributes and of limits end before these
  static constexpr int limit_end = 10;

  std::string_view key;   // what CUVETTE_DEVICE names it: "h200"
  std::string_view name;  // what cuDeviceGetName answers
  size_t memory = 0;
  size_t context_memory = 0;  // of it not free, from the first context on
  int compute_major = 0;
  int compute_minor = 0;
  int driver_version = 0;  // 1000 * major + 10 * minor
  PeerLink peer_link = PeerLink::none;
  int priority_greatest = 0;  // of streams: a lower number is a greater priority
  int priority_least = 0;
  std::array<std::optional<int>, attribute_end> attributes;
  std::array<std::optional<size_t>, limit_end> limits;

  // The compute capability, 9.0 as 90.
  constexpr uint32_t compute_capability() const {
    return static_cast<uint32_t>(compute_major * 10 + compute_minor);
  }

  // The attribute with CUDA's `number`, nothing where CUDA has none. Those that tell where a device
  // sits are the first device's: see attribute() in identity.hpp.
  constexpr std::optional<int> attribute(int number) const {
    if (number < 0 || number >= attribute_end) return std::nullopt;
    return attributes[number];
  }

  constexpr int value(Attribute attribute) const {
    return *attributes[static_cast<int>(attribute)];
  }
  // The same of one that counts something, which is never negative.
  constexpr size_t amount(Attribute attribute) const {
    return static_cast<size_t>(value(attribute));
  }

  // What the limit is in a new context, nothing where the GPU does not support it, or CUDA has no
  // such limit.
  constexpr std::optional<size_t> limit(Limit limit) const {
    const int number = static_cast<int>(limit);
    if (number < 0 || number >= limit_end) return std::nullopt;
    return limits[number];
  }
};

// All profiles, in the order in which they are listed to users.
std::span<const Profile> profiles();

// The profile with this key, null if there is none.
const Profile* find_profile(std::string_view key);

// The profiles that "h200,t4,t4" names, in that order; none if a key is none.
std::vector<const Profile*> find_profiles(std::string_view list);

}  // namespace cuvette::device
