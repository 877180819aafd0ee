// SPDX-License-Identifier: Apache-2.0
// What can be asked about an address, however its memory was made: attributes, virtual memory
// management, and pools.
#include "scene.hpp"

static void attrs(const char* what, CUdeviceptr p) {
  char l[160];
  unsigned u;
  CUdeviceptr dp;
  void* hp;
  size_t sz;
  unsigned long long id;
  CUcontext c;
  int i;
#define A(ATTR, VAR, SHOW)                                                    \
  do {                                                                        \
    CUresult r = cuPointerGetAttribute(&VAR, CU_POINTER_ATTRIBUTE_##ATTR, p); \
    snprintf(l, sizeof l, "%s %s", what, #ATTR);                              \
    conformance::answer(l, r);                                                \
    if (!r) {                                                                 \
      snprintf(l, sizeof l, "%s %s value", what, #ATTR);                      \
      conformance::answer(l, SHOW);                                           \
    }                                                                         \
  } while (0)
  A(CONTEXT, c, c == ctx);
  A(MEMORY_TYPE, u, (int)u);
  A(DEVICE_POINTER, dp, dp == p);
  A(HOST_POINTER, hp, hp == (void*)p);
  A(SYNC_MEMOPS, u, (int)(u & 1));
  u = 0;
  A(IS_MANAGED, u, (int)(u & 1));
  A(DEVICE_ORDINAL, i, i);
  u = 0;
  A(IS_LEGACY_CUDA_IPC_CAPABLE, u, (int)(u & 1));
  A(RANGE_START_ADDR, dp, dp == p);
  A(RANGE_SIZE, sz, sz);
  u = 0;
  A(MAPPED, u, (int)(u & 1));
  id = 0;
  A(ALLOWED_HANDLE_TYPES, id, (long long)id);
  u = 0;
  A(ACCESS_FLAGS, u, (int)u);
#undef A
}

CASE(pointer_attributes) {
  scene();
  CUdeviceptr p;
  void* h;
  static char own[64];
  PREPARE(cuMemAlloc(&p, 1000));
  attrs("device", p);
  attrs("inside", p + 8);
  attrs("past", p + 1000);
  PREPARE(cuMemAllocHost(&h, 1000));
  attrs("pinned", (CUdeviceptr)h);
  PREPARE(cuMemAllocManaged(&p, 1000, CU_MEM_ATTACH_GLOBAL));
  attrs("managed", p);
  attrs("own", (CUdeviceptr)own);
  attrs("null", 0);
  unsigned t = 99;
  CUdeviceptr d = 99;
  void* data[2] = {&t, &d};
  CUpointer_attribute at[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  ASK(cuPointerGetAttributes(2, at, data, (CUdeviceptr)own));
  ASK((int)t);
  ASK((long long)d);
  ASK(cuPointerGetAttributes(0, at, data, (CUdeviceptr)own));
  ASK(cuPointerGetAttribute(&t, (CUpointer_attribute)999, p));
}

CASE(vmm) {
  scene();
  CUmemAllocationProp pr;
  memset(&pr, 0, sizeof pr);
  pr.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  pr.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  pr.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t g, gr;
  ASK(cuMemGetAllocationGranularity(&g, &pr, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  ASK(g);
  ASK(cuMemGetAllocationGranularity(&gr, &pr, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  ASK(gr);
  CUmemGenericAllocationHandle h, k;
  ASK(cuMemCreate(&h, g / 2, &pr, 0));
  ASK(cuMemCreate(&h, g * 2, &pr, 1));
  ASK(cuMemCreate(&h, g * 2, &pr, 0));
  CUdeviceptr va, vb;
  ASK(cuMemAddressReserve(&va, g / 2, 0, 0, 0));
  ASK(cuMemAddressReserve(&va, 4 * g, 0, 0, 0));
  ASK((long long)(va % g));
  ASK(cuMemMap(va + 1, g, 0, h, 0));
  ASK(cuMemMap(va, 4 * g, 0, h, 0));
  ASK(cuMemMap(va, g, g, h, 0));
  ASK(cuMemMap(va, 2 * g, 0, h, 0));
  ASK(cuMemMap(va, 2 * g, 0, h, 1));
  ASK(cuMemMap(va, 2 * g, 0, h, 0));
  CUmemAccessDesc ac;
  ac.location = pr.location;
  ac.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  ASK(cuMemsetD8(va, 1, 16));
  ASK(cuMemSetAccess(va, 4 * g, &ac, 1));
  ASK(cuMemSetAccess(va, 2 * g, &ac, 1));
  ASK(cuMemsetD32(va, 0x01020304, 16));
  ASK(cuMemAddressReserve(&vb, 2 * g, 0, 0, 0));
  ASK(cuMemMap(vb, 2 * g, 0, h, 0));
  ASK(cuMemSetAccess(vb, 2 * g, &ac, 1));
  unsigned v = 0;
  ASK(cuMemcpyDtoH(&v, vb, 4));
  ASK((int)(v == 0x01020304));
  unsigned long long fl;
  ASK(cuMemGetAccess(&fl, &ac.location, vb));
  ASK(fl);
  int fd = -1;
  ASK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  ASK(fd >= 0);
  ASK(cuMemImportFromShareableHandle(&k, (void*)(long)fd,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  ASK(k == h);
  ASK(cuMemImportFromShareableHandle(&k, (void*)(long)-1,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUmemGenericAllocationHandle r;
  ASK(cuMemRetainAllocationHandle(&r, (void*)va));
  ASK(r == h);
  ASK(cuMemRelease(r));
  ASK(cuMemRelease(h));
  ASK(cuMemcpyDtoH(&v, va, 4));
  ASK(cuMemAddressFree(va, 4 * g));
  ASK(cuMemUnmap(va, g));
  ASK(cuMemUnmap(va, 2 * g));
  ASK(cuMemcpyDtoH(&v, va, 4));
  ASK(cuMemAddressFree(va, 2 * g));
  ASK(cuMemAddressFree(va, 4 * g));
  ASK(cuMemcpyDtoH(&v, vb, 4));
  CUdeviceptr b;
  size_t s;
  ASK(cuMemGetAddressRange(&b, &s, vb));
  ASK(s);
  attrs("vmm", vb);
  ASK(cuMemFree(vb));
  ASK(cuMemUnmap(vb, 2 * g));
  ASK(cuMemAddressFree(vb, 2 * g));
  ASK(cuMemRelease(0));
}

CASE(mempool) {
  scene();
  CUmemoryPool pool, def;
  CUstream s;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  ASK(cuDeviceGetDefaultMemPool(&def, 0));
  ASK(cuDeviceGetMemPool(&pool, 0));
  ASK(pool == def);
  CUdeviceptr p, q;
  ASK(cuMemAllocAsync(&p, 0, s));
  ASK(cuMemAllocAsync(&p, 1000, s));
  ASK(cuMemsetD8Async(p, 1, 1000, s));
  ASK(cuMemFreeAsync(p, s));
  ASK(cuMemAllocAsync(&q, 1000, s));
  ASK(p == q);
  ASK(cuMemFreeAsync(q + 1, s));
  ASK(cuMemFree(q));
  ASK(cuMemFree(q));
  ASK(cuMemFreeAsync(q, s));
  ASK(cuMemFreeAsync(0, s));
  cuuint64_t u;
  ASK(cuMemPoolGetAttribute(def, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &u));
  ASK(u);
  ASK(cuStreamSynchronize(s));
  ASK(cuMemPoolGetAttribute(def, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &u));
  ASK(u);
  ASK(cuMemPoolGetAttribute(def, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &u));
  ASK(u);
  ASK(cuMemPoolDestroy(def));
  CUmemPoolProps pp;
  memset(&pp, 0, sizeof pp);
  pp.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  pp.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  ASK(cuMemPoolCreate(&pool, &pp));
  ASK(cuMemAllocFromPoolAsync(&p, 1000, pool, s));
  attrs("pool", p);
  ASK(cuMemPoolDestroy(pool));
  ASK(cuMemFreeAsync(p, s));
  pp.location.type = CU_MEM_LOCATION_TYPE_INVALID;
  ASK(cuMemPoolCreate(&pool, &pp));
  CUdeviceptr r;
  ASK(cuMemAlloc(&r, 64));
  ASK(cuMemFreeAsync(r, s));
  ASK(cuStreamSynchronize(s));
  ASK(cuMemFree(r));
}
