// SPDX-License-Identifier: Apache-2.0
// Calls that do not match a resource's type, or what was done with it before.
#include "tests/wrong/misuse.hpp"

namespace {

// Returns the result of `ask` while a resource is mapped.
template <typename Ask>
CUresult while_mapped(Program& program, CUgraphicsResource resource, const Ask& ask) {
  NEED(map(resource, program.stream));
  const CUresult answer = ask(resource);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult ask_pointer(CUgraphicsResource resource) {
  CUdeviceptr address;
  return cuGraphicsResourceGetMappedPointer(&address, nullptr, resource);
}
CUresult ask_array(CUgraphicsResource resource, unsigned layer, unsigned level) {
  CUarray array;
  return cuGraphicsSubResourceGetMappedArray(&array, resource, layer, level);
}

}  // namespace

CUresult maps_twice(Twin twin) {
  Program program;
  return while_mapped(program, register_buffer(new_buffer(256), 0), [&](auto resource) {
    return twin == Twin::wrong ? map(resource, program.stream) : CUDA_SUCCESS;
  });
}

CUresult unmaps_twice(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, program.stream));
  CUresult answer = unmap(resource, program.stream);
  if (twin == Twin::wrong) answer = unmap(resource, program.stream);
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult maps_a_list_with_duplicates(Twin twin) {
  Program program;
  const GLuint buffer = new_buffer(256);
  const CUgraphicsResource first = register_buffer(buffer, 0), second = register_buffer(buffer, 0);
  CUgraphicsResource list[] = {first, twin == Twin::wrong ? first : second};
  const CUresult answer = cuGraphicsMapResources(2, list, program.stream);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnmapResources(2, list, program.stream));
  NEED(cuGraphicsUnregisterResource(first));
  NEED(cuGraphicsUnregisterResource(second));
  return answer;
}

CUresult asks_for_the_pointer_of_an_image(Twin twin) {
  Program program;
  return while_mapped(program, register_texture(new_texture()), [twin](auto resource) {
    return twin == Twin::wrong ? ask_pointer(resource) : ask_array(resource, 0, 0);
  });
}

CUresult asks_for_the_array_of_a_buffer(Twin twin) {
  Program program;
  return while_mapped(program, register_buffer(new_buffer(256), 0), [twin](auto resource) {
    return twin == Twin::wrong ? ask_array(resource, 0, 0) : ask_pointer(resource);
  });
}

CUresult asks_before_mapping(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::wrong) answer = ask_pointer(resource);
  NEED(map(resource, program.stream));
  if (twin == Twin::repaired) answer = ask_pointer(resource);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult asks_for_a_layer_that_is_not_there(Twin twin) {
  Program program;
  const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 1, 5);
  return while_mapped(
      program, register_texture(texture, GL_TEXTURE_2D_ARRAY, 0),
      [twin](auto resource) { return ask_array(resource, twin == Twin::wrong ? 5 : 4, 0); });
}

CUresult asks_for_a_level_that_is_not_there(Twin twin) {
  Program program;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 3, 1);
  return while_mapped(program, register_texture(texture), [twin](auto resource) {
    return ask_array(resource, 0, twin == Twin::wrong ? 3 : 2);
  });
}

CUresult registers_with_the_wrong_target(Twin twin) {
  Program program;
  CUgraphicsResource resource = nullptr;
  const CUresult answer =
      cuGraphicsGLRegisterImage(&resource, new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 1, 2),
                                twin == Twin::wrong ? GL_TEXTURE_2D : GL_TEXTURE_2D_ARRAY, 0);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult registers_an_unsupported_format(Twin twin) {
  Program program;
  CUgraphicsResource resource = nullptr;
  const GLenum format = twin == Twin::wrong ? GL_DEPTH_COMPONENT32F : GL_R32F;
  const CUresult answer = cuGraphicsGLRegisterImage(
      &resource, new_texture(GL_TEXTURE_2D, format, 1, 1), GL_TEXTURE_2D, 0);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult writes_past_the_end(Twin twin) {
  Program program;
  return while_mapped(program, register_buffer(new_buffer(256), 0), [twin](auto resource) {
    return cuMemsetD8(pointer_of(resource), 1, twin == Twin::wrong ? 257 : 256);
  });
}

// The memory belongs to OpenGL.
CUresult frees_a_mapped_pointer(Twin twin) {
  Program program;
  return while_mapped(program, register_buffer(new_buffer(256), 0), [twin](auto resource) {
    return twin == Twin::wrong ? cuMemFree(pointer_of(resource)) : CUDA_SUCCESS;
  });
}
