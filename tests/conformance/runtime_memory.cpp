// SPDX-License-Identifier: Apache-2.0
// Memory: what may be allocated, freed, copied, set, registered and asked about.
#include "runtime.hpp"

using namespace conformance;

static char bytes[4096];

CASE(rt_allocations) {
  void* p = bytes;
  TRY(cudaMalloc(&p, 0));
  ASK(p == nullptr);
  TRY(cudaMalloc(&p, size_t{1} << 60));
  ASK(p == nullptr);
  TRY(cudaMalloc(&p, size_t(-1)));
  TRY(cudaMalloc(&p, 100));
  ASK(uintptr_t(p) % 256);
  TRY(cudaFree(static_cast<char*>(p) + 4));
  TRY(cudaFree(bytes));
  TRY(cudaFree(nullptr));
  TRY(cudaFreeHost(p));
  TRY(cudaFree(p));
  TRY(cudaFree(p));
  TRY(cudaMallocHost(&p, 0));
  TRY(cudaMallocHost(&p, 100));
  TRY(cudaFree(p));
  TRY(cudaFreeHost(static_cast<char*>(p) + 4));
  TRY(cudaFreeHost(p));
  TRY(cudaFreeHost(p));
  TRY(cudaFreeHost(bytes));
  TRY(cudaFreeHost(nullptr));
  TRY(cudaFreeArray(nullptr));
  TRY(cudaFreeMipmappedArray(nullptr));
  for (unsigned flags : {0u, 1u, 2u, 4u, 7u, 8u, 16u}) {
    answer_last(("cudaHostAlloc " + std::to_string(flags)).c_str(), cudaHostAlloc(&p, 64, flags));
    unsigned had = 99;
    TRY(cudaHostGetFlags(&had, p));
    ASK(had);
  }
  unsigned flags;
  TRY(cudaHostGetFlags(&flags, bytes));
  TRY(cudaHostGetDevicePointer(&p, bytes, 0));
  void* h;
  PREPARE(cudaHostAlloc(&h, 64, cudaHostAllocMapped));
  TRY(cudaHostGetDevicePointer(&p, h, 0));
  ASK(p == h);
  TRY(cudaHostGetDevicePointer(&p, h, 1));
  size_t pitch;
  TRY(cudaMallocPitch(&p, &pitch, 100, 4));
  ASK(pitch);
  TRY(cudaMallocPitch(&p, &pitch, 513, 4));
  ASK(pitch);
  TRY(cudaMallocPitch(&p, &pitch, 0, 4));
  TRY(cudaMallocPitch(&p, &pitch, 4, 0));
  TRY(cudaMallocPitch(&p, &pitch, size_t(-1), 4));
  cudaPitchedPtr pitched = {};
  TRY(cudaMalloc3D(&pitched, {100, 4, 2}));
  ASK(pitched.pitch);
  ASK(pitched.xsize);
  ASK(pitched.ysize);
  TRY(cudaMalloc3D(&pitched, {0, 4, 2}));
  TRY(cudaMalloc3D(&pitched, {4, 4, 0}));
  for (unsigned managed : {0u, 1u, 2u, 3u, 4u, 7u})
    answer_last(("cudaMallocManaged " + std::to_string(managed)).c_str(),
                cudaMallocManaged(&p, 64, managed));
  TRY(cudaMallocManaged(&p, 0, 1));
}

CASE(rt_memory_info) {
  size_t available = 0, total = 0;
  TRY(cudaMemGetInfo(&available, &total));
  ASK(available > 0 && available <= total);
  TRY(cudaMemGetInfo(&available, nullptr));
  TRY(cudaMemGetInfo(nullptr, &total));
}

CASE(rt_copies) {
  void *d, *d2, *pinned, *managed;
  PREPARE(cudaMalloc(&d, 256));
  PREPARE(cudaMalloc(&d2, 256));
  PREPARE(cudaMallocHost(&pinned, 256));
  PREPARE(cudaMallocManaged(&managed, 256, cudaMemAttachGlobal));
  struct {
    const char* name;
    void* at;
  } const ends[] = {{"host", bytes}, {"pinned", pinned}, {"device", d}, {"managed", managed}};
  for (auto to : ends)
    for (auto from : ends)
      for (int kind = 0; kind <= 4; ++kind) {
        const std::string question =
            std::string(to.name) + " from " + from.name + ", kind " + std::to_string(kind);
        // Host to host is left out where a plain copy would read device memory.
        const bool device = to.at == d || from.at == d;
        if (kind == 0 && device) continue;
        answer_last(question.c_str(),
                    cudaMemcpy(to.at, static_cast<char*>(from.at) + 64, 32, cudaMemcpyKind(kind)));
      }
  for (int kind : {-1, 5, 9}) {
    answer_last(("kind " + std::to_string(kind)).c_str(),
                cudaMemcpy(bytes, d, 4, cudaMemcpyKind(kind)));
    answer_last(("kind without bytes " + std::to_string(kind)).c_str(),
                cudaMemcpy(bytes, d, 0, cudaMemcpyKind(kind)));
  }
  TRY(cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(nullptr, d, 4, cudaMemcpyDefault));
  TRY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault));
  TRY(cudaMemcpy(d, bytes, 1 << 22, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpyAsync(d, bytes, 4, cudaMemcpyKind(9), nullptr));
  TRY(cudaMemcpyAsync(d, bytes, 4, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaMemcpyPeer(d, 0, d2, 0, 16));
  TRY(cudaMemcpyPeer(d, 0, d2, 1, 16));
  TRY(cudaMemcpyPeer(d, -1, d2, 0, 16));
  TRY(cudaMemcpyPeerAsync(d, 0, d2, 0, 16, nullptr));
  TRY(cudaMemcpy2D(d, 32, bytes, 32, 16, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 8, bytes, 32, 16, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 32, bytes, 8, 16, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 32, bytes, 32, 0, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 32, bytes, 32, 16, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 8, bytes, 8, 16, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 32, bytes, 32, 16, 4, cudaMemcpyKind(9)));
  TRY(cudaMemcpy2DAsync(d, 32, bytes, 32, 16, 4, cudaMemcpyDefault, nullptr));
  TRY(cudaMemset(d, 1, 256));
  TRY(cudaMemset(d, 0x12345, 4));
  TRY(cudaMemcpy(bytes, d, 8, cudaMemcpyDeviceToHost));
  ASK(int(bytes[0]));
  ASK(int(bytes[5]));
  TRY(cudaMemset(nullptr, 1, 4));
  TRY(cudaMemset(nullptr, 1, 0));
  TRY(cudaMemset(bytes, 1, 4));
  TRY(cudaMemset(pinned, 1, 4));
  TRY(cudaMemset(managed, 1, 4));
  TRY(cudaMemset(d, 1, 1 << 22));
  TRY(cudaMemset2D(d, 32, 1, 16, 4));
  TRY(cudaMemset2D(d, 8, 1, 16, 4));
  TRY(cudaMemset2D(d, 32, 1, 0, 4));
  TRY(cudaMemset3D({d, 32, 16, 4}, 1, {16, 2, 2}));
  TRY(cudaMemset3D({d, 32, 16, 4}, 1, {0, 2, 2}));
  TRY(cudaMemsetAsync(d, 1, 4, nullptr));
  cudaMemcpy3DParms copy = {};
  TRY(cudaMemcpy3D(nullptr));
  TRY(cudaMemcpy3D(&copy));
  copy.srcPtr = {bytes, 16, 16, 4};
  copy.dstPtr = {d, 16, 16, 4};
  copy.extent = {16, 4, 2};
  copy.kind = cudaMemcpyHostToDevice;
  TRY(cudaMemcpy3D(&copy));
  copy.kind = cudaMemcpyKind(9);
  TRY(cudaMemcpy3D(&copy));
  copy.kind = cudaMemcpyDefault;
  TRY(cudaMemcpy3DAsync(&copy, nullptr));
  copy.extent = {0, 4, 2};
  TRY(cudaMemcpy3D(&copy));
  copy.extent = {32, 4, 2};
  TRY(cudaMemcpy3D(&copy));
}

static void say_pointer(const char* what, const void* p) {
  cudaPointerAttributes a;
  memset(&a, 0x55, sizeof a);
  answer_last(what, cudaPointerGetAttributes(&a, p));
  ASK(int(a.type));
  ASK(a.device);
  ASK(a.devicePointer == p);
  ASK(a.hostPointer == p);
  ASK(a.devicePointer == nullptr);
  ASK(a.hostPointer == nullptr);
}

CASE(rt_pointers) {
  void *d, *pinned, *managed, *symbol, *async;
  PREPARE(cudaMalloc(&d, 256));
  PREPARE(cudaMallocHost(&pinned, 256));
  PREPARE(cudaMallocManaged(&managed, 256, cudaMemAttachGlobal));
  PREPARE(cudaMallocAsync(&async, 256, nullptr));
  PREPARE(cudaGetSymbolAddress(&symbol, numbers));
  PREPARE(cudaHostRegister(bytes, 256, cudaHostRegisterMapped));
  say_pointer("device", d);
  say_pointer("inside device", static_cast<char*>(d) + 9);
  say_pointer("pinned", pinned);
  say_pointer("managed", managed);
  say_pointer("stream ordered", async);
  say_pointer("symbol", symbol);
  say_pointer("symbol of the host", numbers);
  say_pointer("registered", bytes + 4);
  int local;
  say_pointer("unregistered", &local);
  say_pointer("null", nullptr);
  PREPARE(cudaFree(d));
  say_pointer("freed", d);
  TRY(cudaPointerGetAttributes(nullptr, pinned));
  TRY(cudaHostUnregister(bytes));
  say_pointer("unregistered again", bytes);
}

CASE(rt_host_registration) {
  TRY(cudaHostRegister(bytes, 0, 0));
  TRY(cudaHostRegister(nullptr, 16, 0));
  TRY(cudaHostRegister(bytes, 64, 0));
  TRY(cudaHostRegister(bytes, 64, 0));
  TRY(cudaHostRegister(bytes + 16, 16, 0));
  unsigned flags;
  TRY(cudaHostGetFlags(&flags, bytes));
  ASK(flags);
  TRY(cudaHostUnregister(bytes + 8));
  TRY(cudaHostUnregister(bytes));
  TRY(cudaHostUnregister(bytes));
  TRY(cudaHostUnregister(nullptr));
  for (unsigned flag : {1u, 2u, 3u, 4u, 8u, 16u, 32u}) {
    answer_last(("flags " + std::to_string(flag)).c_str(), cudaHostRegister(bytes, 64, flag));
    TRY(cudaHostUnregister(bytes));
  }
  void* pinned;
  PREPARE(cudaMallocHost(&pinned, 64));
  TRY(cudaHostRegister(pinned, 64, 0));
  TRY(cudaHostUnregister(pinned));
}

CASE(rt_managed) {
  char* p;
  int value = -9;
  PREPARE(cudaMallocManaged(reinterpret_cast<void**>(&p), 4096, cudaMemAttachGlobal));
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0},
                        host = {cudaMemLocationTypeHost, 0}, wrong = {cudaMemLocationTypeDevice, 9};
  for (int advice = 0; advice <= 7; ++advice) {
    answer_last(("advice " + std::to_string(advice)).c_str(),
                cudaMemAdvise(p, 4096, cudaMemoryAdvise(advice), device));
    answer_last(("advice for the host " + std::to_string(advice)).c_str(),
                cudaMemAdvise(p, 4096, cudaMemoryAdvise(advice), host));
  }
  TRY(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, wrong));
  TRY(cudaMemAdvise(p, 0, cudaMemAdviseSetPreferredLocation, device));
  TRY(cudaMemAdvise(bytes, 64, cudaMemAdviseSetReadMostly, device));
  TRY(cudaMemPrefetchAsync(p, 4096, device, 0, nullptr));
  TRY(cudaMemPrefetchAsync(p, 4096, host, 0, nullptr));
  TRY(cudaMemPrefetchAsync(p, 4096, device, 1, nullptr));
  TRY(cudaMemPrefetchAsync(p, 4096, wrong, 0, nullptr));
  TRY(cudaMemPrefetchAsync(p, 0, device, 0, nullptr));
  TRY(cudaMemPrefetchAsync(p, 8192 << 10, device, 0, nullptr));
  for (int attribute = 0; attribute <= 9; ++attribute) {
    value = -9;
    answer_last(("attribute " + std::to_string(attribute)).c_str(),
                cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttribute(attribute), p, 4096));
  }
  TRY(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, p, 4096));
  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, bytes, 64));
  TRY(cudaStreamAttachMemAsync(nullptr, p, 0, cudaMemAttachGlobal));
  TRY(cudaStreamAttachMemAsync(nullptr, p, 0, cudaMemAttachSingle));
  TRY(cudaStreamAttachMemAsync(nullptr, p, 16, cudaMemAttachHost));
  TRY(cudaStreamAttachMemAsync(nullptr, bytes, 0, cudaMemAttachGlobal));
}

CASE(rt_pools) {
  cudaMemPool_t pool, other, made;
  void* p;
  TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
  TRY(cudaDeviceGetDefaultMemPool(&other, 1));
  TRY(cudaDeviceGetDefaultMemPool(nullptr, 0));
  TRY(cudaDeviceGetMemPool(&other, 0));
  ASK(pool == other);
  TRY(cudaMemPoolDestroy(pool));
  TRY(cudaMemPoolDestroy(nullptr));
  cudaMemPoolProps properties = {};
  TRY(cudaMemPoolCreate(&made, &properties));
  properties.allocType = cudaMemAllocationTypePinned;
  TRY(cudaMemPoolCreate(&made, &properties));
  properties.location = {cudaMemLocationTypeDevice, 9};
  TRY(cudaMemPoolCreate(&made, &properties));
  properties.location = {cudaMemLocationTypeDevice, 0};
  TRY(cudaMemPoolCreate(&made, &properties));
  TRY(cudaDeviceSetMemPool(0, made));
  TRY(cudaDeviceSetMemPool(0, nullptr));
  for (int which = 0; which <= 9; ++which) {
    uint64_t value = 0;
    answer_last(("attribute " + std::to_string(which)).c_str(),
                cudaMemPoolGetAttribute(made, cudaMemPoolAttr(which), &value));
    if (which) ASK(value);
  }
  uint64_t threshold = 1 << 20;
  TRY(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &threshold));
  TRY(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReservedMemHigh, &threshold));
  TRY(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReservedMemCurrent, &threshold));
  TRY(cudaMallocAsync(&p, 0, nullptr));
  TRY(cudaMallocAsync(nullptr, 4, nullptr));
  TRY(cudaMallocAsync(&p, 64, nullptr));
  TRY(cudaFreeAsync(p, nullptr));
  TRY(cudaFreeAsync(p, nullptr));
  TRY(cudaFreeAsync(nullptr, nullptr));
  TRY(cudaFreeAsync(bytes, nullptr));
  TRY(cudaMallocFromPoolAsync(&p, 64, made, nullptr));
  TRY(cudaMallocFromPoolAsync(&p, 64, nullptr, nullptr));
  TRY(cudaFree(p));
  PREPARE(cudaMalloc(&p, 64));
  TRY(cudaFreeAsync(p, nullptr));
  TRY(cudaMemPoolTrimTo(made, 0));
  TRY(cudaMemPoolDestroy(made));
  TRY(cudaDeviceGetMemPool(&other, 0));
  ASK(pool == other);
}

int main(int count, char** names) { return run(count, names); }
