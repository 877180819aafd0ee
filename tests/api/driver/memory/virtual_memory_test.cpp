// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/virtual_memory.hpp"
#include "tests/api/driver/values.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace {

unsigned long long access_of(CUdeviceptr at,
                             CUmemLocationType location = CU_MEM_LOCATION_TYPE_DEVICE) {
  unsigned long long flags = 99;
  const CUmemLocation place{location, 0};
  EXPECT_EQ(cuMemGetAccess(&flags, &place, at), CUDA_SUCCESS);
  return flags;
}
CUresult import(Handle* handle, long fd, CUmemAllocationHandleType type = as_fd) {
  return cuMemImportFromShareableHandle(handle, reinterpret_cast<void*>(fd), type);
}

TEST(cuMemAddressReserve, GivesWholeGranulesAtTheAlignment) {
  const Scene scene;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAddressReserve(nullptr, granule, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, granule + 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, granule, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, granule, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, size_t{1} << 60, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAddressReserve(&address, granule, 8 * granule, 0, 0));
  EXPECT_EQ(address % (8 * granule), 0u);
  OK(cuMemAddressFree(address, granule));
}

TEST(cuMemAddressReserve, GrantsAWishForWhatIsFree) {
  const Scene scene;
  const CUdeviceptr around = reserved(16 * granule);
  OK(cuMemAddressFree(around, 16 * granule));
  const auto wish = [](size_t granules, CUdeviceptr at) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAddressReserve(&address, granules * granule, 0, at, 0), CUDA_SUCCESS);
    return address;
  };
  const CUdeviceptr a = wish(2, around + 4 * granule);
  EXPECT_EQ(a, around + 4 * granule);
  // A wish for addresses that are taken, or that the driver cannot give, is answered with others.
  const CUdeviceptr b = wish(1, around + 5 * granule), c = wish(4, around + 3 * granule),
                    d = wish(1, granule);
  EXPECT_NE(b, around + 5 * granule);
  EXPECT_NE(c, around + 3 * granule);
  EXPECT_NE(d, granule);
  {
    const Handle handle = created(granule);
    OK(cuMemMap(a + granule, granule, 0, handle, 0));
    OK(set_access(a + granule, granule, writing));
    OK(cuMemsetD8(a + granule, 3, granule));
    EXPECT_EQ(byte_at(a + 2 * granule - 1), 3);
    OK(cuMemUnmap(a + granule, granule));
    OK(cuMemRelease(handle));
  }
  OK(cuMemAddressFree(a, 2 * granule));
  EXPECT_EQ(wish(2, a), a);
  OK(cuMemAddressFree(a, 2 * granule));
  OK(cuMemAddressFree(b, granule));
  OK(cuMemAddressFree(c, 4 * granule));
  OK(cuMemAddressFree(d, granule));
  // Measured.
  CUdeviceptr none = 0;
  EXPECT_EQ(cuMemAddressReserve(&none, granule, 0, around + 4096, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&none, granule, 4 * granule, 8 * granule + granule, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&none, granule, 0, CUdeviceptr{1} << 60, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAddressReserve(&none, granule, 0, ~CUdeviceptr{0} - granule + 1, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(cuMemAddressReserve, HoldsNoMemoryOfHostOrDevice) {
  const Scene scene;
  const CUdeviceptr address = reserved(4 * granule);
  char bytes[16] = {};
  EXPECT_EQ(byte_at(address), -CUDA_ERROR_INVALID_VALUE);
  // It is not pageable host memory either.
  EXPECT_EQ(cuMemcpy(address, reinterpret_cast<CUdeviceptr>(bytes), 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister(reinterpret_cast<void*>(address), granule, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr base;
  EXPECT_EQ(cuMemGetAddressRange(&base, nullptr, address), CUDA_ERROR_NOT_FOUND);
  OK(cuMemAddressFree(address, 4 * granule));
}

TEST(cuMemAddressReserve, GivesMoreAddressesThanThereIsMemory) {
  const Scene scene;
  CUdeviceptr ranges[8];
  for (CUdeviceptr& range : ranges) range = reserved(size_t{4} << 30);
  for (const CUdeviceptr range : ranges) OK(cuMemAddressFree(range, size_t{4} << 30));
}

TEST(cuMemAddressFree, TakesAWholeReservationWithNothingInIt) {
  const Scene scene;
  const CUdeviceptr address = reserved(4 * granule);
  EXPECT_EQ(cuMemAddressFree(address, granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(address + granule, 3 * granule), CUDA_ERROR_INVALID_VALUE);
  const Handle handle = created(granule);
  OK(cuMemMap(address, granule, 0, handle, 0));
  EXPECT_EQ(cuMemAddressFree(address, 4 * granule), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address, granule));
  OK(cuMemAddressFree(address, 4 * granule));
  EXPECT_EQ(cuMemAddressFree(address, 4 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(0, granule), CUDA_ERROR_INVALID_VALUE);
  const CUdeviceptr other = new_memory(granule);
  EXPECT_EQ(cuMemAddressFree(other, granule), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
}

TEST(cuMemCreate, ChecksWhatIsAskedFor) {
  const Scene scene;
  Handle handle = 5;
  CUmemAllocationProp properties = pinned();
  EXPECT_EQ(cuMemCreate(nullptr, granule, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, granule, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, granule, &properties, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, 0, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, granule + 512, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, size_t{1} << 46, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
  EXPECT_EQ(cuMemCreate(&handle, granule, &properties, 0), CUDA_ERROR_NOT_PERMITTED);
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
  EXPECT_EQ(cuMemCreate(&handle, granule, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  properties = pinned();
  properties.location.id = 1000;
  EXPECT_EQ(cuMemCreate(&handle, granule, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
  properties = pinned(CU_MEM_LOCATION_TYPE_INVALID);
  EXPECT_EQ(cuMemCreate(&handle, granule, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  properties = pinned();
  properties.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  EXPECT_EQ(cuMemCreate(&handle, granule, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(handle, 5u);
}

TEST(cuMemCreate, CountsAsMemoryOfTheDeviceUntilItsLastUse) {
  const Scene scene;
  const size_t before = free_memory();
  const Handle handle = created(8 * granule);
  EXPECT_EQ(before - free_memory(), 8 * granule);
  {
    const Mapped mapped(handle, 8 * granule);
    OK(cuMemRelease(handle));
    EXPECT_EQ(before - free_memory(), 8 * granule);
    OK(cuMemsetD8(mapped.address, 1, 8 * granule));
  }
  EXPECT_EQ(free_memory(), before);
}

TEST(cuMemRelease, TakesAHandleAsOftenAsItWasGiven) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped mapped(handle, granule);
  Handle again = 0;
  OK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(mapped.address + 9)));
  EXPECT_EQ(again, handle);
  OK(cuMemRelease(handle));
  OK(cuMemRelease(handle));
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRelease(0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRelease(0x1230), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(mapped.address, granule, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemRetainAllocationHandle, GivesANewHandleWhereThereIsNoneAnyMore) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped mapped(handle, granule);
  OK(cuMemRelease(handle));
  Handle again = 0;
  OK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(mapped.address)));
  const Mapped second(again, granule);
  OK(cuMemsetD8(second.address, 7, granule));
  EXPECT_EQ(byte_at(mapped.address), 7);
  OK(cuMemRelease(again));
  EXPECT_EQ(cuMemRetainAllocationHandle(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRetainAllocationHandle(&again, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRetainAllocationHandle(&again, &again), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemMap, MakesAliasesOfOnePieceOfMemory) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  const Mapped one(handle, 2 * granule), two(handle, 2 * granule);
  OK(cuMemsetD8(one.address, 3, 2 * granule));
  EXPECT_EQ(byte_at(two.address + granule + 5), 3);
  OK(cuMemsetD8(two.address + 5, 4, 1));
  EXPECT_EQ(byte_at(one.address + 5), 4);
  OK(cuMemRelease(handle));
}

TEST(cuMemMap, RefusesPartsAndWhatIsMapped) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  const CUdeviceptr address = reserved(8 * granule);
  EXPECT_EQ(cuMemMap(address, 2 * granule, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(address, 0, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(address, granule, 0, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemMap(address, granule, granule, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemMap(address + 4096, 2 * granule, 0, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemMap(address + 7 * granule, 2 * granule, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(0, 2 * granule, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemMap(address, 2 * granule, 0, handle, 0));
  EXPECT_EQ(cuMemMap(address + granule, 2 * granule, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address, 2 * granule));
  OK(cuMemAddressFree(address, 8 * granule));
  OK(cuMemRelease(handle));
}

// Growing arenas do this: one range of addresses, with memory mapped piece by piece.
TEST(cuMemMap, MakesOneBufferOfMappingsSideBySide) {
  const Scene scene;
  const CUdeviceptr address = reserved(4 * granule);
  for (int i = 0; i < 3; ++i) {
    const Handle handle = created(granule);
    OK(cuMemMap(address + i * granule, granule, 0, handle, 0));
    OK(set_access(address + i * granule, granule, writing));
    OK(cuMemRelease(handle));
  }
  OK(cuMemsetD8(address, 1, 3 * granule));
  OK(cuMemsetD8(address + granule - 8, 2, granule + 16));
  EXPECT_EQ(byte_at(address + granule - 9), 1);
  EXPECT_EQ(byte_at(address + granule), 2);
  EXPECT_EQ(byte_at(address + 2 * granule + 7), 2);
  EXPECT_EQ(byte_at(address + 2 * granule + 8), 1);
  OK(cuMemcpyDtoD(address, address + granule + 5, granule + 100));
  EXPECT_EQ(byte_at(address + granule - 10), 2);
  // The fourth granule only has addresses.
  EXPECT_EQ(cuMemsetD8(address, 1, 3 * granule + 1), CUDA_ERROR_INVALID_VALUE);
  OK(set_access(address + granule, granule, reading));
  EXPECT_EQ(cuMemsetD8(address, 1, 3 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address, 4 * granule), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address + granule, granule));
  EXPECT_EQ(cuMemsetD8(address, 1, 3 * granule), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address, granule));
  OK(cuMemUnmap(address + 2 * granule, granule));
  OK(cuMemAddressFree(address, 4 * granule));
}

TEST(cuMemUnmap, WaitsForWhatUsesTheMemory) {
  const Scene scene;
  const Handle handle = created(granule);
  const CUdeviceptr address = reserved(granule);
  const CUstream stream = new_stream();
  OK(cuMemMap(address, granule, 0, handle, 0));
  OK(set_access(address, granule, writing));
  Gate gate(stream);
  OK(cuMemsetD8Async(address, 6, granule, stream));
  std::atomic<bool> unmapped{false};
  std::thread thread([&] {
    EXPECT_EQ(cuMemUnmap(address, granule), CUDA_SUCCESS);
    unmapped = true;
  });
  let_things_happen();
  EXPECT_FALSE(unmapped);
  gate.open();
  thread.join();
  OK(cuStreamSynchronize(stream));
  const Mapped again(handle, granule);
  EXPECT_EQ(byte_at(again.address), 6);
  OK(cuMemRelease(handle));
  OK(cuMemAddressFree(address, granule));
  EXPECT_EQ(cuMemUnmap(address, granule), CUDA_ERROR_INVALID_VALUE);
}

// Measured: that nothing is mapped is no error, unlike a part of what is mapped.
TEST(cuMemUnmap, TakesReservedAddressesWithNothingInThem) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  const CUdeviceptr address = reserved(8 * granule);
  OK(cuMemUnmap(address, granule));
  OK(cuMemMap(address + 2 * granule, 2 * granule, 0, handle, 0));
  OK(cuMemUnmap(address, 2 * granule));
  OK(cuMemUnmap(address + 4 * granule, 4 * granule));
  EXPECT_EQ(cuMemUnmap(address, 3 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address, 4 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address + 2 * granule, granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address + 3 * granule, 2 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address, 9 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address + 2 * granule, 2 * granule));
  OK(cuMemUnmap(address + 2 * granule, 2 * granule));
  OK(cuMemAddressFree(address, 8 * granule));
  EXPECT_EQ(cuMemUnmap(address, granule), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
}

// "not necessarily the size of the mapped region, but the size of the mappable address range ptr
// references (e.g. from cuMemAddressReserve)"
TEST(cuPointerGetAttribute, DescribesTheReservationOfMappedMemory) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  const CUdeviceptr address = reserved(8 * granule);
  OK(cuMemMap(address + granule, 2 * granule, 0, handle, 0));
  struct Told {
    CUresult start, size, mapped;
    CUdeviceptr at;
    size_t bytes;
    unsigned is_mapped;
  };
  const auto ask = [](CUdeviceptr at) {
    Told told{};
    told.start = cuPointerGetAttribute(&told.at, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at);
    told.size = cuPointerGetAttribute(&told.bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at);
    told.mapped = cuPointerGetAttribute(&told.is_mapped, CU_POINTER_ATTRIBUTE_MAPPED, at);
    return told;
  };
  for (const size_t granules : {0, 1, 2, 3, 7}) {
    const Told told = ask(address + granules * granule + 100);
    EXPECT_EQ(told.start, CUDA_SUCCESS);
    EXPECT_EQ(told.size, CUDA_SUCCESS);
    EXPECT_EQ(told.mapped, CUDA_SUCCESS);
    EXPECT_EQ(told.at, address);
    EXPECT_EQ(told.bytes, 8 * granule);
    EXPECT_EQ(told.is_mapped, granules == 1 || granules == 2) << granules;
  }
  // What is mapped is still told.
  CUdeviceptr base = 0;
  size_t size = 0;
  OK(cuMemGetAddressRange(&base, &size, address + granule + 5));
  EXPECT_EQ(base, address + granule);
  EXPECT_EQ(size, 2 * granule);
  OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, address + granule));
  EXPECT_EQ(size, 2 * granule);
  // Addresses without memory have nothing else.
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address + granule, 2 * granule));
  OK(cuMemAddressFree(address, 8 * granule));
  EXPECT_EQ(ask(address).size, CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
}

TEST(cuPointerSetAttribute, IsNotForMappedMemory) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped mapped(handle, granule);
  const unsigned on = 1;
  EXPECT_EQ(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, mapped.address + 8),
            CUDA_ERROR_NOT_SUPPORTED);
  OK(cuMemRelease(handle));
}

TEST(cuMemSetAccess, DecidesWhatCopiesAndFillsMayDo) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped free(handle, granule);
  const CUdeviceptr address = reserved(granule);
  OK(cuMemMap(address, granule, 0, handle, 0));
  char bytes[16] = {};
  for (const CUmemAccess_flags flags : {no_access, reading, writing, reading, no_access}) {
    OK(set_access(address, granule, flags));
    EXPECT_EQ(access_of(address + 5), static_cast<unsigned long long>(flags));
    const CUresult read = flags == no_access ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    const CUresult write = flags == writing ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    EXPECT_EQ(cuMemcpyDtoH(bytes, address, 16), read);
    EXPECT_EQ(cuMemcpyDtoD(free.address + 64, address, 16), read);
    EXPECT_EQ(cuMemcpyHtoD(address, bytes, 16), write);
    EXPECT_EQ(cuMemcpyDtoD(address, free.address + 64, 16), write);
    EXPECT_EQ(cuMemsetD8(address, 1, 16), write);
    // Measured: the context stays usable.
    OK(cuCtxSynchronize());
  }
  EXPECT_EQ(byte_at(free.address), 1);
  OK(cuMemUnmap(address, granule));
  OK(cuMemAddressFree(address, granule));
  OK(cuMemRelease(handle));
}

TEST(cuMemSetAccess, WaitsForWhatUsesTheRight) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped mapped(handle, granule);
  const CUstream stream = new_stream();
  Gate gate(stream);
  OK(cuMemsetD8Async(mapped.address, 6, granule, stream));
  std::atomic<bool> done{false};
  std::thread thread([&] {
    EXPECT_EQ(set_access(mapped.address, granule, no_access), CUDA_SUCCESS);
    done = true;
  });
  let_things_happen();
  EXPECT_FALSE(done);
  gate.open();
  thread.join();
  OK(cuStreamSynchronize(stream));
  OK(cuMemRelease(handle));
}

TEST(cuMemSetAccess, RefusesPartsPeersAndTheHost) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  const Mapped mapped(handle, 2 * granule);
  CUmemAccessDesc description{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, writing};
  EXPECT_EQ(cuMemSetAccess(mapped.address, 2 * granule, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemSetAccess(mapped.address, 2 * granule, &description, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_access(mapped.address, granule, reading), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_access(mapped.address, 4 * granule, reading), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_access(mapped.address, 2 * granule, static_cast<CUmemAccess_flags>(2)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_access(mapped.address, 2 * granule, reading, CU_MEM_LOCATION_TYPE_HOST_NUMA),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(set_access(mapped.address, 2 * granule, reading, CU_MEM_LOCATION_TYPE_HOST),
            CUDA_ERROR_NOT_SUPPORTED);
  description.location.id = 1000;
  EXPECT_EQ(cuMemSetAccess(mapped.address, 2 * granule, &description, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(access_of(mapped.address), 3u);
  OK(cuMemRelease(handle));
}

TEST(cuMemGetAccess, TellsNothingOfWhatIsNotMapped) {
  const Scene scene;
  unsigned long long flags = 0;
  const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0},
      nowhere{CU_MEM_LOCATION_TYPE_INVALID, 0};
  const CUdeviceptr address = reserved(granule);
  const Handle handle = created(granule);
  EXPECT_EQ(cuMemGetAccess(&flags, &here, address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAccess(&flags, &here, new_memory(64)), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemMap(address, granule, 0, handle, 0));
  EXPECT_EQ(access_of(address), 0u);
  EXPECT_EQ(cuMemGetAccess(nullptr, &here, address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAccess(&flags, nullptr, address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAccess(&flags, &nowhere, address), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(address, granule));
  OK(cuMemAddressFree(address, granule));
  OK(cuMemRelease(handle));
}

TEST(cuMemGetAllocationGranularity, IsTwoMebibytes) {
  const Scene scene;
  size_t size = 0;
  CUmemAllocationProp properties = pinned();
  OK(cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_EQ(size, granule);
  EXPECT_EQ(cuMemGetAllocationGranularity(nullptr, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAllocationGranularity(&size, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAllocationGranularity(&size, &properties,
                                          static_cast<CUmemAllocationGranularity_flags>(2)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemGetAllocationPropertiesFromHandle, TellsWithWhatItWasCreated) {
  const Scene scene;
  const Handle handle = created(granule);
  CUmemAllocationProp properties;
  memset(&properties, 0x55, sizeof properties);
  OK(cuMemGetAllocationPropertiesFromHandle(&properties, handle));
  const CUmemAllocationProp expected = pinned();
  EXPECT_EQ(memcmp(&properties, &expected, sizeof expected), 0);
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(nullptr, handle), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&properties, handle), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemExportToShareableHandle, GivesADescriptorThatImportsTheSameMemory) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  int fd = -1;
  OK(cuMemExportToShareableHandle(&fd, handle, as_fd, 0));
  Handle same = 0;
  OK(import(&same, fd));
  EXPECT_NE(same, handle);
  EXPECT_EQ(close(fd), 0);  // the descriptor is still the caller's
  const Mapped one(handle, 2 * granule), two(same, 2 * granule);
  OK(cuMemsetD8(one.address, 9, 2 * granule));
  EXPECT_EQ(byte_at(two.address + 2 * granule - 1), 9);
  CUmemAllocationProp properties;
  OK(cuMemGetAllocationPropertiesFromHandle(&properties, same));
  // Measured: what was imported cannot be exported.
  EXPECT_EQ(properties.requestedHandleTypes, CU_MEM_HANDLE_TYPE_NONE);
  EXPECT_EQ(cuMemExportToShareableHandle(&fd, same, as_fd, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  OK(cuMemRelease(same));
}

TEST(cuMemExportToShareableHandle, NeedsMemoryThatWasCreatedForIt) {
  const Scene scene;
  int fd = -1;
  CUmemAllocationProp properties = pinned();
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  Handle plain = 0;
  OK(cuMemCreate(&plain, granule, &properties, 0));
  EXPECT_EQ(cuMemExportToShareableHandle(&fd, plain, as_fd, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(plain));
  const Handle handle = created(granule);
  EXPECT_EQ(cuMemExportToShareableHandle(nullptr, handle, as_fd, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemExportToShareableHandle(&fd, handle, as_fd, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_NONE, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemExportToShareableHandle(&fd, 0, as_fd, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  EXPECT_EQ(fd, -1);
}

TEST(cuMemImportFromShareableHandle, RefusesDescriptorsOfOtherThings) {
  const Scene scene;
  Handle handle = 5;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int memory = memfd_create("other", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(memory, static_cast<off_t>(2 * granule)), 0);
  const int folder = open("/", O_RDONLY);
  for (const int fd : {-1, 900, ends[0], memory, folder})
    EXPECT_EQ(import(&handle, fd), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(import(nullptr, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(import(&handle, memory, CU_MEM_HANDLE_TYPE_WIN32), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(import(&handle, memory, CU_MEM_HANDLE_TYPE_FABRIC), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(import(&handle, memory, CU_MEM_HANDLE_TYPE_NONE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(handle, 5u);
  for (const int fd : {ends[0], ends[1], memory, folder}) EXPECT_EQ(close(fd), 0);
}

// Changes each byte of the label in the last page, by which the memory describes itself.
TEST(cuMemImportFromShareableHandle, DoesNotTrustWhatTheFileSays) {
  const Scene scene;
  const Handle source = created(granule);
  int fd = -1;
  OK(cuMemExportToShareableHandle(&fd, source, as_fd, 0));
  char label[64];
  ASSERT_EQ(pread(fd, label, sizeof label, granule), static_cast<ssize_t>(sizeof label));
  for (size_t at = 0; at < sizeof label; ++at) {
    char changed[sizeof label];
    memcpy(changed, label, sizeof label);
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    ASSERT_EQ(pwrite(fd, changed, sizeof changed, granule), static_cast<ssize_t>(sizeof changed));
    Handle handle = 0;
    if (import(&handle, fd) != CUDA_SUCCESS) continue;
    const CUdeviceptr address = reserved(granule);
    OK(cuMemMap(address, granule, 0, handle, 0));
    if (set_access(address, granule, writing) == CUDA_SUCCESS) {
      EXPECT_EQ(cuMemsetD8(address, 1, granule), CUDA_SUCCESS);
    }
    OK(cuMemUnmap(address, granule));
    OK(cuMemAddressFree(address, granule));
    OK(cuMemRelease(handle));
  }
  EXPECT_EQ(close(fd), 0);
  OK(cuMemRelease(source));
}

TEST(VirtualMemory, OfTheHostIsForBothWhenBothHaveRights) {
  const Scene scene;
  const Handle handle = created(granule, CU_MEM_LOCATION_TYPE_HOST_NUMA);
  const Mapped mapped(handle, granule);
  EXPECT_EQ(access_of(mapped.address, CU_MEM_LOCATION_TYPE_HOST_NUMA), 0u);
  OK(cuMemsetD8(mapped.address, 8, granule));
  OK(cuCtxSynchronize());
  OK(set_access(mapped.address, granule, writing, CU_MEM_LOCATION_TYPE_HOST_NUMA));
  auto* bytes = reinterpret_cast<volatile char*>(mapped.address);
  EXPECT_EQ(bytes[granule - 1], 8);
  bytes[0] = 9;
  EXPECT_EQ(byte_at(mapped.address), 9);
  OK(cuMemRelease(handle));
}

TEST(VirtualMemory, IsImportedAsExternalMemory) {
  const Scene scene;
  const Handle handle = created(granule);
  const Mapped mapped(handle, granule);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.size = granule;
  OK(cuMemExportToShareableHandle(&description.handle.fd, handle, as_fd, 0));
  CUexternalMemory external;
  OK(cuImportExternalMemory(&external, &description));
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.size = granule;
  CUdeviceptr alias;
  OK(cuExternalMemoryGetMappedBuffer(&alias, external, &buffer));
  OK(cuMemsetD8(mapped.address, 4, granule));
  EXPECT_EQ(byte_at(alias + granule - 1), 4);
  OK(cuMemFree(alias));
  OK(cuDestroyExternalMemory(external));
  OK(cuMemRelease(handle));
}

// Measured: any size is taken, and mappings lie in what there is of it.
TEST(VirtualMemory, IsImportedWithAnySize) {
  const Scene scene;
  const Handle handle = created(2 * granule);
  for (const size_t size : {size_t{1}, granule, 2 * granule - 1, 2 * granule, 2 * granule + 1,
                            2 * granule + 4096, 5 * granule}) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.size = size;
    OK(cuMemExportToShareableHandle(&description.handle.fd, handle, as_fd, 0));
    CUexternalMemory external;
    OK(cuImportExternalMemory(&external, &description));
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
    buffer.size = std::min(size, 2 * granule);
    CUdeviceptr mapped = 0;
    OK(cuExternalMemoryGetMappedBuffer(&mapped, external, &buffer));
    OK(cuMemsetD8(mapped, 1, buffer.size));
    OK(cuMemFree(mapped));
    ++buffer.size;
    EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&mapped, external, &buffer), CUDA_ERROR_INVALID_VALUE)
        << size;
    OK(cuDestroyExternalMemory(external));
  }
  OK(cuMemRelease(handle));
}

TEST(VirtualMemory, CanBeMappedByManyThreads) {
  const Scene scene;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&scene, t] {
      OK(cuCtxSetCurrent(scene.context));
      for (int i = 0; i < 50; ++i) {
        const Handle handle = created(granule);
        const Mapped one(handle, granule), two(handle, granule);
        OK(cuMemRelease(handle));
        OK(cuMemsetD8(one.address, static_cast<unsigned char>(t + i), 64));
        EXPECT_EQ(byte_at(two.address), t + i);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
