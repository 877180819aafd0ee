// SPDX-License-Identifier: Apache-2.0
// ExternalMemory: memory that another process or another API made, imported by its file descriptor.
//
// It is recognised by what the descriptor holds (memory_format.hpp): memory of lavapipe and
// SwiftShader, and plain memfds, POSIX shared memory and files in tmpfs. All mappings are aliases
// of the exporter's pages. They keep the segment themselves, so they may end before or after the
// object is destroyed.
//
// Threads: any; immutable.
#pragma once

#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/interop/external/memory_format.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/memory/recorded.hpp"
#include "sim/os/segment.hpp"
#include "sim/record/resource.hpp"

namespace cuvette::interop {

class ExternalMemory final : public Counted {
 public:
  // Imports `size` bytes of what `fd` holds. On success the descriptor belongs to the object and
  // the caller's number is closed; on failure the caller keeps it (with CUVETTE_CONTRACT=driver it
  // is closed if it is open and of the wrong kind, as the driver does). Errors: unknown if it is
  // not memory that can be shared, or a file of unknown origin with fewer bytes than `size`, which
  // is not 0; invalid_value if a graphics API's memory has fewer.
  // `dedicated`: the exporter made it for one buffer or image.
  static Result<Ref<ExternalMemory>> import_fd(int fd, uint64_t size, bool dedicated);

  // Maps bytes [offset, offset + size) at their own address, for `requester`. Errors:
  // invalid_value if they do not lie inside, or if dedicated memory is not mapped from its first
  // byte; out_of_memory.
  Result<Ref<memory::Allocation>> map(const memory::Requester& requester, uint64_t offset,
                                      uint64_t size) const;

  // Maps the image at `offset` as an array of `levels` levels, laid out as the exporter lays out
  // its images. The descriptor is valid for the device. Errors: as for map().
  Result<Ref<device::MipmappedArray>> map_arrays(const memory::Requester& requester,
                                                 const device::ArrayDescriptor& descriptor,
                                                 unsigned levels, uint64_t offset) const;

  uint64_t size() const { return size_; }
  const os::Segment& segment() const { return *segment_; }

 private:
  ExternalMemory(Ref<os::Segment> segment, const Payload& payload, uint64_t size, bool dedicated)
      : segment_(std::move(segment)),
        payload_(payload),
        size_(size),
        dedicated_(dedicated),
        recorded_segment_(*segment_) {
    recorded_.begin(record_format::ResourceKind::external_memory);
    record::note_bytes(size_);
    record::note(record_format::CallClass::imported);
  }
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  ~ExternalMemory() override = default;

  Result<> check_begin(uint64_t offset) const;

  const Ref<os::Segment> segment_;
  const Payload payload_;
  const uint64_t size_;  // what was imported of it
  const bool dedicated_;
  const memory::RecordedSegment recorded_segment_;
  record::Resource recorded_;
};

}  // namespace cuvette::interop
