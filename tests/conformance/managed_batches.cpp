// SPDX-License-Identifier: Apache-2.0
// Batches that move and discard ranges of managed memory: which arguments are accepted.
#include "harness.hpp"

namespace {

constexpr size_t size = size_t{4} << 20;
CUcontext context;
CUstream stream;
CUdeviceptr a, b, plain, ranges[3];
size_t sizes[3], first[3];
CUmemLocation places[3];
char* pageable;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  PREPARE(cuMemAllocManaged(&a, size, CU_MEM_ATTACH_GLOBAL));
  PREPARE(cuMemAllocManaged(&b, size, CU_MEM_ATTACH_GLOBAL));
  PREPARE(cuMemAlloc(&plain, size));
  pageable = static_cast<char*>(calloc(1, size));
}
void reset() {
  const CUdeviceptr at[3] = {a, b, a + size / 2};
  for (int i = 0; i < 3; ++i) {
    ranges[i] = at[i];
    sizes[i] = size / 2;
    first[i] = static_cast<size_t>(i);
    places[i] = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  }
}
CUresult prefetch(size_t count, size_t locations) {
  const CUresult result =
      cuMemPrefetchBatchAsync(ranges, sizes, count, places, first, locations, 0, stream);
  reset();
  return result;
}
CUresult discard(size_t count) {
  const CUresult result = cuMemDiscardBatchAsync(ranges, sizes, count, 0, stream);
  reset();
  return result;
}
CUresult both(size_t count, size_t locations) {
  const CUresult result =
      cuMemDiscardAndPrefetchBatchAsync(ranges, sizes, count, places, first, locations, 0, stream);
  reset();
  return result;
}
int last_place(CUdeviceptr at, size_t bytes) {
  int place = -9;
  PREPARE(
      cuMemRangeGetAttribute(&place, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, at, bytes));
  return place;
}
// Asks all three functions, with one thing changed.
#define ASK_ALL(...)                                              \
  __VA_ARGS__;                                                    \
  conformance::answer("prefetch: " #__VA_ARGS__, prefetch(3, 3)); \
  __VA_ARGS__;                                                    \
  conformance::answer("discard: " #__VA_ARGS__, discard(3));      \
  __VA_ARGS__;                                                    \
  conformance::answer("both: " #__VA_ARGS__, both(3, 3))

CASE(batch_counts) {
  start();
  reset();
  ASK(prefetch(3, 3));
  ASK(discard(3));
  ASK(both(3, 3));
  ASK(prefetch(0, 0));
  ASK(discard(0));
  ASK(both(0, 0));
  ASK(prefetch(0, 1));
  ASK(both(0, 1));
  ASK(prefetch(3, 0));
  ASK(both(3, 0));
  ASK(prefetch(3, 1));
  ASK(both(3, 1));
  ASK(prefetch(2, 3));
  ASK(both(2, 3));
}

CASE(batch_indices) {
  start();
  reset();
  first[0] = 1, first[1] = 2;
  ASK(prefetch(3, 2));
  first[0] = 0, first[1] = 0;
  ASK(prefetch(3, 2));
  first[1] = 2, first[2] = 1;
  ASK(prefetch(3, 3));
  first[1] = 3;
  ASK(prefetch(3, 2));
  first[1] = 2;
  ASK(prefetch(3, 2));
}

CASE(batch_arrays_and_streams) {
  start();
  reset();
  const auto prefetch_with = [](CUdeviceptr* r, size_t* s, CUmemLocation* p, size_t* f,
                                unsigned flags, CUstream in) {
    return cuMemPrefetchBatchAsync(r, s, 3, p, f, 3, flags, in);
  };
  const auto both_with = [](CUdeviceptr* r, size_t* s, CUmemLocation* p, size_t* f, unsigned flags,
                            CUstream in) {
    return cuMemDiscardAndPrefetchBatchAsync(r, s, 3, p, f, 3, flags, in);
  };
  ASK(prefetch_with(nullptr, sizes, places, first, 0, stream));
  ASK(prefetch_with(ranges, nullptr, places, first, 0, stream));
  ASK(prefetch_with(ranges, sizes, nullptr, first, 0, stream));
  ASK(prefetch_with(ranges, sizes, places, nullptr, 0, stream));
  ASK(prefetch_with(ranges, sizes, places, first, 1, stream));
  ASK(prefetch_with(ranges, sizes, places, first, 0, nullptr));
  ASK(prefetch_with(ranges, sizes, places, first, 0, CU_STREAM_LEGACY));
  ASK(prefetch_with(ranges, sizes, places, first, 0, CU_STREAM_PER_THREAD));
  ASK(both_with(nullptr, sizes, places, first, 0, stream));
  ASK(both_with(ranges, nullptr, places, first, 0, stream));
  ASK(both_with(ranges, sizes, nullptr, first, 0, stream));
  ASK(both_with(ranges, sizes, places, nullptr, 0, stream));
  ASK(both_with(ranges, sizes, places, first, 1, stream));
  ASK(both_with(ranges, sizes, places, first, 0, nullptr));
  ASK(both_with(ranges, sizes, places, first, 0, CU_STREAM_LEGACY));
  ASK(both_with(ranges, sizes, places, first, 0, CU_STREAM_PER_THREAD));
  ASK(cuMemDiscardBatchAsync(nullptr, sizes, 3, 0, stream));
  ASK(cuMemDiscardBatchAsync(ranges, nullptr, 3, 0, stream));
  ASK(cuMemDiscardBatchAsync(ranges, sizes, 3, 1, stream));
  ASK(cuMemDiscardBatchAsync(ranges, sizes, 3, 0, nullptr));
  ASK(cuMemDiscardBatchAsync(ranges, sizes, 3, 0, CU_STREAM_LEGACY));
  ASK(cuMemDiscardBatchAsync(ranges, sizes, 3, 0, CU_STREAM_PER_THREAD));
}

CASE(batch_ranges) {
  start();
  reset();
  ASK_ALL(sizes[1] = 0);
  ASK_ALL(ranges[1] = plain);
  ASK_ALL(ranges[1] = 0);
  ASK_ALL(sizes[1] = 2 * size);
  ASK_ALL(sizes[1] = SIZE_MAX);
  ASK_ALL(ranges[1] = reinterpret_cast<CUdeviceptr>(pageable));
  ASK_ALL(ranges[1] = b + 5, sizes[1] = 7);
  ASK_ALL(ranges[1] = a);
  ASK(cuCtxSynchronize());
}

CASE(batch_places) {
  start();
  reset();
  for (int type = 0; type < 6; ++type) {
    places[1] = {static_cast<CUmemLocationType>(type), 0};
    ASK(prefetch(3, 3));
    places[1] = {static_cast<CUmemLocationType>(type), 0};
    ASK(both(3, 3));
    places[1] = {static_cast<CUmemLocationType>(type), 77};
    ASK(prefetch(3, 3));
    places[1] = {static_cast<CUmemLocationType>(type), -1};
    ASK(prefetch(3, 3));
  }
}

CASE(batch_where_ranges_went) {
  start();
  reset();
  places[1] = {CU_MEM_LOCATION_TYPE_HOST, 0};
  first[1] = 1;
  ASK(prefetch(3, 2));
  ASK(last_place(a, size / 2));
  ASK(last_place(a + size / 2, size / 2));
  ASK(last_place(b, size / 2));
  ASK(last_place(b + size / 2, size / 2));
  ASK(discard(3));
  ASK(last_place(a, size / 2));
  places[0] = {CU_MEM_LOCATION_TYPE_HOST, 0};
  ASK(both(1, 1));
  ASK(last_place(a, size / 2));
  PREPARE(cuCtxSynchronize());
  // One range cannot be moved: is the other one moved?
  ranges[1] = plain;
  ASK(prefetch(2, 2));
  ASK(last_place(a, size / 2));
}

CASE(batch_captured) {
  start();
  reset();
  CUgraph graph;
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(prefetch(3, 3));
  ASK(cuStreamEndCapture(stream, &graph));
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(discard(3));
  ASK(cuStreamEndCapture(stream, &graph));
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(both(3, 3));
  ASK(cuStreamEndCapture(stream, &graph));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
