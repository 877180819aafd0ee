// SPDX-License-Identifier: Apache-2.0
// Which formats of textures and renderbuffers can be registered, and what their arrays contain.
#include "graphics.hpp"

namespace {

using graphics::name;

struct Format {
  const char* name;
  GLenum format;
};

// Multiples of 17 (1/15 of 255), which four bits can hold, and below 128.
constexpr unsigned char red = 51, green = 102, blue = 17, alpha = 34;

size_t bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 0;
  }
}

// Whether the format has no fourth channel; what is stored in its place does not matter.
bool has_three_channels(GLenum target) {
  GLint alpha = 0, blue = 0;
  if (target == GL_RENDERBUFFER) {
    glGetRenderbufferParameteriv(target, GL_RENDERBUFFER_ALPHA_SIZE, &alpha);
    glGetRenderbufferParameteriv(target, GL_RENDERBUFFER_BLUE_SIZE, &blue);
  } else {
    glGetTexLevelParameteriv(target, 0, GL_TEXTURE_ALPHA_SIZE, &alpha);
    glGetTexLevelParameteriv(target, 0, GL_TEXTURE_BLUE_SIZE, &blue);
  }
  return blue != 0 && alpha == 0;
}

// The descriptor and the first texel of a mapped resource's array.
std::string content(CUgraphicsResource resource, GLenum target) {
  CUarray array = nullptr;
  CUresult result = cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0);
  if (result != CUDA_SUCCESS) return "array: " + name(result);
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  result = cuArray3DGetDescriptor(&descriptor, array);
  if (result != CUDA_SUCCESS) return "descriptor: " + name(result);
  const size_t texel =
      bytes_of(descriptor.Format) * (has_three_channels(target) ? 3 : descriptor.NumChannels);
  std::string answer = graphics::text(descriptor);
  if (texel != 0) answer += ", holds " + graphics::bytes_of(array, texel);
  return answer;
}

std::string registration(GLuint texture, GLenum target, unsigned flags) {
  CUgraphicsResource resource = nullptr;
  CUresult result = cuGraphicsGLRegisterImage(&resource, texture, target, flags);
  if (result != CUDA_SUCCESS) return name(result);
  std::string answer = name(result) + " ";
  result = cuGraphicsMapResources(1, &resource, nullptr);
  answer += result == CUDA_SUCCESS ? content(resource, target) : "map: " + name(result);
  if (result == CUDA_SUCCESS) PREPARE(cuGraphicsUnmapResources(1, &resource, nullptr));
  PREPARE(cuGraphicsUnregisterResource(resource));
  return answer;
}

void ask_about(const char* question, GLuint texture, GLenum target, unsigned flags) {
  char text[40];
  if (const GLenum error = glGetError()) {
    snprintf(text, sizeof text, "OpenGL refuses with 0x%x", error);
    return conformance::say(question, text);
  }
  graphics::say(question, registration(texture, target, flags));
  if (const GLenum error = glGetError()) {
    snprintf(text, sizeof text, "0x%x", error);
    conformance::say("OpenGL's error afterwards", text);
  }
}

std::vector<unsigned char> texels(std::vector<unsigned char> one) {
  std::vector<unsigned char> all;
  for (int i = 0; i < 16 * 8; ++i) all.insert(all.end(), one.begin(), one.end());
  return all;
}

void ask_stored(std::vector<Format> formats, GLenum order) {
  const auto data = texels({red, green, blue, alpha});
  for (const Format& one : formats) {
    const GLuint texture = graphics::new_texture(GL_TEXTURE_2D, one.format, 1, 16, 8, 1);
    if (order) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 8, order, GL_UNSIGNED_BYTE, data.data());
    ask_about(one.name, texture, GL_TEXTURE_2D, 0);
  }
}

// Asks about textures with mutable storage of a single level.
void ask_specified(std::vector<Format> formats, GLenum order, GLenum type) {
  const auto data = texels({red, green, blue, alpha});
  for (const Format& one : formats) {
    const GLuint texture = graphics::new_texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(one.format), 16, 8, 0, order, type,
                 data.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    ask_about(one.name, texture, GL_TEXTURE_2D, 0);
  }
}

#define FORMAT(name) \
  { #name, name }

CASE(formats_normalised) {
  graphics::start();
  ask_stored({FORMAT(GL_R8), FORMAT(GL_RG8), FORMAT(GL_RGBA8), FORMAT(GL_R16), FORMAT(GL_RG16),
              FORMAT(GL_RGBA16)},
             GL_RGBA);
}
CASE(formats_float) {
  graphics::start();
  ask_stored({FORMAT(GL_R16F), FORMAT(GL_RG16F), FORMAT(GL_RGBA16F), FORMAT(GL_R32F),
              FORMAT(GL_RG32F), FORMAT(GL_RGBA32F)},
             GL_RGBA);
}
CASE(formats_unsigned) {
  graphics::start();
  ask_stored(
      {FORMAT(GL_R8UI), FORMAT(GL_RG8UI), FORMAT(GL_RGBA8UI), FORMAT(GL_R16UI), FORMAT(GL_RG16UI),
       FORMAT(GL_RGBA16UI), FORMAT(GL_R32UI), FORMAT(GL_RG32UI), FORMAT(GL_RGBA32UI)},
      GL_RGBA_INTEGER);
}
CASE(formats_signed) {
  graphics::start();
  ask_stored({FORMAT(GL_R8I), FORMAT(GL_RG8I), FORMAT(GL_RGBA8I), FORMAT(GL_R16I), FORMAT(GL_RG16I),
              FORMAT(GL_RGBA16I), FORMAT(GL_R32I), FORMAT(GL_RG32I), FORMAT(GL_RGBA32I)},
             GL_RGBA_INTEGER);
}
CASE(formats_signed_normalised) {
  graphics::start();
  ask_stored({FORMAT(GL_R8_SNORM), FORMAT(GL_RG8_SNORM), FORMAT(GL_RGB8_SNORM),
              FORMAT(GL_RGBA8_SNORM), FORMAT(GL_R16_SNORM), FORMAT(GL_RG16_SNORM),
              FORMAT(GL_RGB16_SNORM), FORMAT(GL_RGBA16_SNORM)},
             GL_RGBA);
}
CASE(formats_three_channels) {
  graphics::start();
  ask_stored(
      {FORMAT(GL_RGB8), FORMAT(GL_RGB16), FORMAT(GL_RGB16F), FORMAT(GL_RGB32F), FORMAT(GL_SRGB8),
       FORMAT(GL_SRGB8_ALPHA8), FORMAT(GL_RGB9_E5), FORMAT(GL_R11F_G11F_B10F)},
      GL_RGBA);
  ask_stored({FORMAT(GL_RGB8UI), FORMAT(GL_RGB16UI), FORMAT(GL_RGB32UI), FORMAT(GL_RGB8I),
              FORMAT(GL_RGB16I), FORMAT(GL_RGB32I), FORMAT(GL_RGB10_A2UI)},
             GL_RGBA_INTEGER);
}
CASE(formats_packed) {
  graphics::start();
  ask_stored({FORMAT(GL_R3_G3_B2), FORMAT(GL_RGB4), FORMAT(GL_RGB5), FORMAT(GL_RGB565),
              FORMAT(GL_RGB10), FORMAT(GL_RGB12), FORMAT(GL_RGBA2), FORMAT(GL_RGBA4),
              FORMAT(GL_RGB5_A1), FORMAT(GL_RGB10_A2), FORMAT(GL_RGBA12)},
             GL_RGBA);
}
CASE(formats_depth) {
  graphics::start();
  ask_stored({FORMAT(GL_DEPTH_COMPONENT16), FORMAT(GL_DEPTH_COMPONENT24),
              FORMAT(GL_DEPTH_COMPONENT32), FORMAT(GL_DEPTH_COMPONENT32F),
              FORMAT(GL_DEPTH24_STENCIL8), FORMAT(GL_DEPTH32F_STENCIL8), FORMAT(GL_STENCIL_INDEX8)},
             0);
}
CASE(formats_compressed) {
  graphics::start();
  ask_stored(
      {FORMAT(GL_COMPRESSED_RGB_S3TC_DXT1_EXT), FORMAT(GL_COMPRESSED_RGBA_S3TC_DXT1_EXT),
       FORMAT(GL_COMPRESSED_RGBA_S3TC_DXT3_EXT), FORMAT(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT),
       FORMAT(GL_COMPRESSED_SRGB_S3TC_DXT1_EXT), FORMAT(GL_COMPRESSED_RED_RGTC1),
       FORMAT(GL_COMPRESSED_SIGNED_RED_RGTC1), FORMAT(GL_COMPRESSED_RG_RGTC2),
       FORMAT(GL_COMPRESSED_RGBA_BPTC_UNORM), FORMAT(GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM),
       FORMAT(GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT), FORMAT(GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT)},
      0);
}

CASE(formats_without_a_size) {
  graphics::need("no OpenGL context", graphics::start_gl(false));
  graphics::start_cuda();
  ask_specified({FORMAT(1), FORMAT(2), FORMAT(3), FORMAT(4), FORMAT(GL_RED), FORMAT(GL_RG),
                 FORMAT(GL_RGB), FORMAT(GL_RGBA), FORMAT(GL_LUMINANCE), FORMAT(GL_ALPHA),
                 FORMAT(GL_LUMINANCE_ALPHA), FORMAT(GL_INTENSITY), FORMAT(GL_SRGB),
                 FORMAT(GL_SRGB_ALPHA), FORMAT(GL_SLUMINANCE), FORMAT(GL_COMPRESSED_RGBA)},
                GL_RGBA, GL_UNSIGNED_BYTE);
}
CASE(formats_specified) {
  graphics::need("no OpenGL context", graphics::start_gl(false));
  graphics::start_cuda();
  ask_specified({FORMAT(GL_R8), FORMAT(GL_RG8), FORMAT(GL_RGB8), FORMAT(GL_RGBA8), FORMAT(GL_R16),
                 FORMAT(GL_RGBA16), FORMAT(GL_R32F), FORMAT(GL_RGBA32F), FORMAT(GL_RGB4),
                 FORMAT(GL_RGB5), FORMAT(GL_RGB5_A1), FORMAT(GL_R3_G3_B2)},
                GL_RGBA, GL_UNSIGNED_BYTE);
}
CASE(formats_legacy_normalised) {
  graphics::need("no OpenGL context", graphics::start_gl(false));
  graphics::start_cuda();
  ask_specified({FORMAT(GL_LUMINANCE4),
                 FORMAT(GL_LUMINANCE8),
                 FORMAT(GL_LUMINANCE12),
                 FORMAT(GL_LUMINANCE16),
                 FORMAT(GL_ALPHA4),
                 FORMAT(GL_ALPHA8),
                 FORMAT(GL_ALPHA12),
                 FORMAT(GL_ALPHA16),
                 FORMAT(GL_INTENSITY4),
                 FORMAT(GL_INTENSITY8),
                 FORMAT(GL_INTENSITY12),
                 FORMAT(GL_INTENSITY16),
                 FORMAT(GL_LUMINANCE4_ALPHA4),
                 FORMAT(GL_LUMINANCE6_ALPHA2),
                 FORMAT(GL_LUMINANCE8_ALPHA8),
                 FORMAT(GL_LUMINANCE12_ALPHA4),
                 FORMAT(GL_LUMINANCE12_ALPHA12),
                 FORMAT(GL_LUMINANCE16_ALPHA16),
                 FORMAT(GL_SLUMINANCE8),
                 FORMAT(GL_SLUMINANCE8_ALPHA8)},
                GL_RGBA, GL_UNSIGNED_BYTE);
}
CASE(formats_legacy_float) {
  graphics::need("no OpenGL context", graphics::start_gl(false));
  graphics::start_cuda();
  ask_specified({FORMAT(GL_LUMINANCE16F_ARB), FORMAT(GL_LUMINANCE32F_ARB), FORMAT(GL_ALPHA16F_ARB),
                 FORMAT(GL_ALPHA32F_ARB), FORMAT(GL_INTENSITY16F_ARB), FORMAT(GL_INTENSITY32F_ARB),
                 FORMAT(GL_LUMINANCE_ALPHA16F_ARB), FORMAT(GL_LUMINANCE_ALPHA32F_ARB)},
                GL_RGBA, GL_UNSIGNED_BYTE);
}
CASE(formats_legacy_integer) {
  graphics::need("no OpenGL context", graphics::start_gl(false));
  graphics::start_cuda();
  ask_specified({FORMAT(GL_LUMINANCE8UI_EXT),
                 FORMAT(GL_LUMINANCE16UI_EXT),
                 FORMAT(GL_LUMINANCE32UI_EXT),
                 FORMAT(GL_LUMINANCE8I_EXT),
                 FORMAT(GL_LUMINANCE16I_EXT),
                 FORMAT(GL_LUMINANCE32I_EXT),
                 FORMAT(GL_ALPHA8UI_EXT),
                 FORMAT(GL_ALPHA16UI_EXT),
                 FORMAT(GL_ALPHA32UI_EXT),
                 FORMAT(GL_ALPHA8I_EXT),
                 FORMAT(GL_ALPHA16I_EXT),
                 FORMAT(GL_ALPHA32I_EXT),
                 FORMAT(GL_INTENSITY8UI_EXT),
                 FORMAT(GL_INTENSITY16UI_EXT),
                 FORMAT(GL_INTENSITY32UI_EXT),
                 FORMAT(GL_INTENSITY8I_EXT),
                 FORMAT(GL_INTENSITY16I_EXT),
                 FORMAT(GL_INTENSITY32I_EXT),
                 FORMAT(GL_LUMINANCE_ALPHA8UI_EXT),
                 FORMAT(GL_LUMINANCE_ALPHA16UI_EXT),
                 FORMAT(GL_LUMINANCE_ALPHA32UI_EXT),
                 FORMAT(GL_LUMINANCE_ALPHA8I_EXT),
                 FORMAT(GL_LUMINANCE_ALPHA16I_EXT),
                 FORMAT(GL_LUMINANCE_ALPHA32I_EXT)},
                GL_RGBA_INTEGER, GL_UNSIGNED_BYTE);
}

// OpenGL may also store data in the order in which it gets them.
CASE(formats_of_blue_first) {
  graphics::need("no OpenGL context", graphics::start_gl(false));
  graphics::start_cuda();
  ask_specified({FORMAT(GL_RGBA8), FORMAT(GL_RGBA), FORMAT(GL_RGB8), FORMAT(GL_SRGB8_ALPHA8)},
                GL_BGRA, GL_UNSIGNED_BYTE);
  ask_specified({FORMAT(GL_RGBA8), FORMAT(GL_RGBA), FORMAT(GL_BGRA)}, GL_BGRA,
                GL_UNSIGNED_INT_8_8_8_8_REV);
}

// A texture's swizzle does not affect its storage.
CASE(formats_swizzled) {
  graphics::start();
  const auto data = texels({red, green, blue, alpha});
  const GLuint texture = graphics::new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 16, 8, 1);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE, data.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_BLUE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_ZERO);
  ask_about("swizzled", texture, GL_TEXTURE_2D, 0);
}

GLuint new_renderbuffer(GLenum format, int samples, int width, int height) {
  GLuint renderbuffer = 0;
  glGenRenderbuffers(1, &renderbuffer);
  glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
  if (samples)
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  else
    glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
  return renderbuffer;
}

// Asks about renderbuffers, which are filled through a framebuffer if their format allows it.
void ask_renderbuffers(std::vector<Format> formats) {
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  for (const Format& one : formats) {
    const GLuint renderbuffer = new_renderbuffer(one.format, 0, 16, 8);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) {
      const float colour[] = {red / 255.0f, green / 255.0f, blue / 255.0f, alpha / 255.0f};
      const GLint number[] = {red, green, blue, alpha};
      const GLuint natural[] = {red, green, blue, alpha};
      GLint type = GL_FLOAT;
      glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                            GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, &type);
      if (type == GL_INT)
        glClearBufferiv(GL_COLOR, 0, number);
      else if (type == GL_UNSIGNED_INT)
        glClearBufferuiv(GL_COLOR, 0, natural);
      else
        glClearBufferfv(GL_COLOR, 0, colour);
    }
    ask_about(one.name, renderbuffer, GL_RENDERBUFFER, 0);
  }
}

CASE(formats_of_renderbuffers) {
  graphics::start();
  ask_renderbuffers({FORMAT(GL_R8), FORMAT(GL_RG8), FORMAT(GL_RGB8), FORMAT(GL_RGBA8),
                     FORMAT(GL_SRGB8_ALPHA8), FORMAT(GL_RGB565), FORMAT(GL_RGBA4),
                     FORMAT(GL_RGB5_A1), FORMAT(GL_RGB10_A2), FORMAT(GL_R16), FORMAT(GL_RGBA16),
                     FORMAT(GL_RGBA16F), FORMAT(GL_R11F_G11F_B10F), FORMAT(GL_R32F),
                     FORMAT(GL_RGB32F), FORMAT(GL_RGBA32F), FORMAT(GL_RGBA), FORMAT(GL_RGB)});
  ask_renderbuffers({FORMAT(GL_R8UI), FORMAT(GL_R32I), FORMAT(GL_RGBA8I), FORMAT(GL_RGBA32UI)});
}
CASE(formats_of_depth_renderbuffers) {
  graphics::start();
  ask_renderbuffers({FORMAT(GL_DEPTH_COMPONENT16), FORMAT(GL_DEPTH_COMPONENT24),
                     FORMAT(GL_DEPTH_COMPONENT32F), FORMAT(GL_DEPTH24_STENCIL8),
                     FORMAT(GL_STENCIL_INDEX8)});
}
CASE(renderbuffer_without_extent) {
  graphics::start();
  const GLuint renderbuffer = new_renderbuffer(GL_RGBA8, 0, 0, 0);
  CUgraphicsResource r = nullptr;
  SURVIVE(cuGraphicsGLRegisterImage(&r, renderbuffer, GL_RENDERBUFFER, 0));
}
CASE(renderbuffers) {
  graphics::start();
  for (unsigned flags = 0; flags <= 16; ++flags)
    ask_about(("flags " + std::to_string(flags)).c_str(), new_renderbuffer(GL_RGBA8, 0, 16, 8),
              GL_RENDERBUFFER, flags);
  ask_about("1 sample", new_renderbuffer(GL_RGBA8, 1, 16, 8), GL_RENDERBUFFER, 0);
  ask_about("4 samples", new_renderbuffer(GL_RGBA8, 4, 16, 8), GL_RENDERBUFFER, 0);
  ask_about("4 samples of float", new_renderbuffer(GL_RGBA32F, 4, 16, 8), GL_RENDERBUFFER, 0);
  ask_about("1x1", new_renderbuffer(GL_RGBA8, 0, 1, 1), GL_RENDERBUFFER, 0);
  ask_about("37x19", new_renderbuffer(GL_RGBA8, 0, 37, 19), GL_RENDERBUFFER, 0);
  GLuint renderbuffer = 0;
  glGenRenderbuffers(1, &renderbuffer);
  ask_about("generated", renderbuffer, GL_RENDERBUFFER, 0);
  glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
  ask_about("0", 0, GL_RENDERBUFFER, 0);
  ask_about("9999", 9999, GL_RENDERBUFFER, 0);
}

}  // namespace
