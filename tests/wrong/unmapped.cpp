// SPDX-License-Identifier: Apache-2.0
// CUDA uses resources that it has unmapped: "Once unmapped, the resources may not be accessed by
// CUDA until they are mapped again."
#include "tests/wrong/misuse.hpp"

namespace {

// Maps a buffer, unmaps it, and calls `use` with its pointer before or after that.
template <typename Use>
CUresult use_pointer(Twin twin, const Use& use) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, program.stream));
  const CUdeviceptr pointer = pointer_of(resource);
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::repaired) answer = use(program, pointer);
  NEED(unmap(resource, program.stream));
  if (twin == Twin::wrong) answer = use(program, pointer);
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

}  // namespace

CUresult reads_a_pointer_after_unmap(Twin twin) {
  return use_pointer(twin, [](Program&, CUdeviceptr pointer) {
    char bytes[16];
    return cuMemcpyDtoH(bytes, pointer, 16);
  });
}

CUresult writes_a_pointer_after_unmap(Twin twin) {
  return use_pointer(twin,
                     [](Program&, CUdeviceptr pointer) { return cuMemsetD8(pointer + 16, 1, 16); });
}

CUresult copies_asynchronously_after_unmap(Twin twin) {
  return use_pointer(twin, [](Program& program, CUdeviceptr pointer) {
    CUdeviceptr own = 0;
    NEED(cuMemAlloc(&own, 256));
    const CUresult answer = cuMemcpyDtoDAsync(pointer, own, 256, program.stream);
    NEED(cuStreamSynchronize(program.stream));
    NEED(cuMemFree(own));
    return answer;
  });
}

CUresult copies_to_an_array_after_unmap(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_texture(new_texture());
  NEED(map(resource, program.stream));
  const CUarray array = array_of(resource);
  const char pixels[1024] = {};
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::repaired) answer = copy_to_array(array, pixels);
  NEED(unmap(resource, program.stream));
  if (twin == Twin::wrong) answer = copy_to_array(array, pixels);
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// The program gets the array only once and keeps it.
CUresult maps_once_and_copies_each_frame(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_texture(new_texture());
  NEED(map(resource, program.stream));
  const CUarray first = array_of(resource);
  NEED(unmap(resource, program.stream));
  CUresult answer = CUDA_SUCCESS;
  for (int frame = 0; frame < 3; ++frame) {
    const char pixels[1024] = {};
    if (twin == Twin::repaired) {
      NEED(map(resource, program.stream));
      answer = copy_to_array(array_of(resource), pixels);
      NEED(unmap(resource, program.stream));
    } else {
      answer = copy_to_array(first, pixels);
    }
  }
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult reads_a_pointer_after_unregister(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, program.stream));
  const CUdeviceptr pointer = pointer_of(resource);
  char bytes[16];
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::repaired) answer = cuMemcpyDtoH(bytes, pointer, 16);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  if (twin == Twin::wrong) answer = cuMemcpyDtoH(bytes, pointer, 16);
  return answer;
}
