// SPDX-License-Identifier: Apache-2.0
// Questions, and calls that change only what a thread or the process knows.
#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

void ask_devices(Costs& costs) {
  CUdevice device = 0, other = 0;
  CUcontext context = nullptr;
  char text[256];
  CUuuid uuid;
  size_t size = 0;
  int number = 0, low = 0, high = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  CUmemoryPool pool = nullptr;
  const char* words = nullptr;
  void* address = nullptr;
  NEED(cuCtxGetCurrent(&context));
  costs.repeat(200, .1, [&] {
    costs.timed({"cuInit", ""}, 1, [&] { return cuInit(0); });
    costs.timed({"cuDriverGetVersion", ""}, 1, [&] { return cuDriverGetVersion(&number); });
    costs.timed({"cuDeviceGetCount", ""}, 1, [&] { return cuDeviceGetCount(&number); });
    costs.timed({"cuDeviceGet", ""}, 1, [&] { return cuDeviceGet(&other, 0); });
    costs.timed({"cuDeviceGetName", ""}, 1, [&] { return cuDeviceGetName(text, 256, device); });
    costs.timed({"cuDeviceGetUuid", ""}, 1, [&] { return cuDeviceGetUuid(&uuid, device); });
    costs.timed({"cuDeviceTotalMem", ""}, 1, [&] { return cuDeviceTotalMem(&size, device); });
    costs.timed({"cuDeviceGetAttribute", ""}, 1, [&] {
      return cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    });
    costs.timed({"cuDeviceGetPCIBusId", ""}, 1,
                [&] { return cuDeviceGetPCIBusId(text, 256, device); });
    costs.timed({"cuDeviceGetDefaultMemPool", ""}, 1,
                [&] { return cuDeviceGetDefaultMemPool(&pool, device); });
    costs.timed({"cuDeviceGetMemPool", ""}, 1, [&] { return cuDeviceGetMemPool(&pool, device); });
    costs.timed({"cuDevicePrimaryCtxGetState", ""}, 1,
                [&] { return cuDevicePrimaryCtxGetState(device, &flags, &number); });
    costs.timed({"cuDevicePrimaryCtxRetain", ""}, 1,
                [&] { return cuDevicePrimaryCtxRetain(&context, device); });
    costs.timed({"cuDevicePrimaryCtxRelease", ""}, 1,
                [&] { return cuDevicePrimaryCtxRelease(device); });
    costs.timed({"cuCtxGetCurrent", ""}, 1, [&] { return cuCtxGetCurrent(&context); });
    costs.timed({"cuCtxSetCurrent", ""}, 1, [&] { return cuCtxSetCurrent(context); });
    costs.timed({"cuCtxPushCurrent", ""}, 1, [&] { return cuCtxPushCurrent(context); });
    costs.timed({"cuCtxPopCurrent", ""}, 1, [&] { return cuCtxPopCurrent(&context); });
    costs.timed({"cuCtxGetDevice", ""}, 1, [&] { return cuCtxGetDevice(&other); });
    costs.timed({"cuCtxGetFlags", ""}, 1, [&] { return cuCtxGetFlags(&flags); });
    costs.timed({"cuCtxGetId", ""}, 1, [&] { return cuCtxGetId(context, &id); });
    costs.timed({"cuCtxGetApiVersion", ""}, 1, [&] { return cuCtxGetApiVersion(context, &flags); });
    costs.timed({"cuCtxGetLimit", ""}, 1,
                [&] { return cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE); });
    costs.timed({"cuCtxGetStreamPriorityRange", ""}, 1,
                [&] { return cuCtxGetStreamPriorityRange(&low, &high); });
    costs.timed({"cuGetErrorName", ""}, 1,
                [&] { return cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &words); });
    costs.timed({"cuGetErrorString", ""}, 1,
                [&] { return cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &words); });
    costs.timed({"cuGetProcAddress", ""}, 1, [&] {
      return cuGetProcAddress("cuMemAlloc", &address, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    });
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    costs.timed({"cuThreadExchangeStreamCaptureMode", ""}, 1,
                [&] { return cuThreadExchangeStreamCaptureMode(&mode); });
    cuThreadExchangeStreamCaptureMode(&mode);
  });
  costs.repeat(50, .1, [&] {
    size_t free = 0;
    costs.timed({"cuMemGetInfo", ""}, 1, [&] { return cuMemGetInfo(&free, &size); });
  });
}

void ask_objects(Costs& costs) {
  const Kernels kernels;
  CUstream stream = nullptr;
  CUdeviceptr memory = 0, found = 0;
  void* pinned = nullptr;
  size_t size = 0;
  int number = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  CUcontext context = nullptr;
  CUstreamCaptureStatus status;
  CUfunction function = nullptr;
  CUmemorytype type;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  NEED(cuMemAlloc(&memory, 1 << 20));
  NEED(cuMemAllocHost(&pinned, 1 << 20));
  costs.repeat(200, .1, [&] {
    costs.timed({"cuStreamGetFlags", ""}, 1, [&] { return cuStreamGetFlags(stream, &flags); });
    costs.timed({"cuStreamGetPriority", ""}, 1,
                [&] { return cuStreamGetPriority(stream, &number); });
    costs.timed({"cuStreamGetCtx", ""}, 1, [&] { return cuStreamGetCtx(stream, &context); });
    costs.timed({"cuStreamGetId", ""}, 1, [&] { return cuStreamGetId(stream, &id); });
    costs.timed({"cuStreamIsCapturing", ""}, 1,
                [&] { return cuStreamIsCapturing(stream, &status); });
    costs.timed({"cuPointerGetAttribute", ""}, 1, [&] {
      return cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory);
    });
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void* answers[] = {&type, &number, &flags};
    costs.timed({"cuPointerGetAttributes", ""}, 1,
                [&] { return cuPointerGetAttributes(3, attributes, answers, memory); });
    costs.timed({"cuMemGetAddressRange", ""}, 1,
                [&] { return cuMemGetAddressRange(&found, &size, memory); });
    costs.timed({"cuMemHostGetDevicePointer", ""}, 1,
                [&] { return cuMemHostGetDevicePointer(&found, pinned, 0); });
    costs.timed({"cuMemHostGetFlags", ""}, 1, [&] { return cuMemHostGetFlags(&flags, pinned); });
    costs.timed({"cuModuleGetFunction", ""}, 1,
                [&] { return cuModuleGetFunction(&function, kernels.module, "spin"); });
    costs.timed({"cuFuncGetAttribute", ""}, 1, [&] {
      return cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, kernels.spin);
    });
    costs.timed({"cuFuncSetAttribute", ""}, 1, [&] {
      return cuFuncSetAttribute(kernels.spin, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                1024);
    });
    costs.timed({"cuOccupancyMaxActiveBlocksPerMultiprocessor", ""}, 1, [&] {
      return cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernels.spin, 128, 0);
    });
    int block = 0;
    costs.timed({"cuOccupancyMaxPotentialBlockSize", ""}, 1, [&] {
      return cuOccupancyMaxPotentialBlockSize(&number, &block, kernels.spin, nullptr, 0, 0);
    });
  });
  cuMemFreeHost(pinned);
  cuMemFree(memory);
  cuStreamDestroy(stream);
}

}  // namespace

void measure_questions(Costs& costs) {
  ask_devices(costs);
  ask_objects(costs);
}

}  // namespace cuvette::bench
