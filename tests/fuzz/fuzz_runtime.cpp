// SPDX-License-Identifier: Apache-2.0
// Sequences of calls of the runtime in any order: live, stale and random handles, null pointers,
// odd sizes and kinds, resets of the device in between. Nothing may crash or hang. Pointers of the
// host are null or valid: a program's own bad pointer is its own fault.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <iterator>

#include "tests/fuzz/handles.hpp"
#include "tests/fuzz/input.hpp"

namespace {

constexpr size_t host_size = 1 << 20;
char host[host_size];

void nothing(void*) {}

struct Run {
  Input& input;
  Handles<void*> memory;
  Handles<cudaArray_t> arrays;
  Handles<cudaStream_t> streams;
  Handles<cudaEvent_t> events;
  Handles<cudaGraph_t> graphs;
  Handles<cudaGraphExec_t> executables;
  Handles<cudaGraphNode_t> nodes;
  Handles<cudaMemPool_t> pools;
  Handles<cudaTextureObject_t> textures;
  Handles<cudaSurfaceObject_t> surfaces;
  Handles<cudaExternalMemory_t> imports;

  int device() { return input.below(8) ? 0 : static_cast<int>(input.number()); }
  template <typename Enumeration>
  Enumeration number_of() {
    return static_cast<Enumeration>(input.below(8) ? input.below(32) : input.number());
  }
  void* address() {
    const auto memory_at = reinterpret_cast<uintptr_t>(memory.any(input));
    return reinterpret_cast<void*>(memory_at + (input.flip() ? 0 : input.byte()));
  }
  void* pointer() { return input.below(16) ? host : nullptr; }
  // At most what the host's buffer holds, or more than any allocation.
  size_t host_bytes() {
    const uint64_t size = input.size();
    return size <= host_size || size >= (uint64_t{1} << 40) ? size : host_size;
  }
  // Rows of the host's buffer.
  size_t host_row() { return input.below(1024); }
  size_t host_rows() { return input.below(host_size / 1024); }
  cudaChannelFormatDesc channels() {
    const int bits = input.below(8) ? 8 << input.below(3) : input.byte();
    return cudaCreateChannelDesc(bits, input.flip() ? bits : 0, 0, input.below(8) ? 0 : bits,
                                 number_of<cudaChannelFormatKind>());
  }
  cudaExtent extent() { return {input.size() % 512, input.below(64), input.below(8)}; }
  cudaGraphNode_t* dependency() {
    static cudaGraphNode_t one;
    one = nodes.any(input);
    return input.below(8) ? &one : nullptr;
  }
};

using Step = void (*)(Run&);

constexpr Step device_steps[] = {
    [](Run& r) { cudaSetDevice(r.device()); },
    [](Run& r) { cudaInitDevice(r.device(), r.input.byte(), r.input.byte()); },
    [](Run& r) { cudaSetDeviceFlags(r.input.byte()); },
    [](Run&) { cudaDeviceSynchronize(); },
    [](Run&) { cudaGetLastError(); },
    [](Run& r) { cudaGetErrorString(r.number_of<cudaError_t>()); },
    [](Run& r) {
      if (r.input.below(4) == 0) cudaDeviceReset();
    },
    [](Run& r) {
      int value;
      cudaDeviceGetAttribute(&value, r.number_of<cudaDeviceAttr>(), r.device());
    },
    [](Run& r) {
      cudaDeviceProp properties;
      cudaGetDeviceProperties(&properties, r.device());
    },
    [](Run& r) { cudaDeviceSetLimit(r.number_of<cudaLimit>(), r.input.size()); },
    [](Run& r) {
      size_t value;
      cudaDeviceGetLimit(&value, r.number_of<cudaLimit>());
    },
    [](Run& r) { cudaDeviceSetCacheConfig(r.number_of<cudaFuncCache>()); },
    [](Run& r) { cudaDeviceEnablePeerAccess(r.device(), r.input.below(2)); },
};

constexpr Step memory_steps[] = {
    [](Run& r) {
      void** const place = r.memory.place(r.input);
      r.memory.keep(cudaMalloc(place, r.input.size()), place);
    },
    [](Run& r) {
      void** const place = r.memory.place(r.input);
      size_t pitch;
      r.memory.keep(cudaMallocPitch(place, &pitch, r.input.size(), r.input.size()), place);
    },
    [](Run& r) {
      cudaPitchedPtr made{};
      if (cudaMalloc3D(r.input.below(16) ? &made : nullptr, r.extent()) == cudaSuccess)
        r.memory.keep(0, &made.ptr);
    },
    [](Run& r) {
      void** const place = r.memory.place(r.input);
      r.memory.keep(cudaMallocManaged(place, r.input.size(), r.input.below(4)), place);
    },
    [](Run& r) {
      void* pinned = nullptr;
      if (cudaHostAlloc(&pinned, r.input.size() % (1 << 22), r.input.below(16)) == cudaSuccess)
        cudaFreeHost(pinned);
    },
    [](Run& r) { cudaHostRegister(r.pointer(), r.host_bytes(), r.input.byte()); },
    [](Run& r) { cudaHostUnregister(r.pointer()); },
    [](Run& r) { cudaFree(r.address()); },
    [](Run& r) {
      cudaPointerAttributes attributes;
      cudaPointerGetAttributes(&attributes, r.address());
    },
    [](Run& r) {
      const cudaChannelFormatDesc channels = r.channels();
      cudaArray_t* const place = r.arrays.place(r.input);
      r.arrays.keep(cudaMalloc3DArray(place, &channels, r.extent(), r.input.below(128)), place);
    },
    [](Run& r) {
      const cudaChannelFormatDesc channels = r.channels();
      cudaArray_t* const place = r.arrays.place(r.input);
      r.arrays.keep(cudaMallocArray(place, &channels, r.input.size() % 4096, r.input.byte(),
                                    r.input.below(8)),
                    place);
    },
    [](Run& r) { cudaFreeArray(r.arrays.any(r.input)); },
    [](Run& r) {
      void** const place = r.memory.place(r.input);
      r.memory.keep(cudaMallocAsync(place, r.input.size(), r.streams.any(r.input)), place);
    },
    [](Run& r) { cudaFreeAsync(r.memory.any(r.input), r.streams.any(r.input)); },
    [](Run& r) {
      cudaMemPoolProps properties{};
      properties.allocType = r.number_of<cudaMemAllocationType>();
      properties.location.type = r.number_of<cudaMemLocationType>();
      properties.handleTypes = r.number_of<cudaMemAllocationHandleType>();
      properties.maxSize = r.input.size();
      cudaMemPool_t* const place = r.pools.place(r.input);
      r.pools.keep(cudaMemPoolCreate(place, &properties), place);
    },
    [](Run& r) {
      void** const place = r.memory.place(r.input);
      r.memory.keep(cudaMallocFromPoolAsync(place, r.input.size(), r.pools.any(r.input),
                                            r.streams.any(r.input)),
                    place);
    },
    [](Run& r) { cudaMemPoolTrimTo(r.pools.any(r.input), r.input.size()); },
    [](Run& r) { cudaMemPoolDestroy(r.pools.any(r.input)); },
    [](Run& r) {
      cudaIpcMemHandle_t handle;
      cudaIpcGetMemHandle(&handle, r.address());
    },
    [](Run& r) {
      cudaExternalMemoryHandleDesc wanted{};
      wanted.type = r.number_of<cudaExternalMemoryHandleType>();
      wanted.handle.fd = -1 - r.input.below(4);
      wanted.size = r.input.size();
      wanted.flags = r.input.below(4);
      // A type of another system's takes a pointer.
      if (wanted.type != cudaExternalMemoryHandleTypeOpaqueFd) wanted.handle.win32 = {};
      cudaExternalMemory_t* const place = r.imports.place(r.input);
      r.imports.keep(cudaImportExternalMemory(place, &wanted), place);
    },
    [](Run& r) { cudaDestroyExternalMemory(r.imports.any(r.input)); },
};

constexpr Step copy_steps[] = {
    [](Run& r) { cudaMemcpy(r.address(), r.pointer(), r.host_bytes(), cudaMemcpyHostToDevice); },
    [](Run& r) { cudaMemcpy(r.pointer(), r.address(), r.host_bytes(), cudaMemcpyDeviceToHost); },
    [](Run& r) { cudaMemcpy(r.address(), r.address(), r.input.size(), cudaMemcpyDeviceToDevice); },
    [](Run& r) {
      // By default an address that no call gave out would be the host's.
      if (r.memory.all().empty()) return;
      cudaMemcpyAsync(r.memory.all()[r.input.byte() % r.memory.all().size()], r.pointer(),
                      r.host_bytes(), cudaMemcpyDefault, r.streams.any(r.input));
    },
    [](Run& r) {
      cudaMemcpy2DAsync(r.address(), r.input.size(), r.pointer(), 1024, r.host_row(), r.host_rows(),
                        cudaMemcpyHostToDevice, r.streams.any(r.input));
    },
    [](Run& r) {
      cudaMemcpy2DToArray(r.arrays.any(r.input), r.input.byte(), r.input.byte(), r.pointer(), 1024,
                          r.host_row(), r.host_rows(), cudaMemcpyHostToDevice);
    },
    [](Run& r) {
      cudaMemcpy2DFromArray(r.pointer(), 1024, r.arrays.any(r.input), r.input.byte(),
                            r.input.byte(), r.host_row(), r.host_rows(), cudaMemcpyDeviceToHost);
    },
    [](Run& r) {
      cudaMemcpy3DParms box{};
      box.srcArray = r.arrays.any(r.input);
      box.dstPtr = {r.address(), r.input.size(), r.input.size(), r.input.byte()};
      box.srcPos = {r.input.byte(), r.input.byte(), r.input.byte()};
      box.extent = r.extent();
      box.kind = cudaMemcpyDeviceToDevice;
      cudaMemcpy3DAsync(r.input.below(16) ? &box : nullptr, r.streams.any(r.input));
    },
    [](Run& r) { cudaMemset(r.address(), r.input.byte(), r.input.size()); },
    [](Run& r) {
      cudaMemset3DAsync({r.address(), r.input.size(), r.input.size(), r.input.byte()},
                        r.input.byte(), r.extent(), r.streams.any(r.input));
    },
    [](Run& r) {
      cudaMemPrefetchAsync(r.address(), r.input.size(),
                           {r.number_of<cudaMemLocationType>(), r.device()}, r.input.below(2),
                           r.streams.any(r.input));
    },
    [](Run& r) {
      cudaMemAdvise(r.address(), r.input.size(), r.number_of<cudaMemoryAdvise>(),
                    {r.number_of<cudaMemLocationType>(), r.device()});
    },
    [](Run& r) { cudaMemcpyToSymbol(r.pointer(), r.pointer(), r.input.byte()); },
};

constexpr Step order_steps[] = {
    [](Run& r) {
      cudaStream_t* const place = r.streams.place(r.input);
      r.streams.keep(cudaStreamCreateWithPriority(place, r.input.below(4), r.input.byte() - 128),
                     place);
    },
    [](Run& r) { cudaStreamDestroy(r.streams.any(r.input)); },
    [](Run& r) { cudaStreamQuery(r.streams.any(r.input)); },
    [](Run& r) { cudaStreamSynchronize(r.streams.any(r.input)); },
    [](Run& r) {
      cudaEvent_t* const place = r.events.place(r.input);
      r.events.keep(cudaEventCreateWithFlags(place, r.input.below(16)), place);
    },
    [](Run& r) { cudaEventDestroy(r.events.any(r.input)); },
    [](Run& r) {
      cudaEventRecordWithFlags(r.events.any(r.input), r.streams.any(r.input), r.input.below(3));
    },
    [](Run& r) {
      cudaStreamWaitEvent(r.streams.any(r.input), r.events.any(r.input), r.input.below(3));
    },
    [](Run& r) { cudaEventSynchronize(r.events.any(r.input)); },
    [](Run& r) {
      float time;
      cudaEventElapsedTime(&time, r.events.any(r.input), r.events.any(r.input));
    },
    [](Run& r) {
      cudaLaunchHostFunc(r.streams.any(r.input), r.input.below(8) ? nothing : nullptr, nullptr);
    },
    [](Run& r) {
      cudaStreamBeginCapture(r.streams.any(r.input), r.number_of<cudaStreamCaptureMode>());
    },
    [](Run& r) {
      cudaGraph_t* const place = r.graphs.place(r.input);
      r.graphs.keep(cudaStreamEndCapture(r.streams.any(r.input), place), place);
    },
    [](Run& r) {
      cudaStreamAttrValue value{};
      value.priority = r.input.byte();
      cudaStreamSetAttribute(r.streams.any(r.input), r.number_of<cudaStreamAttrID>(), &value);
    },
    // A function that nobody registered.
    [](Run& r) {
      void* arguments[] = {nullptr};
      cudaLaunchKernel(r.pointer(), {r.input.byte(), 1, 1}, {r.input.byte(), 1, 1}, arguments,
                       r.input.size(), r.streams.any(r.input));
    },
};

constexpr Step graph_steps[] = {
    [](Run& r) {
      cudaGraph_t* const place = r.graphs.place(r.input);
      r.graphs.keep(cudaGraphCreate(place, r.input.below(2)), place);
    },
    [](Run& r) { cudaGraphDestroy(r.graphs.any(r.input)); },
    [](Run& r) {
      cudaGraph_t* const place = r.graphs.place(r.input);
      r.graphs.keep(cudaGraphClone(place, r.graphs.any(r.input)), place);
    },
    [](Run& r) {
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(
          cudaGraphAddEmptyNode(place, r.graphs.any(r.input), r.dependency(), r.input.below(2)),
          place);
    },
    [](Run& r) {
      cudaMemsetParams fill{};
      fill.dst = r.address();
      fill.elementSize = 1u << r.input.below(4);
      fill.width = r.input.size();
      fill.height = r.input.below(4);
      fill.pitch = r.input.size();
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(cudaGraphAddMemsetNode(place, r.graphs.any(r.input), r.dependency(),
                                          r.input.below(2), &fill),
                   place);
    },
    [](Run& r) {
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(cudaGraphAddMemcpyNode1D(place, r.graphs.any(r.input), r.dependency(),
                                            r.input.below(2), r.address(), r.address(),
                                            r.input.size(), cudaMemcpyDeviceToDevice),
                   place);
    },
    [](Run& r) {
      const cudaHostNodeParams call{nothing, nullptr};
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(cudaGraphAddHostNode(place, r.graphs.any(r.input), r.dependency(),
                                        r.input.below(2), &call),
                   place);
    },
    [](Run& r) {
      cudaMemAllocNodeParams wanted{};
      wanted.poolProps.allocType = cudaMemAllocationTypePinned;
      wanted.poolProps.location.type = cudaMemLocationTypeDevice;
      wanted.bytesize = r.input.size();
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(cudaGraphAddMemAllocNode(place, r.graphs.any(r.input), r.dependency(),
                                            r.input.below(2), &wanted),
                   place);
      if (wanted.dptr) r.memory.keep(0, &wanted.dptr);
    },
    [](Run& r) {
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(cudaGraphAddMemFreeNode(place, r.graphs.any(r.input), r.dependency(),
                                           r.input.below(2), r.memory.any(r.input)),
                   place);
    },
    [](Run& r) {
      cudaGraphNode_t* const place = r.nodes.place(r.input);
      r.nodes.keep(cudaGraphAddChildGraphNode(place, r.graphs.any(r.input), r.dependency(),
                                              r.input.below(2), r.graphs.any(r.input)),
                   place);
    },
    [](Run& r) { cudaGraphDestroyNode(r.nodes.any(r.input)); },
    [](Run& r) {
      cudaGraphNodeType type;
      cudaGraphNodeGetType(r.nodes.any(r.input), &type);
    },
    [](Run& r) {
      size_t count = r.input.below(4);
      cudaGraphNode_t list[4];
      cudaGraphGetNodes(r.graphs.any(r.input), r.input.flip() ? list : nullptr, &count);
    },
    [](Run& r) {
      cudaGraphExec_t* const place = r.executables.place(r.input);
      r.executables.keep(cudaGraphInstantiate(place, r.graphs.any(r.input), r.input.below(16)),
                         place);
    },
    [](Run& r) { cudaGraphLaunch(r.executables.any(r.input), r.streams.any(r.input)); },
    [](Run& r) {
      cudaGraphExecUpdateResultInfo result;
      cudaGraphExecUpdate(r.executables.any(r.input), r.graphs.any(r.input), &result);
    },
    [](Run& r) { cudaGraphExecDestroy(r.executables.any(r.input)); },
    [](Run& r) { cudaDeviceGraphMemTrim(r.device()); },
};

constexpr Step object_steps[] = {
    [](Run& r) {
      cudaResourceDesc resource{};
      resource.resType = r.number_of<cudaResourceType>();
      resource.res.array.array = r.arrays.any(r.input);
      if (resource.resType == cudaResourceTypeLinear ||
          resource.resType == cudaResourceTypePitch2D) {
        resource.res.pitch2D.devPtr = r.address();
        resource.res.pitch2D.desc = r.channels();
        resource.res.pitch2D.width = r.input.size();
        resource.res.pitch2D.height = r.input.byte();
        resource.res.pitch2D.pitchInBytes = r.input.size();
      }
      cudaTextureDesc sampler{};
      sampler.addressMode[0] = r.number_of<cudaTextureAddressMode>();
      sampler.filterMode = r.number_of<cudaTextureFilterMode>();
      sampler.readMode = r.number_of<cudaTextureReadMode>();
      sampler.normalizedCoords = r.input.below(3);
      cudaTextureObject_t* const place = r.textures.place(r.input);
      r.textures.keep(cudaCreateTextureObject(place, &resource, &sampler, nullptr), place);
    },
    [](Run& r) { cudaDestroyTextureObject(r.textures.any(r.input)); },
    [](Run& r) {
      cudaResourceDesc resource{};
      resource.resType = r.number_of<cudaResourceType>();
      resource.res.array.array = r.arrays.any(r.input);
      cudaSurfaceObject_t* const place = r.surfaces.place(r.input);
      r.surfaces.keep(cudaCreateSurfaceObject(place, &resource), place);
    },
    [](Run& r) { cudaDestroySurfaceObject(r.surfaces.any(r.input)); },
    [](Run& r) {
      cudaTextureDesc sampler;
      cudaGetTextureObjectTextureDesc(&sampler, r.textures.any(r.input));
    },
    [](Run& r) {
      cudaChannelFormatDesc channels;
      cudaExtent extent;
      unsigned flags;
      cudaArrayGetInfo(&channels, &extent, &flags, r.arrays.any(r.input));
    },
};

template <size_t count>
void step(Run& run, const Step (&steps)[count]) {
  steps[run.input.byte() % count](run);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = (stderr = std::fopen("/dev/null", "w")) != nullptr;
  static_cast<void>(quiet);
  Input input(data, size);
  Run run{input, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  while (!input.empty()) {
    switch (input.below(10)) {
      case 0:
        step(run, device_steps);
        break;
      case 1:
      case 2:
        step(run, memory_steps);
        break;
      case 3:
      case 4:
        step(run, copy_steps);
        break;
      case 5:
      case 6:
        step(run, order_steps);
        break;
      case 7:
        step(run, object_steps);
        break;
      default:
        step(run, graph_steps);
        break;
    }
  }
  // A reset leaves graphs, since they belong to no context.
  for (const cudaGraphExec_t one : run.executables.all()) cudaGraphExecDestroy(one);
  for (const cudaGraph_t one : run.graphs.all()) cudaGraphDestroy(one);
  cudaDeviceReset();
  cudaGetLastError();
  return 0;
}
