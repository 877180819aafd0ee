// SPDX-License-Identifier: Apache-2.0
// Copies and fills, by size, direction, kind of the host's memory, and whether the call waits.
#include <cstring>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

constexpr size_t largest = 256 * mib;

struct Places {
  Places() : pageable(largest, 1) {
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAlloc(&from, largest));
    NEED(cuMemAlloc(&to, largest));
    NEED(cuMemAllocHost(&pinned, largest));
    std::memset(pinned, 1, largest);
  }
  ~Places() {
    cuMemFreeHost(pinned);
    cuMemFree(to);
    cuMemFree(from);
    cuStreamDestroy(stream);
  }
  CUstream stream = nullptr;
  CUdeviceptr from = 0, to = 0;
  void* pinned = nullptr;
  std::vector<char> pageable;
};

// A call that returns when the work is queued, with nothing queued before ("idle") and behind
// others; then what the work itself takes.
template <typename Call>
void queued(Costs& costs, const Places& places, std::string function, const std::string& classes,
            double at, Call call) {
  const std::string blank = classes.empty() ? "" : " ";
  const int several = at > 4e6 ? 2 : 8;
  costs.repeat(20, .05, [&] {
    cuStreamSynchronize(places.stream);
    for (int i = 0; i < several; ++i)
      costs.timed({function, classes + blank + (i ? "pending" : "idle"), "byte"}, at, call);
    cuStreamSynchronize(places.stream);
  });
  costs.repeat(20, .03, [&] {
    costs.timed({function, classes + blank + "waited", "byte"}, at, call);
    const double begin = now_ns();
    cuStreamSynchronize(places.stream);
    costs.add({function, classes, "byte", "wait"}, at, now_ns() - begin);
  });
}

void host_copies(Costs& costs, Places& places, size_t size) {
  const auto at = static_cast<double>(size);
  for (const bool is_pinned : {true, false}) {
    void* const host = is_pinned ? places.pinned : places.pageable.data();
    const std::string kind = is_pinned ? "pinned" : "pageable";
    costs.repeat(20, .1, [&] {
      costs.timed({"cuMemcpyHtoD", kind, "byte"}, at,
                  [&] { return cuMemcpyHtoD(places.from, host, size); });
    });
    costs.repeat(20, .1, [&] {
      costs.timed({"cuMemcpyDtoH", kind, "byte"}, at,
                  [&] { return cuMemcpyDtoH(host, places.from, size); });
    });
    // In turns, with the device idle before.
    costs.repeat(20, .1, [&] {
      cuCtxSynchronize();
      costs.timed({"cuMemcpyHtoD", kind + " turns", "byte"}, at,
                  [&] { return cuMemcpyHtoD(places.from, host, size); });
      cuCtxSynchronize();
      costs.timed({"cuMemcpyDtoH", kind + " turns", "byte"}, at,
                  [&] { return cuMemcpyDtoH(host, places.from, size); });
    });
    queued(costs, places, "cuMemcpyHtoDAsync", kind, at,
           [&] { return cuMemcpyHtoDAsync(places.from, host, size, places.stream); });
    queued(costs, places, "cuMemcpyDtoHAsync", kind, at,
           [&] { return cuMemcpyDtoHAsync(host, places.from, size, places.stream); });
  }
}

void device_copies(Costs& costs, Places& places, size_t size) {
  const auto at = static_cast<double>(size);
  costs.repeat(20, .05, [&] {
    cuCtxSynchronize();
    costs.timed({"cuMemcpyDtoD", "", "byte"}, at,
                [&] { return cuMemcpyDtoD(places.to, places.from, size); });
    cuCtxSynchronize();
    costs.timed({"cuMemsetD8", "", "byte"}, at, [&] { return cuMemsetD8(places.to, 1, size); });
    cuCtxSynchronize();
    costs.timed({"cuMemsetD32", "", "byte"}, at,
                [&] { return cuMemsetD32(places.to, 1, size / 4); });
    cuCtxSynchronize();
  });
  queued(costs, places, "cuMemcpyDtoDAsync", "", at,
         [&] { return cuMemcpyDtoDAsync(places.to, places.from, size, places.stream); });
  queued(costs, places, "cuMemsetD8Async", "", at,
         [&] { return cuMemsetD8Async(places.to, 1, size, places.stream); });
  queued(costs, places, "cuMemsetD32Async", "", at,
         [&] { return cuMemsetD32Async(places.to, 1, size / 4, places.stream); });
}

// Copies that tell the direction from the addresses, and pictures.
void other_copies(Costs& costs, Places& places) {
  const auto pinned = reinterpret_cast<CUdeviceptr>(places.pinned);
  for (const size_t size : {4 * kib, mib, 16 * mib}) {
    const auto at = static_cast<double>(size);
    costs.repeat(20, .1, [&] {
      cuCtxSynchronize();
      costs.timed({"cuMemcpy", "pinned from-host", "byte"}, at,
                  [&] { return cuMemcpy(places.from, pinned, size); });
      costs.timed({"cuMemcpy", "pinned to-host", "byte"}, at,
                  [&] { return cuMemcpy(pinned, places.from, size); });
      costs.timed({"cuMemcpyAsync", "pinned from-host", "byte"}, at,
                  [&] { return cuMemcpyAsync(places.from, pinned, size, places.stream); });
      cuCtxSynchronize();
      costs.timed({"cuMemcpyAsync", "in-device", "byte"}, at,
                  [&] { return cuMemcpyAsync(places.to, places.from, size, places.stream); });
      cuCtxSynchronize();
    });
  }
  for (const size_t width : {64, 512, 2048}) {
    const CUDA_ARRAY_DESCRIPTOR shape{width, width, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CUarray array = nullptr;
    NEED(cuArrayCreate(&array, &shape));
    for (const bool is_pinned : {true, false}) {
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = is_pinned ? places.pinned : places.pageable.data();
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = array;
      copy.srcPitch = copy.WidthInBytes = width * 4;
      copy.Height = width;
      const std::string kind = is_pinned ? "pinned" : "pageable";
      const auto at = static_cast<double>(width * width * 4);
      costs.repeat(20, .1, [&] {
        cuCtxSynchronize();
        costs.timed({"cuMemcpy2D", kind + " from-host array", "byte"}, at,
                    [&] { return cuMemcpy2D(&copy); });
        CUDA_MEMCPY2D back = copy;
        back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        back.srcArray = array;
        back.dstMemoryType = CU_MEMORYTYPE_HOST;
        back.dstHost = const_cast<void*>(copy.srcHost);
        back.dstPitch = copy.srcPitch;
        back.srcPitch = 0;
        costs.timed({"cuMemcpy2D", kind + " to-host array", "byte"}, at,
                    [&] { return cuMemcpy2D(&back); });
        costs.timed({"cuMemcpy2DAsync", kind + " from-host array", "byte"}, at,
                    [&] { return cuMemcpy2DAsync(&copy, places.stream); });
        cuCtxSynchronize();
      });
    }
    cuArrayDestroy(array);
  }
}

}  // namespace

void measure_copies(Costs& costs) {
  Places places;
  for (const size_t size :
       {size_t{4}, 4 * kib, 16 * kib, 32 * kib, 64 * kib, 128 * kib, 256 * kib, 512 * kib, mib,
        2 * mib, 4 * mib, 8 * mib, 16 * mib, 64 * mib, 256 * mib}) {
    host_copies(costs, places, size);
    device_copies(costs, places, size);
  }
  other_copies(costs, places);
}

}  // namespace cuvette::bench
