// SPDX-License-Identifier: Apache-2.0
// Which calls initialize the driver and the primary context, and which do neither.
#include "runtime.hpp"

using namespace conformance;

// Asks one call as the first one of a process. It is named as it is written, with no macro of the
// headers replaced.
#define FIRST(name, call)            \
  CASE(start_##name) {               \
    NOTE("before", contexts());      \
    answer_last(#call, (call));      \
    NOTE("after", contexts());       \
    answer_last(#call, (call));      \
    NOTE("after again", contexts()); \
  }

static int n;
static unsigned u;
static size_t s, t;
static void* p;
static char bytes[64];
static cudaStream_t stream;
static cudaEvent_t event;
static cudaGraph_t graph;
static cudaMemPool_t pool;
static cudaDeviceProp properties;
static cudaFuncAttributes function;
static cudaPointerAttributes pointer;
static cudaArray_t array;
static cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
static cudaFunction_t driver_function;
static cudaKernel_t kernel;
static cudaLibrary_t library;
static cudaDriverEntryPointQueryResult found;
static cudaSharedMemConfig bank;
static cudaFuncCache cache;
static cudaLimit limit = cudaLimitStackSize;
static cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
static cudaStreamCaptureStatus status;
static cudaTextureObject_t texture;

FIRST(get_device, cudaGetDevice(&n))
FIRST(set_device, cudaSetDevice(0))
FIRST(set_device_wrong, cudaSetDevice(99))
FIRST(set_device_negative, cudaSetDevice(-1))
FIRST(init_device, cudaInitDevice(0, 0, 0))
FIRST(init_device_flags, cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid))
FIRST(init_device_wrong, cudaInitDevice(99, 0, 0))
FIRST(get_device_count, cudaGetDeviceCount(&n))
FIRST(get_device_count_null, cudaGetDeviceCount(nullptr))
FIRST(get_device_null, cudaGetDevice(nullptr))
FIRST(free_null, cudaFree(nullptr))
FIRST(free_host_null, cudaFreeHost(nullptr))
FIRST(free_array_null, cudaFreeArray(nullptr))
FIRST(free_wrong, cudaFree(bytes))
FIRST(get_last_error, cudaGetLastError())
FIRST(peek_last_error, cudaPeekAtLastError())
FIRST(device_attribute, cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0))
FIRST(device_properties, cudaGetDeviceProperties(&properties, 0))
FIRST(device_limit, cudaDeviceGetLimit(&s, limit))
FIRST(device_set_limit, cudaDeviceSetLimit(limit, 2048))
FIRST(device_flags, cudaGetDeviceFlags(&u))
FIRST(set_device_flags, cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync))
FIRST(synchronize, cudaDeviceSynchronize())
FIRST(reset, cudaDeviceReset())
FIRST(cache_config, cudaDeviceGetCacheConfig(&cache))
FIRST(set_cache_config, cudaDeviceSetCacheConfig(cudaFuncCachePreferL1))
FIRST(bank, cudaDeviceGetSharedMemConfig(&bank))
FIRST(bus_id, cudaDeviceGetPCIBusId(bytes, 64, 0))
FIRST(by_bus_id, cudaDeviceGetByPCIBusId(&n, "ffff:ff:ff.0"))
FIRST(priorities, cudaDeviceGetStreamPriorityRange(&n, &n))
FIRST(peer, cudaDeviceCanAccessPeer(&n, 0, 0))
FIRST(driver_version, cudaDriverGetVersion(&n))
FIRST(runtime_version, cudaRuntimeGetVersion(&n))
FIRST(mem_get_info, cudaMemGetInfo(&s, &t))
FIRST(malloc_zero, cudaMalloc(&p, 0))
FIRST(malloc_null, cudaMalloc(nullptr, 4))
FIRST(malloc_some, cudaMalloc(&p, 4))
FIRST(malloc_host, cudaMallocHost(&p, 4))
FIRST(malloc_managed, cudaMallocManaged(&p, 4, cudaMemAttachGlobal))
FIRST(malloc_async, cudaMallocAsync(&p, 4, nullptr))
FIRST(malloc_array, cudaMallocArray(&array, &format, 4, 4, 0))
FIRST(memcpy_host, cudaMemcpy(bytes, bytes + 32, 4, cudaMemcpyHostToHost))
FIRST(memcpy_nothing, cudaMemcpy(bytes, bytes + 32, 0, cudaMemcpyHostToDevice))
FIRST(memcpy_wrong_kind, cudaMemcpy(bytes, bytes + 32, 4, cudaMemcpyKind(9)))
FIRST(memset_nothing, cudaMemset(nullptr, 0, 0))
FIRST(pointer_attributes, cudaPointerGetAttributes(&pointer, bytes))
FIRST(pointer_attributes_null, cudaPointerGetAttributes(&pointer, nullptr))
FIRST(stream_create, cudaStreamCreate(&stream))
FIRST(stream_create_null, cudaStreamCreate(nullptr))
FIRST(stream_synchronize, cudaStreamSynchronize(nullptr))
FIRST(stream_query, cudaStreamQuery(nullptr))
FIRST(stream_is_capturing, cudaStreamIsCapturing(nullptr, &status))
FIRST(capture_mode, cudaThreadExchangeStreamCaptureMode(&mode))
FIRST(event_create, cudaEventCreate(&event))
FIRST(event_destroy_null, cudaEventDestroy(nullptr))
FIRST(graph_create, cudaGraphCreate(&graph, 0))
FIRST(default_pool, cudaDeviceGetDefaultMemPool(&pool, 0))
FIRST(pool, cudaDeviceGetMemPool(&pool, 0))
FIRST(function_attributes, cudaFuncGetAttributes(&function, &empty))
FIRST(function_set_attribute,
      cudaFuncSetAttribute(&empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024))
FIRST(occupancy, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &empty, 32, 0))
FIRST(symbol_address, cudaGetSymbolAddress(&p, numbers))
FIRST(symbol_size, cudaGetSymbolSize(&s, numbers))
FIRST(launch_empty, launch(&empty, 1, 1, 0, nullptr))
FIRST(launch_null, launch(nullptr, 1, 1, 0, nullptr))
FIRST(launch_unregistered, launch(unregistered, 1, 1, 0, nullptr))
FIRST(push_configuration, cudaError_t(__cudaPushCallConfiguration(1, 1, 0, nullptr)))
FIRST(func_by_symbol, cudaGetFuncBySymbol(&driver_function, &empty))
FIRST(get_kernel, cudaGetKernel(&kernel, &empty))
FIRST(library_load, cudaLibraryLoadData(&library, kernels_ptx, 0, 0, 0, 0, 0, 0))
FIRST(entry_point, cudaGetDriverEntryPointByVersion("cuMemAlloc", &p, 12000, 0, &found))
FIRST(profiler_start, cudaProfilerStart())
FIRST(profiler_stop, cudaProfilerStop())
FIRST(texture_destroy, cudaDestroyTextureObject(0))
FIRST(texture_create_null, cudaCreateTextureObject(&texture, nullptr, nullptr, nullptr))
FIRST(choose_device, cudaChooseDevice(&n, &properties))
FIRST(host_register_null, cudaHostRegister(nullptr, 4, 0))
FIRST(host_flags, cudaHostGetFlags(&u, bytes))

CASE(start_context_is_primary) {
  PREPARE(cudaFree(nullptr));
  CUcontext current, primary;
  PREPARE(cuCtxGetCurrent(&current));
  PREPARE(cuDevicePrimaryCtxRetain(&primary, 0));
  ASK(current == primary);
  PREPARE(cuCtxSetCurrent(nullptr));
  TRY(cudaGetDevice(&n));
  NOTE("after cudaGetDevice", contexts());
  TRY(cudaMalloc(&p, 4));
  NOTE("after cudaMalloc", contexts());
}

CASE(start_flags_before_and_after) {
  TRY(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  TRY(cudaGetDeviceFlags(&u));
  ASK(u);
  PREPARE(cudaFree(nullptr));
  TRY(cudaGetDeviceFlags(&u));
  ASK(u);
  for (unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u, 3u, 5u, 7u, 9u, 12u}) {
    answer_last(("cudaSetDeviceFlags " + std::to_string(flags)).c_str(), cudaSetDeviceFlags(flags));
    answer_last(("cudaGetDeviceFlags " + std::to_string(flags)).c_str(), cudaGetDeviceFlags(&u));
    ASK(u);
  }
  NOTE("after", contexts());
}

int main(int count, char** names) { return run(count, names); }
