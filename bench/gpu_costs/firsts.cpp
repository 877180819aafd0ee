// SPDX-License-Identifier: Apache-2.0
// What a process's first call of each function takes more than its later ones: the driver loads
// code, and makes what all later calls share. Each of these runs in a process that did nothing
// before.
#include <unistd.h>

#include <algorithm>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

constexpr int times = 6;  // that each call is made

#define FIRST(function, ...) firsts.timed(#function, [&] { return function(__VA_ARGS__); })

// The context, the kernels and a stream. What makes them is timed, too.
struct Scene {
  explicit Scene(Firsts& firsts) {
    for (int i = 0; i < times; ++i) FIRST(cuInit, 0);
    for (int i = 0; i < times; ++i) FIRST(cuDeviceGet, &device, 0);
    for (int i = 0; i < times; ++i) FIRST(cuDevicePrimaryCtxRetain, &context, device);
    for (int i = 0; i < times; ++i) FIRST(cuCtxSetCurrent, context);
    for (int i = 0; i < times; ++i) {
      FIRST(cuModuleLoadData, &module, kernels_ptx);
      FIRST(cuModuleGetFunction, &one, module, "one");
    }
    NEED(cuModuleGetFunction(&nothing, module, "nothing"));
  }
  void launch_one(Firsts& firsts, CUdeviceptr to, CUstream stream) const {
    void* arguments[] = {&to};
    FIRST(cuLaunchKernel, one, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
  }
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction one = nullptr, nothing = nullptr;
};

}  // namespace

void measure_first_streams(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  CUstream streams[times] = {}, other = nullptr;
  CUevent events[times] = {}, timing[times] = {};
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, 4096));
  for (CUstream& stream : streams) FIRST(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  for (int i = 0; i < times; ++i) {
    FIRST(cuStreamCreateWithPriority, &other, CU_STREAM_NON_BLOCKING, -1);
    NEED(cuStreamDestroy(other));
  }
  for (int i = 0; i < times; ++i) {
    FIRST(cuEventCreate, &events[i], CU_EVENT_DISABLE_TIMING);
    NEED(cuEventCreate(&timing[i], CU_EVENT_DEFAULT));
    scene.launch_one(firsts, memory, streams[i]);
    FIRST(cuEventRecord, events[i], streams[i]);
    FIRST(cuStreamWaitEvent, streams[(i + 1) % times], events[i], 0);
    FIRST(cuStreamQuery, streams[i]);
    FIRST(cuEventQuery, events[i]);
  }
  NEED(cuCtxSynchronize());
  float ms = 0;
  for (int i = 0; i < times; ++i) {
    NEED(launch(scene.nothing, streams[i]));
    FIRST(cuStreamSynchronize, streams[i]);
    NEED(launch(scene.nothing, streams[i]));
    NEED(cuEventRecord(events[i], streams[i]));
    FIRST(cuEventSynchronize, events[i]);
    NEED(launch(scene.nothing, streams[i]));
    FIRST(cuCtxSynchronize);
    NEED(cuEventRecord(timing[i], streams[i]));
    NEED(cuStreamSynchronize(streams[i]));
    FIRST(cuEventElapsedTime, &ms, timing[i], timing[i]);
    FIRST(
        cuLaunchHostFunc, streams[i], [](void*) {}, nullptr);
    NEED(cuStreamSynchronize(streams[i]));
    FIRST(cuStreamWriteValue32, streams[i], memory, 7, 0);
    FIRST(cuStreamWaitValue32, streams[i], memory, 7, CU_STREAM_WAIT_VALUE_GEQ);
    NEED(cuStreamSynchronize(streams[i]));
  }
  for (int i = 0; i < times; ++i) {
    FIRST(cuEventDestroy, events[i]);
    FIRST(cuStreamDestroy, streams[i]);
  }
}

void measure_first_memory(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  constexpr size_t size = 4 * mib;
  std::vector<char> plain(size, 1);
  for (int i = 0; i < times; ++i) {
    CUdeviceptr memory = 0, managed = 0;
    void *pinned = nullptr, *other = nullptr;
    size_t pitch = 0;
    FIRST(cuMemAlloc, &memory, size);
    FIRST(cuMemsetD8, memory, 1, size);
    FIRST(cuMemsetD32, memory, 1, size / 4);
    FIRST(cuMemFree, memory);
    FIRST(cuMemAllocPitch, &memory, &pitch, 4096, 1024, 4);
    NEED(cuMemFree(memory));
    FIRST(cuMemAllocHost, &pinned, size);
    FIRST(cuMemFreeHost, pinned);
    FIRST(cuMemHostAlloc, &other, size, 0);
    NEED(cuMemFreeHost(other));
    FIRST(cuMemHostRegister, plain.data(), size, 0);
    FIRST(cuMemHostUnregister, plain.data());
    FIRST(cuMemAllocManaged, &managed, size, CU_MEM_ATTACH_GLOBAL);
    NEED(cuMemFree(managed));
    const CUDA_ARRAY_DESCRIPTOR shape{512, 512, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CUarray array = nullptr;
    FIRST(cuArrayCreate, &array, &shape);
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC texture{};
    CUtexObject object = 0;
    CUsurfObject surface = 0;
    FIRST(cuTexObjectCreate, &object, &resource, &texture, nullptr);
    FIRST(cuTexObjectDestroy, object);
    FIRST(cuSurfObjectCreate, &surface, &resource);
    FIRST(cuSurfObjectDestroy, surface);
    FIRST(cuArrayDestroy, array);
  }
}

void measure_first_copies(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  constexpr size_t size = 64 * kib;
  CUdeviceptr from = 0, to = 0;
  CUstream stream = nullptr;
  void* pinned = nullptr;
  std::vector<char> plain(size, 1);
  NEED(cuMemAlloc(&from, size));
  NEED(cuMemAlloc(&to, size));
  NEED(cuMemAllocHost(&pinned, size));
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUDA_ARRAY_DESCRIPTOR shape{128, 128, CU_AD_FORMAT_UNSIGNED_INT8, 4};
  CUarray array = nullptr;
  NEED(cuArrayCreate(&array, &shape));
  CUDA_MEMCPY2D picture{};
  picture.srcMemoryType = CU_MEMORYTYPE_HOST;
  picture.srcHost = plain.data();
  picture.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  picture.dstArray = array;
  picture.srcPitch = picture.WidthInBytes = 512;
  picture.Height = 128;
  for (int i = 0; i < times; ++i) {
    FIRST(cuMemcpyHtoD, from, plain.data(), size);
    scene.launch_one(firsts, from, nullptr);
    FIRST(cuMemcpyDtoH, plain.data(), from, size);
    FIRST(cuMemcpyHtoDAsync, from, pinned, size, stream);
    FIRST(cuMemsetD8Async, from, 1, size, stream);
    FIRST(cuMemsetD32Async, from, 1, size / 4, stream);
    FIRST(cuMemcpyDtoDAsync, to, from, size, stream);
    FIRST(cuMemcpyDtoHAsync, pinned, from, size, stream);
    NEED(cuStreamSynchronize(stream));
    FIRST(cuMemcpyDtoD, to, from, size);
    NEED(cuCtxSynchronize());
    FIRST(cuMemcpy, to, from, size);
    FIRST(cuMemcpyAsync, to, from, size, stream);
    NEED(cuCtxSynchronize());
    FIRST(cuMemcpy2D, &picture);
    FIRST(cuMemcpy2DAsync, &picture, stream);
    NEED(cuCtxSynchronize());
  }
}

void measure_first_pools(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  CUstream stream = nullptr;
  CUmemoryPool pool = nullptr;
  uint64_t keep = ~0ull;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < times; ++i) FIRST(cuDeviceGetDefaultMemPool, &pool, scene.device);
  for (int i = 0; i < times; ++i)
    FIRST(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
  for (int i = 0; i < times; ++i) {
    CUdeviceptr memory = 0;
    FIRST(cuMemAllocAsync, &memory, mib, stream);
    scene.launch_one(firsts, memory, stream);
    FIRST(cuMemFreeAsync, memory, stream);
    FIRST(cuStreamSynchronize, stream);
  }
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  for (int i = 0; i < times; ++i) {
    CUdeviceptr memory = 0;
    FIRST(cuMemPoolCreate, &pool, &properties);
    NEED(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
    FIRST(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
    FIRST(cuMemAllocFromPoolAsync, &memory, mib, pool, stream);
    NEED(cuMemFreeAsync(memory, stream));
    NEED(cuStreamSynchronize(stream));
    FIRST(cuMemPoolTrimTo, pool, 0);
    FIRST(cuMemPoolDestroy, pool);
  }
}

void measure_first_sharing(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  constexpr size_t size = 8 * mib;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  size_t granularity = 0;
  for (int i = 0; i < times; ++i) {
    CUdeviceptr address = 0, window = 0;
    CUmemGenericAllocationHandle memory = 0, same = 0;
    int fd = -1;
    FIRST(cuMemGetAllocationGranularity, &granularity, &properties,
          CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    FIRST(cuMemAddressReserve, &address, size, 0, 0, 0);
    FIRST(cuMemCreate, &memory, size, &properties, 0);
    FIRST(cuMemMap, address, size, 0, memory, 0);
    FIRST(cuMemSetAccess, address, size, &access, 1);
    FIRST(cuMemsetD32Async, address, 0, size / 4, nullptr);
    FIRST(cuCtxSynchronize);
    FIRST(cuMemUnmap, address, size);
    FIRST(cuMemExportToShareableHandle, &fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    FIRST(cuMemImportFromShareableHandle, &same, reinterpret_cast<void*>(intptr_t{fd}),
          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    NEED(cuMemRelease(same));
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = fd;
    handle.size = size;
    CUexternalMemory imported = nullptr;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole{};
    whole.size = size;
    FIRST(cuImportExternalMemory, &imported, &handle);
    FIRST(cuExternalMemoryGetMappedBuffer, &window, imported, &whole);
    FIRST(cuMemFree, window);
    FIRST(cuDestroyExternalMemory, imported);
    FIRST(cuMemRelease, memory);
    FIRST(cuMemAddressFree, address, size);
  }
}

void measure_first_graphs(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  NEED(cuMemAlloc(&memory, mib));
  for (int i = 0; i < times; ++i) {
    CUgraph graph = nullptr, made = nullptr;
    CUgraphExec program = nullptr;
    FIRST(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    for (int node = 0; node < 5; ++node) scene.launch_one(firsts, memory, stream);
    FIRST(cuStreamEndCapture, stream, &graph);
    FIRST(cuGraphInstantiate, &program, graph, 0);
    if (i > 0) FIRST(cuGraphUpload, program, stream);  // the first launch has to do it otherwise
    FIRST(cuGraphLaunch, program, stream);
    NEED(cuStreamSynchronize(stream));
    CUgraphExecUpdateResultInfo answer{};
    FIRST(cuGraphExecUpdate, program, graph, &answer);
    FIRST(cuGraphExecDestroy, program);
    FIRST(cuGraphDestroy, graph);
    FIRST(cuGraphCreate, &made, 0);
    CUDA_KERNEL_NODE_PARAMS node{};
    node.func = scene.nothing;
    node.gridDimX = node.gridDimY = node.gridDimZ = 1;
    node.blockDimX = node.blockDimY = node.blockDimZ = 1;
    CUgraphNode added = nullptr;
    FIRST(cuGraphAddKernelNode, &added, made, nullptr, 0, &node);
    NEED(cuGraphDestroy(made));
  }
}

void measure_first_questions(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  CUdeviceptr memory = 0, found = 0;
  CUmemorytype type;
  size_t free = 0, size = 0;
  int number = 0, block = 0;
  char name[256];
  CUuuid uuid;
  CUstream stream = nullptr;
  unsigned flags = 0;
  NEED(cuMemAlloc(&memory, mib));
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < times; ++i) {
    FIRST(cuDriverGetVersion, &number);
    FIRST(cuDeviceGetCount, &number);
    FIRST(cuDeviceGetName, name, 256, scene.device);
    FIRST(cuDeviceGetUuid, &uuid, scene.device);
    FIRST(cuDeviceTotalMem, &size, scene.device);
    FIRST(cuDeviceGetAttribute, &number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, scene.device);
    FIRST(cuMemGetInfo, &free, &size);
    FIRST(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory);
    FIRST(cuMemGetAddressRange, &found, &size, memory);
    FIRST(cuStreamGetFlags, stream, &flags);
    FIRST(cuFuncGetAttribute, &number, CU_FUNC_ATTRIBUTE_NUM_REGS, scene.one);
    FIRST(cuOccupancyMaxActiveBlocksPerMultiprocessor, &number, scene.one, 128, 0);
    FIRST(cuOccupancyMaxPotentialBlockSize, &number, &block, scene.one, nullptr, 0, 0);
    FIRST(cuCtxSynchronize);
  }
}

// A stream that is more than there were at any time before: for some the driver has to fetch a
// channel. Counted are all streams that are there.
void measure_new_streams(Costs& costs) {
  Firsts firsts(costs);
  const Scene scene(firsts);
  CUstream streams[63] = {};
  NEED(cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
  NEED(launch(scene.nothing, streams[0]));
  for (int i = 1; i < 63; ++i)
    costs.timed({"cuStreamCreate", "new", "resource"}, i + 1,
                [&] { return cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING); });
  for (const CUstream stream : streams) NEED(cuStreamDestroy(stream));
}

}  // namespace cuvette::bench
