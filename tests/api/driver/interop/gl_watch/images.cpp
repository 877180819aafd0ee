// SPDX-License-Identifier: Apache-2.0
// Calls that read, write and replace mapped textures and renderbuffers.
#include "tests/api/driver/interop/gl_watch/misuse.hpp"

namespace {

const std::vector<unsigned char> colours(side* side * 4);

void use_texture(bool wrong, void (*use)(GLuint texture)) {
  const GLuint texture = new_texture();
  glBindTexture(GL_TEXTURE_2D, texture);
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, [&] { use(texture); });
}

// Calls `use` with the texture's framebuffer bound.
void use_rendered(bool wrong, void (*use)(GLuint framebuffer)) {
  const GLuint texture = new_texture();
  set_draw(new_buffer());
  const GLuint framebuffer = new_framebuffer(texture);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glBindTexture(GL_TEXTURE_2D, new_texture());
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, [&] { use(framebuffer); });
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  NEED(static_cast<GLuint>(bound) == framebuffer);
}

void rendered(bool wrong) {
  use_rendered(wrong, [](GLuint) { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

void rendered_renderbuffer(bool wrong) {
  const GLuint renderbuffer = new_renderbuffer();
  set_draw(new_buffer());
  GLuint framebuffer = 0;
  glCreateFramebuffers(1, &framebuffer);
  glNamedFramebufferRenderbuffer(framebuffer, GL_COLOR_ATTACHMENT1, GL_RENDERBUFFER, renderbuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glDrawBuffer(GL_COLOR_ATTACHMENT1);
  with_mapped(image_resource(renderbuffer, GL_RENDERBUFFER), wrong,
              [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

// Attached, but not drawn to.
void not_rendered(bool) {
  use_rendered(true, [](GLuint) {
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDrawBuffer(GL_NONE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDrawBuffer(GL_COLOR_ATTACHMENT0);
    glEnable(GL_RASTERIZER_DISCARD);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_RASTERIZER_DISCARD);
    glClear(GL_DEPTH_BUFFER_BIT);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, new_framebuffer(new_texture()));
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, std::vector<char>(4).data());
  });
}

void cleared(bool wrong) {
  use_rendered(wrong, [](GLuint framebuffer) {
    const float value[4] = {};
    glClear(GL_COLOR_BUFFER_BIT);
    glClearBufferfv(GL_COLOR, 0, value);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClearNamedFramebufferfv(framebuffer, GL_COLOR, 0, value);
    GLint bound = -1;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    NEED(bound == 0);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  });
}

void blitted(bool wrong) {
  use_rendered(wrong, [](GLuint framebuffer) {
    const GLuint other = new_framebuffer(new_texture());
    constexpr GLbitfield bit = GL_COLOR_BUFFER_BIT;
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, other);
    glBlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, bit, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBlitNamedFramebuffer(framebuffer, other, 0, 0, 1, 1, 0, 0, 1, 1, bit, GL_NEAREST);
    glBlitNamedFramebuffer(other, framebuffer, 0, 0, 1, 1, 0, 0, 1, 1, bit, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  });
}

void read_from(bool wrong) {
  use_rendered(wrong, [](GLuint) {
    std::vector<unsigned char> pixels(side * side * 4);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 1, 1);
  });
}

void invalidated(bool wrong) {
  use_rendered(wrong, [](GLuint framebuffer) {
    const GLenum attachment = GL_COLOR_ATTACHMENT0;
    glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, &attachment);
    glInvalidateNamedFramebufferData(framebuffer, 1, &attachment);
  });
}

void read(bool wrong) {
  use_texture(wrong, [](GLuint texture) {
    std::vector<unsigned char> pixels(side * side * 4);
    const auto size = static_cast<GLsizei>(pixels.size());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glGetnTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, size, pixels.data());
    glGetTextureImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, size, pixels.data());
    glGetTextureSubImage(texture, 0, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, size,
                         pixels.data());
  });
}

void written(bool wrong) {
  use_texture(wrong, [](GLuint texture) {
    const unsigned char* const data = colours.data();
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data);
    glTextureSubImage2D(texture, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data);
    glClearTexImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
    glClearTexSubImage(texture, 0, 0, 0, 0, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data);
    glGenerateMipmap(GL_TEXTURE_2D);
    glGenerateTextureMipmap(texture);
    glCopyImageSubData(new_texture(), GL_TEXTURE_2D, 0, 0, 0, 0, texture, GL_TEXTURE_2D, 0, 0, 0, 0,
                       1, 1, 1);
    glInvalidateTexImage(texture, 0);
  });
}

void written_face(bool wrong) {
  const GLuint texture = new_texture(GL_TEXTURE_CUBE_MAP);
  glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
  with_mapped(image_resource(texture, GL_TEXTURE_CUBE_MAP), wrong, [] {
    glTexSubImage2D(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                    colours.data());
  });
}

// Another texture is bound, another unit is active, or it is a proxy: nothing touches the mapped
// texture.
void other_texture(bool) {
  use_texture(true, [](GLuint) {
    glTexImage2D(GL_PROXY_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, new_texture());
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, colours.data());
    GLint unit = 0;
    glGetIntegerv(GL_ACTIVE_TEXTURE, &unit);
    NEED(unit == GL_TEXTURE1);
  });
}

// --- Other storage ---

// The wrong way is to replace the storage while the image is registered.
void replace(GLuint image, GLenum target, bool wrong, bool mapped, void (*use)(GLuint image)) {
  CUgraphicsResource resource = image_resource(image, target);
  if (mapped) CUDA(cuGraphicsMapResources(1, &resource, nullptr));
  if (wrong) use(image);
  // Unmapping an image that is gone fails, as it should.
  if (mapped) static_cast<void>(cuGraphicsUnmapResources(1, &resource, nullptr));
  CUDA(cuGraphicsUnregisterResource(resource));
  if (!wrong) use(image);
  NEED(glGetError() == GL_NO_ERROR);
}

void new_image(GLuint texture) {
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
}

void replaced(bool wrong) {
  replace(new_mutable_texture(), GL_TEXTURE_2D, wrong, false, new_image);
}
void replaced_mapped(bool wrong) {
  replace(new_mutable_texture(), GL_TEXTURE_2D, wrong, true, new_image);
}
void made_immutable(bool wrong) {
  replace(new_mutable_texture(), GL_TEXTURE_2D, wrong, false,
          [](GLuint texture) { glTextureStorage2D(texture, 1, GL_RGBA8, side, side); });
}
void replaced_renderbuffer(bool wrong) {
  replace(new_renderbuffer(), GL_RENDERBUFFER, wrong, false, [](GLuint renderbuffer) {
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 8, 8);
  });
}
void deleted_renderbuffer(bool wrong) {
  replace(new_renderbuffer(), GL_RENDERBUFFER, wrong, false,
          [](GLuint renderbuffer) { glDeleteRenderbuffers(1, &renderbuffer); });
}
// The name is then given to another texture, which does not matter.
void deleted(bool wrong) {
  replace(new_mutable_texture(), GL_TEXTURE_2D, wrong, false, [](GLuint texture) {
    const GLuint names[] = {new_texture(), texture};
    glDeleteTextures(2, names);
    new_image(texture);
  });
}

// OpenGL refuses to replace it and sets its error.
void immutable(bool) {
  const GLuint texture = new_texture();
  CUgraphicsResource resource = image_resource(texture, GL_TEXTURE_2D);
  new_image(texture);
  NEED(glGetError() == GL_INVALID_OPERATION);
  CUDA(cuGraphicsUnregisterResource(resource));
}

}  // namespace

const std::vector<Case> image_cases = {
    {"rendered", rendered},
    {"rendered_renderbuffer", rendered_renderbuffer},
    {"not_rendered", not_rendered},
    {"cleared", cleared},
    {"blitted", blitted},
    {"read_from", read_from},
    {"invalidated", invalidated},
    {"read", read},
    {"written", written},
    {"written_face", written_face},
    {"other_texture", other_texture},
    {"replaced", replaced},
    {"replaced_mapped", replaced_mapped},
    {"made_immutable", made_immutable},
    {"replaced_renderbuffer", replaced_renderbuffer},
    {"deleted_renderbuffer", deleted_renderbuffer},
    {"deleted", deleted},
    {"immutable", immutable},
};
