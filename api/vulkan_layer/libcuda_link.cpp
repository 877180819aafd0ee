// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/libcuda_link.hpp"

#include "api/vulkan_layer/shared_semaphore.hpp"
#include "api/vulkan_layer/threads.hpp"

namespace cuvette::vulkan_layer {

LibcudaLink& LibcudaLink::get() {
  static auto& the_link = *new LibcudaLink;  // never destroyed: threads may outlive main()
  return the_link;
}

void LibcudaLink::add(SharedSemaphore& semaphore) {
  const auto [device, inode] = semaphore.block().identity();
  MutexLock lock(mutex_);
  living_.emplace(Identity{device, inode}, &semaphore);
}

void LibcudaLink::remove(SharedSemaphore& semaphore) {
  const auto [device, inode] = semaphore.block().identity();
  MutexLock lock(mutex_);
  const auto [first, last] = living_.equal_range({device, inode});
  for (auto one = first; one != last; ++one)
    if (one->second == &semaphore) {
      living_.erase(one);
      return;
    }
}

void LibcudaLink::written(uint64_t device, uint64_t inode) {
  // At exit the driver may be gone already.
  if (is_forked() || is_exiting()) return;
  MutexLock lock(mutex_);
  const auto [first, last] = living_.equal_range({device, inode});
  for (auto one = first; one != last; ++one) one->second->follow();
}

bool LibcudaLink::has(uint64_t device, uint64_t inode) {
  MutexLock lock(mutex_);
  return living_.count({device, inode}) != 0;
}

bool LibcudaLink::tells(const Block& block) const {
  const interop::SemaphorePartner* const libcuda = libcuda_.load(std::memory_order_acquire);
  return libcuda && !is_forked() && libcuda->has(block.identity().device, block.identity().inode);
}

void LibcudaLink::tell(const Block& block) const {
  const interop::SemaphorePartner* const libcuda = libcuda_.load(std::memory_order_acquire);
  if (libcuda && !is_forked()) libcuda->written(block.identity().device, block.identity().inode);
}

}  // namespace cuvette::vulkan_layer

extern "C" [[gnu::visibility("default")]] const cuvette::interop::SemaphorePartner*
cuvette_meet_semaphore_partner_1(const cuvette::interop::SemaphorePartner* libcuda) {
  using cuvette::vulkan_layer::LibcudaLink;
  static constexpr cuvette::interop::SemaphorePartner own = {
      [](uint64_t device, uint64_t inode) { LibcudaLink::get().written(device, inode); },
      [](uint64_t device, uint64_t inode) { return LibcudaLink::get().has(device, inode); }};
  LibcudaLink::get().meet(libcuda);
  return &own;
}
