// SPDX-License-Identifier: Apache-2.0
// Common calls among others, as programs make them: in an order drawn by lot, on several streams. A
// call in a loop of its like is up to half faster, because all that it needs is in the processor's
// caches. Programs lie between, so half of a row's times are of each kind.
#include <algorithm>
#include <cstring>
#include <random>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

constexpr size_t sizes[] = {4,         4 * kib,   16 * kib, 32 * kib, 64 * kib, 128 * kib,
                            256 * kib, 512 * kib, mib,      2 * mib,  4 * mib,  8 * mib};
constexpr size_t largest = 8 * mib;

class Rounds {
 public:
  explicit Rounds(Costs& costs) : costs_(costs), pageable_(largest, 1) {
    for (CUstream& stream : streams_) NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (CUevent& event : events_) NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    NEED(cuMemAlloc(&from_, largest));
    NEED(cuMemAlloc(&to_, largest));
    NEED(cuMemAllocHost(&pinned_, largest));
    std::memset(pinned_, 1, largest);
    for (size_t i = 0; i < 3; ++i) NEED(cuEventRecord(events_[i], streams_[i]));
  }
  ~Rounds() {
    cuCtxSynchronize();
    cuMemFreeHost(pinned_);
    cuMemFree(to_);
    cuMemFree(from_);
    for (const CUevent event : events_) cuEventDestroy(event);
    for (const CUstream stream : streams_) cuStreamDestroy(stream);
  }
  void step();

 private:
  size_t drawn(size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(lot_); }
  std::string state(const std::string& classes) const {
    return classes + (classes.empty() ? "" : " ") + (pending_[stream_] ? "pending" : "idle");
  }
  template <typename Call>
  void queued(const char* function, const std::string& classes, double at, const char* unit,
              Call call) {
    costs_.timed({function, state(classes) + " mixed", unit}, at, call);
    pending_[stream_] = true;
  }
  void wait() {
    NEED(cuStreamSynchronize(streams_[stream_]));
    pending_[stream_] = false;
  }
  void copy(size_t size);
  void events();
  void objects();
  void memory();

  Costs& costs_;
  const Kernels kernels_;
  std::mt19937 lot_{7};
  size_t stream_ = 0;
  CUstream streams_[3] = {};
  bool pending_[3] = {true, true, true};
  CUevent events_[3] = {};
  CUdeviceptr from_ = 0, to_ = 0;
  void* pinned_ = nullptr;
  std::vector<char> pageable_;
};

void Rounds::copy(size_t size) {
  const CUstream stream = streams_[stream_];
  const auto at = static_cast<double>(size);
  switch (drawn(8)) {
    case 0:
      return queued("cuMemcpyHtoDAsync", "pinned", at, "byte",
                    [&] { return cuMemcpyHtoDAsync(from_, pinned_, size, stream); });
    case 1:
      return queued("cuMemcpyDtoHAsync", "pinned", at, "byte",
                    [&] { return cuMemcpyDtoHAsync(pinned_, from_, size, stream); });
    case 2:
      return queued("cuMemcpyDtoDAsync", "", at, "byte",
                    [&] { return cuMemcpyDtoDAsync(to_, from_, size, stream); });
    case 3:
      return queued("cuMemsetD8Async", "", at, "byte",
                    [&] { return cuMemsetD8Async(to_, 1, size, stream); });
    case 4:
      return queued("cuMemsetD32Async", "", at, "byte",
                    [&] { return cuMemsetD32Async(to_, 1, size / 4, stream); });
    case 5:
      wait();
      costs_.timed({"cuMemcpyHtoD", "pageable idle mixed", "byte"}, at,
                   [&] { return cuMemcpyHtoD(from_, pageable_.data(), size); });
      return;
    case 6:
      wait();
      costs_.timed({"cuMemcpyDtoH", "pageable mixed", "byte"}, at,
                   [&] { return cuMemcpyDtoH(pageable_.data(), from_, size); });
      return;
    default:
      wait();
      costs_.timed({"cuMemsetD8", "mixed", "byte"}, at, [&] { return cuMemsetD8(to_, 1, size); });
  }
}

void Rounds::events() {
  const CUevent event = events_[drawn(3)];
  switch (drawn(3)) {
    case 0:
      return queued("cuEventRecord", "", 1, "call",
                    [&] { return cuEventRecord(event, streams_[stream_]); });
    case 1:
      return queued("cuStreamWaitEvent", "", 1, "call",
                    [&] { return cuStreamWaitEvent(streams_[stream_], event, 0); });
    default:
      costs_.timed({"cuEventQuery", "mixed"}, 1, [&] { return cuEventQuery(event); });
  }
}

void Rounds::objects() {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  costs_.timed({"cuStreamCreate", "mixed"}, 1,
               [&] { return cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING); });
  costs_.timed({"cuEventCreate", "mixed"}, 1,
               [&] { return cuEventCreate(&event, CU_EVENT_DISABLE_TIMING); });
  if (drawn(2) == 0) {
    NEED(launch(kernels_.nothing, stream));
    NEED(cuEventRecord(event, stream));
    NEED(cuStreamSynchronize(stream));
  }
  costs_.timed({"cuEventDestroy", "mixed"}, 1, [&] { return cuEventDestroy(event); });
  costs_.timed({"cuStreamDestroy", "mixed"}, 1, [&] { return cuStreamDestroy(stream); });
}

// Freeing waits for the device, which is idle afterwards.
void use(CUdeviceptr memory, size_t size) {
  NEED(cuMemsetD8(memory, 0, size));
  NEED(cuCtxSynchronize());
}

void Rounds::memory() {
  const size_t size = sizes[drawn(std::size(sizes))];
  const auto at = static_cast<double>(size);
  NEED(cuCtxSynchronize());
  std::fill(std::begin(pending_), std::end(pending_), false);
  CUdeviceptr address = 0;
  if (size > mib) {  // smaller ones are cut from blocks that these streams have in use
    costs_.timed({"cuMemAlloc", "mixed", "byte"}, at, [&] { return cuMemAlloc(&address, size); });
    use(address, size);
    costs_.timed({"cuMemFree", "mixed", "byte"}, at, [&] { return cuMemFree(address); });
    return;
  }
  CUdeviceptr beside = 0;
  NEED(cuMemAlloc(&beside, 4));
  costs_.timed({"cuMemAlloc", "from-block mixed", "byte"}, at,
               [&] { return cuMemAlloc(&address, size); });
  use(address, size);
  costs_.timed({"cuMemFree", "from-block mixed", "byte"}, at, [&] { return cuMemFree(address); });
  NEED(cuMemFree(beside));
}

void Rounds::step() {
  stream_ = drawn(3);
  void* arguments[] = {&to_};
  switch (drawn(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return queued("cuLaunchKernel", "argument", 1, "call", [&] {
        return cuLaunchKernel(kernels_.one, 1, 1, 1, 32, 1, 1, 0, streams_[stream_], arguments,
                              nullptr);
      });
    case 4:
    case 5:
    case 6:
      return copy(sizes[drawn(std::size(sizes))]);
    case 7:
    case 8:
      return events();
    case 9:
      return objects();
    case 10:
      return memory();
    default:
      wait();
      costs_.timed({"cuStreamSynchronize", "idle mixed"}, 1,
                   [&] { return cuStreamSynchronize(streams_[stream_]); });
  }
}

}  // namespace

void measure_rounds(Costs& costs) {
  Rounds rounds(costs);
  for (int i = 0; i < 8000; ++i) rounds.step();
}

}  // namespace cuvette::bench
