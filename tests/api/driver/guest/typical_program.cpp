// SPDX-License-Identifier: Apache-2.0
// What typical programs do: memory, streams, events and host functions, from several threads. Built
// with and without sanitizers, which must report nothing.
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

constexpr size_t count = 64 << 10, bytes = count * sizeof(unsigned);

struct Sum {
  const unsigned* numbers;
  unsigned long sum;
};

void add_up(void* data) {
  auto* job = static_cast<Sum*>(data);
  job->sum = 0;
  for (size_t i = 0; i < count; ++i) job->sum += job->numbers[i];
}

void work(CUcontext context, unsigned seed) {
  WORKS(cuCtxSetCurrent(context));
  CUstream fill, copy;
  CUevent filled;
  CUdeviceptr first, second;
  unsigned* pinned;
  WORKS(cuStreamCreate(&fill, CU_STREAM_NON_BLOCKING));
  WORKS(cuStreamCreate(&copy, CU_STREAM_NON_BLOCKING));
  WORKS(cuEventCreate(&filled, CU_EVENT_DISABLE_TIMING));
  WORKS(cuMemAlloc(&first, bytes));
  WORKS(cuMemAlloc(&second, bytes));
  WORKS(cuMemAllocHost(reinterpret_cast<void**>(&pinned), bytes));
  std::vector<unsigned> pageable(count);
  Sum sum{pinned, 0};

  for (unsigned round = 0; round < 20; ++round) {
    const unsigned value = seed + round;
    WORKS(cuMemsetD32Async(first, value, count, fill));
    WORKS(cuEventRecord(filled, fill));
    WORKS(cuStreamWaitEvent(copy, filled, 0));
    WORKS(cuMemcpyDtoDAsync(second, first, bytes, copy));
    WORKS(cuMemcpyDtoHAsync(pinned, second, bytes, copy));
    WORKS(cuLaunchHostFunc(copy, add_up, &sum));
    WORKS(cuStreamSynchronize(copy));
    REQUIRE(sum.sum == static_cast<unsigned long>(value) * count);

    for (size_t i = 0; i < count; ++i) pageable[i] = value ^ static_cast<unsigned>(i);
    WORKS(cuMemcpyHtoDAsync(first, pageable.data(), bytes, fill));
    for (unsigned& number : pageable) number = 0;
    WORKS(cuMemcpyDtoHAsync(pageable.data(), first, bytes, fill));
    WORKS(cuStreamSynchronize(fill));
    for (size_t i = 0; i < count; ++i) REQUIRE(pageable[i] == (value ^ static_cast<unsigned>(i)));

    // After a synchronisation the device reads what the host wrote, and vice versa.
    for (size_t i = 0; i < count; ++i) pinned[i] = value + static_cast<unsigned>(i);
    WORKS(cuMemcpyHtoDAsync(second, pinned, bytes, copy));
    WORKS(cuEventRecord(filled, copy));
    WORKS(cuEventSynchronize(filled));
    for (size_t i = 0; i < count; ++i) pinned[i] = 0;
    WORKS(cuMemcpyDtoH(pinned, second, bytes));
    REQUIRE(pinned[count - 1] == value + static_cast<unsigned>(count) - 1);
  }
  WORKS(cuMemFreeHost(pinned));
  WORKS(cuMemFree(first));
  WORKS(cuMemFree(second));
  WORKS(cuEventDestroy(filled));
  WORKS(cuStreamDestroy(fill));
  WORKS(cuStreamDestroy(copy));
}

// A mistake for ThreadSanitizer to find: the host reads a result without waiting for it.
int race() {
  begin();
  static Sum sum{new unsigned[count]{}, 0};
  WORKS(cuLaunchHostFunc(nullptr, add_up, &sum));
  usleep(100000);
  const unsigned long early = sum.sum;
  WORKS(cuStreamSynchronize(nullptr));
  return early == 0 ? 0 : 1;
}

}  // namespace

int main(int words, char**) {
  if (words == 2) return race();
  const CUcontext context = begin();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i) threads.emplace_back(work, context, i * 1000);
  for (std::thread& thread : threads) thread.join();
  Imported imported(bytes);
  WORKS(cuMemsetD8(imported.address, 1, bytes));
  WORKS(cuMemFree(imported.address));
  WORKS(cuDestroyExternalMemory(imported.memory));
  WORKS(cuDevicePrimaryCtxRelease(0));
  return 0;
}
