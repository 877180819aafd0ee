// SPDX-License-Identifier: Apache-2.0
// Memory pools that processes share.
#include <algorithm>
#include <utility>

#include "sim/device/pools/memory_pool_parts.hpp"
#include "sim/os/range_mark.hpp"

namespace cuvette::device {
namespace {

// The bytes of a shared pool's segment before its parts.
struct Header {
  char magic[16];
  std::array<uint8_t, 16> device;  // its identifier
};
constexpr char pool_magic[16] = "cuvette pool 1\n";
constexpr uint64_t part_magic = 0x747261506c6f6f50;

}  // namespace

Result<Ref<os::Segment>> make_shared_segment(unsigned device, size_t size) {
  Ref<os::Segment> segment = TRY(os::Segment::create("cuvette-pool", shared_header_size + size));
  Header header{};
  std::copy(std::begin(pool_magic), std::end(pool_magic), header.magic);
  header.device = Machine::get().devices()[device]->identity().uuid;
  if (!segment->write(0, &header, sizeof header)) return Error::operating_system;
  return segment;
}

Result<int> MemoryPool::export_fd() {
  if (!segment_ || imported_)
    return refuse(Error::invalid_value,
                  "Only a pool that was created with CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR can "
                  "be exported.");
  return os::duplicate_fd(segment_->fd());
}

Result<MemoryPool::PartName> MemoryPool::name_part(memory::DevicePtr address) {
  const auto part = address_space().find(address);
  const Ref<MemoryPool> pool = part ? of(*part) : nullptr;
  if (!pool || !pool->segment_ || pool->imported_)
    return refuse(Error::invalid_value, "0x%llx is not memory of a pool that can be exported.",
                  static_cast<unsigned long long>(address));
  const os::Segment::Identity file = part->segment->identity();
  // As long as it lives, for the processes that open it.
  part->in_segment.store(true);
  os::set_range_mark(part->segment->fd(), part->offset, part->size);
  return PartName{part_magic, file.device, file.inode, part->offset, part->size};
}

Result<Ref<MemoryPool>> MemoryPool::import_fd(int fd) {
  // The exporter's marks are seen through another opening of the file only.
  auto copy = os::reopen_fd(fd);
  if (!copy.ok()) copy = os::duplicate_fd(fd);
  // Measured for memory handles.
  if (!copy.ok()) return Error::unknown;
  auto adopted = os::Segment::adopt(copy.value(), shared_header_size);
  if (!adopted.ok()) {
    os::close_fd(copy.value());
    return Error::unknown;
  }
  Ref<os::Segment> segment = std::move(adopted).value();
  Header header{};
  if (!segment->read(0, &header, sizeof header) ||
      !std::equal(std::begin(pool_magic), std::end(pool_magic), header.magic))
    return refuse(Error::unknown, "File descriptor %d does not hold a memory pool.", fd);
  for (const auto& device : Machine::get().devices()) {
    if (device->identity().uuid != header.device) continue;
    auto pool = make_ref<MemoryPool>(
        Options{.home = Home::of_device(device->ordinal()), .shareable = true}, true);
    pool->segment_ = std::move(segment);
    MutexLock lock(pools().mutex);
    pools().by_id.emplace(pool->id_, pool);
    return pool;
  }
  return refuse(Error::invalid_device,
                "The pool belongs to a device that is not visible to this process.");
}

Result<memory::DevicePtr> MemoryPool::import_part(const PartName& name, const void* call_site) {
  if (!imported_)
    return refuse(Error::invalid_value, "Pointers can only be imported into an imported pool.");
  if (name.magic != part_magic ||
      !(os::Segment::Identity{name.file_device, name.file_inode} == segment_->identity()))
    return refuse(Error::invalid_value, "The data does not name memory of this pool.");
  if (name.size == 0 || name.offset < shared_header_size || name.offset > segment_->size() ||
      name.size > segment_->size() - name.offset)
    return refuse(Error::invalid_value, "The data names memory outside of the pool.");
  const memory::Requester requester{0, static_cast<uint8_t>(device()), call_site};
  const auto part =
      TRY(address_space().map_pooled(segment_, name.offset, name.size, id_, requester));
  MutexLock lock(mutex_);
  ++living_;
  account_.used += name.size;
  account_.used_high = std::max(account_.used_high, account_.used);
  return part->address;
}

}  // namespace cuvette::device
