// SPDX-License-Identifier: Apache-2.0
// Copies of contiguous bytes: compared with a model, at the limits, and when they return. For boxes
// see memory_copy_box_test.cpp.
#include <cuda.h>

#include <algorithm>

#include "tests/api/driver/arenas.hpp"
#include "tests/api/driver/values.hpp"

namespace {

void* host_pointer(CUdeviceptr at) { return reinterpret_cast<void*>(at); }
// A copy function in the form of cuMemcpyAsync, and the memory that it accepts on either side.
struct Copy {
  CUresult (*call)(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
  bool host_to = true, host_from = true;  // whether pageable memory is accepted
};
const Copy any = {[](auto to, auto from, auto size, auto) { return cuMemcpy(to, from, size); }};
const Copy any_async = {[](auto to, auto from, auto size, auto stream) {
  return cuMemcpyAsync(to, from, size, stream);
}};
const Copy in = {
    [](auto to, auto from, auto size, auto) { return cuMemcpyHtoD(to, host_pointer(from), size); },
    false};
const Copy in_async = {[](auto to, auto from, auto size, auto stream) {
                         return cuMemcpyHtoDAsync(to, host_pointer(from), size, stream);
                       },
                       false};
const Copy out = {
    [](auto to, auto from, auto size, auto) { return cuMemcpyDtoH(host_pointer(to), from, size); },
    true, false};
const Copy out_async = {[](auto to, auto from, auto size, auto stream) {
                          return cuMemcpyDtoHAsync(host_pointer(to), from, size, stream);
                        },
                        true, false};
const Copy within = {
    [](auto to, auto from, auto size, auto) { return cuMemcpyDtoD(to, from, size); }, false, false};
const Copy within_async = {[](auto to, auto from, auto size, auto stream) {
                             return cuMemcpyDtoDAsync(to, from, size, stream);
                           },
                           false, false};
const Copy peer = {[](auto to, auto from, auto size, auto) {
                     return cuMemcpyPeer(to, nullptr, from, nullptr, size);
                   },
                   false, false};
const Copy peer_async = {[](auto to, auto from, auto size, auto stream) {
                           return cuMemcpyPeerAsync(to, nullptr, from, nullptr, size, stream);
                         },
                         false, false};

// Random copies between all kinds of memory, overlapping ones among them.
void copy_as_the_model(const Copy& copy, unsigned seed) {
  const Scene scene;
  Arenas arenas(seed);
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  for (int i = 0; i < 200; ++i) {
    const auto to = arenas.any_kind(), from = arenas.any_kind();
    if ((!copy.host_to && !Arenas::reachable(to)) || (!copy.host_from && !Arenas::reachable(from)))
      continue;
    const Extent extent{1 + arenas.below(i % 3 ? 100 : 70'000)};
    Box target, source;
    target.offset = arenas.below(Arenas::size - extent.width);
    source.offset = arenas.below(Arenas::size - extent.width);
    OK(copy.call(arenas.at(to, target.offset), arenas.at(from, source.offset), extent.width,
                 stream));
    arenas.copied(to, target, from, source, extent);
    if (i % 20 == 19) {
      ASSERT_TRUE(arenas.same()) << "after copy " << i;
    }
  }
  ASSERT_TRUE(arenas.same());
  OK(cuStreamDestroy(stream));
}

// Checks which ranges of an allocation of 4096 bytes are accepted.
void refuse_what_is_outside(const Copy& copy) {
  const Scene scene;
  static char own[8192];
  const CUdeviceptr memory = new_memory(4096), other = new_memory(4096), freed = new_memory(4096),
                    small = new_memory(1);
  OK(cuMemFree(freed));
  const CUdeviceptr near = copy.host_from ? address(own) : other;
  const auto call = [&](CUdeviceptr to, CUdeviceptr from, size_t size) {
    const CUresult result = copy.call(to, from, size, nullptr);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << "a refused copy does no harm";
    return result;
  };
  EXPECT_EQ(call(0, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(call(1, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(call(memory, 0, 16), invalid);
  EXPECT_EQ(call(0, near, 16), invalid);
  EXPECT_EQ(call(memory, freed, 16), invalid);
  EXPECT_EQ(call(freed, near, 16), invalid);
  EXPECT_EQ(call(memory, other, 4096), CUDA_SUCCESS);
  EXPECT_EQ(call(memory + 4095, near, 1), CUDA_SUCCESS);
  EXPECT_EQ(call(memory, near, 4097), invalid);
  EXPECT_EQ(call(memory + 1, near, 4096), invalid);
  EXPECT_EQ(call(memory, other + 1, 4096), invalid);
  EXPECT_EQ(call(small, near, 1), CUDA_SUCCESS);
  EXPECT_EQ(call(small, near, 2), invalid);
  EXPECT_EQ(call(small + 1, near, 1), invalid) << "what is rounded up is nobody's";
  for (const size_t size :
       {largest, size_t{largest - memory}, size_t{largest - memory + 1}, size_t{1} << 63}) {
    EXPECT_EQ(call(memory, near, size), invalid) << size;
    EXPECT_EQ(call(memory, other, size), invalid) << size;
  }
  if (!copy.host_from) {
    EXPECT_EQ(call(memory, address(own), 16), invalid);
  }
  if (!copy.host_to) {
    EXPECT_EQ(call(address(own), other, 16), invalid);
  }
  if (copy.host_to && copy.host_from) {
    EXPECT_EQ(call(address(own), address(own), largest), invalid);
  }
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(copy.call(memory, near, 16, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxSetCurrent(scene.context));
}

TEST(cuMemcpy, DoesAsTheModel) { copy_as_the_model(any, 1); }
TEST(cuMemcpyAsync, DoesAsTheModel) { copy_as_the_model(any_async, 2); }
TEST(cuMemcpyHtoD, DoesAsTheModel) { copy_as_the_model(in, 3); }
TEST(cuMemcpyHtoDAsync, DoesAsTheModel) { copy_as_the_model(in_async, 4); }
TEST(cuMemcpyDtoH, DoesAsTheModel) { copy_as_the_model(out, 5); }
TEST(cuMemcpyDtoHAsync, DoesAsTheModel) { copy_as_the_model(out_async, 6); }
TEST(cuMemcpyDtoD, DoesAsTheModel) { copy_as_the_model(within, 7); }
TEST(cuMemcpyDtoDAsync, DoesAsTheModel) { copy_as_the_model(within_async, 8); }
// Only the copy orders this context's streams with the work queued in the other context.
TEST(cuMemcpyPeer, IsOrderedWithTheWorkOfBothContexts) {
  const Scene scene;
  const CUdeviceptr target = new_memory(4096), source = new_memory(4096);
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  for (unsigned char round = 1; round <= 100; ++round) {
    OK(cuCtxSetCurrent(scene.context));
    OK(cuMemsetD8(target, round, 4096));
    OK(cuMemsetD8(source, round + 100, 4096));
    OK(cuCtxSetCurrent(other));
    OK(cuMemcpyPeer(target, scene.context, source, other, 2048));
    unsigned char bytes[4096];
    OK(cuMemcpyDtoH(bytes, target, 4096));
    ASSERT_EQ(bytes[0], round + 100);
    ASSERT_EQ(bytes[4095], round);
  }
  OK(cuCtxDestroy(other));
}

TEST(cuMemcpyPeer, DoesAsTheModel) { copy_as_the_model(peer, 9); }
TEST(cuMemcpyPeerAsync, DoesAsTheModel) { copy_as_the_model(peer_async, 10); }

TEST(cuMemcpy, RefusesWhatIsOutside) { refuse_what_is_outside(any); }
TEST(cuMemcpyAsync, RefusesWhatIsOutside) { refuse_what_is_outside(any_async); }
TEST(cuMemcpyHtoD, RefusesWhatIsOutside) { refuse_what_is_outside(in); }
TEST(cuMemcpyHtoDAsync, RefusesWhatIsOutside) { refuse_what_is_outside(in_async); }
TEST(cuMemcpyDtoH, RefusesWhatIsOutside) { refuse_what_is_outside(out); }
TEST(cuMemcpyDtoHAsync, RefusesWhatIsOutside) { refuse_what_is_outside(out_async); }
TEST(cuMemcpyDtoD, RefusesWhatIsOutside) { refuse_what_is_outside(within); }
TEST(cuMemcpyDtoDAsync, RefusesWhatIsOutside) { refuse_what_is_outside(within_async); }
TEST(cuMemcpyPeer, RefusesWhatIsOutside) { refuse_what_is_outside(peer); }
TEST(cuMemcpyPeerAsync, RefusesWhatIsOutside) { refuse_what_is_outside(peer_async); }

TEST(cuMemcpyPeer, TakesContextsThatLive) {
  const Scene scene;
  const CUdeviceptr one = new_memory(64), two = new_memory(64);
  const auto wild = reinterpret_cast<CUcontext>(0x12345);
  OK(cuMemcpyPeer(one, scene.context, two, scene.context, 64));
  EXPECT_EQ(cuMemcpyPeer(one, wild, two, scene.context, 64), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemcpyPeer(one, scene.context, two, wild, 64), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuMemcpyHtoDAsync, TakesPageableMemoryAtTheCall) {
  const Scene scene;
  const CUstream stream = new_stream();
  for (const size_t size : {size_t{4}, size_t{65536}, size_t{65540}, size_t{1} << 20}) {
    std::vector<unsigned char> own(size, 0x11), back(size);
    const CUdeviceptr memory = new_memory(size);
    {
      Gate gate(stream);
      OK(cuMemcpyHtoDAsync(memory, own.data(), size, stream));
      EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
      std::fill(own.begin(), own.end(), 0x22);
    }
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back.data(), memory, size));
    EXPECT_EQ(std::count(back.begin(), back.end(), 0x11), static_cast<long>(size)) << size;
    OK(cuMemFree(memory));
  }
  OK(cuStreamDestroy(stream));
}

TEST(cuMemcpyHtoDAsync, ReadsPinnedMemoryInItsTurn) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUdeviceptr memory = new_memory(4096);
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, 4096));
  memset(pinned, 0x11, 4096);
  {
    Gate gate(stream);
    OK(cuMemcpyHtoDAsync(memory, pinned, 4096, stream));
    memset(pinned, 0x22, 4096);
  }
  OK(cuStreamSynchronize(stream));
  unsigned char last = 0;
  OK(cuMemcpyDtoH(&last, memory + 4095, 1));
  EXPECT_EQ(last, 0x22);
  OK(cuStreamDestroy(stream));
  OK(cuMemFreeHost(pinned));
}

// Calls that must return while a gate still holds up the work before them.
TEST(cuMemcpyAsync, ReturnsBeforeTheWorkOnWhatDevicesReach) {
  const Scene scene;
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  const CUdeviceptr one = new_memory(4096), two = new_memory(4096);
  CUdeviceptr managed = 0;
  void* pinned = nullptr;
  static char own[4096];
  OK(cuMemAllocHost(&pinned, 4096));
  OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  {
    Gate gate(stream);
    OK(cuMemcpyDtoDAsync(one, two, 4096, stream));
    OK(cuMemcpyAsync(one, two, 4096, stream));
    OK(cuMemcpyPeerAsync(one, nullptr, two, nullptr, 4096, stream));
    OK(cuMemcpyDtoHAsync(pinned, one, 4096, stream));
    OK(cuMemcpyHtoDAsync(one, pinned, 4096, stream));
    OK(cuMemcpyHtoDAsync(one, own, 4096, stream));
    OK(cuMemcpyDtoD(one, two, 4096));
    OK(cuMemcpy(one, two, 4096));
    OK(cuMemcpyPeer(one, nullptr, two, nullptr, 4096));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  }
  OK(cuStreamDestroy(stream));
  OK(cuCtxSynchronize());
  OK(cuMemFreeHost(pinned));
}

// Calls that must not return before the work in front of them is done.
void wait_for_the_gate(const std::function<CUresult(CUstream, CUdeviceptr, void*)>& call) {
  const Scene scene;
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  const CUdeviceptr memory = new_memory(4096);
  static char own[4096];
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(memory, 0x33, 4096, stream));
    std::atomic<bool> returned{false};
    std::thread other([&] {
      OK(cuCtxSetCurrent(scene.context));
      OK(call(stream, memory, own));
      returned = true;
    });
    let_things_happen();
    EXPECT_FALSE(returned);
    gate.open();
    other.join();
  }
  EXPECT_EQ(own[4095], 0x33);
  own[4095] = 0;
  OK(cuStreamDestroy(stream));
}

TEST(cuMemcpyDtoHAsync, WaitsForPageableMemory) {
  wait_for_the_gate([](CUstream stream, CUdeviceptr from, void* to) {
    return cuMemcpyDtoHAsync(to, from, 4096, stream);
  });
}
TEST(cuMemcpyDtoH, Waits) {
  wait_for_the_gate(
      [](CUstream, CUdeviceptr from, void* to) { return cuMemcpyDtoH(to, from, 4096); });
}
TEST(cuMemcpy, WaitsForPageableMemory) {
  wait_for_the_gate(
      [](CUstream, CUdeviceptr from, void* to) { return cuMemcpy(address(to), from, 4096); });
}
TEST(cuMemcpyAsync, WaitsForPageableMemory) {
  wait_for_the_gate([](CUstream stream, CUdeviceptr from, void* to) {
    return cuMemcpyAsync(address(to), from, 4096, stream);
  });
}

TEST(cuMemcpyDtoDAsync, ServesManyThreads) {
  const Scene scene;
  const CUdeviceptr source = new_memory(1 << 20);
  OK(cuMemsetD32(source, 0x01020304, 1 << 18));
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&] {
      OK(cuCtxSetCurrent(scene.context));
      const CUstream stream = new_stream();
      OK(cuStreamSynchronize(nullptr));
      std::vector<unsigned> back(1 << 16);
      for (int i = 0; i < 20; ++i) {
        const CUdeviceptr target = new_memory(1 << 18);
        OK(cuMemcpyDtoDAsync(target, source + static_cast<size_t>(i) * 4096, 1 << 18, stream));
        OK(cuMemcpyDtoHAsync(back.data(), target, 1 << 18, stream));
        EXPECT_EQ(std::count(back.begin(), back.end(), 0x01020304u), 1 << 16);
        OK(cuMemFree(target));
        std::fill(back.begin(), back.end(), 0);
      }
      OK(cuStreamDestroy(stream));
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
