// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/change_watch.hpp"

#include <algorithm>
#include <cstring>

#include "sim/check/kernel/accessor.hpp"
#include "sim/check/kernel/mark.hpp"

namespace cuvette::watch {

void ChangeWatch::accesses(const exec::Block& block, const exec::WarpAccess& warp) {
  if (changed_) return;
  look_at_pending(block);
  constexpr uint32_t changes = ptx::access_write | ptx::access_atomic;
  if (!(warp.access & changes) || warp.access & ptx::access_local) return;
  const uint32_t bytes = std::min(ptx::access_bytes(warp.access), most_bytes);
  const auto* const values = static_cast<const uint8_t*>(warp.values);
  each_lane(warp.mask, [&](uint32_t lane) {
    uint64_t address = warp.addresses[lane];
    const Memory memory = memory_of(block.context, warp.access, address);
    if (memory == Memory::local) return;
    const uint8_t* const at = memory == Memory::shared ? block.context.shared + address
                                                       : reinterpret_cast<const uint8_t*>(address);
    if (values) {
      const uint64_t stride = ptx::access_bytes(warp.access);
      changed_ = changed_ || std::memcmp(at, values + lane * stride, bytes) != 0;
      return;
    }
    pending_.mask |= uint32_t{1} << lane;
    pending_.at[lane] = at;
    std::memcpy(pending_.before[lane], at, bytes);
  });
  if (pending_.mask == 0) return;
  pending_.block = &block;
  pending_.index = block.index();
  pending_.bytes = bytes;
}

void ChangeWatch::look_at_pending(const exec::Block& block) {
  // The shared memory of a block that has ended may be gone.
  if (pending_.block == &block && pending_.index == block.index())
    each_lane(pending_.mask, [&](uint32_t lane) {
      changed_ =
          changed_ || std::memcmp(pending_.at[lane], pending_.before[lane], pending_.bytes) != 0;
    });
  pending_.mask = 0;
}

}  // namespace cuvette::watch
