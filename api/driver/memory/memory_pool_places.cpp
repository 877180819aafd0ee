// SPDX-License-Identifier: Apache-2.0
#include "api/driver/memory/memory_pool_places.hpp"

#include <algorithm>

#include "api/driver/call.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/peer_access.hpp"

namespace cuvette::driver {

using device::Attribute;
using device::Machine;
using device::MemoryPool;
using memory::MemoryPlace;
using memory::PoolMemory;

namespace {

bool any_device_has(Attribute attribute) {
  return std::ranges::any_of(Machine::get().devices(), [&](const auto& device) {
    return device->profile().value(attribute) != 0;
  });
}

// Errors: invalid_value, invalid_device, not_supported.
Result<MemoryPlace> place_of(const CUmemLocation& location, bool managed, Asks asks) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE: {
      const auto device = find_device(location.id);
      if (device.ok()) return MemoryPlace{MemoryPlace::device, location.id};
      if (asks == Asks::for_new_pool) return device.error();
      return refuse(Error::invalid_value, "Device %d does not exist.", location.id);
    }
    // "... id is ignored for such pools."
    case CU_MEM_LOCATION_TYPE_HOST:
      return MemoryPlace{MemoryPlace::host, -1};
    // The host has one node, number 0.
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      if (location.id == 0) return MemoryPlace{MemoryPlace::host_node, 0};
      return refuse(Error::invalid_value, "%d is not a node of the host's memory.", location.id);
    // "Specifying CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ... will result in
    // CUDA_ERROR_INVALID_VALUE."
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return refuse(asks == Asks::for_new_pool ? Error::invalid_value : Error::not_supported,
                    "A pool must name a node of the host's memory; the calling thread's current "
                    "node is not accepted.");
    // "... no preferred location for the managed memory pool."
    case CU_MEM_LOCATION_TYPE_NONE:
      if (managed) return MemoryPlace{};
      return refuse(Error::invalid_value, "Only a pool of managed memory can have no location.");
    default:
      return refuse(Error::invalid_value, "%d is not a location type.",
                    static_cast<int>(location.type));
  }
}

// Checks whether devices of this kind have such pools.
Result<> check_supported(const MemoryPool::Home& home) {
  const Attribute needed = home.memory == PoolMemory::managed ? Attribute::CONCURRENT_MANAGED_ACCESS
                           : home.place.type == MemoryPlace::host_node
                               ? Attribute::HOST_NUMA_MEMORY_POOLS_SUPPORTED
                               : Attribute::HOST_MEMORY_POOLS_SUPPORTED;
  if (home.memory == PoolMemory::device || any_device_has(needed)) return {};
  return refuse(Error::not_supported, "No device here supports pools of %s memory.",
                home.memory == PoolMemory::managed ? "managed" : "host");
}

// Returns whether the place is the host, or its node, and holds the pool's memory.
bool is_own_host(const MemoryPool& pool, const CUmemLocation& location) {
  const MemoryPlace& place = pool.home().place;
  return pool.home().memory == PoolMemory::host &&
         (location.type == CU_MEM_LOCATION_TYPE_HOST ||
          (location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA &&
           place.type == MemoryPlace::host_node && location.id == place.id));
}

// Returns the device that a place names. Errors: invalid_value, invalid_device; not_supported for
// the host.
Result<unsigned> device_of(const CUmemLocation& location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return TRY(find_device(location.id))->ordinal();
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return refuse(Error::not_supported, "The host can only access its own pools.");
    default:
      return refuse(Error::invalid_value, "%d is not a location type.",
                    static_cast<int>(location.type));
  }
}

// Sets the right of the host for its own pool.
Result<> set_own_access(CUmemAccess_flags access) {
  if (access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return {};
  return refuse(Error::invalid_value, "The right of a pool's own location must be read and write.");
}

}  // namespace

Result<MemoryPool::Home> home_of(const CUmemLocation* location, CUmemAllocationType type,
                                 Asks asks) {
  if (!location) return refuse(Error::invalid_value, "The location is null.");
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED)
    return refuse(Error::invalid_value, "%d is not an allocation type.", static_cast<int>(type));
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  const MemoryPlace place = TRY(place_of(*location, managed, asks));
  const PoolMemory memory = managed                             ? PoolMemory::managed
                            : place.type == MemoryPlace::device ? PoolMemory::device
                                                                : PoolMemory::host;
  const MemoryPool::Home home{memory, place};
  TRY(check_supported(home));
  return home;
}

Result<> set_access(MemoryPool& pool, const CUmemAccessDesc& access) {
  if (access.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
      access.flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
      access.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return refuse(Error::invalid_value, "0x%x is not an access.",
                  static_cast<unsigned>(access.flags));
  if (pool.home().memory == PoolMemory::managed)
    return refuse(
        Error::not_supported,
        "The host and all devices can use managed memory: the rights of its pools cannot be set.");
  if (is_own_host(pool, access.location)) return set_own_access(access.flags);
  const unsigned device = TRY(device_of(access.location));
  // Measured, for the pool's own device as well.
  if (access.flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
    return refuse(Error::not_supported, "A pool can give a device read and write access, or none.");
  if (pool.home() == MemoryPool::Home::of_device(device)) {
    if (access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return {};
    return refuse(Error::invalid_device, "A pool's own device %u cannot lose its access.", device);
  }
  pool.let(device, access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  return {};
}

// Measured: a place that does not exist gives invalid_value here; the host has no access to a
// device's pool; and a pool of managed memory reports no access for any place.
Result<bool> has_access(const MemoryPool& pool, const CUmemLocation& location) {
  if (is_own_host(pool, location)) return true;
  if (location.type == CU_MEM_LOCATION_TYPE_HOST) return false;
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE && !find_device(location.id).ok())
    return refuse(Error::invalid_value, "Device %d does not exist.", location.id);
  const unsigned device = TRY(device_of(location));
  return pool.home() == MemoryPool::Home::of_device(device) ||
         device::has_pool_right(pool.id(), device);
}

}  // namespace cuvette::driver
