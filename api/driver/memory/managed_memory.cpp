// SPDX-License-Identifier: Apache-2.0
#include "sim/device/pools/managed_memory.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/base/config.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/stream/transfer.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::ManagedMemory;
using device::MemoryAdvice;
using device::MemoryPlace;

namespace {

constexpr MemoryPlace host{MemoryPlace::host, -1};

// Measured: the host has one node, number 0, which is also the current one.
Result<MemoryPlace> place_of(const CUmemLocation& location, Error no_device) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      if (!find_device(location.id).ok())
        return refuse(no_device, "Device %d does not exist.", location.id);
      return MemoryPlace{MemoryPlace::device, location.id};
    case CU_MEM_LOCATION_TYPE_HOST:
      return host;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      if (location.id != 0)
        return refuse(Error::invalid_value, "%d is not a node of the host's memory.", location.id);
      return MemoryPlace{MemoryPlace::host_node, 0};
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return MemoryPlace{MemoryPlace::host_node, 0};
    default:
      return refuse(Error::invalid_value, "%d is not a location type.",
                    static_cast<int>(location.type));
  }
}

// "the device attribute CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS must be non-zero"
Result<> check_concurrent(const device::Device& device) {
  if (device.profile().value(device::Attribute::CONCURRENT_MANAGED_ACCESS)) return {};
  return refuse(Error::invalid_device,
                "Device %u cannot use managed memory while the host does "
                "(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS is 0): nothing can be moved to it.",
                device.ordinal());
}
Result<> check_concurrent(const MemoryPlace& place) {
  if (place.type != MemoryPlace::device) return {};
  return check_concurrent(*TRY(find_device(place.id)));
}

// Checks a prefetch to `place` in the order of a stream: "Additionally, hStream must be associated
// with a device that has a non-zero value for" the same attribute.
Result<> check_prefetch(const MemoryPlace& place, const device::Stream& stream) {
  TRY(check_concurrent(place));
  return check_concurrent(stream.context().device());
}

// The functions from before CUDA 12.2 name a device, or the host as CU_DEVICE_CPU.
CUmemLocation location_of(CUdevice device) {
  if (device == CU_DEVICE_CPU) return {CU_MEM_LOCATION_TYPE_HOST, 0};
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult prefetch(CUdeviceptr address, size_t count, const CUmemLocation& location, unsigned flags,
                  CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    TRY(device::Capture::refuse_in(*stream));
    const auto allocation = TRY(ManagedMemory::find(address, count));
    if (flags != 0) return refuse(Error::invalid_value, "Flags are 0x%x; they must be 0.", flags);
    const MemoryPlace place = TRY(place_of(location, Error::invalid_device));
    TRY(check_prefetch(place, *stream));
    // "may be used to query the last location to which all pages in the range were prefetched
    // explicitly": the prefetch's end does not matter.
    ManagedMemory::change(allocation, address, count,
                          [&](MemoryAdvice& advice) { advice.last_prefetch = place; });
    return {};
  });
}

// Measured: the driver looks at no range where advice about a node of the host's memory is taken
// back. "The memory range must refer to managed memory", but a range of no bytes has nothing to
// take back.
Result<bool> takes_back_nothing(CUdeviceptr address, size_t count, CUmem_advise kind,
                                const CUmemLocation& location) {
  const bool node = location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                    location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  const bool taken_back =
      kind == CU_MEM_ADVISE_UNSET_READ_MOSTLY || kind == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
  if (!node || !taken_back) return false;
  const auto allocation = device::address_space().find(address);
  const bool managed = allocation && allocation->managed();
  return managed ? count == 0 : follows_driver();
}

CUresult advise(CUdeviceptr address, size_t count, CUmem_advise kind,
                const CUmemLocation& location) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (kind < CU_MEM_ADVISE_SET_READ_MOSTLY || kind > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
      return refuse(Error::invalid_value, "%d is not an advice.", static_cast<int>(kind));
    if (TRY(takes_back_nothing(address, count, kind, location))) return {};
    const auto allocation = TRY(ManagedMemory::find(address, count));
    // Measured: the location must be valid even where the advice ignores it; of a device or a node,
    // only its number is ignored.
    CUmemLocation looked_at = location;
    const bool numbered = location.type == CU_MEM_LOCATION_TYPE_DEVICE ||
                          location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    if (numbered && kind <= CU_MEM_ADVISE_UNSET_READ_MOSTLY) looked_at.id = 0;
    const MemoryPlace place = TRY(place_of(looked_at, Error::invalid_value));
    if (kind >= CU_MEM_ADVISE_SET_PREFERRED_LOCATION) TRY(check_concurrent(place));
    const bool node = place.type == MemoryPlace::host_node;
    if (node && (kind == CU_MEM_ADVISE_SET_ACCESSED_BY || kind == CU_MEM_ADVISE_UNSET_ACCESSED_BY))
      return refuse(
          Error::invalid_value,
          "Access can be advised for a device or the host, not for a node of the host's memory.");
    const auto set_access = [&](MemoryAdvice& advice, bool accessed) {
      if (place.type == MemoryPlace::host) {
        advice.accessed_by_host = accessed;
      } else if (accessed) {
        advice.accessed_by |= 1u << place.id;
      } else {
        advice.accessed_by &= ~(1u << place.id);
      }
    };
    ManagedMemory::change(allocation, address, count, [&](MemoryAdvice& advice) {
      switch (kind) {
        case CU_MEM_ADVISE_SET_READ_MOSTLY:
        case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
          advice.read_mostly = kind == CU_MEM_ADVISE_SET_READ_MOSTLY;
          break;
        case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
          advice.preferred = node ? host : place;  // measured: a node is reported as the host
          break;
        case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
          advice.preferred = {};
          break;
        case CU_MEM_ADVISE_SET_ACCESSED_BY:
        case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
          set_access(advice, kind == CU_MEM_ADVISE_SET_ACCESSED_BY);
          break;
      }
    });
    return {};
  });
}

// --- Batches ---

struct RangeBatch {
  const CUdeviceptr* addresses;
  const size_t *sizes, count;
  // The targets of prefetches: place k is for the ranges from starts[k] on.
  const CUmemLocation* places = nullptr;
  const size_t* starts = nullptr;
  const size_t number_of_places = 0;
  const bool discards, prefetches;
};

Result<> check_places(const RangeBatch& batch) {
  if (!batch.places || !batch.starts)
    return refuse(Error::invalid_value,
                  "The array of locations or the array of their first ranges is null.");
  if (batch.number_of_places == 0 || batch.number_of_places > batch.count)
    return refuse(
        Error::invalid_value,
        "The number of locations is %zu; for %zu ranges it must be at least 1 and not larger.",
        batch.number_of_places, batch.count);
  // "the first entry in prefetchLocIdxs must always be 0. Also, each entry must be greater than the
  // previous entry and the last entry should be less than count."
  for (size_t k = 0; k < batch.number_of_places; ++k)
    if (k == 0 ? batch.starts[0] != 0
               : batch.starts[k] <= batch.starts[k - 1] || batch.starts[k] >= batch.count)
      return refuse(Error::invalid_value,
                    "Location %zu cannot begin at range %zu: the first begins at 0, and each "
                    "begins after the one before.",
                    k, batch.starts[k]);
  return {};
}

CUresult submit(const RangeBatch& batch, unsigned long long flags, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    // "Must not be legacy NULL stream." Measured: without a context, too.
    if (hStream == CU_STREAM_LEGACY ||
        (!hStream && !device::Thread::current().per_thread_default_stream))
      return refuse(Error::invalid_value, "The legacy stream does not accept batches.");
    const auto stream = TRY(find_usable(hStream));
    if (stream->kind() == device::StreamKind::legacy)
      return refuse(Error::invalid_value, "The legacy stream does not accept batches.");
    if (flags != 0) return refuse(Error::invalid_value, "Flags are 0x%llx; they must be 0.", flags);
    if (!batch.addresses || !batch.sizes || batch.count == 0)
      return refuse(Error::invalid_value, "The batch is empty, or one of its arrays is null.");
    if (batch.prefetches) TRY(check_places(batch));
    TRY(device::Capture::refuse_in(*stream));
    // Measured: the ranges before a refused one have been moved.
    for (size_t i = 0, k = 0; i < batch.count; ++i) {
      const CUdeviceptr address = batch.addresses[i];
      const size_t size = batch.sizes[i];
      const auto allocation = TRY(ManagedMemory::find(address, size));
      std::optional<MemoryPlace> place;
      if (batch.prefetches) {
        if (k + 1 < batch.number_of_places && batch.starts[k + 1] == i) ++k;
        place = TRY(place_of(batch.places[k], Error::invalid_value));
        TRY(check_prefetch(*place, *stream));
      }
      // "Reading from a discarded range ... will return an indeterminate value."
      if (batch.discards)
        stream->context().submit(
            *stream, device::Discard(TRY(device::find_access(&stream->context(),
                                                             memory::Region::linear(address, size),
                                                             true, call_site()))
                                         .footprint,
                                     call_site()));
      if (place)
        ManagedMemory::change(allocation, address, size,
                              [&](MemoryAdvice& advice) { advice.last_prefetch = *place; });
    }
    return {};
  });
}

// Returns a place as one number: a device, CU_DEVICE_CPU, or CU_DEVICE_INVALID.
int number_of(const MemoryPlace& place) {
  if (place.type == MemoryPlace::device) return place.id;
  return place.type == MemoryPlace::nowhere ? CU_DEVICE_INVALID : CU_DEVICE_CPU;
}

template <typename Part>
auto common(const std::vector<MemoryAdvice>& all, Part MemoryAdvice::*part) {
  const bool same = std::all_of(all.begin(), all.end(), [&](const MemoryAdvice& one) {
    return one.*part == all.front().*part;
  });
  return same ? all.front().*part : Part{};
}

Result<> answer(void* data, size_t size, CUmem_range_attribute attribute,
                const std::vector<MemoryAdvice>& all) {
  auto* const numbers = static_cast<int*>(data);
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
    // "dataSize must be a non-zero multiple of 4"; "-2 (CU_DEVICE_INVALID)" fills the rest.
    if (size == 0 || size % 4 != 0)
      return refuse(
          Error::invalid_value,
          "The size of the device list is %zu bytes; it must be a multiple of 4, and not 0.", size);
    std::vector<int> by;
    uint32_t devices = ~0u;
    bool by_host = true;
    for (const MemoryAdvice& one : all) {
      devices &= one.accessed_by;
      by_host = by_host && one.accessed_by_host;
    }
    for (int i = 0; i < 32; ++i)
      if (devices >> i & 1) by.push_back(i);
    if (by_host) by.push_back(CU_DEVICE_CPU);
    for (size_t i = 0; i < size / 4; ++i) numbers[i] = i < by.size() ? by[i] : CU_DEVICE_INVALID;
    return {};
  }
  if (size != 4) return refuse(Error::invalid_value, "The attribute has 4 bytes, not %zu.", size);
  const MemoryPlace preferred = common(all, &MemoryAdvice::preferred);
  const MemoryPlace last = common(all, &MemoryAdvice::last_prefetch);
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      *numbers = common(all, &MemoryAdvice::read_mostly);
      return {};
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      *numbers = number_of(preferred);
      return {};
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      *numbers = number_of(last);
      return {};
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      *numbers = preferred.type;
      return {};
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      *numbers = preferred.id;
      return {};
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      *numbers = last.type;
      return {};
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      *numbers = last.id;
      return {};
    default:
      return refuse(Error::invalid_value, "%d is not an attribute of a range.",
                    static_cast<int>(attribute));
  }
}

}  // namespace

extern "C" {

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
  return prefetch(devPtr, count, location_of(dstDevice), 0, hStream);
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
  return prefetch(devPtr, count, location, flags, hStream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                 CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                 size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
  return submit({.addresses = dptrs,
                 .sizes = sizes,
                 .count = count,
                 .places = prefetchLocs,
                 .starts = prefetchLocIdxs,
                 .number_of_places = numPrefetchLocs,
                 .discards = false,
                 .prefetches = true},
                flags, hStream);
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                unsigned long long flags, CUstream hStream) {
  return submit(
      {.addresses = dptrs, .sizes = sizes, .count = count, .discards = true, .prefetches = false},
      flags, hStream);
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                           CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
  return submit({.addresses = dptrs,
                 .sizes = sizes,
                 .count = count,
                 .places = prefetchLocs,
                 .starts = prefetchLocIdxs,
                 .number_of_places = numPrefetchLocs,
                 .discards = true,
                 .prefetches = true},
                flags, hStream);
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return advise(devPtr, count, advice, location_of(device));
}
CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
  return advise(devPtr, count, advice, location);
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!data) return refuse(Error::invalid_value, "The output pointer for the attribute is null.");
    const auto allocation = TRY(ManagedMemory::find(devPtr, count));
    return answer(data, dataSize, attribute, ManagedMemory::advice(allocation, devPtr, count));
  });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!data || !dataSizes || !attributes || numAttributes == 0)
      return refuse(Error::invalid_value, "The number of attributes is 0, or an array is null.");
    const auto allocation = TRY(ManagedMemory::find(devPtr, count));
    const auto all = ManagedMemory::advice(allocation, devPtr, count);
    for (size_t i = 0; i < numAttributes; ++i) {
      if (!data[i])
        return refuse(Error::invalid_value, "The output pointer for attribute %zu is null.", i);
      TRY(answer(data[i], dataSizes[i], attributes[i], all));
    }
    return {};
  });
}

}  // extern "C"
