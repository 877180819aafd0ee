// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/external_memory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/interop/external/external_semaphore.hpp"
#include "sim/interop/external/image_layout.hpp"
#include "sim/interop/external/vulkan_ownership.hpp"
#include "sim/os/output.hpp"

namespace cuvette::interop {

namespace {

// The driver closes what it does not recognise (measured).
Error refuse_unknown(int fd) {
  if (follows_driver()) os::close_fd(fd);
  return Error::unknown;
}

}  // namespace

Result<Ref<ExternalMemory>> ExternalMemory::import_fd(int fd, uint64_t size, bool dedicated) {
  auto segment = os::Segment::share(fd, 1);
  if (!segment.ok())
    return segment.error() == Error::unknown ? refuse_unknown(fd) : segment.error();
  if (const char* const semaphore = semaphore_in(*segment.value(), fd)) {
    os::say("file descriptor %d cannot be imported as memory: %s.", fd, semaphore);
    return Error::unknown;
  }
  const Payload payload = TRY(find_payload(*segment.value()));
  // Measured: more than there is can be imported of cuMemCreate's memory; here it cannot be mapped.
  // A file of unknown origin is taken for memory only if it can be what the program says.
  if (size > payload.size && !payload.own) {
    if (format_of_images(payload.format, *segment.value()) != MemoryFormat::plain)
      return refuse(
          Error::invalid_value,
          "File descriptor %d holds %llu bytes of memory, not the %llu that were requested.", fd,
          static_cast<unsigned long long>(payload.size), static_cast<unsigned long long>(size));
    os::say("file descriptor %d holds %llu bytes, not the %llu that were requested as memory.", fd,
            static_cast<unsigned long long>(payload.size), static_cast<unsigned long long>(size));
    return refuse_unknown(fd);
  }
  os::close_fd(fd);
  look_for_vulkan_layer();
  return make_ref<ExternalMemory>(std::move(segment).value(), payload, std::min(size, payload.size),
                                  dedicated);
}

// Measured: a dedicated allocation is one buffer or image, which begins at its first byte.
Result<> ExternalMemory::check_begin(uint64_t offset) const {
  if (dedicated_ && offset != 0)
    return refuse(Error::invalid_value,
                  "The memory was imported with CUDA_EXTERNAL_MEMORY_DEDICATED, so a mapping must "
                  "begin at byte 0, not %llu.",
                  static_cast<unsigned long long>(offset));
  return {};
}

Result<Ref<memory::Allocation>> ExternalMemory::map(const memory::Requester& requester,
                                                    uint64_t offset, uint64_t size) const {
  if (size == 0) return refuse(Error::invalid_value, "A mapped buffer of 0 bytes has no address.");
  TRY(check_begin(offset));
  if (offset > size_ || size > size_ - offset)
    return refuse(Error::invalid_value,
                  "Bytes %llu to %llu + %llu do not lie inside the %llu bytes that were imported.",
                  static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset),
                  static_cast<unsigned long long>(size), static_cast<unsigned long long>(size_));
  return device::Machine::get().memory().map_external({segment_, offset, size, payload_.offset},
                                                      requester);
}

Result<Ref<device::MipmappedArray>> ExternalMemory::map_arrays(
    const memory::Requester& requester, const device::ArrayDescriptor& descriptor, unsigned levels,
    uint64_t offset) const {
  TRY(check_begin(offset));
  std::vector<device::ArrayLayout> layouts =
      TRY(image_layouts(format_of_images(payload_.format, *segment_), descriptor, levels));
  size_t end = 0;
  for (const device::ArrayLayout& level : layouts)
    end = std::max(end, level.offset + level.extent());
  if (offset > size_ || end > size_ - offset)
    return refuse(Error::invalid_value,
                  "An array of %zu bytes at byte %llu does not lie inside the %llu bytes that were "
                  "imported.",
                  end, static_cast<unsigned long long>(offset),
                  static_cast<unsigned long long>(size_));
  auto mapping = TRY(device::Machine::get().memory().map_external_array(
      {segment_, offset, end, payload_.offset}, requester));
  const memory::DevicePtr begin = mapping->address;
  return device::MipmappedArray::over(
      make_ref<device::ArrayStorage>(std::move(mapping), begin,
                                     device::ArrayStorage::Owner::arrays),
      descriptor, std::move(layouts));
}

}  // namespace cuvette::interop
