// SPDX-License-Identifier: Apache-2.0
// Mapping and unmapping OpenGL's buffers and textures. Floor: what OpenGL itself takes to map and
// unmap the same buffers, or to read and write the same texture.
#include <vector>

#include "bench/api/driver/gl_scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

class Buffers {
 public:
  Buffers(size_t count, size_t size) : size_(size) {
    set_gl_scene();
    names_.resize(count);
    resources_.resize(count);
    glCreateBuffers(static_cast<GLsizei>(count), names_.data());
    for (size_t i = 0; i < count; ++i) {
      glNamedBufferData(names_[i], static_cast<GLsizeiptr>(size), nullptr, GL_DYNAMIC_DRAW);
      NEED(cuGraphicsGLRegisterBuffer(&resources_[i], names_[i], 0));
    }
  }
  ~Buffers() {
    for (CUgraphicsResource resource : resources_) cuGraphicsUnregisterResource(resource);
    glDeleteBuffers(static_cast<GLsizei>(names_.size()), names_.data());
  }

  double floor() const {
    return floor_ns([&] {
      for (GLuint name : names_)
        glMapNamedBufferRange(name, 0, static_cast<GLsizeiptr>(size_),
                              GL_MAP_READ_BIT | GL_MAP_WRITE_BIT);
      for (GLuint name : names_) glUnmapNamedBuffer(name);
    });
  }
  void map_and_unmap(CUstream stream) {
    const auto count = static_cast<unsigned>(resources_.size());
    cuGraphicsMapResources(count, resources_.data(), stream);
    cuGraphicsUnmapResources(count, resources_.data(), stream);
  }

 private:
  const size_t size_;
  std::vector<GLuint> names_;
  std::vector<CUgraphicsResource> resources_;
};

void BM_cuGraphicsMapResources(benchmark::State& state) {
  Buffers buffers(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
  against_floor(state, buffers.floor(), [&] { buffers.map_and_unmap(nullptr); });
}
BENCHMARK(BM_cuGraphicsMapResources)
    ->ArgNames({"buffers", "bytes"})
    ->Args({1, 4 << 10})
    ->Args({1, 1 << 20})
    ->Args({1, 64 << 20})
    ->Args({64, 4 << 10});

// `flags` are the flags of the mapping: work that they save is left out of the floor, too.
void BM_cuGraphicsMapResourcesOfTexture(benchmark::State& state) {
  set_gl_scene();
  const auto edge = static_cast<GLsizei>(state.range(0));
  const auto flags = static_cast<unsigned>(state.range(1));
  GLuint texture;
  glCreateTextures(GL_TEXTURE_2D, 1, &texture);
  glTextureStorage2D(texture, 1, GL_RGBA8, edge, edge);
  CUgraphicsResource resource;
  NEED(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, flags));
  std::vector<uint32_t> pixels(static_cast<size_t>(edge) * static_cast<size_t>(edge));
  const auto bytes = static_cast<GLsizei>(pixels.size() * sizeof pixels[0]);
  const double floor = floor_ns([&] {
    if (flags != CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
      glGetTextureImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes, pixels.data());
    if (flags != CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY)
      glTextureSubImage2D(texture, 0, 0, 0, edge, edge, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  });
  against_floor(state, floor, [&] {
    cuGraphicsMapResources(1, &resource, nullptr);
    cuGraphicsUnmapResources(1, &resource, nullptr);
  });
  cuGraphicsUnregisterResource(resource);
  glDeleteTextures(1, &texture);
}
BENCHMARK(BM_cuGraphicsMapResourcesOfTexture)
    ->ArgNames({"edge", "flags"})
    ->ArgsProduct({{64, 512, 2048}, {0, 1, 2}});

}  // namespace
