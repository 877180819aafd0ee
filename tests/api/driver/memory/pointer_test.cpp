// SPDX-License-Identifier: Apache-2.0
// Queries about an address.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/values.hpp"

namespace {

constexpr CUpointer_attribute known[] = {
    CU_POINTER_ATTRIBUTE_CONTEXT,          CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER,   CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
    CU_POINTER_ATTRIBUTE_BUFFER_ID,        CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,   CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    CU_POINTER_ATTRIBUTE_MAPPED,           CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
};

template <typename Value>
Value ask(CUpointer_attribute attribute, CUdeviceptr at) {
  Value value{};
  EXPECT_EQ(cuPointerGetAttribute(&value, attribute, at), CUDA_SUCCESS) << attribute;
  return value;
}

TEST(cuPointerGetAttribute, KnowsEachKindOfMemory) {
  const Scene scene;
  static char own[8192];
  void* pinned = nullptr;
  CUdeviceptr managed = 0;
  const CUdeviceptr device = new_memory(1000);
  OK(cuMemAllocHost(&pinned, 1000));
  OK(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemHostRegister(own, 1000, 0));
  struct Kind {
    CUdeviceptr memory;
    unsigned type;
    bool managed, host;
  };
  for (const Kind& kind : {Kind{device, CU_MEMORYTYPE_DEVICE, false, false},
                           Kind{address(pinned), CU_MEMORYTYPE_HOST, false, true},
                           Kind{address(own), CU_MEMORYTYPE_HOST, false, true},
                           Kind{managed, CU_MEMORYTYPE_DEVICE, true, true}}) {
    for (const CUdeviceptr at : {kind.memory, kind.memory + 999}) {
      EXPECT_EQ(ask<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, at), scene.context);
      EXPECT_EQ(ask<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at), kind.type);
      EXPECT_EQ(ask<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at), at);
      EXPECT_EQ(ask<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, at), unsigned{kind.managed});
      EXPECT_EQ(ask<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at), 0);
      EXPECT_EQ(ask<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at), kind.memory);
      EXPECT_EQ(ask<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, at), 1000u);
      EXPECT_EQ(ask<unsigned>(CU_POINTER_ATTRIBUTE_MAPPED, at), 1u);
      void* host = &host;
      EXPECT_EQ(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, at),
                kind.host ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(address(host), kind.host ? at : 0);
    }
    unsigned value;
    EXPECT_EQ(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, kind.memory + 1000),
              CUDA_ERROR_INVALID_VALUE);
  }
  OK(cuMemHostUnregister(own));
  OK(cuMemFreeHost(pinned));
}

// Programs query booleans into an int or a bool. Measured: four bytes are written.
TEST(cuPointerGetAttribute, WritesFourBytesOfABoolean) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(64);
  for (const auto attribute :
       {CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, CU_POINTER_ATTRIBUTE_MAPPED,
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE}) {
    unsigned char bytes[8];
    memset(bytes, 0xaa, sizeof bytes);
    OK(cuPointerGetAttribute(bytes, attribute, memory));
    EXPECT_LE(bytes[0], 1);
    EXPECT_EQ(bytes[1] | bytes[2] | bytes[3], 0);
    EXPECT_EQ(bytes[4], 0xaa);
  }
}

TEST(cuPointerGetAttribute, NumbersBuffersOnce) {
  const Scene scene;
  std::set<unsigned long long> numbers;
  for (int i = 0; i < 100; ++i) {
    const CUdeviceptr memory = new_memory(64);
    numbers.insert(ask<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, memory));
    EXPECT_EQ(ask<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, memory + 8),
              ask<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, memory));
    OK(cuMemFree(memory));
  }
  EXPECT_EQ(numbers.size(), 100u) << "an address that is used again is another buffer";
  EXPECT_FALSE(numbers.contains(0));
}

TEST(cuPointerGetAttribute, RefusesWhatItDoesNotKnow) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(64);
  static char own[64];
  char value[64];
  for (const CUpointer_attribute attribute : known) {
    EXPECT_EQ(cuPointerGetAttribute(nullptr, attribute, memory), CUDA_ERROR_INVALID_VALUE);
    for (const CUdeviceptr stranger : {address(own), CUdeviceptr{0}, ~CUdeviceptr{0}, memory - 1})
      EXPECT_EQ(cuPointerGetAttribute(value, attribute, stranger), CUDA_ERROR_INVALID_VALUE);
  }
  for (const int attribute : {0, -1, 23, 999})
    EXPECT_EQ(cuPointerGetAttribute(value, static_cast<CUpointer_attribute>(attribute), memory),
              CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(memory));
  EXPECT_EQ(cuPointerGetAttribute(value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory),
            CUDA_ERROR_INVALID_VALUE);
}

// Measured.
TEST(cuPointerGetAttribute, TellsWhatGpuDirectRdmaReaches) {
  const Scene scene;
  void* pinned = nullptr;
  CUdeviceptr managed = 0, rows = 0;
  size_t pitch = 0;
  OK(cuMemAllocHost(&pinned, 1000));
  OK(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocPitch(&rows, &pitch, 100, 10, 4));
  const auto capable = [](CUdeviceptr at) {
    return ask<unsigned>(CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, at);
  };
  EXPECT_EQ(capable(new_memory(1000) + 5), 1u);
  EXPECT_EQ(capable(rows + pitch), 1u);
  EXPECT_EQ(capable(address(pinned)), 0u);
  EXPECT_EQ(capable(managed), 0u);
  OK(cuMemFreeHost(pinned));
}

TEST(cuPointerGetAttributes, AnswersAllAtOnce) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(1000);
  unsigned type = 99;
  void* host = &type;
  size_t size = 99;
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER,
                                  CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* places[] = {&type, &host, &size};
  OK(cuPointerGetAttributes(3, wanted, places, memory + 8));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(host, nullptr) << "what has no answer is null, and no error";
  EXPECT_EQ(size, 1000u);
  OK(cuPointerGetAttributes(3, wanted, places, address(&type)));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(size, 0u);
  // Measured: the ordinal of no device is CU_DEVICE_INVALID.
  CUpointer_attribute ordinal = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
  int device = 7;
  void* place = &device;
  OK(cuPointerGetAttributes(1, &ordinal, &place, address(&type)));
  EXPECT_EQ(device, CU_DEVICE_INVALID);
  OK(cuPointerGetAttributes(1, &ordinal, &place, memory));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuPointerGetAttributes(0, wanted, places, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerGetAttributes(3, nullptr, places, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerGetAttributes(3, wanted, nullptr, memory), CUDA_ERROR_INVALID_VALUE);
  wanted[1] = static_cast<CUpointer_attribute>(999);
  EXPECT_EQ(cuPointerGetAttributes(3, wanted, places, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE}) << "what stands before it is answered";
  EXPECT_EQ(size, 0u);
}

// However many are asked for, in whatever order, with whichever context current.
TEST(cuPointerGetAttributes, GivesTheAnswersThatEachAloneGets) {
  const Scene scene;
  CUcontext other;
  void* pinned = nullptr;
  CUdeviceptr managed = 0, pooled = 0, foreign = 0;
  OK(cuMemAllocHost(&pinned, 1000));
  OK(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocAsync(&pooled, 1000, nullptr));
  const CUdeviceptr device = new_memory(1000);
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cuMemAlloc(&foreign, 1000));
  std::vector<CUpointer_attribute> all(std::begin(known), std::end(known));
  all.push_back(CU_POINTER_ATTRIBUTE_HOST_POINTER);
  all.push_back(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
  std::mt19937 random(7);
  for (const CUcontext current : {scene.context, other, CUcontext{}}) {
    OK(cuCtxSetCurrent(current));
    for (const CUdeviceptr memory :
         {address(pinned), managed, pooled, device, foreign, CUdeviceptr{4096}})
      for (unsigned count = 1; count <= all.size(); ++count) {
        std::shuffle(all.begin(), all.end(), random);
        std::vector<uint64_t> values(count, ~uint64_t{0});
        std::vector<void*> places;
        for (uint64_t& value : values) places.push_back(&value);
        OK(cuPointerGetAttributes(count, all.data(), places.data(), memory));
        for (unsigned i = 0; i < count; ++i) {
          uint64_t alone = ~uint64_t{0};
          if (cuPointerGetAttribute(&alone, all[i], memory) == CUDA_ERROR_INVALID_VALUE &&
              memory == 4096) {
            // What CUDA does not know has values of 0, of four bytes or eight, but for its device.
            const bool ordinal = all[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
            EXPECT_EQ(static_cast<int>(values[i]), ordinal ? CU_DEVICE_INVALID : 0);
          } else {
            EXPECT_EQ(values[i], alone) << all[i];
          }
        }
      }
  }
  OK(cuCtxDestroy(other));
  OK(cuCtxSetCurrent(scene.context));
  OK(cuMemFreeAsync(pooled, nullptr));
  OK(cuMemFree(managed));
  OK(cuMemFreeHost(pinned));
  OK(cuMemFree(device));
}

TEST(cuPointerSetAttribute, SetsSyncMemopsOnly) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(64);
  static char own[64];
  const unsigned on = 1, off = 0;
  OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory + 8));
  EXPECT_EQ(ask<unsigned>(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory), 1u);
  OK(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  EXPECT_EQ(ask<unsigned>(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory), 0u);
  EXPECT_EQ(cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(own)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0),
            CUDA_ERROR_INVALID_VALUE);
  for (const CUpointer_attribute attribute : known) {
    if (attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) continue;
    EXPECT_EQ(cuPointerSetAttribute(&on, attribute, memory), CUDA_ERROR_INVALID_VALUE);
  }
}

// "... synchronous memory operations initiated on the memory region ... will always synchronize".
TEST(cuPointerSetAttribute, MakesSynchronousWorkWait) {
  const Scene scene;
  const CUdeviceptr one = new_memory(4096), two = new_memory(4096);
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  const unsigned on = 1;
  OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, one));
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(one, 1, 4096, stream)) << "asynchronous work does not";
    std::atomic<int> done{0};
    std::thread other([&] {
      OK(cuCtxSetCurrent(scene.context));
      OK(cuMemsetD8(one, 1, 4096));
      ++done;
      OK(cuMemcpyDtoD(two, one, 4096));
      ++done;
    });
    let_things_happen();
    EXPECT_EQ(done, 0);
    gate.open();
    other.join();
    EXPECT_EQ(done, 2);
  }
  OK(cuStreamDestroy(stream));
}

}  // namespace
