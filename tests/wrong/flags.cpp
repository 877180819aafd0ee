// SPDX-License-Identifier: Apache-2.0
// Flags that contradict what CUDA does with a resource.
#include <cmath>

#include "tests/wrong/misuse.hpp"

// "Specifies that CUDA will not write to this resource."
CUresult writes_a_read_only_buffer(Twin twin) {
  Program program;
  const CUgraphicsResource resource =
      register_buffer(new_buffer(256), twin == Twin::wrong ? CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY
                                                           : CU_GRAPHICS_REGISTER_FLAGS_NONE);
  NEED(map(resource, program.stream));
  const CUresult answer = cuMemsetD8(pointer_of(resource), 1, 256);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult writes_a_read_only_buffer_asynchronously(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(cuGraphicsResourceSetMapFlags(resource, twin == Twin::wrong
                                                   ? CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY
                                                   : CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
  const char bytes[256] = {};
  NEED(map(resource, program.stream));
  const CUresult answer = cuMemcpyHtoDAsync(pointer_of(resource), bytes, 256, program.stream);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult writes_a_read_only_texture(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_texture(
      new_texture(), GL_TEXTURE_2D,
      twin == Twin::wrong ? CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY : CU_GRAPHICS_REGISTER_FLAGS_NONE);
  const char pixels[1024] = {};
  NEED(map(resource, program.stream));
  const CUresult answer = copy_to_array(array_of(resource), pixels);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// "CUDA will not read from this resource." If it does, it reads NaNs, so that the program's own
// check of its result fails; on hardware it might pass.
CUresult reads_a_discarded_buffer(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(
      new_buffer(256), twin == Twin::wrong ? CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD
                                           : CU_GRAPHICS_REGISTER_FLAGS_NONE);
  float values[64], sum = 0;
  NEED(map(resource, program.stream));
  NEED(cuMemcpyDtoH(values, pointer_of(resource), sizeof values));
  for (const float value : values) sum += value;
  NEED(cuMemsetD8(pointer_of(resource), 0, 256));
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return sum == 0 ? CUDA_SUCCESS : CUDA_ERROR_ASSERT;
}

CUresult reads_a_discarded_texture(Twin twin) {
  Program program;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_R32F, 1, 1);
  const float black = 0;
  glClearTexImage(texture, 0, GL_RED, GL_FLOAT, &black);
  const CUgraphicsResource resource =
      register_texture(texture, GL_TEXTURE_2D,
                       twin == Twin::wrong ? CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD
                                           : CU_GRAPHICS_REGISTER_FLAGS_NONE);
  float values[256], sum = 0;
  NEED(map(resource, program.stream));
  NEED(copy_from_array(values, array_of(resource)));
  for (const float value : values) sum += value;
  for (float& value : values) value = 0;
  NEED(copy_to_array(array_of(resource), values));
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return sum == 0 ? CUDA_SUCCESS : CUDA_ERROR_ASSERT;
}

CUresult sets_flags_while_mapped(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  const auto set = [resource] {
    return cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY);
  };
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::repaired) answer = set();
  NEED(map(resource, program.stream));
  if (twin == Twin::wrong) answer = set();
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// The flags exclude each other.
CUresult combines_map_flags(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  unsigned flags = CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD;
  if (twin == Twin::wrong) flags |= CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY;
  const CUresult answer = cuGraphicsResourceSetMapFlags(resource, flags);
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// Only images can be used as surfaces.
CUresult registers_a_buffer_for_surfaces(Twin twin) {
  Program program;
  CUgraphicsResource resource = nullptr;
  const CUresult answer =
      cuGraphicsGLRegisterBuffer(&resource, new_buffer(256),
                                 twin == Twin::wrong ? CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST
                                                     : CU_GRAPHICS_REGISTER_FLAGS_NONE);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}
