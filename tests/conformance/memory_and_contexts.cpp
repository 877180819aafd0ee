// SPDX-License-Identifier: Apache-2.0
// Devices, contexts and memory at the limits: which errors, in which order, and what is left
// behind.
#include <sys/mman.h>

#include "gate.hpp"
#include "harness.hpp"

namespace {

constexpr size_t largest = ~size_t{0};
CUcontext context;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
}

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CASE(device_arguments) {
  PREPARE(cuInit(0));
  CUdevice d = 9;
  int a = 0, b = 0;
  char luid[8];
  unsigned mask = 0;
  CUuuid first, second;
  CUdevprop properties;
  ASK(cuDeviceGet(nullptr, 1000));
  ASK(cuDeviceGet(&d, 1000));
  ASK(d);
  ASK(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
  ASK(cuDeviceGetAttribute(&a, static_cast<CUdevice_attribute>(10000), 1000));
  ASK(cuDeviceGetAttribute(&a, static_cast<CUdevice_attribute>(-1), 0));
  ASK(cuDeviceTotalMem(nullptr, 1000));
  ASK(cuDeviceGetUuid(nullptr, 0));
  ASK(cuDeviceGetUuid(&first, 1000));
  ASK((cuDeviceGetUuid)(&first, 0));
  ASK(cuDeviceGetUuid_v2(&second, 0));
  ASK(memcmp(&first, &second, sizeof first) == 0);
  ASK(cuDeviceGetLuid(luid, &mask, 0));
  ASK(cuDeviceGetLuid(nullptr, &mask, 0));
  ASK(cuDeviceGetLuid(luid, nullptr, 0));
  ASK(cuDeviceGetLuid(luid, &mask, 1000));
  ASK(cuDeviceComputeCapability(&a, nullptr, 0));
  ASK(cuDeviceComputeCapability(nullptr, &b, 0));
  ASK(cuDeviceComputeCapability(&a, &b, 1000));
  ASK(cuDeviceGetProperties(nullptr, 0));
  ASK(cuDeviceGetProperties(&properties, 1000));
  ASK(cuDeviceGetProperties(&properties, 0));
  ASK(properties.maxThreadsPerBlock);
  ASK(properties.maxThreadsDim[2]);
  ASK(properties.maxGridSize[1]);
  ASK(properties.sharedMemPerBlock);
  ASK(properties.totalConstantMemory);
  ASK(properties.SIMDWidth);
  ASK(properties.memPitch);
  ASK(properties.regsPerBlock);
  ASK(properties.textureAlign);
  ASK(cuDeviceCanAccessPeer(nullptr, 0, 0));
  ASK(cuDeviceCanAccessPeer(nullptr, 1000, 0));
  ASK(cuDeviceCanAccessPeer(&a, 0, 1000));
  ASK(cuDeviceCanAccessPeer(&a, 1000, 0));
}

CASE(arguments_before_init) {
  CUcontext c;
  CUdeviceptr p = 0;
  ASK(cuDeviceGet(nullptr, 0));
  ASK(cuDeviceGetCount(nullptr));
  ASK(cuDevicePrimaryCtxRetain(nullptr, 0));
  ASK(cuDevicePrimaryCtxRelease(1000));
  ASK(cuCtxGetCurrent(nullptr));
  ASK(cuCtxSetCurrent(nullptr));
  ASK(cuCtxPushCurrent(nullptr));
  ASK(cuCtxPopCurrent(&c));
  ASK(cuCtxDestroy(nullptr));
  ASK(cuCtxCreate(nullptr, nullptr, 0, 0));
  ASK(cuMemAlloc(nullptr, 0));
  ASK(cuMemFreeHost(nullptr));
  ASK(cuMemHostRegister(nullptr, 0, 0));
  ASK(cuMemHostUnregister(nullptr));
  ASK(cuMemcpyHtoD(0, nullptr, 0));
  ASK(cuMemsetD8(0, 0, 0));
  ASK(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_CONTEXT, 0));
  ASK(cuPointerGetAttributes(0, nullptr, nullptr, 0));
  ASK(cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0));
  ASK(cuMemGetAddressRange(nullptr, nullptr, p));
}

CASE(arguments_without_context) {
  PREPARE(cuInit(0));
  static char own[4096];
  CUcontext c;
  CUdevice d;
  unsigned u;
  unsigned long long id;
  size_t s;
  CUfunc_cache cache;
  int i;
  ASK(cuMemFreeHost(nullptr));
  ASK(cuMemFreeHost(own));
  ASK(cuMemAllocHost(nullptr, 4));
  ASK(cuMemHostGetFlags(nullptr, own));
  ASK(cuMemHostRegister(own, 4096, 0));
  ASK(cuMemHostRegister(nullptr, 0, 0));
  ASK(cuMemHostUnregister(nullptr));
  ASK(cuMemHostUnregister(own));
  ASK(cuMemGetAddressRange(nullptr, nullptr, 0));
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(own)));
  ASK(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(own)));
  ASK(cuPointerSetAttribute(&u, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(own)));
  ASK(cuMemcpy(0, 0, 0));
  ASK(cuMemcpyPeer(0, nullptr, 0, nullptr, 0));
  ASK(cuMemcpy2D(nullptr));
  ASK(cuMemsetD8(0, 0, 0));
  ASK(cuCtxGetDevice(nullptr));
  ASK(cuCtxGetDevice_v2(&d, nullptr));
  ASK(cuCtxGetDevice_v2(nullptr, nullptr));
  ASK(cuCtxGetFlags(nullptr));
  ASK(cuCtxSetFlags(0));
  ASK(cuCtxGetId(nullptr, &id));
  ASK(cuCtxGetApiVersion(nullptr, &u));
  ASK(cuCtxSynchronize_v2(nullptr));
  ASK(cuCtxGetLimit(&s, CU_LIMIT_STACK_SIZE));
  ASK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
  ASK(cuCtxGetCacheConfig(&cache));
  ASK(cuCtxGetStreamPriorityRange(&i, &i));
  ASK(cuCtxResetPersistingL2Cache());
  ASK(cuCtxAttach(&c, 0));
  ASK(cuCtxDetach(nullptr));
  ASK(cuCtxGetCurrent(nullptr));
  ASK(cuGraphicsMapResources(1, reinterpret_cast<CUgraphicsResource*>(own), nullptr));
}

CASE(primary_context_in_all_orders) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr, b = nullptr, c = nullptr;
  unsigned flags = 99;
  int active = 99;
  unsigned long long first = 0, second = 0;
  ASK(cuDevicePrimaryCtxRetain(nullptr, 0));
  ASK(cuDevicePrimaryCtxRetain(&a, 1000));
  ASK(cuDevicePrimaryCtxRetain(nullptr, 1000));
  ASK(cuDevicePrimaryCtxRelease(1000));
  ASK(cuDevicePrimaryCtxReset(1000));
  ASK(cuDevicePrimaryCtxReset(0));
  ASK(cuDevicePrimaryCtxSetFlags(1000, 0));
  ASK(cuDevicePrimaryCtxSetFlags(0, 3));
  ASK(cuDevicePrimaryCtxSetFlags(0, 0x400));
  ASK(cuDevicePrimaryCtxGetState(1000, &flags, &active));
  ASK(cuDevicePrimaryCtxGetState(0, nullptr, &active));
  ASK(active);
  ASK(cuDevicePrimaryCtxGetState(0, &flags, nullptr));
  ASK(flags);
  PREPARE(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  PREPARE(cuDevicePrimaryCtxRetain(&a, 0));
  PREPARE(cuCtxGetId(a, &first));
  PREPARE(cuDevicePrimaryCtxRelease(0));
  PREPARE(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(flags);
  ASK(cuCtxSetCurrent(a));
  ASK(cuCtxPushCurrent(a));
  PREPARE(cuDevicePrimaryCtxRetain(&b, 0));
  ASK(a == b);
  PREPARE(cuCtxGetId(b, &second));
  ASK(first == second);
  PREPARE(cuCtxSetCurrent(b));
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 64));
  PREPARE(cuDevicePrimaryCtxRelease(0));
  CUdevice d = 9;
  unsigned u = 0;
  size_t s = 0;
  ASK(cuCtxGetDevice(&d));
  ASK(cuCtxGetDevice_v2(&d, b));
  ASK(cuCtxGetDevice_v2(&d, nullptr));
  ASK(cuCtxGetFlags(&flags));
  ASK(cuCtxGetApiVersion(b, &u));
  ASK(cuCtxGetApiVersion(nullptr, &u));
  ASK(cuCtxGetId(b, &second));
  ASK(cuCtxGetId(nullptr, &second));
  ASK(cuCtxGetLimit(&s, CU_LIMIT_STACK_SIZE));
  ASK(cuCtxSynchronize_v2(b));
  ASK(cuCtxDetach(b));
  ASK(cuMemGetAddressRange(nullptr, nullptr, p));
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(cuMemFree(0));
  ASK(cuMemcpyHtoD(0, nullptr, 0));
  ASK(cuCtxGetCurrent(&c));
  ASK(c == b);
  PREPARE(cuDevicePrimaryCtxRetain(&c, 0));
  ASK(cuMemAlloc(&p, 64));
  ASK(cuMemFree(p));
  PREPARE(cuDevicePrimaryCtxRetain(&c, 0));
  ASK(cuDevicePrimaryCtxReset(0));
  ASK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  ASK(flags);
  ASK(active);
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxReset(0));
}

CASE(destroyed_context) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr, b = nullptr, c = nullptr;
  CUdevice d = 9;
  unsigned u = 0;
  unsigned long long id = 0;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  PREPARE(cuCtxCreate(&b, nullptr, 0, 0));
  ASK(cuCtxDestroy(a));
  ASK(cuCtxPopCurrent(&c));
  ASK(c == b);
  ASK(cuCtxGetCurrent(&c));
  ASK(c == a);
  ASK(cuCtxGetDevice(&d));
  ASK(cuCtxGetFlags(&u));
  ASK(cuCtxGetApiVersion(nullptr, &u));
  ASK(cuCtxGetId(nullptr, &id));
  ASK(cuCtxPopCurrent(&c));
  ASK(c == a);
  ASK(cuCtxGetCurrent(&c));
  ASK(c == nullptr);
}

CASE(destroyed_context_pushed) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  PREPARE(cuCtxDestroy(a));
  ASK(cuCtxPushCurrent(a));
}
CASE(destroyed_context_set) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  PREPARE(cuCtxDestroy(a));
  ASK(cuCtxSetCurrent(a));
}
CASE(destroyed_context_destroyed) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  PREPARE(cuCtxDestroy(a));
  ASK(cuCtxDestroy(a));
}
CASE(destroyed_context_asked) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr;
  unsigned u;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  PREPARE(cuCtxDestroy(a));
  ASK(cuCtxGetApiVersion(a, &u));
}
CASE(destroyed_context_synchronised) {
  PREPARE(cuInit(0));
  CUcontext a = nullptr;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  PREPARE(cuCtxDestroy(a));
  ASK(cuCtxSynchronize_v2(a));
}
CASE(no_context_at_all) {
  PREPARE(cuInit(0));
  static uint64_t zeros[2048];
  const auto handle = reinterpret_cast<CUcontext>(zeros);
  ASK(cuCtxSetCurrent(handle));
}

CASE(context_flags) {
  PREPARE(cuInit(0));
  for (unsigned flags :
       {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u, 24u, 32u, 64u, 128u, 256u, 1024u}) {
    CUcontext c = nullptr;
    unsigned u = 0;
    ASK(flags);
    ASK(cuCtxCreate(&c, nullptr, flags, 0));
    if (!c) continue;
    ASK(cuCtxGetFlags(&u));
    ASK(u);
    PREPARE(cuCtxDestroy(c));
  }
  CUcontext c = nullptr;
  PREPARE(cuCtxCreate(&c, nullptr, 0, 0));
  for (unsigned flags : {1u, 2u, 3u, 4u, 0u, 8u, 16u, 32u, 128u, 256u}) {
    unsigned u = 0;
    ASK(flags);
    ASK(cuCtxSetFlags(flags));
    ASK(cuCtxGetFlags(&u));
    ASK(u);
  }
  ASK(cuCtxGetFlags(nullptr));
  ASK(cuCtxCreate(&c, nullptr, 0x400, 1000));
  ASK(cuCtxCreate(nullptr, nullptr, 0x400, 1000));
}

CASE(context_settings) {
  PREPARE(cuInit(0));
  CUcontext c = nullptr;
  PREPARE(cuCtxCreate(&c, nullptr, 0, 0));
  for (int limit = 0; limit <= 9; ++limit) {
    size_t s = 0;
    const auto number = static_cast<CUlimit>(limit);
    ASK(limit);
    ASK(cuCtxGetLimit(&s, number));
    for (size_t value : {size_t{0}, size_t{1}, size_t{3000}, size_t{1} << 20, largest}) {
      if (limit == 2 && value == largest) continue;
      ASK(cuCtxSetLimit(number, value));
      s = 77;
      ASK(cuCtxGetLimit(&s, number));
      ASK(s);
    }
  }
  ASK(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
  for (int config = -1; config <= 4; ++config) {
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
    ASK(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)));
    ASK(cuCtxGetCacheConfig(&cache));
    ASK(static_cast<int>(cache));
  }
  ASK(cuCtxGetCacheConfig(nullptr));
  for (int config = -1; config <= 3; ++config) {
    CUsharedconfig shared = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    ASK(cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config)));
    ASK(cuCtxGetSharedMemConfig(&shared));
    ASK(static_cast<int>(shared));
  }
  ASK(cuCtxGetSharedMemConfig(nullptr));
  int least = 9, greatest = 9;
  ASK(cuCtxGetStreamPriorityRange(nullptr, nullptr));
  ASK(cuCtxGetStreamPriorityRange(&least, &greatest));
  ASK(least);
  ASK(greatest);
  CUexecAffinityParam affinity;
  ASK(cuCtxGetExecAffinity(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  ASK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  ASK(cuCtxGetExecAffinity(&affinity, static_cast<CUexecAffinityType>(5)));
  ASK(cuCtxResetPersistingL2Cache());
  CUcontext same = nullptr;
  unsigned u = 0;
  unsigned long long id = 0;
  ASK(cuCtxGetApiVersion(nullptr, &u));
  ASK(u);
  ASK(cuCtxGetApiVersion(c, nullptr));
  ASK(cuCtxGetId(c, nullptr));
  ASK(cuCtxGetId(nullptr, &id));
  ASK(cuCtxGetDevice(nullptr));
  ASK(cuCtxAttach(nullptr, 0));
  ASK(cuCtxAttach(&same, 1));
  ASK(cuCtxAttach(&same, 0));
  ASK(same == c);
  ASK(cuCtxDetach(nullptr));
  ASK(cuCtxDetach(c));
  ASK(cuCtxSynchronize());
  ASK(cuCtxDetach(c));
  ASK(cuCtxGetCurrent(&same));
  ASK(same == nullptr);
}

CASE(context_attached_primary) {
  start();
  CUcontext same = nullptr;
  ASK(cuCtxAttach(&same, 0));
  ASK(cuCtxDetach(context));
  ASK(cuCtxDetach(context));
}

CASE(allocation_edges) {
  start();
  size_t free = 0, total = 0, pitch = 5;
  CUdeviceptr p = 5, q = 0;
  PREPARE(cuMemGetInfo(&free, &total));
  ASK(cuMemGetInfo(nullptr, &total));
  ASK(cuMemGetInfo(&free, nullptr));
  ASK(cuMemGetInfo(nullptr, nullptr));
  ASK(cuMemAlloc(&p, total + 1));
  ASK(p);
  p = 5;
  ASK(cuMemAlloc(&p, total));
  p = 5;
  ASK(cuMemAllocPitch(&p, &pitch, largest, 1, 4));
  ASK(p);
  ASK(pitch);
  ASK(cuMemAllocPitch(&p, &pitch, size_t{1} << 40, size_t{1} << 40, 4));
  ASK(cuMemAllocPitch(&p, &pitch, 100, largest, 4));
  ASK(cuMemAllocPitch(&p, &pitch, 100, 10, 0));
  ASK(cuMemAllocPitch(&p, &pitch, 100, 10, 2));
  ASK(cuMemAllocPitch(&p, &pitch, 100, 10, 32));
  ASK(cuMemAllocPitch(nullptr, &pitch, 100, 10, 4));
  ASK(cuMemAllocPitch(&p, &pitch, size_t{1} << 31, 1, 4));
  ASK(cuMemAllocPitch(&p, &pitch, (size_t{1} << 31) - 512, 1, 4));
  ASK(pitch);
  ASK(cuMemAllocPitch(&p, &pitch, 513, 3, 4));
  ASK(cuMemGetAddressRange(&q, &total, p));
  ASK(total);
  ASK(cuMemAllocManaged(nullptr, 4, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_HOST));
  ASK(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_SINGLE));
  ASK(cuMemFreeHost(pointer(p)));
  p = 5;
  ASK(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
  ASK(p);
  ASK(cuMemAllocManaged(&p, largest, CU_MEM_ATTACH_GLOBAL));
}

CASE(host_memory_edges) {
  start();
  void* a = &context;
  unsigned flags = 0;
  CUdeviceptr d = 0;
  ASK(cuMemAllocHost(nullptr, 4));
  ASK(cuMemAllocHost(&a, 0));
  ASK(a == nullptr);
  a = &context;
  ASK(cuMemAllocHost(&a, largest));
  ASK(a == nullptr);
  ASK(cuMemHostAlloc(nullptr, 4, 0));
  for (unsigned wanted : {0u, 1u, 2u, 3u, 4u, 7u, 8u}) {
    ASK(wanted);
    ASK(cuMemHostAlloc(&a, 64, wanted));
    ASK(cuMemHostGetFlags(&flags, a));
    ASK(flags);
  }
  PREPARE(cuMemAllocHost(&a, 1000));
  char* const pinned = static_cast<char*>(a);
  ASK(cuMemHostGetFlags(nullptr, pinned));
  ASK(cuMemHostGetFlags(&flags, pinned + 8));
  ASK(cuMemHostGetFlags(&flags, pinned + 999));
  ASK(cuMemHostGetFlags(&flags, pinned + 1000));
  ASK(cuMemHostGetFlags(&flags, pinned + 5000));
  ASK(cuMemHostGetDevicePointer(&d, pinned, 1));
  ASK(cuMemHostGetDevicePointer(nullptr, pinned, 0));
  ASK(cuMemHostGetDevicePointer(&d, nullptr, 0));
  ASK(cuMemHostGetDevicePointer(&d, pinned + 1000, 0));
  ASK(cuMemHostRegister(pinned, 64, 0));
  ASK(cuMemHostUnregister(pinned));
  PREPARE(cuMemAlloc(&d, 4096));
  ASK(cuMemHostRegister(pointer(d), 4096, 0));
  ASK(cuMemHostUnregister(pointer(d)));
  ASK(cuMemFreeHost(pointer(d)));
  ASK(cuMemHostGetFlags(&flags, pointer(d)));
  ASK(cuMemHostGetDevicePointer(&d, pointer(d), 0));
  PREPARE(cuMemAllocManaged(&d, 4096, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemHostGetFlags(&flags, pointer(d)));
  ASK(cuMemHostRegister(pointer(d), 4096, 0));
  ASK(cuMemHostGetDevicePointer(&d, pointer(d), 0));
}

CASE(registered_memory_edges) {
  start();
  unsigned flags = 0;
  CUdeviceptr d = 0;
  char* const own = static_cast<char*>(
      mmap(nullptr, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(own + 12 * 4096, 4 * 4096);
  for (unsigned wanted : {0u, 1u, 2u, 3u, 4u, 8u, 16u}) {
    ASK(wanted);
    ASK(cuMemHostRegister(own, 4096, wanted));
    flags = 77;
    ASK(cuMemHostGetFlags(&flags, own));
    ASK(flags);
    cuMemHostUnregister(own);
  }
  ASK(cuMemHostRegister(own + 4096, 8192, 0));
  ASK(cuMemHostRegister(own, 8192, 0));
  ASK(cuMemHostRegister(own + 8192, 8192, 0));
  ASK(cuMemHostRegister(own, 16384, 0));
  ASK(cuMemHostRegister(own, 4096, 0));
  ASK(cuMemHostRegister(own + 12288, 4096, 0));
  ASK(cuMemHostRegister(own + 16384 + 100, 100, 0));
  ASK(cuMemHostRegister(own + 16384 + 300, 100, 0));
  ASK(cuMemHostGetDevicePointer(&d, own + 16384 + 150, 0));
  ASK(cuMemHostGetDevicePointer(&d, own + 16384 + 250, 0));
  ASK(cuMemHostUnregister(nullptr));
  ASK(cuMemFreeHost(own + 4096));
  ASK(cuMemFree(address(own + 4096)));
  ASK(cuMemHostUnregister(own + 4096));
  ASK(cuMemHostRegister(own + 8 * 4096, largest, 0));
  ASK(cuMemHostRegister(own + 12 * 4096, 4096, 0));
  ASK(cuMemHostRegister(own + 11 * 4096, 8192, 0));
  ASK(cuMemHostRegister(reinterpret_cast<void*>(4096), 4096, 0));
  mprotect(own + 9 * 4096, 4096, PROT_READ);
  ASK(cuMemHostRegister(own + 9 * 4096, 4096, 0));
  ASK(cuMemHostRegister(own + 9 * 4096, 4096, CU_MEMHOSTREGISTER_READ_ONLY));
}

void attributes_of(const char* what, CUdeviceptr at) {
  for (int number = 0; number <= 22; ++number) {
    unsigned char bytes[64], other[64];
    memset(bytes, 0xaa, sizeof bytes);
    memset(other, 0x55, sizeof other);
    const auto attribute = static_cast<CUpointer_attribute>(number);
    if (attribute == CU_POINTER_ATTRIBUTE_P2P_TOKENS) continue;
    const std::string question = std::string(what) + " attribute " + std::to_string(number);
    conformance::answer(question.c_str(), cuPointerGetAttribute(bytes, attribute, at));
    cuPointerGetAttribute(other, attribute, at);
    int written = 0;
    for (int i = 0; i < 64; ++i)
      if (bytes[i] != 0xaa || other[i] != 0x55) written = i + 1;
    conformance::answer((question + " bytes").c_str(), written);
  }
}

CASE(pointer_attribute_sizes) {
  start();
  static char own[8192];
  CUdeviceptr p = 0;
  void* pinned = nullptr;
  PREPARE(cuMemAlloc(&p, 1000));
  attributes_of("device", p);
  PREPARE(cuMemAllocHost(&pinned, 1000));
  attributes_of("pinned", address(pinned));
  PREPARE(cuMemHostRegister(own, sizeof own, 0));
  attributes_of("registered", address(own));
  PREPARE(cuMemAllocManaged(&p, 1000, CU_MEM_ATTACH_GLOBAL));
  attributes_of("managed", p);
}

CASE(pointer_attribute_edges) {
  start();
  static char own[8192], plain[64];
  CUdeviceptr p = 0, q = 0, managed = 0;
  void* pinned = nullptr;
  unsigned long long a = 0, b = 0;
  unsigned on = 1, off = 0, u = 0;
  PREPARE(cuMemAlloc(&p, 1000));
  PREPARE(cuMemAlloc(&q, 1000));
  PREPARE(cuMemAllocHost(&pinned, 1000));
  PREPARE(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  PREPARE(cuPointerGetAttribute(&a, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
  PREPARE(cuPointerGetAttribute(&b, CU_POINTER_ATTRIBUTE_BUFFER_ID, p + 8));
  ASK(a == b);
  ASK(a != 0);
  PREPARE(cuPointerGetAttribute(&b, CU_POINTER_ATTRIBUTE_BUFFER_ID, q));
  ASK(a == b);
  ASK(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
  ASK(cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(plain)));
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0));
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
  ASK(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address(pinned)));
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p + 8));
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(u & 1);
  ASK(cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(u & 1);
  unsigned type = 99;
  void* host = &type;
  void* places[] = {&type, &host};
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER};
  ASK(cuPointerGetAttributes(2, wanted, places, p));
  ASK(type);
  ASK(host == nullptr);
  ASK(cuPointerGetAttributes(2, nullptr, places, p));
  ASK(cuPointerGetAttributes(2, wanted, nullptr, p));
  wanted[1] = static_cast<CUpointer_attribute>(999);
  type = 99;
  ASK(cuPointerGetAttributes(2, wanted, places, p));
  ASK(type);
  PREPARE(cuMemHostRegister(own, sizeof own, 0));
  CUdeviceptr base = 0;
  size_t size = 0;
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(own + 8)));
  ASK(u);
  ASK(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address(own + 8)));
  ASK(base == address(own));
  ASK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address(own + 8)));
  ASK(size);
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(pinned) + 1000));
  ASK(cuMemGetAddressRange(&base, &size, address(pinned) + 8));
  ASK(size);
  ASK(cuMemGetAddressRange(&base, &size, address(own) + 8));
  ASK(cuMemGetAddressRange(&base, &size, managed + 8));
}

CASE(copy_edges) {
  start();
  static char own[16384], more[16384];
  CUdeviceptr p = 0, q = 0, small = 0, managed = 0;
  void* host = nullptr;
  PREPARE(cuMemAlloc(&p, 4096));
  PREPARE(cuMemAlloc(&q, 4096));
  PREPARE(cuMemAlloc(&small, 1));
  PREPARE(cuMemAllocHost(&host, 1000));
  PREPARE(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
  char* const pinned = static_cast<char*>(host);
  ASK(cuMemcpyHtoD(p, own, largest));
  ASK(cuMemcpyDtoH(own, p, largest));
  ASK(cuMemcpyDtoD(p, q, largest));
  ASK(cuMemcpy(p, q, largest));
  ASK(cuMemcpy(p, address(own), largest));
  ASK(cuMemcpyHtoDAsync(p, own, largest, nullptr));
  ASK(cuMemcpy(0, 0, 0));
  ASK(cuMemcpyHtoD(p + 4096, own, 0));
  ASK(cuMemcpyHtoD(1, own, 0));
  ASK(cuMemcpyHtoD(p, nullptr, 0));
  ASK(cuMemcpyHtoD(p + 4095, own, 1));
  ASK(cuMemcpyHtoD(p + 4096, own, 1));
  ASK(cuMemcpyHtoD(p - 1, own, 1));
  ASK(cuMemcpyHtoD(small, own, 1));
  ASK(cuMemcpyHtoD(small, own, 2));
  ASK(cuMemcpyHtoD(p, pinned, 1000));
  ASK(cuMemcpyHtoD(p, pinned, 1001));
  ASK(cuMemcpyDtoH(pinned + 990, p, 20));
  ASK(cuMemcpyHtoDAsync(p, pinned, 1001, nullptr));
  ASK(cuMemcpyDtoHAsync(pinned, p, 1001, nullptr));
  ASK(cuMemcpy(p, address(pinned), 1001));
  ASK(cuMemcpyHtoD(managed, own, 1000));
  ASK(cuMemcpyHtoD(managed, own, 1001));
  ASK(cuMemcpyDtoH(own, managed, 1001));
  ASK(cuMemcpyHtoD(address(pinned), own, 100));
  ASK(cuMemcpyHtoD(address(pinned), own, 1001));
  ASK(cuMemcpyDtoD(address(pinned), p, 100));
  PREPARE(cuMemHostRegister(own + 4096, 4096, 0));
  ASK(cuMemcpyHtoD(p, own + 4096, 4096));
  ASK(cuMemcpyHtoD(p, own + 6144, 4096));
  ASK(cuMemcpyHtoD(p, own + 2048, 4096));
  ASK(cuMemcpyDtoD(p, address(own + 4096), 4096));
  ASK(cuMemcpyDtoD(p, address(own + 6144), 4096));
  ASK(cuMemcpyDtoD(p, address(more), 64));
  ASK(cuMemcpyAsync(address(own), address(more), 64, nullptr));
  ASK(cuMemcpyPeer(p, context, q, context, 64));
  ASK(cuMemcpyPeer(p, nullptr, q, context, 64));
  ASK(cuMemcpyPeer(p, context, q, nullptr, 64));
  ASK(cuMemcpyPeer(p, nullptr, q, nullptr, 0));
  ASK(cuMemcpyPeer(p, context, q, context, 4097));
  ASK(cuMemcpyPeer(p, context, address(own), context, 64));
  ASK(cuMemcpyPeerAsync(p, nullptr, q, context, 64, nullptr));
  ASK(cuCtxSynchronize());
}

CUDA_MEMCPY2D plain_2d(CUdeviceptr to, const void* from) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = 64;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.dstPitch = 64;
  copy.WidthInBytes = 64;
  copy.Height = 16;
  return copy;
}

CASE(copy_2d_edges) {
  start();
  static char own[65536];
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 1024));
  CUDA_MEMCPY2D copy = plain_2d(p, own);
  ASK(cuMemcpy2D(&copy));
#define WITH(...)          \
  copy = plain_2d(p, own); \
  __VA_ARGS__;             \
  conformance::answer(#__VA_ARGS__, cuMemcpy2D(&copy))
  WITH(copy.Height = 17);
  WITH(copy.dstPitch = 32);
  WITH(copy.dstPitch = 32, copy.Height = 1);
  WITH(copy.srcPitch = 32);
  WITH(copy.srcPitch = 32, copy.Height = 1);
  WITH(copy.srcPitch = 0, copy.dstPitch = 0);
  WITH(copy.dstXInBytes = 1);
  WITH(copy.dstXInBytes = 1, copy.Height = 1);
  WITH(copy.dstXInBytes = 32, copy.WidthInBytes = 32, copy.Height = 16);
  WITH(copy.dstY = 1);
  WITH(copy.dstY = 1, copy.Height = 15);
  WITH(copy.dstXInBytes = largest);
  WITH(copy.dstXInBytes = largest - 31, copy.WidthInBytes = 64);
  WITH(copy.dstY = largest);
  WITH(copy.dstY = size_t{1} << 58);
  WITH(copy.Height = largest);
  WITH(copy.WidthInBytes = largest);
  WITH(copy.srcHost = nullptr);
  WITH(copy.srcHost = nullptr, copy.srcXInBytes = 8, copy.WidthInBytes = 8);
  WITH(copy.dstDevice = 0);
  WITH(copy.dstDevice = 0, copy.Height = 0);
  WITH(copy.dstPitch = 0x7fffffff, copy.Height = 1);
  WITH(copy.dstPitch = 0x80000000, copy.Height = 1);
  WITH(copy.srcPitch = 0x7fffffff, copy.Height = 1);
  WITH(copy.srcPitch = 0x80000000, copy.Height = 1);
  WITH(copy.srcMemoryType = CUmemorytype(0));
  WITH(copy.srcMemoryType = CUmemorytype(0), copy.Height = 0);
  WITH(copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED, copy.srcDevice = address(own));
  WITH(copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED);
  WITH(copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = address(own));
  WITH(copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = p);
  WITH(copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = own + 8192);
  WITH(copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = pointer(p));
  ASK(cuCtxSynchronize());
}

CASE(copy_3d_edges) {
  start();
  static char own[65536];
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 1024));
  CUDA_MEMCPY3D plain{};
  plain.srcMemoryType = CU_MEMORYTYPE_HOST;
  plain.srcHost = own;
  plain.srcPitch = 16;
  plain.srcHeight = 8;
  plain.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  plain.dstDevice = p;
  plain.dstPitch = 16;
  plain.dstHeight = 8;
  plain.WidthInBytes = 16;
  plain.Height = 8;
  plain.Depth = 8;
  CUDA_MEMCPY3D volume = plain;
  ASK(cuMemcpy3D(&volume));
  ASK(cuMemcpy3D(nullptr));
#undef WITH
#define WITH(...) \
  volume = plain; \
  __VA_ARGS__;    \
  conformance::answer(#__VA_ARGS__, cuMemcpy3D(&volume))
  WITH(volume.Depth = 9);
  WITH(volume.Depth = 0);
  WITH(volume.Depth = 0, volume.dstPitch = 1);
  WITH(volume.Height = 0);
  WITH(volume.srcLOD = 1);
  WITH(volume.srcLOD = 1, volume.Depth = 0);
  WITH(volume.dstLOD = 1);
  WITH(volume.reserved0 = own);
  WITH(volume.dstHeight = 4);
  WITH(volume.dstHeight = 4, volume.Depth = 1);
  WITH(volume.srcHeight = 4);
  WITH(volume.dstHeight = 0, volume.srcHeight = 0);
  WITH(volume.dstHeight = 0, volume.dstPitch = 0);
  WITH(volume.dstZ = 1);
  WITH(volume.dstZ = 1, volume.Depth = 7);
  WITH(volume.dstZ = largest);
  WITH(volume.dstY = 1);
  WITH(volume.dstHeight = largest, volume.Depth = 1);
  WITH(volume.dstHeight = largest);
  WITH(volume.Depth = largest);
  ASK(cuCtxSynchronize());
  CUDA_MEMCPY3D_PEER peer{};
  peer.srcMemoryType = CU_MEMORYTYPE_HOST;
  peer.srcHost = own;
  peer.srcPitch = 16;
  peer.srcHeight = 8;
  peer.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  peer.dstDevice = p;
  peer.dstPitch = 16;
  peer.dstHeight = 8;
  peer.WidthInBytes = 16;
  peer.Height = 8;
  peer.Depth = 8;
  ASK(cuMemcpy3DPeer(&peer));
  peer.srcContext = context;
  ASK(cuMemcpy3DPeer(&peer));
  peer.dstContext = context;
  ASK(cuMemcpy3DPeer(&peer));
  peer.srcContext = nullptr;
  ASK(cuMemcpy3DPeer(&peer));
}

CASE(set_edges) {
  start();
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 1024));
  ASK(cuMemsetD8(p, 1, largest));
  ASK(cuMemsetD16(p, 1, largest));
  ASK(cuMemsetD32(p, 1, size_t{1} << 62));
  ASK(cuMemsetD32(p, 1, (size_t{1} << 62) + 1));
  ASK(cuMemsetD32(p, 1, 256));
  ASK(cuMemsetD32(p, 1, 257));
  ASK(cuMemsetD16(p + 1, 1, 0));
  ASK(cuMemsetD32(1, 1, 0));
  ASK(cuMemsetD8(0, 1, 0));
  ASK(cuMemsetD2D8(p, 32, 1, 64, 1));
  ASK(cuMemsetD2D8(p, 0, 1, 64, 1));
  ASK(cuMemsetD2D8(p, 0, 1, 64, 2));
  ASK(cuMemsetD2D8(p, 32, 1, 64, 0));
  ASK(cuMemsetD2D8(p, 64, 1, 0, 4));
  ASK(cuMemsetD2D8(p, 32, 1, 0, 0));
  ASK(cuMemsetD2D8(p, 65, 1, 64, 4));
  ASK(cuMemsetD2D16(p, 65, 1, 4, 4));
  ASK(cuMemsetD2D16(p, 65, 1, 4, 1));
  ASK(cuMemsetD2D16(p + 1, 64, 1, 4, 1));
  ASK(cuMemsetD2D32(p, 66, 1, 4, 4));
  ASK(cuMemsetD2D32(p, 66, 1, 4, 1));
  ASK(cuMemsetD2D32(p + 2, 64, 1, 4, 0));
  ASK(cuMemsetD2D32(p, 64, 1, size_t{1} << 62, 1));
  ASK(cuMemsetD2D8(p, size_t{1} << 63, 1, 1, 3));
  ASK(cuMemsetD2D8(p, 0x80000000, 1, 1, 1));
  ASK(cuMemsetD2D8(p, size_t{1} << 40, 1, 1, 1));
}

CASE(graphics_resources) {
  start();
  CUgraphicsResource resource = nullptr;
  ASK(cuGraphicsMapResources(0, nullptr, nullptr));
  ASK(cuGraphicsMapResources(0, &resource, nullptr));
  ASK(cuGraphicsMapResources(1, nullptr, nullptr));
  ASK(cuGraphicsMapResources(1, &resource, nullptr));
}

CASE(when_calls_return) {
  start();
  constexpr size_t size = 1 << 20;
  static char own[size], more[size];
  CUdeviceptr p = 0, q = 0, managed = 0;
  void *pinned = nullptr, *pinned_too = nullptr;
  CUstream s = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_DEFAULT));
  PREPARE(cuMemAlloc(&p, size));
  PREPARE(cuMemAlloc(&q, size));
  PREPARE(cuMemAllocHost(&pinned, size));
  PREPARE(cuMemAllocHost(&pinned_too, size));
  PREPARE(cuMemAllocManaged(&managed, size, CU_MEM_ATTACH_GLOBAL));
#define RETURN_OF(expected, call) \
  conformance::ask_when_it_returns(#call, s, conformance::Expected::expected, [&] { return call; })
  RETURN_OF(waits, cuMemcpyHtoD(p, own, 4));
  RETURN_OF(waits, cuMemcpyHtoD(p, own, size));
  RETURN_OF(waits, cuMemcpyHtoD(p, pinned, size));
  RETURN_OF(waits, cuMemcpyDtoH(own, p, 4));
  RETURN_OF(waits, cuMemcpyDtoH(pinned, p, size));
  RETURN_OF(comes_back, cuMemcpyDtoD(q, p, size));
  RETURN_OF(comes_back, cuMemcpy(q, p, size));
  RETURN_OF(waits, cuMemcpy(address(own), address(more), 64));
  RETURN_OF(waits, cuMemcpy(address(pinned), address(pinned_too), 64));
  RETURN_OF(comes_back, cuMemsetD8(p, 1, size));
  RETURN_OF(waits, cuMemsetD8(address(pinned), 1, size));
  RETURN_OF(waits, cuMemsetD8(managed, 1, size));
  RETURN_OF(comes_back, cuMemsetD8Async(address(pinned), 1, size, s));
  RETURN_OF(comes_back, cuMemsetD8Async(managed, 1, size, s));
  RETURN_OF(waits, cuMemcpyAsync(address(pinned), address(pinned_too), size, s));
  RETURN_OF(waits, cuMemcpyAsync(address(own), address(more), size, s));
  RETURN_OF(waits, cuMemcpyAsync(address(own), address(pinned), size, s));
  RETURN_OF(waits, cuMemcpyAsync(address(pinned), address(own), size, s));
  RETURN_OF(comes_back, cuMemcpyAsync(managed, p, size, s));
  RETURN_OF(comes_back, cuMemcpyAsync(p, managed, size, s));
  RETURN_OF(comes_back, cuMemcpyPeer(q, context, p, context, size));
  CUDA_MEMCPY2D copy = plain_2d(p, own);
  RETURN_OF(waits, cuMemcpy2D(&copy));
  RETURN_OF(comes_back, cuMemcpy2DAsync(&copy, s));
  copy.srcHost = pinned;
  RETURN_OF(waits, cuMemcpy2D(&copy));
  RETURN_OF(comes_back, cuMemcpy2DAsync(&copy, s));
  unsigned on = 1;
  PREPARE(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  RETURN_OF(waits, cuMemcpyDtoD(q, p, size));
  RETURN_OF(waits, cuMemsetD8(p, 1, size));
  RETURN_OF(comes_back, cuMemcpyDtoDAsync(q, p, size, s));
  RETURN_OF(comes_back, cuMemsetD8Async(p, 1, size, s));
  RETURN_OF(comes_back, cuMemcpyDtoHAsync(pinned, p, size, s));
  RETURN_OF(waits, cuMemFree(q));
  RETURN_OF(waits, cuMemFreeHost(pinned_too));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
