// SPDX-License-Identifier: Apache-2.0
// Arrays of OpenGL's images that a program keeps using after unmapping, as mpv does: on an H200
// they live until the resource is unregistered. CUDA's writes reach OpenGL when a thread in which
// its context is current waits for the work, or at the latest when the image is mapped again.
// OpenGL's drawing reaches CUDA.
#include <random>
#include <thread>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/interop/gl/gl_image.hpp"

namespace {

constexpr ImageSize extent{64, 20};

class KeptArray {
 public:
  explicit KeptArray(unsigned flags = CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD,
                     const ImageSize& size = extent)
      : size_(size), texture_(new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, size)) {
    draw(pattern(size.pixels() * 4, 77));
    resource_ = register_image(texture_, GL_TEXTURE_2D, flags);
    EXPECT_EQ(map(resource_), CUDA_SUCCESS);
    array_ = array_of(resource_, 0, 0);
    EXPECT_EQ(unmap(resource_), CUDA_SUCCESS);
  }
  ~KeptArray() {
    if (resource_) {
      EXPECT_EQ(cuGraphicsUnregisterResource(resource_), CUDA_SUCCESS);
    }
    delete_texture(texture_);
  }
  void unregister() {
    EXPECT_EQ(cuGraphicsUnregisterResource(resource_), CUDA_SUCCESS);
    resource_ = nullptr;
  }

  void draw(const Bytes& pixels) { gl_write(texture_, GL_TEXTURE_2D, 0, size_, rgba8, pixels); }
  Bytes seen() const { return gl_pixels(texture_, 0, size_, rgba8); }
  Bytes read() const { return cuda_pixels(array_, size_, 4); }
  void write(const Bytes& pixels) { cuda_write(array_, size_, 4, pixels); }
  // Rows `begin` to `end` of `pixels`, which must live until the copy is done.
  CUresult write_rows(const Bytes& pixels, size_t begin, size_t end, CUstream stream) {
    const size_t row = static_cast<size_t>(size_.width) * 4;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = pixels.data() + begin * row;
    copy.srcPitch = copy.WidthInBytes = row;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array_;
    copy.dstY = begin;
    copy.Height = end - begin;
    return cuMemcpy2DAsync(&copy, stream);
  }
  CUarray array() const { return array_; }
  CUgraphicsResource resource() const { return resource_; }

 private:
  const ImageSize size_;
  const GLuint texture_;
  CUgraphicsResource resource_ = nullptr;
  CUarray array_ = nullptr;
};

Bytes picture(unsigned seed) { return pattern(extent.pixels() * 4, seed); }

// Like mpv: maps once, then copies each frame into the array and waits.
TEST(cuGraphicsUnmapResources, LeavesArraysThatCanBeWritten) {
  const GlScene scene;
  KeptArray kept;
  const CUstream stream = new_stream();
  for (unsigned frame = 0; frame < 5; ++frame) {
    const Bytes pixels = picture(frame);
    OK(kept.write_rows(pixels, 0, 20, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(kept.seen(), pixels) << frame;
  }
  OK(cuStreamDestroy(stream));
}

TEST(cuGraphicsUnmapResources, LetsASynchronousCopyArriveAtOnce) {
  const GlScene scene;
  KeptArray kept;
  for (unsigned frame = 0; frame < 3; ++frame) {
    kept.write(picture(frame));
    EXPECT_EQ(kept.seen(), picture(frame)) << frame;
  }
}

// Pixels that CUDA does not write are those that OpenGL has drawn since.
TEST(cuGraphicsUnmapResources, KeepsWhatOpenGlDrawsBesideLateCopies) {
  const GlScene scene;
  KeptArray kept(0);
  for (unsigned frame = 0; frame < 4; ++frame) {
    Bytes drawn = picture(10 + frame);
    kept.draw(drawn);
    EXPECT_EQ(kept.read(), drawn) << frame;
    const Bytes pixels = picture(frame);
    OK(kept.write_rows(pixels, 5, 9, nullptr));
    OK(cuCtxSynchronize());
    std::copy_n(pixels.begin() + 5 * 64 * 4, 4 * 64 * 4, drawn.begin() + 5 * 64 * 4);
    EXPECT_EQ(kept.seen(), drawn) << frame;
  }
}

// Another thread copies; OpenGL sees the result after the next wait or mapping by a thread in which
// its context is current.
TEST(cuGraphicsUnmapResources, TakesCopiesOfAThreadWithoutOpenGl) {
  const GlScene scene;
  KeptArray kept(0);
  for (unsigned way = 0; way < 3; ++way) {
    const Bytes pixels = picture(way);
    std::thread([&] {
      OK(cuCtxSetCurrent(scene.cuda.context));
      OK(kept.write_rows(pixels, 0, 20, nullptr));
      OK(cuStreamSynchronize(nullptr));
    }).join();
    if (way == 0) {
      OK(cuCtxSynchronize());
    } else {
      CUgraphicsResource resource = kept.resource();
      OK(map(resource));
      EXPECT_EQ(kept.read(), pixels);
      OK(unmap(resource));
    }
    EXPECT_EQ(kept.seen(), pixels) << way;
  }
}

// Waiting for another stream does not reveal half a picture; mapping waits for the copy.
TEST(cuGraphicsUnmapResources, GivesBackWhatIsDone) {
  const GlScene scene;
  KeptArray kept(0);
  const CUstream held = new_stream(), other = new_stream();
  const Bytes before = kept.seen(), pixels = picture(3);
  {
    Gate gate(held);
    OK(kept.write_rows(pixels, 0, 20, held));
    OK(cuStreamSynchronize(other));
    EXPECT_EQ(kept.seen(), before);
    std::thread opener([&] {
      let_things_happen();
      gate.open();
    });
    CUgraphicsResource resource = kept.resource();
    OK(map(resource, other));
    EXPECT_EQ(kept.read(), pixels);
    OK(unmap(resource, other));
    opener.join();
  }
  EXPECT_EQ(kept.seen(), pixels);
  OK(cuStreamDestroy(held));
  OK(cuStreamDestroy(other));
}

TEST(cuGraphicsUnregisterResource, GivesBackLateCopiesAndEndsTheArrays) {
  const GlScene scene;
  KeptArray kept(0);
  const Bytes pixels = picture(3);
  OK(kept.write_rows(pixels, 0, 20, nullptr));
  kept.unregister();
  EXPECT_EQ(kept.seen(), pixels);
  EXPECT_EQ(kept.write_rows(pixels, 0, 20, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

// Such an array also works with surfaces and textures.
TEST(cuGraphicsUnmapResources, LeavesArraysForKernels) {
  const GlScene scene;
  KeptArray kept(CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
  const char* const text =
      ".version 8.1\n.target sm_70\n.address_size 64\n"
      ".visible .entry fill(.param .u64 surface, .param .u32 value) {\n"
      " .reg .b64 %s; .reg .b32 %x, %y, %v;\n"
      " ld.param.u64 %s,[surface]; ld.param.u32 %v,[value]; mov.u32 %x,%tid.x; shl.b32 %x,%x,2;\n"
      " mov.u32 %y,%ctaid.x; sust.b.2d.b32.trap [%s,{%x,%y}],{%v}; ret; }\n";
  CUmodule module;
  CUfunction kernel;
  OK(cuModuleLoadData(&module, text));
  OK(cuModuleGetFunction(&kernel, module, "fill"));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = kept.array();
  CUsurfObject surface = 0;
  OK(cuSurfObjectCreate(&surface, &resource));
  for (unsigned frame = 1; frame < 4; ++frame) {
    unsigned value = 0x01010101 * frame;
    void* parameters[] = {&surface, &value};
    OK(cuLaunchKernel(kernel, 20, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    OK(cuCtxSynchronize());
    EXPECT_EQ(kept.seen(), Bytes(extent.pixels() * 4, static_cast<uint8_t>(frame)));
  }
  OK(cuSurfObjectDestroy(surface));
  OK(cuModuleUnload(module));
}

// Random programs, compared with a model that has only one memory.
TEST(cuGraphicsUnmapResources, LateUsesAreAsIfTheMemoryWereOne) {
  const GlScene scene;
  const CUstream stream = new_stream();
  const char* const more = getenv("CUVETTE_TEST_SEEDS");
  for (unsigned seed = 0; seed < (more ? static_cast<unsigned>(atoi(more)) : 4u); ++seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<KeptArray>> kept;
    std::vector<Bytes> wanted;
    for (int i = 0; i < 3; ++i) {
      kept.push_back(std::make_unique<KeptArray>(0));
      wanted.push_back(kept.back()->seen());
    }
    for (unsigned step = 0; step < 60; ++step) {
      const size_t which = random() % kept.size();
      KeptArray& one = *kept[which];
      const Bytes pixels = picture(random() % 1000);
      const size_t begin = random() % 20, end = begin + 1 + random() % (20 - begin);
      const auto write_model = [&] {
        std::copy(pixels.begin() + static_cast<ptrdiff_t>(begin * 256),
                  pixels.begin() + static_cast<ptrdiff_t>(end * 256),
                  wanted[which].begin() + static_cast<ptrdiff_t>(begin * 256));
      };
      CUgraphicsResource resource = one.resource();
      switch (random() % 6) {
        case 0:
          one.draw(wanted[which] = pixels);
          break;
        case 1:
          OK(one.write_rows(pixels, begin, end, stream));
          OK(cuStreamSynchronize(stream));
          write_model();
          break;
        case 2:
          one.write(wanted[which] = pixels);
          break;
        case 3:
          ASSERT_EQ(one.read(), wanted[which]) << seed << ", step " << step;
          break;
        case 4:
          OK(map(resource));
          OK(one.write_rows(pixels, begin, end, nullptr));
          OK(unmap(resource));
          write_model();
          break;
        case 5:
          ASSERT_EQ(one.seen(), wanted[which]) << seed << ", step " << step;
          break;
      }
    }
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i]->seen(), wanted[i]) << seed;
  }
  OK(cuStreamDestroy(stream));
}

}  // namespace
