// SPDX-License-Identifier: Apache-2.0
#include "sim/device/pools/memory_pool.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graph/graph_work.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/memory/memory_pool_places.hpp"
#include "api/driver/refused_argument.hpp"
#include "sim/check/order/external_uses.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/pools/free_memory.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::Capture;
using device::MemoryPool;
using memory::AllocationKind;
using memory::MemoryPlace;
using memory::PoolMemory;

namespace {

Result<MemoryPool::Options> options_of(const CUmemPoolProps& properties) {
  MemoryPool::Options options;
  options.home = TRY(home_of(&properties.location, properties.allocType, Asks::for_new_pool));
  if (properties.handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return refuse(
        Error::not_supported,
        "Handle types 0x%x are not supported: pools can only be shared by POSIX file descriptors.",
        static_cast<unsigned>(properties.handleTypes));
  options.shareable = properties.handleTypes != CU_MEM_HANDLE_TYPE_NONE;
  if (options.shareable && options.home.memory != PoolMemory::device)
    // "Pools created with the type CU_MEM_LOCATION_TYPE_HOST are not IPC capable and ...
    // handleTypes must be 0, any other values will result in CUDA_ERROR_INVALID_VALUE."
    return refuse(
        options.home.place.type == MemoryPlace::host ? Error::invalid_value : Error::not_supported,
        "Only pools of device memory can be shared with other processes.");
  options.max_size = properties.maxSize;
  // "reserved: reserved for future use, must be 0".
  if (std::any_of(std::begin(properties.reserved), std::end(properties.reserved),
                  [](unsigned char value) { return value != 0; }))
    return refuse(Error::invalid_value, "The reserved fields of the properties must be zero.");
  if (properties.usage & ~CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS)
    return refuse(Error::invalid_value, "Usage 0x%x has unknown bits.", unsigned{properties.usage});
  if (properties.usage)
    return refuse(Error::not_supported, "The device has no decompression engine.");
  return options;
}

Result<> tell(CUmemoryPool* pool, const Ref<MemoryPool>& object) {
  *pool = TRY(give_handle(*object));
  return {};
}

Result<> capture_allocation(CUdeviceptr* dptr, size_t size, const MemoryPool::Home& home,
                            device::Stream& stream) {
  CUDA_MEM_ALLOC_NODE_PARAMS parameters;
  std::memset(&parameters, 0, sizeof parameters);
  parameters.poolProps.allocType = home.memory == PoolMemory::managed
                                       ? CU_MEM_ALLOCATION_TYPE_MANAGED
                                       : CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location = {static_cast<CUmemLocationType>(home.place.type), home.place.id};
  parameters.bytesize = size;
  device::Work work = TRY(work_of(parameters));
  TRY(Capture::add(stream, device::NodeType::allocate, std::move(work)));
  *dptr = parameters.dptr;
  return {};
}

Result<> allocate(CUdeviceptr* dptr, size_t size, Ref<MemoryPool> pool, device::Stream& stream) {
  if (!dptr) return refuse(Error::invalid_value, "The output pointer for the address is null.");
  const bool captured = TRY(Capture::takes(stream));
  // Measured: while another stream captures these are unsafe calls, though they only submit work.
  if (!captured) TRY(Capture::refuse_unsafe_call());
  *dptr = 0;
  // Measured: an allocation of 0 bytes succeeds and gives null.
  if (size == 0) return {};
  if (captured) return capture_allocation(dptr, size, pool->home(), stream);
  *dptr = TRY(pool->allocate(stream, size, call_site()));
  return {};
}

Result<> capture_free(CUdeviceptr dptr, device::Stream& stream) {
  const Capture::Info info = TRY(Capture::info(stream));
  device::Work work;
  {
    MutexLock lock(device::graph_mutex);
    if (!info.graph) return Error::stream_capture_invalidated;
    work = TRY(work_of_free(dptr, *info.graph));
  }
  return Capture::add(stream, device::NodeType::free, std::move(work));
}

Result<> free(CUdeviceptr dptr, device::Stream& stream) {
  const bool captured = TRY(Capture::takes(stream));
  if (!captured) TRY(Capture::refuse_unsafe_call());
  if (dptr == 0) return {};  // measured
  if (captured) return capture_free(dptr, stream);
  note_refused(check::RefusedAddress{dptr, AllocationKind::pool});
  if (device::GraphMemory::known(dptr)) return device::GraphMemory::free(dptr, stream, call_site());
  const auto allocation = device::Machine::get().memory().find(dptr);
  if (!allocation || allocation->address != dptr)
    return refuse(Error::invalid_value, "0x%llx is not the address of a live allocation.", dptr);
  return device::free_in_stream(allocation, stream, call_site());
}

template <typename Value>
Result<> tell_value(void* place, Value value) {
  std::memcpy(place, &value, sizeof value);
  return {};
}

Result<> get_attribute(MemoryPool& pool, CUmemPool_attribute attribute, void* value) {
  const MemoryPool::Policy policy = pool.policy();
  const MemoryPool::Account account = pool.account();
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return tell_value(value, int{policy.follow_events});
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return tell_value(value, int{policy.opportunistic});
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return tell_value(value, int{policy.internal_dependencies});
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return tell_value(value, cuuint64_t{policy.release_threshold});
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return tell_value(value, cuuint64_t{account.reserved});
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return tell_value(value, cuuint64_t{account.reserved_high});
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return tell_value(value, cuuint64_t{account.used});
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return tell_value(value, cuuint64_t{account.used_high});
  }
  return refuse(Error::invalid_value, "%d is not an attribute of a pool.",
                static_cast<int>(attribute));
}

Result<> set_attribute(MemoryPool& pool, CUmemPool_attribute attribute, const void* value) {
  MemoryPool::Policy policy = pool.policy();
  const auto flag = [&] { return *static_cast<const int*>(value) != 0; };
  const auto number = [&] { return *static_cast<const cuuint64_t*>(value); };
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      policy.follow_events = flag();
      break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      policy.opportunistic = flag();
      break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      policy.internal_dependencies = flag();
      break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      policy.release_threshold = number();
      break;
    // "High watermark can only be reset to zero."
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      if (number() != 0)
        return refuse(Error::invalid_value, "A high-water mark can only be reset to 0.");
      pool.reset_reserved_high();
      return {};
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (number() != 0)
        return refuse(Error::invalid_value, "A high-water mark can only be reset to 0.");
      pool.reset_used_high();
      return {};
    default:
      return refuse(Error::invalid_value, "Attribute %d of a pool cannot be set.",
                    static_cast<int>(attribute));
  }
  pool.set_policy(policy);
  return {};
}

Result<> check_sharing(CUmemAllocationHandleType type, unsigned long long flags) {
  // "flags must be 0".
  if (flags != 0) return refuse(Error::invalid_value, "Flags 0x%llx must be 0.", flags);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return refuse(
        Error::invalid_value,
        "Handle type 0x%x is not supported: pools can only be exported as POSIX file descriptors.",
        static_cast<unsigned>(type));
  return {};
}

}  // namespace

extern "C" {

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                CUmemAllocationType type) {
  return call<CUresult>([&]() -> Result<> {
    if (!pool_out) return Error::invalid_value;
    return tell(pool_out,
                MemoryPool::default_of(TRY(home_of(location, type, Asks::for_pool_of_place))));
  });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return call<CUresult>([&]() -> Result<> {
    if (!pool) return Error::invalid_value;
    return tell(pool,
                MemoryPool::current_of(TRY(home_of(location, type, Asks::for_pool_of_place))));
  });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return call<CUresult>([&]() -> Result<> {
    const MemoryPool::Home home = TRY(home_of(location, type, Asks::for_pool_of_place));
    return MemoryPool::make_current(home, TRY(find(pool)));
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  return call<CUresult>([&]() -> Result<> {
    TRY(Capture::refuse_unsafe_call());
    if (!pool || !poolProps) return Error::invalid_value;
    const Ref<MemoryPool> made = TRY(MemoryPool::create(TRY(options_of(*poolProps))));
    const Result<> told = tell(pool, made);
    if (!told.ok()) static_cast<void>(made->destroy());
    return told;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return call<CUresult>([&]() -> Result<> {
    TRY(Capture::refuse_unsafe_call());
    const Ref<MemoryPool> object = TRY(find(pool));
    TRY(object->destroy());
    if (!forget_handle<MemoryPool>(pool))
      return Error::invalid_value;  // another thread was quicker
    return {};
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<MemoryPool> object = TRY(find(pool));
    if (!value)
      return refuse(Error::invalid_value, "The output pointer for the attribute is null.");
    // Measured: what is used is not asked for during a capture.
    if (attr >= CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) TRY(device::Capture::refuse_unsafe_call());
    return get_attribute(*object, attr, value);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<MemoryPool> object = TRY(find(pool));
    if (!value) return refuse(Error::invalid_value, "The attribute's new value is null.");
    return set_attribute(*object, attr, value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<MemoryPool> object = TRY(find(pool));
    if (!map && count > 0)
      return refuse(Error::invalid_value,
                    "The number of access descriptions is %zu, but the array is null.", count);
    for (size_t i = 0; i < count; ++i) TRY(set_access(*object, map[i]));
    return {};
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                            CUmemLocation* location) {
  return call<CUresult>([&]() -> Result<> {
    if (!flags) return refuse(Error::invalid_value, "The output pointer for the access is null.");
    const Ref<MemoryPool> object = TRY(find(memPool));
    if (!location) return refuse(Error::invalid_value, "The location is null.");
    *flags = TRY(has_access(*object, *location)) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return {};
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  return call<CUresult>([&]() -> Result<> {
    TRY(Capture::refuse_unsafe_call());
    TRY(find(pool))->trim_to(minBytesToKeep);
    return {};
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    const auto home = MemoryPool::Home::of_device(stream->context().device().ordinal());
    return allocate(dptr, bytesize, MemoryPool::current_of(home), *stream);
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    return allocate(dptr, bytesize, TRY(find(pool)), *stream);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    return free(dptr, *stream);
  });
}

CUresult cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<MemoryPool> object = TRY(find(pool));
    if (!handle_out)
      return refuse(Error::invalid_value, "The output pointer for the handle is null.");
    TRY(check_sharing(handleType, flags));
    return tell_value(handle_out, TRY(object->export_fd()));
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  return call<CUresult>([&]() -> Result<> {
    if (!pool_out) return Error::invalid_value;
    TRY(check_sharing(handleType, flags));
    const Ref<MemoryPool> pool =
        TRY(MemoryPool::import_fd(static_cast<int>(reinterpret_cast<intptr_t>(handle))));
    const Result<> told = tell(pool_out, pool);
    if (!told.ok()) static_cast<void>(pool->destroy());
    return told;
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
  return call<CUresult>([&]() -> Result<> {
    if (!shareData_out) return Error::invalid_value;
    const MemoryPool::PartName name = TRY(MemoryPool::name_part(ptr));
    static_assert(sizeof name <= sizeof *shareData_out);
    std::memset(shareData_out, 0, sizeof *shareData_out);
    std::memcpy(shareData_out, &name, sizeof name);
    return {};
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData* shareData) {
  return call<CUresult>([&]() -> Result<> {
    if (!ptr_out || !shareData) return Error::invalid_value;
    const Ref<MemoryPool> object = TRY(find(pool));
    MemoryPool::PartName name;
    std::memcpy(&name, shareData, sizeof name);
    *ptr_out = TRY(object->import_part(name, call_site()));
    if (auto* const uses = check::ExternalUses::get()) uses->opened(*ptr_out);
    return {};
  });
}

}  // extern "C"
