// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/partner.hpp"

#include "api/vulkan_layer/shared_semaphore.hpp"
#include "api/vulkan_layer/threads.hpp"

namespace cuvette::vulkan_layer {

Partner& Partner::get() {
  static auto& the_partner = *new Partner;  // never destroyed: threads may outlive main()
  return the_partner;
}

void Partner::add(SharedSemaphore& semaphore) {
  const auto [device, inode] = semaphore.block().identity();
  MutexLock lock(mutex_);
  living_.emplace(Identity{device, inode}, &semaphore);
}

void Partner::remove(SharedSemaphore& semaphore) {
  const auto [device, inode] = semaphore.block().identity();
  MutexLock lock(mutex_);
  const auto [first, last] = living_.equal_range({device, inode});
  for (auto one = first; one != last; ++one)
    if (one->second == &semaphore) {
      living_.erase(one);
      return;
    }
}

void Partner::written(uint64_t device, uint64_t inode) {
  if (is_forked()) return;
  MutexLock lock(mutex_);
  const auto [first, last] = living_.equal_range({device, inode});
  for (auto one = first; one != last; ++one) one->second->follow();
}

void Partner::tell(const Block& block) const {
  if (const interop::SemaphorePartner* const libcuda = libcuda_.load(std::memory_order_acquire))
    libcuda->written(block.identity().device, block.identity().inode);
}

}  // namespace cuvette::vulkan_layer

extern "C" [[gnu::visibility("default")]] const cuvette::interop::SemaphorePartner*
cuvette_meet_semaphore_partner_1(const cuvette::interop::SemaphorePartner* libcuda) {
  using cuvette::vulkan_layer::Partner;
  static constexpr cuvette::interop::SemaphorePartner own = {
      [](uint64_t device, uint64_t inode) { Partner::get().written(device, inode); }};
  Partner::get().meet(libcuda);
  return &own;
}
