// SPDX-License-Identifier: Apache-2.0
// The interface by which the Vulkan layer informs libcuda in the same process about memory that
// both use: which bytes Vulkan owns now. It is asked by CUVETTE_CHECK=aliases alone, and nothing
// else depends on it.
//
// Threads: plain values.
#pragma once

#include <cstdint>

namespace cuvette::interop {

// Bytes of a file's memory that Vulkan owns: a barrier has acquired them from
// VK_QUEUE_FAMILY_EXTERNAL, and none has released them since; or work with such barriers is under
// way.
struct OwnedRange {
  uint64_t device, inode;  // of the file
  uint64_t begin, end;     // counted from where the memory in the file begins
  uint64_t since;          // identifies one period of ownership
  // Where the program submitted the barriers. `acquired_at` is null if it never acquired them,
  // `released_at` if it has submitted no barrier that will release them.
  const void* acquired_at;
  const void* released_at;
};

struct OwnershipPartner {
  // Calls `each` for all that Vulkan owns now. Any thread may call it that holds no lock which a
  // Vulkan driver could want; `each` may do anything.
  void (*owned)(void (*each)(void* context, const OwnedRange* range), void* context);
};
// The layer has a function of this type and name. It stays for ever.
using MeetOwnershipPartner = const OwnershipPartner* (*)();
inline constexpr const char* meet_ownership_symbol = "cuvette_meet_ownership_partner_1";

}  // namespace cuvette::interop
