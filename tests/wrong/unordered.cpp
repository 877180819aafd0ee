// SPDX-License-Identifier: Apache-2.0
// Resources that are mapped in one stream and used in another, without an order.
#include "tests/wrong/misuse.hpp"

CUresult maps_a_buffer_for_another_stream(Twin twin) {
  Program program;
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, program.stream));
  if (twin == Twin::repaired) link(program.stream, other);
  const CUresult answer = cuMemsetD8Async(pointer_of(resource), 1, 256, other);
  link(other, program.stream);
  NEED(unmap(resource, program.stream));
  NEED(cuStreamDestroy(other));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult maps_a_texture_for_another_stream(Twin twin) {
  Program program;
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  void* pixels = nullptr;
  NEED(cuMemAllocHost(&pixels, 1024));
  const CUgraphicsResource resource = register_texture(new_texture());
  NEED(map(resource, program.stream));
  if (twin == Twin::repaired) link(program.stream, other);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array_of(resource);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pixels;
  copy.dstPitch = copy.WidthInBytes = 64;
  copy.Height = 16;
  const CUresult answer = cuMemcpy2DAsync(&copy, other);
  link(other, program.stream);
  NEED(unmap(resource, program.stream));
  NEED(cuStreamDestroy(other));
  NEED(cuGraphicsUnregisterResource(resource));
  NEED(cuMemFreeHost(pixels));
  return answer;
}

// Unmapping waits only for the stream that it is given.
CUresult unmaps_without_a_wait(Twin twin) {
  Program program;
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, other));
  const CUresult answer = cuMemsetD8Async(pointer_of(resource), 1, 256, other);
  if (twin == Twin::repaired) {
    link(other, program.stream);
  } else {
    // By luck, the work is over when the resource is unmapped.
    NEED(cuMemFree([] {
      CUdeviceptr memory = 0;
      NEED(cuMemAlloc(&memory, 256));
      return memory;
    }()));
  }
  NEED(unmap(resource, program.stream));
  NEED(cuStreamDestroy(other));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}
