// SPDX-License-Identifier: Apache-2.0
// Events of a whole context, kernels as functions, access rights, pools of other kinds, and memory
// freed by its exporter.
#include <cudaProfiler.h>

#include <functional>

#include "gate.hpp"
#include "survive.hpp"

namespace {

const char* const code =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n";

CUcontext context;
CUstream s, n, later;
CUevent e, f;
CUdeviceptr p;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&s, 0));
  PREPARE(cuStreamCreate(&n, CU_STREAM_NON_BLOCKING));
  PREPARE(cuEventCreate(&e, 0));
  PREPARE(cuEventCreate(&f, 0));
  PREPARE(cuMemAlloc(&p, 4096));
  PREPARE(cuCtxSynchronize());
}

CASE(context_event_arguments) {
  start();
  CUcontext second = nullptr;
  CUevent foreign = nullptr, shared = nullptr, untimed = nullptr;
  PREPARE(cuCtxCreate(&second, nullptr, 0, 0));
  PREPARE(cuEventCreate(&foreign, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  PREPARE(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  ASK(cuCtxRecordEvent(context, e));
  ASK(cuCtxWaitEvent(context, e));
  ASK(cuCtxRecordEvent(context, untimed));
  ASK(cuCtxRecordEvent(context, shared));
  ASK(cuCtxWaitEvent(context, shared));
  ASK(cuCtxRecordEvent(context, foreign));
  ASK(cuCtxWaitEvent(context, foreign));
  ASK(cuCtxRecordEvent(second, foreign));
  ASK(cuCtxWaitEvent(context, foreign));
  PREPARE(cuEventCreate(&f, 0));
  ASK(cuCtxWaitEvent(context, f));
  ASK(cuEventQuery(f));
  PREPARE(cuCtxSynchronize());
  float ms = -1;
  ASK(cuCtxRecordEvent(context, f));
  ASK(cuEventSynchronize(f));
  ASK(cuEventElapsedTime(&ms, e, f));
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(cuCtxRecordEvent(context, e));
  ASK(cuCtxWaitEvent(context, e));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuCtxDestroy(second));
  ASK(cuCtxRecordEvent(second, e));
  ASK(cuCtxWaitEvent(second, e));
}
CASE(context_event_of_nothing) {
  start();
  SURVIVE(cuCtxRecordEvent(nullptr, e));
  SURVIVE(cuCtxWaitEvent(nullptr, e));
  SURVIVE(cuCtxRecordEvent(context, nullptr));
  SURVIVE(cuCtxWaitEvent(context, nullptr));
}
CASE(context_event_beside_a_capture) {
  start();
  CUgraph graph = nullptr;
  PREPARE(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuCtxRecordEvent(context, e));
  ASK(cuStreamEndCapture(s, &graph));
  PREPARE(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuCtxWaitEvent(context, e));
  ASK(cuStreamEndCapture(s, &graph));
  PREPARE(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  PREPARE(cuEventRecord(f, s));
  ASK(cuCtxWaitEvent(context, f));
  ASK(cuStreamEndCapture(s, &graph));
}
void ask_record(CUstream busy) {
  CUresult recorded, at_once;
  {
    conformance::Gate gate(busy, conformance::Expected::comes_back);
    recorded = cuCtxRecordEvent(context, e);
    at_once = cuEventQuery(e);
  }
  conformance::answer("cuCtxRecordEvent", recorded);
  conformance::answer("cuEventQuery beside the work", at_once);
  ASK(cuEventSynchronize(e));
}
CASE(context_event_of_a_blocking_stream) { start(), ask_record(s); }
CASE(context_event_of_a_non_blocking_stream) { start(), ask_record(n); }
CASE(context_event_of_the_null_stream) { start(), ask_record(nullptr); }
CASE(context_event_of_the_threads_stream) { start(), ask_record(CU_STREAM_PER_THREAD); }

// Asks whether later work of a stream waits for an event that its context was made to wait for.
void ask_wait(bool made_before, unsigned flags, bool null) {
  if (made_before) PREPARE(cuStreamCreate(&later, flags));
  if (null) later = nullptr;
  CUresult waited, idle, filled = CUDA_SUCCESS, busy;
  {
    conformance::Gate gate(n, conformance::Expected::comes_back);
    PREPARE(cuEventRecord(f, n));
    waited = cuCtxWaitEvent(context, f);
    if (!made_before && !null) PREPARE(cuStreamCreate(&later, flags));
    idle = cuStreamQuery(later);
    filled = cuMemsetD8Async(p, 1, 16, later);
    usleep(50'000);
    busy = cuStreamQuery(later);
  }
  conformance::answer("cuCtxWaitEvent", waited);
  conformance::answer("cuStreamQuery of an idle stream", idle);
  conformance::answer("cuMemsetD8Async", filled);
  conformance::answer("cuStreamQuery behind it", busy);
  ASK(cuCtxSynchronize());
}
CASE(context_waits_with_a_stream) { start(), ask_wait(true, 0, false); }
CASE(context_waits_with_a_non_blocking_stream) {
  start(), ask_wait(true, CU_STREAM_NON_BLOCKING, false);
}
CASE(context_waits_with_a_new_stream) { start(), ask_wait(false, 0, false); }
CASE(context_waits_with_a_new_non_blocking_stream) {
  start(), ask_wait(false, CU_STREAM_NON_BLOCKING, false);
}
CASE(context_waits_with_the_null_stream) { start(), ask_wait(false, 0, true); }

CASE(kernels_as_functions) {
  start();
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  PREPARE(cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  PREPARE(cuLibraryGetKernel(&kernel, library, "nothing"));
  const auto k = reinterpret_cast<CUfunction>(kernel);
  const char* name = nullptr;
  size_t size = 0;
  int i = 0;
  CUfunctionLoadingState state{};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  const auto all = [&] {
    ASK(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ASK(cuFuncGetName(&name, k));
    ASK(cuFuncGetModule(&module, k));
    ASK(cuFuncGetParamInfo(k, 0, &size, nullptr));
    ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, k));
    ASK(cuFuncIsLoaded(&state, k));
    ASK(cuFuncLoad(k));
    ASK(cuFuncSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1));
    ASK(cuFuncSetSharedMemConfig(k, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, k, 32, 0));
    ASK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&i, k, 32, 0, 0));
    ASK(cuOccupancyAvailableDynamicSMemPerBlock(&size, k, 1, 32));
    ASK(cuOccupancyMaxActiveClusters(&i, k, &config));
    ASK(cuOccupancyMaxPotentialClusterSize(&i, k, &config));
  };
  all();
  PREPARE(cuKernelGetFunction(&function, kernel));
  all();
  ASK(cuFuncGetName(&name, function));
  ASK(cuKernelGetName(&name, reinterpret_cast<CUkernel>(function)));
}
CASE(kernels_as_old_functions) {
  start();
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  PREPARE(cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  PREPARE(cuLibraryGetKernel(&kernel, library, "nothing"));
  const auto k = reinterpret_cast<CUfunction>(kernel);
  SURVIVE(cuFuncSetBlockShape(k, 1, 1, 1));
  SURVIVE(cuParamSetSize(k, 0));
  SURVIVE(cuLaunch(k));
}

CASE(profiler) {
  start();
  ASK(cuProfilerStop());
  ASK(cuProfilerStart());
  ASK(cuProfilerStart());
  ASK(cuProfilerStop());
  ASK(cuProfilerStop());
}
CASE(profiler_before_init) {
  ASK(cuProfilerStart());
  ASK(cuProfilerStop());
}

CASE(access_of_locations) {
  start();
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr range = 0;
  constexpr size_t size = 2 << 20;
  PREPARE(cuMemCreate(&handle, size, &properties, 0));
  PREPARE(cuMemAddressReserve(&range, size, 0, 0, 0));
  PREPARE(cuMemMap(range, size, 0, handle, 0));
  const auto set = [&](CUmemLocationType type, int id, CUmemAccess_flags flags) {
    CUmemAccessDesc access{};
    access.location.type = type;
    access.location.id = id;
    access.flags = flags;
    return cuMemSetAccess(range, size, &access, 1);
  };
  const auto read_write = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const auto read = CU_MEM_ACCESS_FLAGS_PROT_READ;
  const auto none = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, 0, read_write));
  for (int id : {-2, -1, 1, 2, 7, 99, 1 << 30})
    ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, id, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, 99, read));
  ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, 99, none));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST, 0, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST, 0, read));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST, 0, none));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST_NUMA, 0, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST_NUMA, 99, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_NONE, 0, read_write));
  ASK(set(static_cast<CUmemLocationType>(77), 0, read_write));
  unsigned long long flags = 0;
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  ASK(cuMemGetAccess(&flags, &location, range));
  ASK(flags);
  location.id = 99;
  ASK(cuMemGetAccess(&flags, &location, range));
  location.type = CU_MEM_LOCATION_TYPE_HOST;
  location.id = 0;
  ASK(cuMemGetAccess(&flags, &location, range));
}
CASE(access_of_pools) {
  start();
  CUmemoryPool pool = nullptr;
  PREPARE(cuDeviceGetDefaultMemPool(&pool, 0));
  const auto set = [&](CUmemLocationType type, int id, CUmemAccess_flags flags) {
    CUmemAccessDesc access{};
    access.location.type = type;
    access.location.id = id;
    access.flags = flags;
    return cuMemPoolSetAccess(pool, &access, 1);
  };
  const auto read_write = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const auto none = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, 0, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, 99, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_DEVICE, 99, none));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST, 0, read_write));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST, 0, none));
  ASK(set(CU_MEM_LOCATION_TYPE_HOST_NUMA, 0, read_write));
  CUmemAccess_flags flags{};
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_HOST;
  ASK(cuMemPoolGetAccess(&flags, pool, &location));
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = 99;
  ASK(cuMemPoolGetAccess(&flags, pool, &location));
}

CUresult written_by_the_host(CUdeviceptr address) {
  *reinterpret_cast<volatile char*>(address) = 9;
  return CUDA_SUCCESS;
}

// Describes the memory of a pool.
void ask_pool(CUmemAllocationType type, CUmemLocationType where, int id) {
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties{};
  properties.allocType = type;
  properties.location.type = where;
  properties.location.id = id;
  ASK(cuMemPoolCreate(&pool, &properties));
  if (!pool) return;
  CUdeviceptr q = 0;
  ASK(cuMemAllocFromPoolAsync(&q, 4096, pool, s));
  ASK(cuStreamSynchronize(s));
  if (q) {
    unsigned memory = 0, managed = 0, mapped = 0;
    int ordinal = -9;
    void* host = nullptr;
    CUdeviceptr device = 0, start_of = 0;
    size_t size = 0;
    CUmemoryPool of = nullptr;
    ASK(cuPointerGetAttribute(&memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, q));
    ASK(memory);
    ASK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, q));
    ASK(managed & 1);
    ASK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, q));
    ASK(ordinal);
    ASK(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, q));
    ASK(reinterpret_cast<CUdeviceptr>(host) == q);
    ASK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, q));
    ASK(device == q);
    ASK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, q));
    ASK(mapped & 1);
    ASK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, q));
    ASK(of == pool);
    ASK(cuMemGetAddressRange(&start_of, &size, q));
    ASK(size);
    ASK(cuMemsetD8Async(q, 7, 4096, s));
    ASK(cuStreamSynchronize(s));
    char read[4] = {};
    ASK(cuMemcpyDtoH(read, q, 4));
    ASK(static_cast<int>(read[3]));
    CUmemAccess_flags flags{};
    CUmemLocation location{};
    location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    ASK(cuMemPoolGetAccess(&flags, pool, &location));
    ASK(static_cast<int>(flags));
    location.type = CU_MEM_LOCATION_TYPE_HOST;
    ASK(cuMemPoolGetAccess(&flags, pool, &location));
    ASK(static_cast<int>(flags));
    cuuint64_t reserved = 0, used = 0;
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    ASK(reserved);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    ASK(used);
    // What happens to a host thread that writes to device memory depends on the machine.
    if (type == CU_MEM_ALLOCATION_TYPE_MANAGED || where != CU_MEM_LOCATION_TYPE_DEVICE) {
      SURVIVE(written_by_the_host(q + 5));
      ASK(cuMemcpyDtoH(read, q + 5, 1));
      ASK(static_cast<int>(read[0]));
    }
    ASK(cuMemFreeAsync(q, s));
    ASK(cuStreamSynchronize(s));
  }
  ASK(cuMemPoolDestroy(pool));
}
CASE(pool_of_a_device) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, 0);
}
CASE(pool_of_the_host) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, 0);
}
CASE(pool_of_a_host_node) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0);
}
CASE(pool_of_no_host_node) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 99);
}
CASE(pool_of_the_current_host_node) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0);
}
CASE(pool_of_nowhere) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_NONE, 0);
}
CASE(managed_pool_of_a_device) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE, 0);
}
CASE(managed_pool_of_the_host) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST, 0);
}
CASE(managed_pool_of_a_host_node) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0);
}
CASE(managed_pool_of_nowhere) {
  start(), ask_pool(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE, 0);
}
CASE(default_pools) {
  start();
  const auto ask = [&](CUmemLocationType where, int id, CUmemAllocationType type) {
    CUmemoryPool pool = nullptr;
    CUmemLocation location{};
    location.type = where;
    location.id = id;
    ASK(cuMemGetDefaultMemPool(&pool, &location, type));
    ASK(pool != nullptr);
    pool = nullptr;
    ASK(cuMemGetMemPool(&pool, &location, type));
    ASK(pool != nullptr);
  };
  for (CUmemAllocationType type : {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_MANAGED})
    for (CUmemLocationType where :
         {CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA,
          CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, CU_MEM_LOCATION_TYPE_NONE})
      ask(where, 0, type);
  ask(CU_MEM_LOCATION_TYPE_DEVICE, 99, CU_MEM_ALLOCATION_TYPE_PINNED);
  ask(CU_MEM_LOCATION_TYPE_HOST_NUMA, 99, CU_MEM_ALLOCATION_TYPE_PINNED);
}

// The exporter is a process of its own.
CASE(memory_freed_by_its_exporter) {
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) _exit(3);
  const pid_t exporter = fork();
  if (exporter == 0) {
    start();
    CUipcMemHandle handle;
    char go;
    PREPARE(cuMemsetD8(p, 42, 4096));
    PREPARE(cuCtxSynchronize());
    PREPARE(cuIpcGetMemHandle(&handle, p));
    if (write(from[1], &handle, sizeof handle) != sizeof handle || read(to[0], &go, 1) != 1)
      _exit(3);
    PREPARE(cuMemFree(p));
    if (write(from[1], "x", 1) != 1 || read(to[0], &go, 1) != 1) _exit(3);
    _exit(0);
  }
  CUipcMemHandle handle;
  char go, content[8] = {};
  CUdeviceptr q = 0, r = 0;
  if (read(from[0], &handle, sizeof handle) != sizeof handle) _exit(3);
  start();
  ASK(cuIpcOpenMemHandle(&q, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  ASK(cuMemcpyDtoH(content, q, 8));
  ASK(static_cast<int>(content[7]));
  if (write(to[1], "x", 1) != 1 || read(from[0], &go, 1) != 1) _exit(3);
  content[7] = 0;
  ASK(cuMemcpyDtoH(content, q, 8));
  ASK(static_cast<int>(content[7]));
  ASK(cuIpcOpenMemHandle(&r, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  ASK(cuMemcpyDtoH(content, q, 8));
  ASK(cuIpcCloseMemHandle(q));
  ASK(cuIpcOpenMemHandle(&r, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  if (write(to[1], "x", 1) != 1) _exit(3);
  waitpid(exporter, nullptr, 0);
  ASK(cuIpcOpenMemHandle(&r, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
}

// Asks while another stream has work; covers calls that `implicit` does not.
void ask_waits(const char* question, std::function<CUresult()> call) {
  for (CUstream stream : {s, n})
    conformance::ask_when_it_returns(
        (std::string(question) + (stream == s ? " beside a stream" : " beside a non-blocking one"))
            .c_str(),
        stream, conformance::Expected::waits, call);
}
CASE(more_calls_that_may_wait) {
  start();
  static CUlibrary library[2];
  static CUmipmappedArray mipmapped[2];
  static CUmemoryPool pool[2];
  static CUgraph graph;
  static CUgraphExec exec[2];
  static CUgraphNode node;
  static int turn;
  static CUmodule module;
  static CUfunction nothing;
  static void* host[2];
  static CUdeviceptr managed[2], pitched;
  static size_t pitch;
  static CUstream per = CU_STREAM_PER_THREAD;
  static char pageable[1 << 20];
  PREPARE(cuModuleLoadData(&module, code));
  PREPARE(cuModuleGetFunction(&nothing, module, "nothing"));
  CUDA_ARRAY3D_DESCRIPTOR levels{};
  levels.Width = levels.Height = 16;
  levels.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  levels.NumChannels = 1;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  for (int i = 0; i < 2; ++i) {
    PREPARE(cuMipmappedArrayCreate(&mipmapped[i], &levels, 2));
    PREPARE(cuMemPoolCreate(&pool[i], &properties));
    PREPARE(cuMemHostAlloc(&host[i], 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    PREPARE(cuMemAllocManaged(&managed[i], 4096, CU_MEM_ATTACH_GLOBAL));
  }
  turn = 0;
  ask_waits("cuLibraryLoadData", [] {
    return cuLibraryLoadData(&library[turn++ % 2], code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  });
  ask_waits("cuLibraryUnload", [] { return cuLibraryUnload(library[turn++ % 2]); });
  ask_waits("cuMipmappedArrayDestroy",
            [] { return cuMipmappedArrayDestroy(mipmapped[turn++ % 2]); });
  ask_waits("cuMemPoolTrimTo", [] { return cuMemPoolTrimTo(pool[0], 0); });
  ask_waits("cuMemPoolDestroy", [] { return cuMemPoolDestroy(pool[turn++ % 2]); });
  ask_waits("cuGraphInstantiate", [] { return cuGraphInstantiate(&exec[turn++ % 2], graph, 0); });
  ask_waits("cuGraphExecDestroy", [] { return cuGraphExecDestroy(exec[turn++ % 2]); });
  ask_waits("cuCtxSetLimit, printf", [] {
    return cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, (1 << 20) + turn++ * (1 << 20));
  });
  ask_waits("cuCtxSetLimit, stack",
            [] { return cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048 + 512 * turn++); });
  ask_waits("cuCtxSetLimit, the same stack",
            [] { return cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096); });
  ask_waits("cuCtxSetLimit, L2",
            [] { return cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64); });
  ask_waits("cuModuleGetFunction", [] { return cuModuleGetFunction(&nothing, module, "nothing"); });
  ask_waits("cuMemFree, managed", [] { return cuMemFree(managed[turn++ % 2]); });
  ask_waits("cuMemAllocPitch", [] { return cuMemAllocPitch(&pitched, &pitch, 64, 64, 4); });
  ask_waits("cuMemcpyHtoD, 1 MiB of pageable", [] {
    CUdeviceptr q = 0;
    cuMemAlloc(&q, 1 << 20);
    return cuMemcpyHtoD(q, pageable, 1 << 20);
  });
  ask_waits("cuStreamSynchronize, per thread", [] { return cuStreamSynchronize(per); });
  ask_waits("cuFuncSetCacheConfig",
            [] { return cuFuncSetCacheConfig(nothing, CU_FUNC_CACHE_PREFER_L1); });
  ask_waits("cuProfilerStart", [] { return cuProfilerStart(); });
  ask_waits("cuProfilerStop", [] { return cuProfilerStop(); });
  ask_waits("cuMemGetAddressRange", [] {
    size_t size;
    CUdeviceptr q;
    return cuMemGetAddressRange(&q, &size, p);
  });
  ask_waits("cuDeviceGraphMemTrim", [] { return cuDeviceGraphMemTrim(0); });
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
