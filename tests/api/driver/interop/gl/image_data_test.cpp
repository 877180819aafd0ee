// SPDX-License-Identifier: Apache-2.0
// The contents of images: OpenGL and CUDA see each other's writes in each format, target, level and
// layer, as far as the flags allow; and what OpenGL may do to a registered image.
#include <algorithm>
#include <random>

#include "tests/api/driver/interop/gl/gl_image.hpp"

namespace {

// The number of arrays in a level of this image; array_size() is the size of each.
unsigned layers_of(GLenum target, const ImageSize& size) {
  if (target == GL_TEXTURE_CUBE_MAP) return 6;
  return target == GL_TEXTURE_2D_ARRAY ? static_cast<unsigned>(size.depth) : 1;
}
ImageSize array_size(GLenum target, ImageSize level) {
  if (target != GL_TEXTURE_3D) level.depth = 1;
  return level;
}

// OpenGL's view of an image, in which a cube map has six layers.
ImageSize gl_size(GLenum target, ImageSize size) {
  if (target == GL_TEXTURE_CUBE_MAP) size.depth = 6;
  return size;
}

// Reads all arrays of a level, one after the other, which is OpenGL's own order of bytes.
Bytes cuda_level(CUgraphicsResource resource, GLenum target, const ImageSize& level_size,
                 unsigned level, size_t pixel) {
  Bytes bytes;
  for (unsigned layer = 0; layer < layers_of(target, level_size); ++layer) {
    const Bytes array =
        cuda_pixels(array_of(resource, layer, level), array_size(target, level_size), pixel);
    bytes.insert(bytes.end(), array.begin(), array.end());
  }
  return bytes;
}
void write_cuda_level(CUgraphicsResource resource, GLenum target, const ImageSize& level_size,
                      unsigned level, size_t pixel, const Bytes& bytes) {
  const ImageSize size = array_size(target, level_size);
  const size_t layer_bytes = size.pixels() * pixel;
  for (unsigned layer = 0; layer < layers_of(target, level_size); ++layer) {
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(layer * layer_bytes);
    cuda_write(array_of(resource, layer, level), size, pixel,
               Bytes(begin, begin + static_cast<ptrdiff_t>(layer_bytes)));
  }
}

// OpenGL fills all levels, CUDA reads and overwrites them, and OpenGL reads them again.
void expect_data_flows(GLuint texture, GLenum target, const ImageSize& size, GLsizei levels,
                       const ImageFormat& format) {
  const auto level_at = [&](GLint level) {
    return gl_size(target, level_size(target, size, level));
  };
  const CUgraphicsResource resource = register_image(texture, target, 0);
  for (GLint level = 0; level < levels; ++level) {
    const ImageSize at = level_at(level);
    gl_write(texture, target, level, at, format,
             pixels_of(format, at.pixels(), static_cast<unsigned>(level)));
  }
  OK(map(resource));
  for (GLint level = 0; level < levels; ++level) {
    const ImageSize at = level_at(level);
    const auto number = static_cast<unsigned>(level);
    EXPECT_EQ(cuda_level(resource, target, at, number, format.pixel),
              pixels_of(format, at.pixels(), number))
        << "OpenGL's pixels in level " << level;
    write_cuda_level(resource, target, at, number, format.pixel,
                     pixels_of(format, at.pixels(), number + 100));
  }
  OK(unmap(resource));
  for (GLint level = 0; level < levels; ++level) {
    const ImageSize at = level_at(level);
    EXPECT_EQ(gl_pixels(texture, level, at, format),
              pixels_of(format, at.pixels(), static_cast<unsigned>(level) + 100))
        << "CUDA's pixels in level " << level;
  }
  OK(cuGraphicsUnregisterResource(resource));
}

struct Shape {
  const char* name;
  GLenum target;
  ImageSize size;
  GLsizei levels;

  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
};
const Shape shapes[] = {
    {"2D", GL_TEXTURE_2D, {64, 32, 1}, 7},
    {"2DOddSizes", GL_TEXTURE_2D, {37, 11, 1}, 6},
    {"2DOnePixel", GL_TEXTURE_2D, {1, 1, 1}, 1},
    {"Rectangle", GL_TEXTURE_RECTANGLE, {37, 11, 1}, 1},
    {"3D", GL_TEXTURE_3D, {16, 8, 4}, 5},
    {"3DOddSizes", GL_TEXTURE_3D, {13, 7, 5}, 4},
    {"Cube", GL_TEXTURE_CUBE_MAP, {16, 16, 1}, 5},
    {"2DArray", GL_TEXTURE_2D_ARRAY, {32, 16, 5}, 6},
    {"2DArrayOddSizes", GL_TEXTURE_2D_ARRAY, {9, 21, 3}, 5},
};

// --- Each format, each target
// ---------------------------------------------------------------------

class ImageFormats : public testing::TestWithParam<ImageFormat> {};

TEST_P(ImageFormats, FlowBothWaysInEachShape) {
  const GlScene scene;
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.name);
    const GLuint texture = new_texture(shape.target, GetParam().internal, shape.levels, shape.size);
    expect_data_flows(texture, shape.target, shape.size, shape.levels, GetParam());
    delete_texture(texture);
  }
}

INSTANTIATE_TEST_SUITE_P(Documented, ImageFormats, testing::ValuesIn(documented_formats()),
                         [](const auto& info) { return info.param.name; });

// Narrow channels are widened in CUDA's array, and narrowed again in OpenGL's.
TEST(cuGraphicsMapResources, WidensNarrowChannels) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA4, 1, {16, 16});
  Bytes pixels(16 * 16 * 4);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i % 16 * 17);
  gl_write(texture, GL_TEXTURE_2D, 0, {16, 16, 1}, rgba8, pixels);
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
  OK(map(resource));
  EXPECT_EQ(cuda_pixels(array_of(resource, 0, 0), {16, 16, 1}, 4), pixels);
  std::reverse(pixels.begin(), pixels.end());
  cuda_write(array_of(resource, 0, 0), {16, 16, 1}, 4, pixels);
  OK(unmap(resource));
  EXPECT_EQ(gl_pixels(texture, 0, {16, 16, 1}, rgba8), pixels);
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

// sRGB bytes stay as they are: nothing decodes them on the way.
TEST(cuGraphicsMapResources, DecodesNoSrgb) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_SRGB8_ALPHA8, 1, {64, 32});
  expect_data_flows(texture, GL_TEXTURE_2D, {64, 32, 1}, 1, rgba8);
  delete_texture(texture);
}

// If the format has three channels, only CUDA sees a fourth.
TEST(cuGraphicsMapResources, KeepsThreeChannels) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGB8, 1, {8, 8});
  const ImageFormat rgb = {"RGB8", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, CU_AD_FORMAT_UNSIGNED_INT8,
                           3,      3};
  gl_write(texture, GL_TEXTURE_2D, 0, {8, 8, 1}, rgb, pattern(192, 1));
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
  OK(map(resource));
  Bytes four = cuda_pixels(array_of(resource, 0, 0), {8, 8, 1}, 4);
  const Bytes before = pattern(192, 1), after = pattern(192, 2);
  for (size_t pixel = 0; pixel < 64; ++pixel)
    for (size_t channel = 0; channel < 3; ++channel) {
      ASSERT_EQ(four[pixel * 4 + channel], before[pixel * 3 + channel]) << pixel;
      four[pixel * 4 + channel] = after[pixel * 3 + channel];
    }
  cuda_write(array_of(resource, 0, 0), {8, 8, 1}, 4, four);
  OK(unmap(resource));
  EXPECT_EQ(gl_pixels(texture, 0, {8, 8, 1}, rgb), after);
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

TEST(cuGraphicsMapResources, LetsARenderbuffersPixelsFlow) {
  const GlScene scene;
  GLuint renderbuffer, framebuffer;
  glCreateRenderbuffers(1, &renderbuffer);
  glNamedRenderbufferStorage(renderbuffer, GL_RGBA8, 16, 8);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
  ASSERT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum{GL_FRAMEBUFFER_COMPLETE});
  glViewport(0, 0, 16, 8);
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, 4, 2);  // OpenGL's first rows are CUDA's first rows
  glClearColor(0, 1, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);

  const CUgraphicsResource resource = register_image(renderbuffer, GL_RENDERBUFFER, 0);
  OK(map(resource));
  const Bytes seen = cuda_pixels(array_of(resource, 0, 0), {16, 8, 1}, 4);
  for (size_t y = 0; y < 8; ++y)
    for (size_t x = 0; x < 16; ++x) {
      const uint8_t* pixel = &seen[(y * 16 + x) * 4];
      const bool green = x < 4 && y < 2;
      ASSERT_EQ(Bytes(pixel, pixel + 4), (green ? Bytes{0, 255, 0, 255} : Bytes{255, 0, 0, 255}))
          << x << ' ' << y;
    }
  cuda_write(array_of(resource, 0, 0), {16, 8, 1}, 4, pattern(512, 4));
  OK(unmap(resource));
  Bytes read(512);
  glReadPixels(0, 0, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE, read.data());
  EXPECT_EQ(read, pattern(512, 4));
  OK(cuGraphicsUnregisterResource(resource));
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteRenderbuffers(1, &renderbuffer);
}

// --- How the image was made
// -----------------------------------------------------------------------

// Made with glTexImage2D level by level, as old programs do.
TEST(cuGraphicsMapResources, TakesAnImageThatGrewLevelByLevel) {
  const GlScene scene;
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  for (GLint level = 0; level < 5; ++level)
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 16 >> level, 16 >> level, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, nullptr);
  expect_data_flows(texture, GL_TEXTURE_2D, {16, 16, 1}, 5, rgba8);
  delete_texture(texture);
}

// Made with level 0 alone: incomplete by OpenGL's default filter.
TEST(cuGraphicsMapResources, TakesAnImageOfOneLevel) {
  const GlScene scene;
  GLuint texture;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  expect_data_flows(texture, GL_TEXTURE_2D, {16, 16, 1}, 1, rgba8);
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
  OK(map(resource));
  CUarray array;
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 1), CUDA_ERROR_INVALID_VALUE);
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

// Pixel-store parameters and bound pixel buffers affect only the program's own copies.
TEST(cuGraphicsMapResources, IsNotConfusedByPixelStorage) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 1, {13, 7, 3});
  const ImageSize size = {13, 7, 3};
  const Bytes before = pattern(size.pixels() * 4, 1), after = pattern(size.pixels() * 4, 2);
  gl_write(texture, GL_TEXTURE_2D_ARRAY, 0, size, rgba8, before);
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D_ARRAY, 0);
  const GLuint pixels = new_buffer(Bytes(4096, 9));
  const GLenum numbers[] = {GL_PACK_ROW_LENGTH,   GL_PACK_IMAGE_HEIGHT,   GL_PACK_SKIP_PIXELS,
                            GL_PACK_SKIP_ROWS,    GL_PACK_SKIP_IMAGES,    GL_PACK_SWAP_BYTES,
                            GL_UNPACK_ROW_LENGTH, GL_UNPACK_IMAGE_HEIGHT, GL_UNPACK_SKIP_PIXELS,
                            GL_UNPACK_SKIP_ROWS,  GL_UNPACK_SKIP_IMAGES,  GL_UNPACK_SWAP_BYTES};
  for (const GLenum number : numbers) glPixelStorei(number, 1);
  glPixelStorei(GL_PACK_ALIGNMENT, 8);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 8);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, pixels);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixels);

  OK(map(resource));
  EXPECT_EQ(cuda_level(resource, GL_TEXTURE_2D_ARRAY, size, 0, 4), before);
  write_cuda_level(resource, GL_TEXTURE_2D_ARRAY, size, 0, 4, after);
  OK(unmap(resource));

  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  for (const GLenum number : numbers) glPixelStorei(number, 0);
  EXPECT_EQ(gl_pixels(texture, 0, size, rgba8), after);
  EXPECT_EQ(gl_content(pixels), Bytes(4096, 9));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(pixels);
  delete_texture(texture);
}

// OpenGL samples, and so draws, what CUDA wrote.
TEST(cuGraphicsUnmapResources, ShowsOpenGLWhatCudaWrote) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {16, 16}),
               target = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {16, 16});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
  GLuint framebuffers[2];
  glCreateFramebuffers(2, framebuffers);
  glNamedFramebufferTexture(framebuffers[0], GL_COLOR_ATTACHMENT0, texture, 0);
  glNamedFramebufferTexture(framebuffers[1], GL_COLOR_ATTACHMENT0, target, 0);
  for (unsigned frame = 0; frame < 20; ++frame) {
    OK(map(resource));
    cuda_write(array_of(resource, 0, 0), {16, 16, 1}, 4, pattern(1024, frame));
    OK(unmap(resource));
    glBlitNamedFramebuffer(framebuffers[0], framebuffers[1], 0, 0, 16, 16, 0, 0, 16, 16,
                           GL_COLOR_BUFFER_BIT, GL_NEAREST);
    ASSERT_EQ(gl_pixels(target, 0, {16, 16, 1}, rgba8), pattern(1024, frame));
  }
  OK(cuGraphicsUnregisterResource(resource));
  glDeleteFramebuffers(2, framebuffers);
  delete_texture(texture);
  delete_texture(target);
}

// --- Flags
// ----------------------------------------------------------------------------------------

TEST(cuGraphicsMapResources, WithReadOnlyLeavesTheImageAlone) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {64, 32});
  gl_write(texture, GL_TEXTURE_2D, 0, {64, 32, 1}, rgba8, pattern(8192, 1));
  const CUgraphicsResource resource =
      register_image(texture, GL_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
  OK(map(resource));
  EXPECT_EQ(cuda_pixels(array_of(resource, 0, 0), {64, 32, 1}, 4), pattern(8192, 1));
  OK(unmap(resource));
  EXPECT_EQ(gl_pixels(texture, 0, {64, 32, 1}, rgba8), pattern(8192, 1));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

TEST(cuGraphicsMapResources, WithWriteDiscardHidesTheOldImage) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {64, 32});
  gl_write(texture, GL_TEXTURE_2D, 0, {64, 32, 1}, rgba8, pattern(8192, 1));
  const CUgraphicsResource resource =
      register_image(texture, GL_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
  OK(map(resource));
  const Bytes seen = cuda_pixels(array_of(resource, 0, 0), {64, 32, 1}, 4), old = pattern(8192, 1);
  size_t same = 0;
  for (size_t i = 0; i < 8192; ++i) same += seen[i] == old[i];
  EXPECT_LT(same, 512u);
  cuda_write(array_of(resource, 0, 0), {64, 32, 1}, 4, pattern(8192, 2));
  OK(unmap(resource));
  EXPECT_EQ(gl_pixels(texture, 0, {64, 32, 1}, rgba8), pattern(8192, 2));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

// --- What OpenGL does to it
// -----------------------------------------------------------------------

TEST(cuGraphicsMapResources, RefusesAnImageThatWasDeletedOrRespecified) {
  const GlScene scene;
  enum class Change { deleted, resized, reformatted };
  for (const Change change : {Change::deleted, Change::resized, Change::reformatted}) {
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
    switch (change) {
      case Change::deleted:
        delete_texture(texture);
        break;
      case Change::resized:
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        break;
      case Change::reformatted:
        glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, 16, 16, 0, GL_RED, GL_FLOAT, nullptr);
        break;
    }
    EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN) << static_cast<int>(change);
    EXPECT_FALSE(is_mapped(resource));
    OK(cuGraphicsUnregisterResource(resource));
    if (change != Change::deleted) delete_texture(texture);
  }
}

// Buffers and images of several kinds in one call, in a stream, repeatedly.
TEST(cuGraphicsMapResources, TakesBuffersAndImagesTogether) {
  const GlScene scene;
  const GLuint buffer = new_buffer(1024);
  const GLuint flat = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {16, 16}),
               deep = new_texture(GL_TEXTURE_3D, GL_RGBA8, 1, {8, 8, 4});
  CUgraphicsResource all[] = {register_image(flat, GL_TEXTURE_2D, 0), register_buffer(buffer),
                              register_image(deep, GL_TEXTURE_3D, 0)};
  const CUstream stream = new_stream();
  for (unsigned round = 0; round < 20; ++round) {
    OK(cuGraphicsMapResources(3, all, stream));
    // Copies from the buffer into the images, in stream order.
    OK(cuMemsetD32Async(address_of(all[1]), 0x01010101u * round, 256, stream));
    for (const size_t image : {0, 2}) {
      const ImageSize size = image == 0 ? ImageSize{16, 16, 1} : ImageSize{8, 8, 4};
      CUDA_MEMCPY3D copy = whole_array(size, 4);
      copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = address_of(all[1]);
      copy.srcPitch = copy.WidthInBytes;
      copy.srcHeight = copy.Height;
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = array_of(all[image], 0, 0);
      OK(cuMemcpy3DAsync(&copy, stream));
    }
    OK(cuGraphicsUnmapResources(3, all, stream));
    const Bytes expected(1024, static_cast<uint8_t>(round));
    ASSERT_EQ(gl_content(buffer), expected);
    ASSERT_EQ(gl_pixels(flat, 0, {16, 16, 1}, rgba8), expected);
    ASSERT_EQ(gl_pixels(deep, 0, {8, 8, 4}, rgba8), expected);
  }
  for (const CUgraphicsResource resource : all) OK(cuGraphicsUnregisterResource(resource));
  OK(cuStreamDestroy(stream));
  delete_buffer(buffer);
  delete_texture(flat);
  delete_texture(deep);
}

// --- One image, registered several times ---

// A texture or a renderbuffer of 5 x 3 pixels, as OpenGL sees it.
class SmallImage {
 public:
  explicit SmallImage(GLenum target) : target_(target) {
    glCreateFramebuffers(1, &framebuffer_);
    if (target_ == GL_RENDERBUFFER) {
      glCreateRenderbuffers(1, &name);
      glNamedRenderbufferStorage(name, GL_RGBA8, size.width, size.height);
      glNamedFramebufferRenderbuffer(framebuffer_, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    } else {
      name = new_texture(target_, GL_RGBA8, 1, size);
      glNamedFramebufferTexture(framebuffer_, GL_COLOR_ATTACHMENT0, name, 0);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  }
  SmallImage(const SmallImage&) = delete;
  SmallImage& operator=(const SmallImage&) = delete;
  ~SmallImage() {
    glDeleteFramebuffers(1, &framebuffer_);
    if (target_ == GL_RENDERBUFFER)
      glDeleteRenderbuffers(1, &name);
    else
      delete_texture(name);
  }
  Bytes read() const {
    Bytes pixels(size.pixels() * 4);
    glReadPixels(0, 0, size.width, size.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return pixels;
  }
  Bytes fill(uint8_t value) const {
    const GLfloat colour = static_cast<GLfloat>(value) / 255;
    const GLfloat colours[] = {colour, colour, colour, colour};
    glClearNamedFramebufferfv(framebuffer_, GL_COLOR, 0, colours);
    return Bytes(size.pixels() * 4, value);
  }

  static constexpr ImageSize size{5, 3, 1};
  GLuint name = 0;

 private:
  const GLenum target_;
  GLuint framebuffer_ = 0;
};

// Measured: the arrays of all registrations are the image's own memory. Random calls: whoever reads
// sees the last write, OpenGL from the moment a writer unmaps on.
TEST(cuGraphicsGLRegisterImage, SeveralTimesSharesTheImage) {
  const GlScene scene;
  std::mt19937 random(40);
  for (unsigned round = 0; round < 60; ++round) {
    const GLenum target = round % 2 ? GL_RENDERBUFFER : GL_TEXTURE_2D;
    const SmallImage image(target);
    Bytes now = image.fill(1);
    struct Registration {
      CUgraphicsResource resource;
      bool writes, mapped;
    } all[3];
    for (Registration& one : all) {
      one.writes = random() % 3 != 0;
      one.mapped = false;
      one.resource =
          register_image(image.name, target,
                         one.writes ? random() % 2 * 4u : CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY);
    }
    bool unsaved = false;  // written since the last writer unmapped
    for (unsigned step = 0; step < 40; ++step) {
      Registration& one = all[random() % 3];
      const auto any_mapped = std::any_of(all, all + 3, [](const auto& r) { return r.mapped; });
      switch (random() % 4) {
        case 0:
          OK(one.mapped ? unmap(one.resource) : map(one.resource));
          one.mapped = !one.mapped;
          if (!one.mapped && one.writes) unsaved = false;
          break;
        case 1:
          if (!one.mapped || !one.writes) break;
          now = pattern(now.size(), random() % 100);
          cuda_write(array_of(one.resource, 0, 0), image.size, 4, now);
          unsaved = true;
          break;
        case 2:
          if (one.mapped) {
            ASSERT_EQ(cuda_pixels(array_of(one.resource, 0, 0), image.size, 4), now) << round;
          }
          break;
        case 3:
          if (!unsaved) {
            ASSERT_EQ(image.read(), now) << round;
          }
          if (!any_mapped) now = image.fill(static_cast<uint8_t>(random()));
          break;
      }
    }
    for (const Registration& one : all) {
      if (one.mapped) {
        OK(unmap(one.resource));
      }
      OK(cuGraphicsUnregisterResource(one.resource));
    }
    ASSERT_EQ(image.read(), now) << round;
  }
}

}  // namespace
