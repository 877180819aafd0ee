// SPDX-License-Identifier: Apache-2.0
// Calls that read, write and replace mapped buffers.
#include "tests/api/driver/interop/gl_watch/misuse.hpp"

namespace {

void use_buffer(bool wrong, void (*use)(GLuint buffer)) {
  const GLuint buffer = new_buffer();
  with_mapped(buffer_resource(buffer), wrong, [&] { use(buffer); });
}

void named(bool wrong) {
  use_buffer(wrong, [](GLuint buffer) {
    int value = 0;
    const GLuint other = new_buffer();
    glNamedBufferSubData(buffer, 0, sizeof value, &value);
    glGetNamedBufferSubData(buffer, 0, sizeof value, &value);
    glCopyNamedBufferSubData(buffer, other, 0, 0, sizeof value);
    glCopyNamedBufferSubData(other, buffer, 0, 0, sizeof value);
    glClearNamedBufferData(buffer, GL_R32F, GL_RED, GL_FLOAT, nullptr);
    glClearNamedBufferSubData(buffer, GL_R32F, 0, 4, GL_RED, GL_FLOAT, nullptr);
    glInvalidateBufferData(buffer);
    glInvalidateBufferSubData(buffer, 0, 4);
  });
}

void bound(bool wrong) {
  use_buffer(wrong, [](GLuint buffer) {
    int value = 0;
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, new_buffer());
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof value, &value);
    glGetBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof value, &value);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, sizeof value);
    glClearBufferData(GL_ARRAY_BUFFER, GL_R32F, GL_RED, GL_FLOAT, nullptr);
    glClearBufferSubData(GL_ARRAY_BUFFER, GL_R32F, 0, 4, GL_RED, GL_FLOAT, nullptr);
  });
}

void mapped_by_both(bool wrong) {
  use_buffer(wrong, [](GLuint buffer) {
    glMapNamedBufferRange(buffer, 0, 4, GL_MAP_READ_BIT);
    glUnmapNamedBuffer(buffer);
  });
}

void packed(bool wrong) {
  use_buffer(wrong, [](GLuint buffer) {
    bind_framebuffer();
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    glReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  });
}

void unpacked(bool wrong) {
  use_buffer(wrong, [](GLuint buffer) {
    glBindTexture(GL_TEXTURE_2D, new_texture());
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  });
}

// Registered twice and mapped once: the mistake is reported once.
void registered_twice(bool wrong) {
  const GLuint buffer = new_buffer();
  const CUgraphicsResource other = buffer_resource(buffer);
  with_mapped(buffer_resource(buffer), wrong, [&] {
    const int value = 0;
    glNamedBufferSubData(buffer, 0, sizeof value, &value);
  });
  CUDA(cuGraphicsUnregisterResource(other));
}

// --- Other storage ---

void replace(bool wrong, bool mapped, void (*use)(GLuint buffer)) {
  const GLuint buffer = new_buffer();
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  CUgraphicsResource resource = buffer_resource(buffer);
  if (mapped) CUDA(cuGraphicsMapResources(1, &resource, nullptr));
  if (wrong) use(buffer);
  // Unmapping a buffer that is gone fails, as it should.
  if (mapped) static_cast<void>(cuGraphicsUnmapResources(1, &resource, nullptr));
  CUDA(cuGraphicsUnregisterResource(resource));
  if (!wrong) use(buffer);
  NEED(glGetError() == GL_NO_ERROR);
}

void new_data(GLuint) { glBufferData(GL_ARRAY_BUFFER, 64, nullptr, GL_STATIC_DRAW); }
void replaced_buffer(bool wrong) { replace(wrong, false, new_data); }
void replaced_mapped_buffer(bool wrong) { replace(wrong, true, new_data); }
void made_immutable_buffer(bool wrong) {
  replace(wrong, false, [](GLuint buffer) { glNamedBufferStorage(buffer, 64, nullptr, 0); });
}
// The name is then given to another buffer, which does not matter.
void deleted_buffer(bool wrong) {
  replace(wrong, false, [](GLuint buffer) {
    glDeleteBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    new_data(buffer);
  });
}

}  // namespace

const std::vector<Case> buffer_cases = {
    {"named_buffer", named},
    {"bound_buffer", bound},
    {"mapped_by_both", mapped_by_both},
    {"packed", packed},
    {"unpacked", unpacked},
    {"registered_twice", registered_twice},
    {"replaced_buffer", replaced_buffer},
    {"replaced_mapped_buffer", replaced_mapped_buffer},
    {"made_immutable_buffer", made_immutable_buffer},
    {"deleted_buffer", deleted_buffer},
};
