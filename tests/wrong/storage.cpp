// SPDX-License-Identifier: Apache-2.0
// Storage that OpenGL changes after a registration, or that does not exist.
#include "tests/wrong/misuse.hpp"

namespace {

// Changes a registered object's storage and then maps it. The twin unregisters it before the
// change and, if `is_left`, registers and maps it again afterwards.
template <typename Change, typename Register>
CUresult change_and_map(Program& program, Twin twin, const Register& enrol, const Change& change,
                        bool is_left) {
  CUgraphicsResource resource = enrol();
  CUresult answer = CUDA_SUCCESS;
  if (twin == Twin::wrong) {
    change();
    answer = map(resource, program.stream);
    NEED(cuGraphicsUnregisterResource(resource));
    return answer;
  }
  NEED(cuGraphicsUnregisterResource(resource));
  change();
  if (!is_left) return answer;
  resource = enrol();
  answer = map(resource, program.stream);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// Makes a texture with mutable storage.
GLuint old_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  return texture;
}

}  // namespace

CUresult respecifies_a_registered_buffer(Twin twin) {
  Program program;
  const GLuint buffer = new_buffer(256);
  return change_and_map(
      program, twin, [&] { return register_buffer(buffer, 0); },
      [&] { glNamedBufferData(buffer, 512, nullptr, GL_DYNAMIC_DRAW); }, true);
}

CUresult deletes_a_registered_buffer(Twin twin) {
  Program program;
  const GLuint buffer = new_buffer(256);
  return change_and_map(
      program, twin, [&] { return register_buffer(buffer, 0); },
      [&] { glDeleteBuffers(1, &buffer); }, false);
}

CUresult respecifies_a_registered_texture(Twin twin) {
  Program program;
  const GLuint texture = old_texture();
  return change_and_map(
      program, twin, [&] { return register_texture(texture); },
      [&] {
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
      },
      true);
}

CUresult deletes_a_registered_texture(Twin twin) {
  Program program;
  const GLuint texture = old_texture();
  return change_and_map(
      program, twin, [&] { return register_texture(texture); },
      [&] { glDeleteTextures(1, &texture); }, false);
}

CUresult registers_a_buffer_without_storage(Twin twin) {
  Program program;
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  if (twin == Twin::repaired) glNamedBufferData(buffer, 256, nullptr, GL_DYNAMIC_DRAW);
  CUgraphicsResource resource = nullptr;
  const CUresult answer = cuGraphicsGLRegisterBuffer(&resource, buffer, 0);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// glGenBuffers only makes a name; binding it makes a buffer.
CUresult registers_a_name_without_a_buffer(Twin twin) {
  Program program;
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  if (twin == Twin::repaired) {
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 256, nullptr, GL_DYNAMIC_DRAW);
  }
  CUgraphicsResource resource = nullptr;
  const CUresult answer = cuGraphicsGLRegisterBuffer(&resource, buffer, 0);
  if (answer == CUDA_SUCCESS) NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}
