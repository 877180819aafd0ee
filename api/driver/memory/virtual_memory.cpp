// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/virtual_memory.hpp"

#include <map>
#include <utility>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/refused_argument.hpp"
#include "sim/check/api/leaks.hpp"
#include "sim/device/machine/peers.hpp"
#include "sim/device/stream/freed.hpp"
#include "sim/interop/external/memory_format.hpp"
#include "sim/interop/external/vulkan_ownership.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using check::Holding;
using device::address_space;
using memory::Access;
using memory::Allocation;
using memory::MemoryPlace;
using memory::PhysicalMemory;
using memory::VirtualMemory;

namespace {

VirtualMemory& virtual_memory() { return address_space().virtual_memory(); }

// --- Handles: one for each piece of memory, and how often it was retained ------------------------

constinit Mutex handle_mutex;
std::map<CUmemGenericAllocationHandle, unsigned>& references() REQUIRES(handle_mutex) {
  static auto* const map = new std::map<CUmemGenericAllocationHandle, unsigned>;
  return *map;
}

// Errors: invalid_value.
Result<Ref<PhysicalMemory>> find_physical(CUmemGenericAllocationHandle handle) {
  return find_as<PhysicalMemory>(handle);
}

Result<CUmemGenericAllocationHandle> retain(const Ref<PhysicalMemory>& memory) {
  MutexLock lock(handle_mutex);
  const CUmemGenericAllocationHandle handle = TRY(give_handle(*memory));
  if (++references()[handle] == 1)
    if (auto* const leaks = check::Leaks::get())
      leaks->holds(Holding::physical_memory, handle, memory->size());
  return handle;
}

Result<> release(CUmemGenericAllocationHandle handle) {
  Ref<PhysicalMemory> last = TRY(find_physical(handle));  // released after the lock
  MutexLock lock(handle_mutex);
  const auto found = references().find(handle);
  if (found == references().end())
    return refuse(Error::invalid_value, "Handle 0x%llx was released by another thread.", handle);
  if (--found->second != 0) return {};
  references().erase(found);
  if (auto* const leaks = check::Leaks::get()) leaks->gives_back(Holding::physical_memory, handle);
  forget_handle<PhysicalMemory>(handle);
  return {};
}

// --- Arguments -----------------------------------------------------------------------------------

constexpr unsigned fabric = CU_MEM_HANDLE_TYPE_FABRIC;

bool on_host(CUmemLocationType type) {
  return type == CU_MEM_LOCATION_TYPE_HOST || type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
}

// CUDA has one more type, at which no memory can be created.
MemoryPlace place_of(const CUmemLocation& location) {
  return {static_cast<MemoryPlace::Type>(location.type), location.id};
}

Result<memory::PhysicalProperties> check_properties(const CUmemAllocationProp& prop) {
  if (prop.type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return refuse(Error::invalid_value, "Memory of type %d cannot be created: only pinned memory.",
                  static_cast<int>(prop.type));
  if (prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    TRY(find_device(prop.location.id));
  } else if (!on_host(prop.location.type)) {
    return refuse(Error::invalid_value, "Memory cannot be created at a location of type %d.",
                  static_cast<int>(prop.location.type));
  }
  const auto types = static_cast<unsigned>(prop.requestedHandleTypes);
  // Measured: without a fabric, handles for one are not permitted.
  if ((types & fabric) != 0 && (types & ~(fabric | CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)) == 0)
    return refuse(Error::not_permitted, "Memory cannot be shared through a fabric: there is none.");
  if (types & ~static_cast<unsigned>(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
    return refuse(
        Error::invalid_value,
        "Handle types 0x%x are not supported: memory can only be exported as a file descriptor.",
        types);
  if (prop.allocFlags.compressionType > CU_MEM_ALLOCATION_COMP_GENERIC)
    return refuse(Error::invalid_value, "%d is not a compression type.",
                  prop.allocFlags.compressionType);
  if (prop.allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL)
    return refuse(Error::not_supported, "Tiles of sparse arrays are not implemented.");
  // Compression is a hint; none is granted.
  return memory::PhysicalProperties{types, place_of(prop.location), CU_MEM_ALLOCATION_COMP_NONE,
                                    prop.allocFlags.gpuDirectRDMACapable, prop.allocFlags.usage};
}

// Returns the rights to set.
Result<VirtualMemory::Rights> check_rights(CUdeviceptr ptr, const CUmemAccessDesc* desc,
                                           size_t count) {
  const auto mapping = address_space().find(ptr);
  if (!mapping || !mapping->physical)
    return refuse(Error::invalid_value, "Nothing is mapped at 0x%llx.", ptr);
  VirtualMemory::Rights rights;
  for (const CUmemAccessDesc* one = desc; one != desc + count; ++one) {
    if (one->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
        one->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
        one->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return refuse(Error::invalid_value, "Access flags 0x%x are not valid.",
                    static_cast<unsigned>(one->flags));
    const auto access = static_cast<Access>(one->flags);
    if (on_host(one->location.type)) {
      // "Users cannot specify CU_MEM_LOCATION_TYPE_HOST_NUMA accessibility for allocations created
      // on with other location types."
      // Measured: not supported, but asking for no access is true already and no error.
      if (!mapping->on_host) {
        if (access == Access::none && one->location.type == CU_MEM_LOCATION_TYPE_HOST) continue;
        return refuse(Error::not_supported, "The host cannot be given rights to device memory.");
      }
      rights.host = access;
      continue;
    }
    if (one->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return refuse(Error::invalid_value, "A location of type %d cannot be given rights.",
                    static_cast<int>(one->location.type));
    // Measured: the error is not the one for an invalid device.
    const auto device = find_device(one->location.id);
    if (!device.ok())
      return refuse(Error::invalid_value, "Device %d does not exist.", one->location.id);
    const unsigned ordinal = device.value()->ordinal();
    const auto& devices = device::Machine::get().devices();
    if (!mapping->on_host && ordinal != mapping->device &&
        device::Peers::link(*devices[ordinal], *devices[mapping->device]) == device::PeerLink::none)
      return refuse(Error::invalid_device, "Device %u cannot reach the memory of device %u.",
                    ordinal, unsigned{mapping->device});
    rights.devices[ordinal] = access;
  }
  return rights;
}

}  // namespace

extern "C" {

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  return call<CUresult>([&]() -> Result<> {
    // "Currently unused, must be zero."
    if (!ptr || flags != 0) return Error::invalid_value;
    *ptr = TRY(virtual_memory().reserve(size, alignment, addr));
    if (auto* const leaks = check::Leaks::get()) leaks->holds(Holding::addresses, *ptr, size);
    return {};
  });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  return call<CUresult>([&]() -> Result<> {
    TRY(virtual_memory().give_back(ptr, size));
    if (auto* const leaks = check::Leaks::get()) leaks->gives_back(Holding::addresses, ptr);
    return {};
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop, unsigned long long flags) {
  return call<CUresult>([&]() -> Result<> {
    // "flags for future use, must be zero now."
    if (!handle || !prop || flags != 0) return Error::invalid_value;
    const memory::PhysicalProperties properties = TRY(check_properties(*prop));
    if (size == 0 || size % VirtualMemory::granularity != 0)
      return refuse(Error::invalid_value, "The size of %zu bytes is not a multiple of %zu.", size,
                    VirtualMemory::granularity);
    *handle = TRY(retain(TRY(
        address_space().create_physical(properties, size, interop::first_page_of(properties)))));
    return {};
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return call<CUresult>([&] { return release(handle); });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return call<CUresult>([&]() -> Result<> {
    if (flags != 0) return Error::invalid_value;
    Ref<PhysicalMemory> physical = TRY(find_physical(handle));
    // Measured: an offset, which the documentation forbids, is not supported.
    if (offset != 0)
      return refuse(Error::not_supported, "The offset %zu of a mapping must be 0.", offset);
    const memory::PhysicalProperties& properties = physical->properties();
    const bool device = properties.place.type == MemoryPlace::device;
    const memory::Requester requester{0, static_cast<uint8_t>(device ? properties.place.id : 0),
                                      call_site()};
    return address_space().map_physical(ptr, size, std::move(physical), requester);
  });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  return call<CUresult>([&]() -> Result<> {
    const check::RefusedAddress mapping{ptr, memory::AllocationKind::mapping};
    note_refused(mapping);
    const bool nothing = !address_space().find(ptr);
    // Waits for commands that still use the memory, as cuMemFree does.
    device::Context::wait_for_users(*TRY(virtual_memory().users_of(ptr, size)));
    for (CUdeviceptr at = ptr; at < ptr + size;) {
      const auto mapping = address_space().find(at);
      if (!mapping) break;
      device::note_freed(*mapping);
      at = mapping->end();
    }
    TRY(virtual_memory().unmap(ptr, size));
    if (nothing) note_passed(mapping, detail::entry_point());
    return {};
  });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  return call<CUresult>([&]() -> Result<> {
    if (!desc || count == 0) return Error::invalid_value;
    const VirtualMemory::Rights rights = TRY(check_rights(ptr, desc, count));
    if (TRY(virtual_memory().narrows(ptr, size, rights)))
      device::Context::wait_for_users(*TRY(virtual_memory().users_of(ptr, size)));
    return virtual_memory().set_access(ptr, size, rights);
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  return call<CUresult>([&]() -> Result<> {
    if (!flags || !location) return Error::invalid_value;
    const auto mapping = address_space().find(ptr);
    if (!mapping || !mapping->physical)
      return refuse(Error::invalid_value, "Nothing is mapped at 0x%llx.", ptr);
    if (on_host(location->type)) {
      *flags = static_cast<unsigned long long>(mapping->host_access.load());
      return {};
    }
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
      return refuse(Error::invalid_value, "A location of type %d cannot have rights.",
                    static_cast<int>(location->type));
    const unsigned ordinal = TRY(find_device(location->id))->ordinal();
    *flags = static_cast<unsigned long long>(virtual_memory().right_of(ordinal, ptr));
    return {};
  });
}

// Measured: 2 MiB for every location, even where nothing can be created.
CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
  return call<CUresult>([&]() -> Result<> {
    if (!granularity || !prop) return Error::invalid_value;
    if (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
      return refuse(Error::invalid_value, "%d is not a granularity.", static_cast<int>(option));
    if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE) TRY(find_device(prop->location.id));
    *granularity = VirtualMemory::granularity;
    return {};
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                                CUmemGenericAllocationHandle handle) {
  return call<CUresult>([&]() -> Result<> {
    if (!prop) return Error::invalid_value;
    const memory::PhysicalProperties properties = TRY(find_physical(handle))->properties();
    *prop = {};
    prop->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(properties.handle_types);
    prop->location.type = static_cast<CUmemLocationType>(properties.place.type);
    prop->location.id = properties.place.id;
    prop->allocFlags.compressionType = properties.compression;
    prop->allocFlags.gpuDirectRDMACapable = properties.rdma;
    prop->allocFlags.usage = properties.usage;
    return {};
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  return call<CUresult>([&]() -> Result<> {
    if (!handle) return Error::invalid_value;
    const auto mapping = address_space().find(reinterpret_cast<CUdeviceptr>(addr));
    if (!mapping || !mapping->physical)
      return refuse(Error::invalid_value, "Nothing is mapped at %p.", addr);
    *handle = TRY(retain(mapping->physical));
    return {};
  });
}

CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
  return call<CUresult>([&]() -> Result<> {
    // "Reserved, must be zero."
    if (!shareableHandle || flags != 0) return Error::invalid_value;
    const Ref<PhysicalMemory> physical = TRY(find_physical(handle));
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(physical->properties().handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
      return refuse(Error::invalid_value,
                    "The memory was created for handles of types 0x%x, not for %d.",
                    physical->properties().handle_types, static_cast<int>(handleType));
    *static_cast<int*>(shareableHandle) = TRY(os::duplicate_fd(physical->segment()->fd()));
    interop::look_for_vulkan_layer();  // it may be Vulkan that imports it
    return {};
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  return call<CUresult>([&]() -> Result<> {
    if (!handle) return Error::invalid_value;
    if (shHandleType == CU_MEM_HANDLE_TYPE_WIN32 || shHandleType == CU_MEM_HANDLE_TYPE_WIN32_KMT)
      return refuse(Error::not_supported, "Handles of type %d do not exist on this system.",
                    static_cast<int>(shHandleType));
    if (shHandleType == CU_MEM_HANDLE_TYPE_FABRIC)
      return refuse(Error::not_permitted,
                    "Memory cannot be imported through a fabric: there is none.");
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return refuse(Error::invalid_value, "%d is not a type of shareable handle.",
                    static_cast<int>(shHandleType));
    Ref<PhysicalMemory> physical =
        TRY(PhysicalMemory::import_fd(static_cast<int>(reinterpret_cast<intptr_t>(osHandle))));
    if (physical->properties().place.type == MemoryPlace::device)
      TRY(find_device(physical->properties().place.id));
    *handle = TRY(retain(std::move(physical)));
    return {};
  });
}

}  // extern "C"
