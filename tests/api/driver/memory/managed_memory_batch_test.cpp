// SPDX-License-Identifier: Apache-2.0
// Batches that move and discard ranges of managed memory, with the results of an H100 (driver
// 580.159.04).
#include <cuda.h>

#include <cstdint>
#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

constexpr size_t half = size_t{2} << 20;
constexpr CUmemLocation on_device{CU_MEM_LOCATION_TYPE_DEVICE, 0},
    on_host{CU_MEM_LOCATION_TYPE_HOST, 0};

struct ManagedBatch {
  explicit ManagedBatch(CUstream stream) : stream(stream) {
    EXPECT_EQ(cuMemAllocManaged(&a, 2 * half, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAllocManaged(&b, 2 * half, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    reset();
  }
  void reset() {
    ranges = {a, b, a + half};
    sizes = {half, half, half};
    first = {0, 1, 2};
    places = {on_device, on_device, on_device};
  }
  CUresult prefetch(size_t count = 3, size_t number = 3, unsigned long long flags = 0) {
    return cuMemPrefetchBatchAsync(ranges.data(), sizes.data(), count, places.data(), first.data(),
                                   number, flags, stream);
  }
  CUresult discard(size_t count = 3, unsigned long long flags = 0) {
    return cuMemDiscardBatchAsync(ranges.data(), sizes.data(), count, flags, stream);
  }
  CUresult both(size_t count = 3, size_t number = 3, unsigned long long flags = 0) {
    return cuMemDiscardAndPrefetchBatchAsync(ranges.data(), sizes.data(), count, places.data(),
                                             first.data(), number, flags, stream);
  }
  void expect_all(CUresult result, const char* what) {
    EXPECT_EQ(prefetch(), result) << what;
    EXPECT_EQ(discard(), result) << what;
    EXPECT_EQ(both(), result) << what;
    reset();
  }

  CUstream stream;
  CUdeviceptr a = 0, b = 0;
  std::vector<CUdeviceptr> ranges;
  std::vector<size_t> sizes, first;
  std::vector<CUmemLocation> places;
};

int last_place(CUdeviceptr at, size_t size = half) {
  int place = -9;
  EXPECT_EQ(
      cuMemRangeGetAttribute(&place, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, at, size),
      CUDA_SUCCESS);
  return place;
}

TEST(cuMemPrefetchBatchAsync, ChecksItsArguments) {
  const Scene scene;
  ManagedBatch batch(new_stream());
  constexpr auto bad = CUDA_ERROR_INVALID_VALUE;
  batch.expect_all(CUDA_SUCCESS, "all is well");
  EXPECT_EQ(batch.prefetch(0, 0), bad);
  EXPECT_EQ(batch.prefetch(3, 0), bad);
  EXPECT_EQ(batch.prefetch(2, 3), bad);
  EXPECT_EQ(batch.prefetch(3, 3, 1), bad);
  OK(batch.prefetch(3, 1));
  for (const std::vector<size_t>& first :
       {std::vector<size_t>{1, 2, 0}, {0, 0, 1}, {0, 2, 1}, {0, 1, 3}}) {
    batch.first = first;
    EXPECT_EQ(batch.prefetch(), bad);
    EXPECT_EQ(batch.both(), bad);
  }
  batch.reset();
  batch.sizes[1] = 0;
  batch.expect_all(bad, "an empty range");
  batch.sizes[1] = 4 * half;
  batch.expect_all(bad, "beyond the end");
  batch.sizes[1] = SIZE_MAX;
  batch.expect_all(bad, "beyond all memory");
  batch.ranges[1] = new_memory(half);
  batch.expect_all(bad, "memory of the device");
  batch.ranges[1] = 0;
  batch.expect_all(bad, "a null range");
  batch.ranges[1] = batch.b + 5;
  batch.sizes[1] = 7;
  batch.expect_all(CUDA_SUCCESS, "an odd range");
  const auto place = [&](int type, int id) {
    batch.reset();
    batch.places[1] = {static_cast<CUmemLocationType>(type), id};
    const CUresult result = batch.prefetch();
    EXPECT_EQ(batch.both(), result);
    return result;
  };
  for (const int id : {0, 77, -1}) {
    EXPECT_EQ(place(0, id), bad);
    EXPECT_EQ(place(1, id), id == 0 ? CUDA_SUCCESS : bad);
    EXPECT_EQ(place(2, id), CUDA_SUCCESS);
    EXPECT_EQ(place(3, id), id == 0 ? CUDA_SUCCESS : bad);
    EXPECT_EQ(place(4, id), CUDA_SUCCESS);
    EXPECT_EQ(place(5, id), bad);
  }
  batch.reset();
  for (const CUstream stream : {CUstream{nullptr}, CU_STREAM_LEGACY}) {
    batch.stream = stream;
    batch.expect_all(bad, "the legacy stream");
  }
  batch.stream = CU_STREAM_PER_THREAD;
  batch.expect_all(CUDA_SUCCESS, "the thread's own stream");
  OK(cuCtxSynchronize());
}

TEST(cuMemPrefetchBatchAsync, NeedsItsArrays) {
  const Scene scene;
  ManagedBatch batch(new_stream());
  CUdeviceptr* const ranges = batch.ranges.data();
  size_t *const sizes = batch.sizes.data(), *const first = batch.first.data();
  CUmemLocation* const places = batch.places.data();
  constexpr auto bad = CUDA_ERROR_INVALID_VALUE;
  const auto ask = [&](CUdeviceptr* r, size_t* s, CUmemLocation* p, size_t* f) {
    const CUresult result = cuMemPrefetchBatchAsync(r, s, 1, p, f, 1, 0, batch.stream);
    EXPECT_EQ(cuMemDiscardAndPrefetchBatchAsync(r, s, 1, p, f, 1, 0, batch.stream), result);
    return result;
  };
  OK(ask(ranges, sizes, places, first));
  EXPECT_EQ(ask(nullptr, sizes, places, first), bad);
  EXPECT_EQ(ask(ranges, nullptr, places, first), bad);
  EXPECT_EQ(ask(ranges, sizes, nullptr, first), bad);
  EXPECT_EQ(ask(ranges, sizes, places, nullptr), bad);
  EXPECT_EQ(cuMemDiscardBatchAsync(nullptr, sizes, 1, 0, batch.stream), bad);
  EXPECT_EQ(cuMemDiscardBatchAsync(ranges, nullptr, 1, 0, batch.stream), bad);
  EXPECT_EQ(batch.discard(0), bad);
  EXPECT_EQ(batch.discard(3, 1), bad);
  EXPECT_EQ(batch.prefetch(), CUDA_SUCCESS);
  batch.stream = reinterpret_cast<CUstream>(0x1230);  // the driver crashes
  batch.expect_all(CUDA_ERROR_INVALID_HANDLE, "no stream");
}

TEST(cuMemPrefetchBatchAsync, SaysWhereRangesWent) {
  const Scene scene;
  ManagedBatch batch(new_stream());
  batch.places[1] = on_host;
  OK(batch.prefetch(3, 2));
  EXPECT_EQ(last_place(batch.a), 0);
  EXPECT_EQ(last_place(batch.a + half), CU_DEVICE_CPU);
  EXPECT_EQ(last_place(batch.b), CU_DEVICE_CPU);
  EXPECT_EQ(last_place(batch.b + half), CU_DEVICE_INVALID);
  OK(batch.discard());
  EXPECT_EQ(last_place(batch.a), 0);
  batch.places[0] = on_host;
  OK(batch.both(1, 1));
  EXPECT_EQ(last_place(batch.a), CU_DEVICE_CPU);
  // Measured: the ranges before the refused one have been moved.
  batch.reset();
  batch.ranges[1] = new_memory(half);
  EXPECT_EQ(batch.prefetch(2, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(last_place(batch.a), 0);
}

TEST(cuMemPrefetchBatchAsync, IsNotCaptured) {
  const Scene scene;
  ManagedBatch batch(new_stream());
  for (const int which : {0, 1, 2}) {
    OK(cuStreamBeginCapture(batch.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT_EQ(which == 0   ? batch.prefetch()
              : which == 1 ? batch.discard()
                           : batch.both(),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUgraph graph;
    EXPECT_EQ(cuStreamEndCapture(batch.stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
}

// "Reading from a discarded range ... will return an indeterminate value": a conspicuous one.
constexpr uint32_t fresh = 0x7FFDF00D;

TEST(cuMemDiscardBatchAsync, TakesTheContentInStreamOrder) {
  const Scene scene;
  ManagedBatch batch(new_stream());
  auto* const words = reinterpret_cast<uint32_t*>(batch.b);
  constexpr size_t count = half / 4;
  for (size_t i = 0; i < 2 * count; ++i) words[i] = 7;
  Gate gate(batch.stream);
  batch.ranges[0] = batch.b;
  OK(batch.discard(1));
  let_things_happen();
  EXPECT_EQ(words[0], 7u);
  gate.open();
  OK(cuStreamSynchronize(batch.stream));
  EXPECT_EQ(words[0], fresh);
  EXPECT_EQ(words[count - 1], fresh);
  EXPECT_EQ(words[count], 7u);
  // The range is no multiple of words; its neighbours stay.
  auto* const bytes = reinterpret_cast<unsigned char*>(batch.a);
  for (int i = 0; i < 64; ++i) bytes[i] = 3;
  batch.ranges[0] = batch.a + 5;
  batch.sizes[0] = 22;
  OK(batch.both(1, 1));
  OK(cuStreamSynchronize(batch.stream));
  for (const int i : {0, 4, 27, 63}) EXPECT_EQ(bytes[i], 3) << i;
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(bytes + 8), fresh);
}

TEST(cuMemDiscardAndPrefetchBatchAsync, DiscardsAndMoves) {
  const Scene scene;
  ManagedBatch batch(new_stream());
  auto* const words = reinterpret_cast<uint32_t*>(batch.a);
  words[0] = 7;
  batch.places[0] = on_host;
  OK(batch.both(1, 1));
  OK(cuStreamSynchronize(batch.stream));
  EXPECT_EQ(words[0], fresh);
  EXPECT_EQ(last_place(batch.a), CU_DEVICE_CPU);
}

}  // namespace
