// SPDX-License-Identifier: Apache-2.0
// Memory: symbols, pointers of every kind, managed memory, pools, registered memory, limits.
#include <sys/mman.h>

#include "runtime_questions.hpp"

using namespace conformance;

static const size_t largest = size_t(-1);

CASE(rq_symbols) {
  void* at;
  size_t size = 7;
  for (size_t count : {0, 1, 4, 16, 17})
    for (size_t offset : {size_t{0}, size_t{1}, size_t{12}, size_t{15}, size_t{16}, size_t{17},
                          largest, largest - 3}) {
      TOLD(cudaMemcpyToSymbol(numbers, bytes, count, offset, cudaMemcpyHostToDevice), count,
           " to numbers at ", offset);
      TOLD(cudaMemcpyFromSymbol(bytes, numbers, count, offset, cudaMemcpyDeviceToHost), count,
           " from numbers at ", offset);
      TOLD(cudaMemcpyToSymbolAsync(table, bytes, count, offset, cudaMemcpyHostToDevice, nullptr),
           count, " async to table at ", offset);
    }
  for (int kind : {-1, 0, 1, 2, 3, 4, 5}) {
    TOLD(cudaMemcpyToSymbol(numbers, bytes, 4, 0, cudaMemcpyKind(kind)), "to, kind ", kind);
    TOLD(cudaMemcpyToSymbol(numbers, bytes, 0, 0, cudaMemcpyKind(kind)), "nothing to, kind ", kind);
    TOLD(cudaMemcpyToSymbol(unregistered_variable, bytes, 4, 0, cudaMemcpyKind(kind)),
         "to nowhere, kind ", kind);
    TOLD(cudaMemcpyFromSymbol(bytes, numbers, 4, 0, cudaMemcpyKind(kind)), "from, kind ", kind);
    TOLD(cudaMemcpyToSymbolAsync(numbers, bytes, 4, 0, cudaMemcpyKind(kind), nullptr),
         "async to, kind ", kind);
    TOLD(cudaMemcpyFromSymbolAsync(bytes, numbers, 4, 0, cudaMemcpyKind(kind), nullptr),
         "async from, kind ", kind);
  }
  void* d;
  PREPARE(cudaMalloc(&d, 64));
  TRY(cudaMemcpyToSymbol(numbers, d, 16, 0, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpyFromSymbol(d, numbers, 16, 0, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpyFromSymbol(d, numbers, 16, 0, cudaMemcpyDefault));
  TRY(cudaMemcpyToSymbol(numbers, d, 16, 0, cudaMemcpyDefault));
  TRY(cudaMemcpyToSymbol(numbers + 4, bytes, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(numbers, nullptr, 0, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(missing_variable, bytes, 0, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(nullptr, bytes, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(&empty, bytes, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaGetSymbolAddress(&at, numbers));
  TRY(cudaMemcpyToSymbol(at, bytes, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaGetSymbolSize(&size, at));
  ASK(size);
  cudaPointerAttributes a;
  TRY(cudaPointerGetAttributes(&a, at));
  ASK(int(a.type));
  ASK(a.device);
  TRY(cudaFree(at));
  TRY(cudaMemset(at, 1, 16));
  TRY(cudaMemset(at, 1, 17));
  TRY(cudaGetSymbolAddress(&at, table));
  TRY(cudaMemset(at, 1, 32));
  TRY(cudaPointerGetAttributes(&a, at));
  ASK(int(a.type));
  TRY(cudaDeviceSynchronize());
}

static void say_pointer(const char* what, const void* p) {
  cudaPointerAttributes a;
  memset(&a, 0x55, sizeof a);
  try_to_survive(what, [&] { return cudaPointerGetAttributes(&a, p); });
  NOTE("is", text("type ", a.type, ", device ", a.device, ", device pointer ",
                  !a.devicePointer       ? "null"
                  : a.devicePointer == p ? "same"
                                         : "other",
                  ", host pointer ",
                  !a.hostPointer       ? "null"
                  : a.hostPointer == p ? "same"
                                       : "other"));
  int value = -7;
  unsigned long long id = 0;
  for (auto which : {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_MAPPED,
                     CU_POINTER_ATTRIBUTE_SYNC_MEMOPS}) {
    value = -7;
    answer(text(what, ", driver's attribute ", which).c_str(),
           cuPointerGetAttribute(&value, which, CUdeviceptr(p)));
    ASK(value);
  }
  answer(text(what, " has an id").c_str(),
         cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, CUdeviceptr(p)));
}

CASE(rq_pointers) {
  void *p, *h;
  cudaPitchedPtr box;
  size_t pitch;
  PREPARE(cudaMallocPitch(&p, &pitch, 100, 4));
  say_pointer("pitched", p);
  say_pointer("pitched, its end", static_cast<char*>(p) + pitch * 4 - 1);
  PREPARE(cudaMalloc3D(&box, {100, 4, 2}));
  say_pointer("a box", box.ptr);
  for (unsigned flags : {0u, 1u, 2u, 4u, 7u}) {
    PREPARE(cudaHostAlloc(&p, 64, flags));
    say_pointer(text("host memory, flags ", flags).c_str(), p);
    TRY(cudaHostGetDevicePointer(&h, static_cast<char*>(p) + 5, 0));
    ASK(h == static_cast<char*>(p) + 5);
    PREPARE(cudaFreeHost(p));
    say_pointer("freed host memory", p);
  }
  for (unsigned flags : {0u, 1u, 2u, 8u}) {
    p = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TOLD(cudaHostRegister(p, 4096, flags), "registered with ", flags);
    say_pointer(text("registered, flags ", flags).c_str(), p);
    say_pointer("behind it", static_cast<char*>(p) + 4096);
    cudaGetLastError();
    cudaHostUnregister(p);
    cudaGetLastError();
    say_pointer("unregistered", p);
  }
  PREPARE(cudaMallocManaged(&p, 64, cudaMemAttachHost));
  say_pointer("managed for the host", p);
  PREPARE(cudaFree(p));
  say_pointer("freed managed", p);
  PREPARE(cudaMallocAsync(&p, 64, nullptr));
  PREPARE(cudaFreeAsync(p, nullptr));
  PREPARE(cudaDeviceSynchronize());
  say_pointer("freed in a stream", p);
  say_pointer("a code address", reinterpret_cast<void*>(&say_pointer));
  say_pointer("one", reinterpret_cast<void*>(1));
  say_pointer("the last address", reinterpret_cast<void*>(-1));
  PREPARE(cudaGetSymbolAddress(&p, table));
  say_pointer("constant memory", p);
}

CASE(rq_managed_memory) {
  char *p, *d;
  int value;
  cudaStream_t s;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaMallocManaged(reinterpret_cast<void**>(&p), 1 << 20, cudaMemAttachGlobal));
  PREPARE(cudaMalloc(reinterpret_cast<void**>(&d), 4096));
  for (int type = 0; type <= 5; ++type)
    for (int id : {-2, -1, 0, 1}) {
      const cudaMemLocation where = {cudaMemLocationType(type), id};
      TOLD(cudaMemPrefetchAsync(p, 4096, where, 0, s), "prefetch to ", type, " ", id);
      TOLD(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, where), "preferred ", type,
           " ", id);
      TOLD(cudaMemAdvise(p, 4096, cudaMemAdviseSetAccessedBy, where), "accessed by ", type, " ",
           id);
      TOLD(cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, where), "read mostly ", type, " ",
           id);
      for (int which : {1, 2, 3, 4, 5, 6, 7, 8}) {
        value = -77;
        TOLD(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttribute(which), p, 4096), "range's ",
             which);
        if (which != 4 && which != 8 && which != 6) ASK(value);
      }
    }
  PREPARE(cudaStreamSynchronize(s));
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  TRY(cudaMemAdvise(p, 4096, cudaMemAdviseUnsetPreferredLocation, here));
  TRY(cudaMemAdvise(p, 4096, cudaMemAdviseUnsetReadMostly, here));
  TRY(cudaMemAdvise(p, 4096, cudaMemAdviseUnsetAccessedBy, here));
  TRY(cudaMemAdvise(p, 4096, cudaMemoryAdvise(0), here));
  TRY(cudaMemAdvise(p, 4096, cudaMemoryAdvise(99), here));
  TRY(cudaMemAdvise(p + 1, 1, cudaMemAdviseSetReadMostly, here));
  TRY(cudaMemAdvise(p, largest, cudaMemAdviseSetReadMostly, here));
  TRY(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, here));
  TRY(cudaMemAdvise(nullptr, 64, cudaMemAdviseSetReadMostly, here));
  TRY(cudaMemPrefetchAsync(p + 1, 1, here, 0, s));
  TRY(cudaMemPrefetchAsync(d, 64, here, 0, s));
  TRY(cudaMemPrefetchAsync(nullptr, 64, here, 0, s));
  TRY(cudaMemPrefetchAsync(p, 0, here, 0, s));
  TRY(cudaMemPrefetchAsync(p, (1 << 20) + 1, here, 0, s));
  TRY(cudaMemPrefetchAsync(p, 4096, host, 7, s));
  for (size_t room : {0, 1, 2, 4, 8, 12}) {
    int values[4] = {-9, -9, -9, -9};
    TOLD(cudaMemRangeGetAttribute(values, room, cudaMemRangeAttributeAccessedBy, p, 4096),
         "accessed by, room ", room);
    ASK(values[0]);
    ASK(values[1]);
    TOLD(cudaMemRangeGetAttribute(values, room, cudaMemRangeAttributeReadMostly, p, 4096),
         "read mostly, room ", room);
  }
  TRY(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, p, 4096));
  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 0));
  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, d, 64));
  TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, nullptr, 64));
  int first = -9, second = -9;
  void* data[] = {&first, &second};
  size_t sizes[] = {4, 4};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly,
                                   cudaMemRangeAttributePreferredLocation};
  TRY(cudaMemRangeGetAttributes(data, sizes, which, 2, p, 4096));
  ASK(first);
  ASK(second);
  TRY(cudaMemRangeGetAttributes(data, sizes, which, 0, p, 4096));
  TRY(cudaMemRangeGetAttributes(nullptr, sizes, which, 2, p, 4096));
  TRY(cudaMemRangeGetAttributes(data, nullptr, which, 2, p, 4096));
  TRY(cudaDeviceSynchronize());
}

CASE(rq_pools) {
  cudaMemPool_t pool = nullptr, made = nullptr, first = nullptr;
  cudaStream_t s;
  void *p, *q;
  uint64_t value;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaDeviceGetDefaultMemPool(&pool, 0));
  for (int which = 0; which <= 14; ++which) {
    value = 0;
    TOLD(cudaMemPoolGetAttribute(pool, cudaMemPoolAttr(which), &value), "default pool's ", which);
    if (which) ASK(value);
    value = 1;
    if (which != 4)
      TOLD(cudaMemPoolSetAttribute(pool, cudaMemPoolAttr(which), &value), "set ", which, " to 1");
    value = 0;
    TOLD(cudaMemPoolSetAttribute(pool, cudaMemPoolAttr(which), &value), "set ", which, " to 0");
  }
  TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, nullptr));
  TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, nullptr));
  TRY(cudaMallocAsync(&p, 0, s));
  ASK(p == nullptr);
  TRY(cudaMallocAsync(&p, size_t{1} << 50, s));
  TRY(cudaMallocAsync(&p, largest, s));
  TRY(cudaMallocAsync(&p, 100, s));
  value = 0;
  TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  ASK(value);
  TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
  ASK(value);
  TRY(cudaFreeAsync(static_cast<char*>(p) + 4, s));
  TRY(cudaFreeAsync(p, nullptr));
  TRY(cudaFree(p));
  TRY(cudaDeviceSynchronize());
  TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  ASK(value);
  TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  ASK(value);
  TRY(cudaMemPoolTrimTo(pool, 0));
  TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &value));
  ASK(value);
  for (int type : {0, 1, 2, 3, 4})
    for (int location : {0, 1, 2, 3, 4})
      for (int id : {-1, 0, 1})
        for (int handles : {0, 1, 2, 4, 8}) {
          if (handles && (type != 1 || location != 1)) continue;
          cudaMemPoolProps properties = {};
          properties.allocType = cudaMemAllocationType(type);
          properties.location = {cudaMemLocationType(location), id};
          properties.handleTypes = cudaMemAllocationHandleType(handles);
          made = nullptr;
          TOLD(cudaMemPoolCreate(&made, &properties), "pool of type ", type, " at ", location, " ",
               id, ", handles ", handles);
          if (made && !first) first = made;
        }
  TRY(cudaMemPoolCreate(&made, nullptr));
  TRY(cudaMemPoolDestroy(pool));
  if (!first) return;
  TRY(cudaMallocFromPoolAsync(&p, 64, first, s));
  TRY(cudaMallocFromPoolAsync(&q, 0, first, s));
  TRY(cudaMallocFromPoolAsync(nullptr, 64, first, s));
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  TRY(cudaMemPoolSetAccess(first, &access, 1));
  access.flags = cudaMemAccessFlagsProtNone;
  TRY(cudaMemPoolSetAccess(first, &access, 1));
  access.flags = cudaMemAccessFlagsProtRead;
  TRY(cudaMemPoolSetAccess(first, &access, 1));
  access.flags = cudaMemAccessFlags(9);
  TRY(cudaMemPoolSetAccess(first, &access, 1));
  access = {{cudaMemLocationTypeDevice, 9}, cudaMemAccessFlagsProtReadWrite};
  TRY(cudaMemPoolSetAccess(first, &access, 1));
  TRY(cudaMemPoolSetAccess(first, &access, 0));
  TRY(cudaMemPoolSetAccess(first, nullptr, 0));
  TRY(cudaMemPoolSetAccess(first, nullptr, 1));
  cudaMemAccessFlags flags = cudaMemAccessFlags(77);
  cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
  TRY(cudaMemPoolGetAccess(&flags, first, &where));
  ASK(int(flags));
  where.id = 9;
  TRY(cudaMemPoolGetAccess(&flags, first, &where));
  where = {cudaMemLocationTypeHost, 0};
  TRY(cudaMemPoolGetAccess(&flags, first, &where));
  TRY(cudaMemPoolGetAccess(nullptr, first, &where));
  cudaMemPoolPtrExportData data;
  int fd = -1;
  TRY(cudaMemPoolExportPointer(&data, p));
  TRY(cudaMemPoolExportToShareableHandle(&fd, first, cudaMemHandleTypePosixFileDescriptor, 0));
  TRY(cudaMemPoolExportToShareableHandle(&fd, first, cudaMemHandleTypeNone, 0));
  TRY(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  TRY(cudaMemPoolImportFromShareableHandle(&made, reinterpret_cast<void*>(-1L),
                                           cudaMemHandleTypePosixFileDescriptor, 0));
  TRY(cudaMemPoolImportFromShareableHandle(&made, nullptr, cudaMemHandleTypeNone, 0));
  // Destroyed while memory of it is used.
  TRY(cudaDeviceSetMemPool(0, first));
  TRY(cudaMemPoolDestroy(first));
  TRY(cudaDeviceGetMemPool(&made, 0));
  ASK(made == pool);
  TRY(cudaMemset(p, 1, 64));
  TRY(cudaFreeAsync(p, s));
  TRY(cudaStreamSynchronize(s));
}

CASE(rq_host_registration) {
  char* p = static_cast<char*>(
      mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  unsigned flags;
  void *d, *at;
  PREPARE(cudaMalloc(&d, 4096));
  for (unsigned flag : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 32u, 64u}) {
    TOLD(cudaHostRegister(p, 4096, flag), "register ", flag);
    flags = 77;
    TRY(cudaHostGetFlags(&flags, p));
    ASK(flags);
    TRY(cudaHostGetDevicePointer(&at, p, 0));
    TRY(cudaHostUnregister(p));
  }
  TRY(cudaHostRegister(d, 4096, 0));
  TRY(cudaHostRegister(p + 5, 10, 0));
  TRY(cudaHostUnregister(p));
  TRY(cudaHostRegister(p + 20, 10, 0));
  TRY(cudaHostRegister(p + 4096, 4096, 0));
  TRY(cudaHostRegister(p, 3 * 4096, 0));
  TRY(cudaMemcpy(p + 8192, d, 4096, cudaMemcpyDeviceToHost));
  TRY(cudaHostUnregister(p + 6));
  TRY(cudaHostUnregister(p + 5));
  TRY(cudaHostUnregister(p + 4096));
  TRY(cudaHostRegister(p, largest, 0));
  TRY(cudaFreeHost(p));
  munmap(p, 1 << 16);
  TRY(cudaHostRegister(p, 4096, 0));
  const char* constant = "constant";
  TRY(cudaHostRegister(const_cast<char*>(constant), 4, cudaHostRegisterReadOnly));
}
