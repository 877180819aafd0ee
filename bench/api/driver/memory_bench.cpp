// SPDX-License-Identifier: Apache-2.0
// Allocating, and importing and mapping external memory. Floors: the system calls that it takes at
// least.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"
#include "examples/exported_memory.hpp"

namespace {

using namespace cuvette::bench;

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30;

void BM_cuMemAlloc_and_cuMemFree(benchmark::State& state) {
  set_scene();
  const auto size = static_cast<size_t>(state.range(0));
  const double floor = floor_ns([&] {
    void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages, size);
  });
  against_floor(state, floor, [&] {
    CUdeviceptr address;
    cuMemAlloc(&address, size);
    cuMemFree(address);
  });
}
BENCHMARK(BM_cuMemAlloc_and_cuMemFree)->Arg(512)->Arg(64 * KiB)->Arg(MiB)->Arg(64 * MiB)->Arg(GiB);

// The floor is malloc and free of as many bytes, of which as many are touched as ours touch.
void BM_cuMemAllocAsync_and_cuMemFreeAsync(benchmark::State& state) {
  set_scene();
  const auto size = static_cast<size_t>(state.range(0));
  const double floor = floor_ns([&] {
    void* memory = malloc(size);
    benchmark::DoNotOptimize(memory);
    free(memory);
  });
  CUstream stream;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  int calls = 0;
  against_floor(state, floor, [&] {
    CUdeviceptr address;
    NEED(cuMemAllocAsync(&address, size, stream));
    NEED(cuMemFreeAsync(address, stream));
    if (++calls % 1000 == 0) NEED(cuStreamSynchronize(stream));
  });
  NEED(cuStreamSynchronize(stream));
  NEED(cuStreamDestroy(stream));
}
BENCHMARK(BM_cuMemAllocAsync_and_cuMemFreeAsync)->Arg(4 * KiB)->Arg(MiB)->Arg(64 * MiB);

// The floor: what a program pays that maps shared memory by hand, with a protection key if there is
// one.
double map_floor(int fd, size_t size) {
  const auto key = static_cast<int>(syscall(SYS_pkey_alloc, 0, 0));
  const double result = floor_ns([&] {
    void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (key >= 0) syscall(SYS_pkey_mprotect, pages, size, PROT_READ | PROT_WRITE, key);
    munmap(pages, size);
  });
  if (key >= 0) syscall(SYS_pkey_free, key);
  return result;
}

// The cost of mapping physical memory, of giving the device the right to it and of unmapping it:
// the pages come with the right, and go when nothing is mapped in their place.
void BM_cuMemMap_cuMemSetAccess_and_cuMemUnmap(benchmark::State& state) {
  set_scene();
  const auto size = static_cast<size_t>(state.range(0));
  const int raw = memfd_create("floor", MFD_CLOEXEC);
  if (raw < 0 || ftruncate(raw, static_cast<off_t>(size)) != 0) std::exit(1);
  const double floor = map_floor(raw, size);
  close(raw);
  CUmemAllocationProp properties;
  std::memset(&properties, 0, sizeof properties);
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle;
  CUdeviceptr address;
  NEED(cuMemCreate(&handle, size, &properties, 0));
  NEED(cuMemAddressReserve(&address, size, 0, 0, 0));
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  against_floor(state, floor, [&] {
    NEED(cuMemMap(address, size, 0, handle, 0));
    NEED(cuMemSetAccess(address, size, &access, 1));
    NEED(cuMemUnmap(address, size));
  });
  NEED(cuMemAddressFree(address, size));
  NEED(cuMemRelease(handle));
}
BENCHMARK(BM_cuMemMap_cuMemSetAccess_and_cuMemUnmap)->Arg(2 * MiB)->Arg(GiB);

// Ordinary shared memory, for comparison.
int plain_memory(size_t size) {
  const int fd = memfd_create("floor", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(size)) != 0) std::exit(1);
  return fd;
}

CUexternalMemory import(int fd, size_t size) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description;
  std::memset(&description, 0, sizeof description);
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = fd;
  description.size = size;
  CUexternalMemory memory;
  NEED(cuImportExternalMemory(&memory, &description));
  return memory;
}

CUdeviceptr map(CUexternalMemory memory, size_t offset, size_t size) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description;
  std::memset(&description, 0, sizeof description);
  description.offset = offset;
  description.size = size;
  CUdeviceptr address;
  NEED(cuExternalMemoryGetMappedBuffer(&address, memory, &description));
  return address;
}

void segment_sizes(benchmark::internal::Benchmark* bench) {
  for (const int64_t size : {4 * KiB, 64 * KiB, 2 * MiB, 256 * MiB, 8 * GiB}) bench->Arg(size);
}

void BM_map_and_cuMemFree(benchmark::State& state) {
  set_scene();
  const auto size = static_cast<size_t>(state.range(0));
  ExportedMemory exported(size);
  const int raw = plain_memory(size);
  const double floor = map_floor(raw, size);
  close(raw);
  const CUexternalMemory memory = import(exported.fd(), exported.size());
  against_floor(state, floor, [&] { cuMemFree(map(memory, 0, size)); });
  NEED(cuDestroyExternalMemory(memory));
}
BENCHMARK(BM_map_and_cuMemFree)->Apply(segment_sizes);

void BM_two_overlapping_maps(benchmark::State& state) {
  set_scene();
  const auto size = static_cast<size_t>(state.range(0));
  ExportedMemory exported(size);
  const int raw = plain_memory(size);
  const double floor = 2 * map_floor(raw, size);
  close(raw);
  const CUexternalMemory memory = import(exported.fd(), exported.size());
  against_floor(state, floor, [&] {
    const CUdeviceptr whole = map(memory, 0, size);
    const CUdeviceptr half = map(memory, size / 2, size / 2);
    cuMemFree(half);
    cuMemFree(whole);
  });
  NEED(cuDestroyExternalMemory(memory));
}
BENCHMARK(BM_two_overlapping_maps)->Apply(segment_sizes);

void BM_import_and_destroy(benchmark::State& state) {
  set_scene();
  const auto size = static_cast<size_t>(state.range(0));
  ExportedMemory exported(size);
  const int raw = plain_memory(size);
  const double floor = floor_ns([&] {
    struct stat file;
    const int copy = dup(raw);
    fstat(copy, &file);
    close(copy);
  });
  close(raw);
  // Making an fd to give away is the program's own part: it is timed apart and subtracted.
  const double own = floor_ns([&] { close(exported.fd()); });
  const double begin = now_ns();
  for (auto _ : state) NEED(cuDestroyExternalMemory(import(exported.fd(), exported.size())));
  const double each = (now_ns() - begin) / static_cast<double>(state.iterations()) - own / 2;
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = each / floor;
}
BENCHMARK(BM_import_and_destroy)->Apply(segment_sizes);

}  // namespace
