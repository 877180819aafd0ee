// SPDX-License-Identifier: Apache-2.0
// Shared by tests of OpenGL's images: formats, textures made and read by OpenGL, arrays read and
// written by CUDA.
#pragma once

#include <cstring>
#include <string>

#include "tests/api/driver/interop/gl/gl.hpp"

// A format of images, and the array format that CUDA should give it.
struct ImageFormat {
  std::string name;
  GLenum internal;
  GLenum format, type;  // for transfers that do not change its pixels
  CUarray_format element;
  unsigned channels;
  size_t pixel;  // in bytes

  friend void PrintTo(const ImageFormat& format, std::ostream* out) { *out << format.name; }
};

inline const ImageFormat rgba8 = {
    "RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, CU_AD_FORMAT_UNSIGNED_INT8, 4, 4};

// "{GL_R, GL_RG, GL_RGBA} X {8, 16, 16F, 32F, 8UI, 16UI, 32UI, 8I, 16I, 32I}"
inline std::vector<ImageFormat> documented_formats() {
  struct Kind {
    const char* suffix;
    GLenum internal[3];
    bool integer;
    GLenum type;
    CUarray_format element;
    size_t size;
  };
  const Kind kinds[] = {
      {"8", {GL_R8, GL_RG8, GL_RGBA8}, false, GL_UNSIGNED_BYTE, CU_AD_FORMAT_UNSIGNED_INT8, 1},
      {"16",
       {GL_R16, GL_RG16, GL_RGBA16},
       false,
       GL_UNSIGNED_SHORT,
       CU_AD_FORMAT_UNSIGNED_INT16,
       2},
      {"16F", {GL_R16F, GL_RG16F, GL_RGBA16F}, false, GL_HALF_FLOAT, CU_AD_FORMAT_HALF, 2},
      {"32F", {GL_R32F, GL_RG32F, GL_RGBA32F}, false, GL_FLOAT, CU_AD_FORMAT_FLOAT, 4},
      {"8UI",
       {GL_R8UI, GL_RG8UI, GL_RGBA8UI},
       true,
       GL_UNSIGNED_BYTE,
       CU_AD_FORMAT_UNSIGNED_INT8,
       1},
      {"16UI",
       {GL_R16UI, GL_RG16UI, GL_RGBA16UI},
       true,
       GL_UNSIGNED_SHORT,
       CU_AD_FORMAT_UNSIGNED_INT16,
       2},
      {"32UI",
       {GL_R32UI, GL_RG32UI, GL_RGBA32UI},
       true,
       GL_UNSIGNED_INT,
       CU_AD_FORMAT_UNSIGNED_INT32,
       4},
      {"8I", {GL_R8I, GL_RG8I, GL_RGBA8I}, true, GL_BYTE, CU_AD_FORMAT_SIGNED_INT8, 1},
      {"16I", {GL_R16I, GL_RG16I, GL_RGBA16I}, true, GL_SHORT, CU_AD_FORMAT_SIGNED_INT16, 2},
      {"32I", {GL_R32I, GL_RG32I, GL_RGBA32I}, true, GL_INT, CU_AD_FORMAT_SIGNED_INT32, 4},
  };
  const char* names[] = {"R", "RG", "RGBA"};
  const GLenum plain[] = {GL_RED, GL_RG, GL_RGBA},
               integer[] = {GL_RED_INTEGER, GL_RG_INTEGER, GL_RGBA_INTEGER};
  const unsigned channels[] = {1, 2, 4};
  std::vector<ImageFormat> formats;
  for (const Kind& kind : kinds)
    for (size_t i = 0; i < 3; ++i)
      formats.push_back({std::string(names[i]) + kind.suffix, kind.internal[i],
                         kind.integer ? integer[i] : plain[i], kind.type, kind.element, channels[i],
                         channels[i] * kind.size});
  return formats;
}

// Random pixels that `format` represents exactly; in floating-point formats, small numbers.
inline Bytes pixels_of(const ImageFormat& format, size_t count, unsigned seed) {
  Bytes bytes = pattern(count * format.pixel, seed);
  if (format.element == CU_AD_FORMAT_FLOAT) {
    for (size_t i = 0; i < bytes.size(); i += 4) {
      const auto value = static_cast<float>(bytes[i]) - 100;
      memcpy(&bytes[i], &value, 4);
    }
  } else if (format.element == CU_AD_FORMAT_HALF) {
    for (size_t i = 0; i < bytes.size(); i += 2) bytes[i + 1] = 0x3c;  // between 1 and 2
  }
  return bytes;
}

// --- OpenGL's side -------------------------------------------------------------------------------

struct ImageSize {
  GLsizei width = 1, height = 1, depth = 1;  // depth, or layers; a cube map has 6

  size_t pixels() const {
    return static_cast<size_t>(width) * static_cast<size_t>(height) * static_cast<size_t>(depth);
  }
};

inline bool has_depth(GLenum target) {
  return target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY ||
         target == GL_TEXTURE_CUBE_MAP_ARRAY;
}

// Makes a texture with immutable storage.
inline GLuint new_texture(GLenum target, GLenum internal, GLsizei levels, const ImageSize& size) {
  GLuint texture = 0;
  glCreateTextures(target, 1, &texture);
  if (has_depth(target)) {
    glTextureStorage3D(texture, levels, internal, size.width, size.height, size.depth);
  } else if (target == GL_TEXTURE_1D) {
    glTextureStorage1D(texture, levels, internal, size.width);
  } else {
    glTextureStorage2D(texture, levels, internal, size.width, size.height);
  }
  return texture;
}
inline void delete_texture(GLuint texture) { glDeleteTextures(1, &texture); }

// The size of one level of an image; the number of layers is the same at all levels.
inline ImageSize level_size(GLenum target, const ImageSize& size, GLint level) {
  const auto half = [level](GLsizei extent) { return std::max(1, extent >> level); };
  const bool deep = target == GL_TEXTURE_3D;
  return {half(size.width), half(size.height), deep ? half(size.depth) : size.depth};
}

// The faces of a cube map are layers 0 to 5 here, as in direct state access.
inline void gl_write(GLuint texture, GLenum target, GLint level, const ImageSize& size,
                     const ImageFormat& format, const Bytes& pixels) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (has_depth(target) || target == GL_TEXTURE_CUBE_MAP) {
    glTextureSubImage3D(texture, level, 0, 0, 0, size.width, size.height, size.depth, format.format,
                        format.type, pixels.data());
  } else {
    glTextureSubImage2D(texture, level, 0, 0, size.width, size.height, format.format, format.type,
                        pixels.data());
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

inline Bytes gl_pixels(GLuint texture, GLint level, const ImageSize& size,
                       const ImageFormat& format) {
  Bytes pixels(size.pixels() * format.pixel);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(texture, level, format.format, format.type, static_cast<GLsizei>(pixels.size()),
                    pixels.data());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  return pixels;
}

// --- CUDA's side
// ----------------------------------------------------------------------------------

inline CUarray array_of(CUgraphicsResource resource, unsigned layer, unsigned level) {
  CUarray array = nullptr;
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, layer, level), CUDA_SUCCESS);
  return array;
}

inline CUDA_ARRAY3D_DESCRIPTOR descriptor_of(CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  EXPECT_EQ(cuArray3DGetDescriptor(&descriptor, array), CUDA_SUCCESS);
  return descriptor;
}

// Describes a copy between a whole array of this size and tightly packed bytes.
inline CUDA_MEMCPY3D whole_array(const ImageSize& size, size_t pixel) {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = static_cast<size_t>(size.width) * pixel;
  copy.Height = static_cast<size_t>(size.height);
  copy.Depth = static_cast<size_t>(size.depth);
  return copy;
}
inline Bytes cuda_pixels(CUarray array, const ImageSize& size, size_t pixel) {
  Bytes pixels(size.pixels() * pixel);
  CUDA_MEMCPY3D copy = whole_array(size, pixel);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pixels.data();
  copy.dstPitch = copy.WidthInBytes;
  copy.dstHeight = copy.Height;
  EXPECT_EQ(cuMemcpy3D(&copy), CUDA_SUCCESS);
  return pixels;
}
inline void cuda_write(CUarray array, const ImageSize& size, size_t pixel, const Bytes& pixels) {
  CUDA_MEMCPY3D copy = whole_array(size, pixel);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = pixels.data();
  copy.srcPitch = copy.WidthInBytes;
  copy.srcHeight = copy.Height;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  EXPECT_EQ(cuMemcpy3D(&copy), CUDA_SUCCESS);
}
