// SPDX-License-Identifier: Apache-2.0
// Other processes, external objects, graphics, access between devices: what is refused, and how.
#include <fcntl.h>
#include <sys/mman.h>

#include "runtime_questions.hpp"

using namespace conformance;

CASE(rq_handles_of_processes) {
  cudaIpcMemHandle_t memory = {}, inside = {};
  cudaIpcEventHandle_t event = {};
  cudaEvent_t shared, opened = nullptr, plain;
  void *d, *other = nullptr, *host;
  float ms;
  PREPARE(cudaMalloc(&d, 4096));
  PREPARE(cudaMallocHost(&host, 64));
  TRY(cudaIpcGetMemHandle(nullptr, d));
  TRY(cudaIpcGetMemHandle(&memory, nullptr));
  TRY(cudaIpcGetMemHandle(&memory, bytes));
  TRY(cudaIpcGetMemHandle(&memory, host));
  TRY(cudaIpcGetMemHandle(&memory, d));
  TRY(cudaIpcGetMemHandle(&inside, static_cast<char*>(d) + 64));
  for (unsigned flags : {0u, 1u, 2u, 3u}) {
    TOLD(cudaIpcOpenMemHandle(&other, memory, flags), "my own, flags ", flags);
  }
  TRY(cudaIpcOpenMemHandle(nullptr, memory, 1));
  TRY(cudaIpcCloseMemHandle(d));
  TRY(cudaIpcCloseMemHandle(host));
  TRY(cudaIpcCloseMemHandle(bytes));
  TRY(cudaIpcCloseMemHandle(nullptr));
  memset(&memory, 0x5a, sizeof memory);
  TRY(cudaIpcOpenMemHandle(&other, memory, 1));
  for (unsigned flags : {4u, 5u, 6u, 7u, 8u}) {
    shared = nullptr;
    TOLD(cudaEventCreateWithFlags(&shared, flags), "event, flags ", flags);
    if (shared) TRY(cudaIpcGetEventHandle(&event, shared));
  }
  PREPARE(cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming));
  PREPARE(cudaEventCreate(&plain));
  TRY(cudaIpcGetEventHandle(nullptr, shared));
  TRY(cudaIpcGetEventHandle(&event, nullptr));
  TRY(cudaIpcGetEventHandle(&event, plain));
  TRY(cudaIpcGetEventHandle(&event, shared));
  TRY(cudaIpcOpenEventHandle(nullptr, event));
  TRY(cudaIpcOpenEventHandle(&opened, event));
  TRY(cudaEventRecord(shared, nullptr));
  TRY(cudaEventSynchronize(shared));
  TRY(cudaEventElapsedTime(&ms, shared, shared));
  if (opened) TRY(cudaEventQuery(opened));
  memset(&event, 0x5a, sizeof event);
  TRY(cudaIpcOpenEventHandle(&opened, event));
}

CASE(rq_external_memory) {
  cudaExternalMemory_t m = nullptr;
  void* at;
  cudaMipmappedArray_t levels;
  PREPARE(cudaFree(nullptr));
  const int file = memfd_create("memory", 0);
  if (ftruncate(file, 65536)) return;
  for (int type : {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    for (size_t size : {0, 4096})
      for (unsigned flags : {0u, 1u, 2u}) {
        cudaExternalMemoryHandleDesc desc = {};
        desc.type = cudaExternalMemoryHandleType(type);
        desc.size = size;
        desc.flags = flags;
        desc.handle.fd = -1;
        TOLD(cudaImportExternalMemory(&m, &desc), "type ", type, ", size ", size, ", flags ",
             flags);
      }
  // A descriptor of something else.
  for (int fd : {file, open("/dev/null", O_RDWR), open("/proc/self/status", O_RDONLY)}) {
    cudaExternalMemoryHandleDesc desc = {};
    desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
    desc.size = 65536;
    desc.handle.fd = fd;
    TRY(cudaImportExternalMemory(&m, &desc));
    NOTE("is it open", fcntl(fd, F_GETFD) < 0 ? "no" : "yes");
  }
  cudaExternalMemoryHandleDesc desc = {};
  TRY(cudaImportExternalMemory(nullptr, nullptr));
  TRY(cudaImportExternalMemory(nullptr, &desc));
  TRY(cudaImportExternalMemory(&m, nullptr));
  cudaExternalMemoryBufferDesc buffer = {};
  TRY(cudaExternalMemoryGetMappedBuffer(&at, nullptr, &buffer));
  TRY(cudaExternalMemoryGetMappedBuffer(nullptr, nullptr, nullptr));
  cudaExternalMemoryMipmappedArrayDesc array = {};
  TRY(cudaExternalMemoryGetMappedMipmappedArray(&levels, nullptr, &array));
  TRY(cudaExternalMemoryGetMappedMipmappedArray(nullptr, nullptr, nullptr));
  TRY(cudaDestroyExternalMemory(nullptr));
  TRY(cudaDestroyExternalMemory(fake<cudaExternalMemory_t>()));
}

CASE(rq_external_semaphores) {
  cudaExternalSemaphore_t s = nullptr;
  cudaStream_t stream;
  PREPARE(cudaStreamCreate(&stream));
  const int file = memfd_create("semaphore", 0);
  for (int type : {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
    for (unsigned flags : {0u, 1u}) {
      cudaExternalSemaphoreHandleDesc desc = {};
      desc.type = cudaExternalSemaphoreHandleType(type);
      desc.flags = flags;
      desc.handle.fd = -1;
      TOLD(cudaImportExternalSemaphore(&s, &desc), "type ", type, ", flags ", flags);
    }
  for (int type : {1, 9}) {
    cudaExternalSemaphoreHandleDesc desc = {};
    desc.type = cudaExternalSemaphoreHandleType(type);
    desc.handle.fd = file;
    TOLD(cudaImportExternalSemaphore(&s, &desc), "a file as type ", type);
    NOTE("is it open", fcntl(file, F_GETFD) < 0 ? "no" : "yes");
  }
  TRY(cudaImportExternalSemaphore(nullptr, nullptr));
  TRY(cudaImportExternalSemaphore(&s, nullptr));
  s = nullptr;
  cudaExternalSemaphoreSignalParams signal = {};
  cudaExternalSemaphoreWaitParams wait = {};
  TRY(cudaSignalExternalSemaphoresAsync(nullptr, nullptr, 0, stream));
  TRY(cudaSignalExternalSemaphoresAsync(nullptr, &signal, 1, stream));
  TRY(cudaSignalExternalSemaphoresAsync(&s, &signal, 1, stream));
  TRY(cudaSignalExternalSemaphoresAsync(&s, nullptr, 1, stream));
  TRY(cudaSignalExternalSemaphoresAsync(&s, &signal, 0, stream));
  TRY(cudaWaitExternalSemaphoresAsync(nullptr, nullptr, 0, stream));
  TRY(cudaWaitExternalSemaphoresAsync(nullptr, &wait, 1, stream));
  TRY(cudaWaitExternalSemaphoresAsync(&s, &wait, 1, stream));
  TRY(cudaWaitExternalSemaphoresAsync(&s, nullptr, 1, stream));
  TRY(cudaDestroyExternalSemaphore(nullptr));
  TRY(cudaDestroyExternalSemaphore(fake<cudaExternalSemaphore_t>()));
  cudaGraph_t g;
  cudaGraphNode_t node;
  PREPARE(cudaGraphCreate(&g, 0));
  cudaExternalSemaphoreSignalNodeParams params = {};
  TRY(cudaGraphAddExternalSemaphoresSignalNode(&node, g, nullptr, 0, &params));
  TRY(cudaGraphAddExternalSemaphoresSignalNode(&node, g, nullptr, 0, nullptr));
  cudaExternalSemaphoreWaitNodeParams waits = {};
  TRY(cudaGraphAddExternalSemaphoresWaitNode(&node, g, nullptr, 0, &waits));
  TRY(cudaGraphAddExternalSemaphoresWaitNode(nullptr, nullptr, nullptr, 0, nullptr));
}

CASE(rq_graphics) {
  cudaGraphicsResource_t none = nullptr, wrong = fake<cudaGraphicsResource_t>();
  void* at;
  size_t size;
  cudaArray_t array;
  cudaMipmappedArray_t levels;
  PREPARE(cudaFree(nullptr));
  TRY(cudaGraphicsUnregisterResource(nullptr));
  TRY(cudaGraphicsMapResources(0, nullptr, nullptr));
  TRY(cudaGraphicsMapResources(1, nullptr, nullptr));
  TRY(cudaGraphicsMapResources(-1, &none, nullptr));
  TRY(cudaGraphicsMapResources(1, &none, nullptr));
  TRY(cudaGraphicsUnmapResources(0, nullptr, nullptr));
  TRY(cudaGraphicsUnmapResources(1, nullptr, nullptr));
  TRY(cudaGraphicsUnmapResources(1, &none, nullptr));
  TRY(cudaGraphicsResourceGetMappedPointer(&at, &size, nullptr));
  TRY(cudaGraphicsResourceGetMappedPointer(nullptr, nullptr, nullptr));
  TRY(cudaGraphicsSubResourceGetMappedArray(&array, nullptr, 0, 0));
  TRY(cudaGraphicsSubResourceGetMappedArray(nullptr, nullptr, 0, 0));
  TRY(cudaGraphicsResourceGetMappedMipmappedArray(&levels, nullptr));
  TRY(cudaGraphicsResourceSetMapFlags(nullptr, 0));
  TRY(cudaGraphicsResourceSetMapFlags(nullptr, 99));
  TRY(cudaGraphicsUnregisterResource(wrong));
  TRY(cudaGraphicsMapResources(1, &wrong, nullptr));
  TRY(cudaGraphicsResourceGetMappedPointer(&at, &size, wrong));
}

CASE(rq_peers) {
  int value;
  void* d;
  PREPARE(cudaMalloc(&d, 64));
  for (int which = -1; which <= 7; ++which)
    for (int to : {-1, 0, 99}) {
      value = -7;
      TOLD(cudaDeviceGetP2PAttribute(&value, cudaDeviceP2PAttr(which), 0, to), "attribute ", which,
           " to ", to);
      TOLD(cudaDeviceGetP2PAttribute(&value, cudaDeviceP2PAttr(which), to, to), "attribute ", which,
           " of ", to);
      ASK(value);
    }
  for (int device : {-1, 0, 99})
    for (unsigned flags : {0u, 1u}) {
      TOLD(cudaDeviceEnablePeerAccess(device, flags), "enable ", device, ", flags ", flags);
      TOLD(cudaDeviceDisablePeerAccess(device), "disable ", device);
      TOLD(cudaDeviceCanAccessPeer(&value, device, 0), "from ", device);
      TOLD(cudaDeviceCanAccessPeer(nullptr, device, device), "of itself ", device);
    }
}

CASE(rq_arrays_and_textures) {
  cudaArray_t a;
  cudaMipmappedArray_t m;
  cudaExtent extent = {1, 2, 3};
  unsigned flags = 77;
  cudaChannelFormatDesc f;
  const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned},
                              floats = {32, 32, 32, 32, cudaChannelFormatKindFloat};
  TRY(cudaMalloc3DArray(nullptr, &words, {4, 4, 4}, 0));
  TRY(cudaMalloc3DArray(&a, nullptr, {4, 4, 4}, 0));
  for (unsigned flag : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 9u, 16u, 64u, 128u})
    for (cudaExtent e : {cudaExtent{8, 0, 0}, cudaExtent{8, 8, 0}, cudaExtent{8, 8, 6},
                         cudaExtent{8, 0, 6}, cudaExtent{0, 8, 8}}) {
      a = nullptr;
      TOLD(cudaMalloc3DArray(&a, &words, e, flag), "flags ", flag, ", ", e.width, " ", e.height,
           " ", e.depth);
      if (!a) continue;
      PREPARE(cudaArrayGetInfo(&f, &extent, &flags, a));
      NOTE("is", text(extent.width, " ", extent.height, " ", extent.depth, ", flags ", flags));
      PREPARE(cudaFreeArray(a));
    }
  TRY(cudaMallocMipmappedArray(nullptr, &words, {4, 4, 0}, 1, 0));
  TRY(cudaMallocMipmappedArray(&m, nullptr, {4, 4, 0}, 1, 0));
  TRY(cudaArrayGetInfo(&f, &extent, &flags, nullptr));
  TRY(cudaGetMipmappedArrayLevel(&a, nullptr, 0));
  TRY(cudaGetMipmappedArrayLevel(nullptr, nullptr, 0));
  PREPARE(cudaMallocArray(&a, &floats, 16, 4, 0));
  void* d;
  PREPARE(cudaMalloc(&d, 65536));
  cudaTextureObject_t t;
  cudaSurfaceObject_t s;
  cudaResourceDesc r = {};
  cudaTextureDesc desc = {};
  cudaResourceViewDesc view = {};
  r.res.array.array = nullptr;
  TRY(cudaCreateTextureObject(&t, &r, &desc, nullptr));
  TRY(cudaCreateSurfaceObject(&s, &r));
  r.res.array.array = a;
  TRY(cudaCreateTextureObject(&t, &r, &desc, &view));
  for (int format : {0, 1, 4, 12, 16, 27, 28, 34, 99}) {
    view = {};
    view.format = cudaResourceViewFormat(format);
    view.width = 16;
    view.height = 4;
    TOLD(cudaCreateTextureObject(&t, &r, &desc, &view), "view of format ", format);
  }
  for (int read : {0, 1})
    for (int filter : {0, 1})
      for (int mode : {0, 1, 2, 3})
        for (int normalized : {0, 1}) {
          desc = {};
          desc.readMode = cudaTextureReadMode(read);
          desc.filterMode = cudaTextureFilterMode(filter);
          desc.addressMode[0] = desc.addressMode[1] = cudaTextureAddressMode(mode);
          desc.normalizedCoords = normalized;
          TOLD(cudaCreateTextureObject(&t, &r, &desc, nullptr), "floats, read ", read, ", filter ",
               filter, ", address ", mode, ", normalized ", normalized);
        }
  desc = {};
  r = {};
  r.resType = cudaResourceTypeLinear;
  for (size_t size : {size_t{0}, size_t{1}, size_t{4}, size_t{65536}, size_t{1} << 40})
    for (size_t offset : {0, 1, 16, 256, 512}) {
      r.res.linear = {static_cast<char*>(d) + offset, words, size};
      TOLD(cudaCreateTextureObject(&t, &r, &desc, nullptr), "linear ", size, " at ", offset);
    }
  r.resType = cudaResourceTypePitch2D;
  for (size_t pitch : {0, 16, 32, 64, 100, 256})
    for (size_t width : {0, 1, 8, 16, 64})
      for (size_t height : {0, 4}) {
        r.res.pitch2D = {d, words, width, height, pitch};
        TOLD(cudaCreateTextureObject(&t, &r, &desc, nullptr), "pitched ", pitch, ", ", width,
             " by ", height);
      }
  r.res.pitch2D = {bytes, words, 8, 4, 64};
  TRY(cudaCreateTextureObject(&t, &r, &desc, nullptr));
  TRY(cudaDestroyTextureObject(12345));
  TRY(cudaDestroySurfaceObject(12345));
  TRY(cudaGetTextureObjectResourceDesc(nullptr, t));
  TRY(cudaGetTextureObjectResourceDesc(&r, 12345));
  TRY(cudaGetTextureObjectResourceDesc(&r, 0));
  TRY(cudaGetSurfaceObjectResourceDesc(&r, 0));
  TRY(cudaGetTextureObjectTextureDesc(nullptr, 12345));
}
