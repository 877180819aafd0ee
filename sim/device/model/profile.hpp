// SPDX-License-Identifier: Apache-2.0
// A Profile describes one GPU model: its name, memory, attributes and limits, as constant data.
//
// Threads: any; nothing here changes. No static constructors: the data is there before any code
// runs.
//
// Invariant: a profile answers every attribute of attributes.def. An attribute of a feature that
// Cuvette does not have yet is answered as the GPU answers it, because programs base decisions on
// it; the feature's function then says that it is not supported.
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
#include "sim/device/model/attributes.def"
#undef ATTRIBUTE
};

// CUlimit's numbers.
enum class Limit : int {
  stack_size = 0,                        // of a thread
  printf_fifo_size = 1,                  // the buffer of printf
  malloc_heap_size = 2,                  // the heap that kernels allocate from
  dev_runtime_sync_depth = 3,            // how deep grids wait for grids they launched
  dev_runtime_pending_launch_count = 4,  // launches from the device that may wait
  max_l2_fetch_granularity = 5,          // bytes that the L2 cache fetches at once
  persisting_l2_cache_size = 6,          // bytes set aside for persisting accesses
  shmem_size = 7,                        // dynamic shared memory of a block
  cig_enabled = 8,                       // CUDA in graphics
  cig_shmem_fallback_enabled = 9,
};

// How one device of a machine reaches the memory of another one of its model.
enum class PeerLink {
  none,         // not at all
  pci_express,  // without atomic operations
  nvlink,
};

struct Profile {
  static constexpr int attribute_end = 148;  // attribute numbers are below it
  static constexpr int limit_end = 10;

  std::string_view key;   // its name in CUVETTE_DEVICE: "h200"
  std::string_view name;  // what cuDeviceGetName answers
  size_t memory = 0;
  size_t context_memory = 0;   // the part of it that the first context uses
  size_t reserved_memory = 0;  // more memory of the board, which only NVML counts; 0: unknown
  int compute_major = 0;
  int compute_minor = 0;
  int driver_version = 0;  // 1000 * major + 10 * minor
  PeerLink peer_link = PeerLink::none;
  int priority_greatest = 0;  // of streams; a lower number is a higher priority
  int priority_least = 0;
  std::array<std::optional<int>, attribute_end> attributes;
  std::array<std::optional<size_t>, limit_end> limits;

  // Returns the compute capability, 9.0 as 90.
  constexpr uint32_t compute_capability() const {
    return static_cast<uint32_t>(compute_major * 10 + compute_minor);
  }

  // Returns the attribute with CUDA's `number`, nothing where CUDA has none. Attributes that depend
  // on a device's position are the first device's: see attribute() in identity.hpp.
  constexpr std::optional<int> attribute(int number) const {
    if (number < 0 || number >= attribute_end) return std::nullopt;
    return attributes[number];
  }

  constexpr int value(Attribute attribute) const {
    return *attributes[static_cast<int>(attribute)];
  }
  // Like value(), of an attribute that counts something and so is never negative.
  constexpr size_t amount(Attribute attribute) const {
    return static_cast<size_t>(value(attribute));
  }

  // Returns the limit in a new context; nothing where the GPU does not support it or CUDA has no
  // such limit.
  constexpr std::optional<size_t> limit(Limit limit) const {
    const int number = static_cast<int>(limit);
    if (number < 0 || number >= limit_end) return std::nullopt;
    return limits[number];
  }
};

// Returns all profiles, in the order in which users see them.
std::span<const Profile> profiles();

// Returns the profile with this key, null if there is none.
const Profile* find_profile(std::string_view key);

// Returns the profiles that a list like "h200,t4,t4" names, in that order; empty if a key is
// unknown.
std::vector<const Profile*> find_profiles(std::string_view list);

}  // namespace cuvette::device
