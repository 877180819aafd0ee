// SPDX-License-Identifier: Apache-2.0
// Programs that free or destroy twice, or what is of another kind. Most do not look at what the
// decisive call returns.
#include <cstdlib>

#include "tests/wrong/api/api.hpp"

void frees_memory_twice(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  NEED(cuMemFree(memory));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemFree(memory)));
}

void frees_pinned_memory_twice(Twin twin) {
  const Program program;
  void* memory = nullptr;
  NEED(cuMemAllocHost(&memory, size));
  NEED(cuMemFreeHost(memory));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemFreeHost(memory)));
}

void frees_memory_of_a_pool_twice(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  NEED(cuMemAllocAsync(&memory, size, nullptr));
  NEED(cuMemFreeAsync(memory, nullptr));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemFreeAsync(memory, nullptr)));
}

void frees_in_a_stream_what_is_freed(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  NEED(cuMemFree(memory));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemFreeAsync(memory, nullptr)));
}

void unregisters_twice(Twin twin) {
  const Program program;
  void* const memory = aligned_alloc(size, size);
  NEED(cuMemHostRegister(memory, size, 0));
  NEED(cuMemHostUnregister(memory));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemHostUnregister(memory)));
  free(memory);
}

void unmaps_twice(Twin twin) {
  const Program program;
  Aliases aliases;
  if (twin == Twin::wrong) {
    NEED(cuMemUnmap(aliases.at, 2 * Aliases::granule));
    static_cast<void>(MISTAKE(cuMemUnmap(aliases.at, 2 * Aliases::granule)));
    NEED(cuMemAddressFree(aliases.at, 2 * Aliases::granule));
    NEED(cuMemRelease(aliases.memory));
  } else {
    aliases.end();
  }
}

void destroys_an_array_twice(Twin twin) {
  const Program program;
  const CUDA_ARRAY_DESCRIPTOR descriptor = {16, 16, CU_AD_FORMAT_FLOAT, 1};
  CUarray array = nullptr;
  NEED(cuArrayCreate(&array, &descriptor));
  NEED(cuArrayDestroy(array));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuArrayDestroy(array)));
}

void destroys_a_stream_twice(Twin twin) {
  const Program program;
  const CUstream stream = new_stream();
  NEED(cuStreamDestroy(stream));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuStreamDestroy(stream)));
}

void destroys_an_event_twice(Twin twin) {
  const Program program;
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, 0));
  NEED(cuEventDestroy(event));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuEventDestroy(event)));
}

void destroys_a_context_twice(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuCtxCreate_v4(&context, nullptr, 0, 0));
  NEED(cuCtxDestroy(context));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuCtxDestroy(context)));
}

void unloads_a_module_twice(Twin twin) {
  const Program program;
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module,
                        ".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".visible .entry nothing() { ret; }\n"));
  NEED(cuModuleUnload(module));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuModuleUnload(module)));
}

void releases_physical_memory_twice(Twin twin) {
  const Program program;
  Aliases aliases;
  aliases.end();
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemRelease(aliases.memory)));
}

// --- Of another kind -----------------------------------------------------------------------------

void frees_host_memory_as_device_memory(Twin twin) {
  const Program program;
  void* const memory = malloc(size);
  if (twin == Twin::wrong)
    static_cast<void>(MISTAKE(cuMemFree(reinterpret_cast<CUdeviceptr>(memory))));
  free(memory);
}

void frees_pinned_memory_as_device_memory(Twin twin) {
  const Program program;
  void* memory = nullptr;
  NEED(cuMemAllocHost(&memory, size));
  if (twin == Twin::wrong)
    static_cast<void>(MISTAKE(cuMemFree(reinterpret_cast<CUdeviceptr>(memory))));
  NEED(cuMemFreeHost(memory));
}

void frees_device_memory_as_host_memory(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  if (twin == Twin::wrong)
    static_cast<void>(MISTAKE(cuMemFreeHost(reinterpret_cast<void*>(memory))));
  NEED(cuMemFree(memory));
}

void frees_the_middle_of_memory(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemFree(memory + 256)));
  NEED(cuMemFree(memory));
}

void takes_an_event_for_a_stream(Twin twin) {
  const Program program;
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, 0));
  CUstream stream = new_stream();
  void* const handle = twin == Twin::wrong ? static_cast<void*>(event) : static_cast<void*>(stream);
  static_cast<void>(MISTAKE(cuStreamSynchronize(static_cast<CUstream>(handle))));
  NEED(cuEventDestroy(event));
  NEED(cuStreamDestroy(stream));
}

void takes_memory_for_an_event(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, 0));
  const CUevent taken = twin == Twin::wrong ? reinterpret_cast<CUevent>(memory) : event;
  static_cast<void>(MISTAKE(cuEventRecord(taken, nullptr)));
  NEED(cuEventDestroy(event));
  NEED(cuMemFree(memory));
}

void records_a_destroyed_event(Twin twin) {
  const Program program;
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, 0));
  if (twin == Twin::repaired) NEED(cuEventRecord(event, nullptr));
  NEED(cuEventDestroy(event));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuEventRecord(event, nullptr)));
}

void fills_in_a_destroyed_stream(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  const CUstream stream = new_stream();
  if (twin == Twin::repaired) NEED(cuMemsetD8Async(memory, 0, size, stream));
  NEED(cuStreamSynchronize(stream));
  NEED(cuStreamDestroy(stream));
  if (twin == Twin::wrong) static_cast<void>(MISTAKE(cuMemsetD8Async(memory, 0, size, stream)));
  NEED(cuMemFree(memory));
}
