// SPDX-License-Identifier: Apache-2.0
// Buffers and textures of OpenGL: registered, mapped and unmapped, with OpenGL idle or with work of
// its own pending. EGL is looked for when the program runs.
#include "bench/gpu_costs/costs.hpp"

#if !__has_include(<EGL/egl.h>) || !__has_include(<GL/glext.h>)
namespace cuvette::bench {
void measure_graphics(Costs& costs) { costs.skip("OpenGL", "built without its headers"); }
void measure_first_graphics(Costs&) {}
}  // namespace cuvette::bench
#else

#include "bench/gpu_costs/opengl.hpp"

namespace cuvette::bench {
namespace {

// What OpenGL does before the buffers are mapped.
struct State {
  const char* classes;
  int clears;  // of a buffer of 16 MiB that CUDA does not know; -1: of one of 4 bytes
  bool same;   // clears the mapped buffers, too
  bool flushes, finishes;
};
constexpr State states[] = {{"opengl idle", 0, false, false, true},
                            {"opengl pending little", -1, false, false, false},
                            {"opengl pending", 1, false, false, false},
                            {"opengl pending same", 0, true, false, false},
                            {"opengl pending long", 64, false, true, false}};

// Some buffers, registered.
class Registered {
 public:
  Registered(Costs& costs, OpenGL& gl, size_t size, int count)
      : costs_(costs),
        gl_(gl),
        size_(static_cast<double>(size)),
        other_(gl.buffer(16 * mib)),
        little_(gl.buffer(4)) {
    for (int i = 0; i < count; ++i) {
      names_.push_back(gl.buffer(size));
      CUgraphicsResource resource = nullptr;
      costs.timed({"cuGraphicsGLRegisterBuffer", i ? "opengl several" : "opengl new", "byte"},
                  size_, [&] { return cuGraphicsGLRegisterBuffer(&resource, names_.back(), 0); });
      resources_.push_back(resource);
    }
  }
  ~Registered() {
    for (size_t i = 0; i < resources_.size(); ++i)
      costs_.timed({"cuGraphicsUnregisterResource",
                    i + 1 < resources_.size() ? "opengl several" : "opengl new", "byte"},
                   size_, [&] { return cuGraphicsUnregisterResource(resources_[i]); });
    gl_.delete_buffers(static_cast<GLsizei>(names_.size()), names_.data());
    gl_.delete_buffers(1, &other_);
    gl_.delete_buffers(1, &little_);
  }
  void work(const State& state) {
    if (state.clears < 0) gl_.clear(little_);
    for (int i = 0; i < state.clears; ++i) gl_.clear(other_);
    if (state.same)
      for (const GLuint name : names_) gl_.clear(name);
    if (state.flushes) gl_.flush();
    if (state.finishes) gl_.finish();
  }
  void map_and_unmap(const std::string& classes, CUstream stream, const Kernels* kernels) {
    const auto count = static_cast<unsigned>(resources_.size());
    costs_.timed({"cuGraphicsMapResources", classes, "resource"}, count,
                 [&] { return cuGraphicsMapResources(count, resources_.data(), stream); });
    CUdeviceptr address;
    size_t bytes;
    costs_.timed({"cuGraphicsResourceGetMappedPointer", "opengl"}, 1, [&] {
      return cuGraphicsResourceGetMappedPointer(&address, &bytes, resources_[0]);
    });
    if (kernels) NEED(launch(kernels->nothing, stream));
    costs_.timed({"cuGraphicsUnmapResources", classes, "resource"}, count,
                 [&] { return cuGraphicsUnmapResources(count, resources_.data(), stream); });
  }
  void wait(const std::string& function, const std::string& classes, CUstream stream) {
    const double begin = now_ns();
    cuStreamSynchronize(stream);
    costs_.add({function, classes, "resource", "wait"}, static_cast<double>(resources_.size()),
               now_ns() - begin - costs_.clock());
  }
  void map_only(const std::string& classes, CUstream stream) {
    const auto count = static_cast<unsigned>(resources_.size());
    NEED(cuGraphicsMapResources(count, resources_.data(), stream));
    wait("cuGraphicsMapResources", classes, stream);
    NEED(cuGraphicsUnmapResources(count, resources_.data(), stream));
    wait("cuGraphicsUnmapResources", classes, stream);
  }

 private:
  Costs& costs_;
  OpenGL& gl_;
  const double size_;
  const GLuint other_, little_;
  std::vector<GLuint> names_;
  std::vector<CUgraphicsResource> resources_;
};

void map(Costs& costs, OpenGL& gl, const Kernels& kernels, CUstream stream,
         const std::string& where, int count) {
  Registered registered(costs, gl, mib, count);
  for (const State& state : states) {
    const std::string classes = state.classes + where;
    for (const bool works : {false, true})  // a kernel is pending in the stream at the unmapping
      costs.repeat(12, .1, [&] {
        registered.work(state);
        registered.map_and_unmap(classes + (works ? " kernel" : ""), stream,
                                 works ? &kernels : nullptr);
        registered.wait("cuGraphicsUnmapResources", classes + (works ? " after-kernel" : " pair"),
                        stream);
      });
    costs.repeat(8, .1, [&] {
      registered.work(state);
      registered.map_only(classes, stream);
    });
    // Never waited for: what the driver queues until it is full.
    if (std::string(state.classes) != "opengl pending long")
      costs.repeat(1, .1, [&] {
        for (int i = 0; i < 100; ++i) {
          registered.work(state);
          registered.map_and_unmap(classes + (i < 50 ? " queued" : " queued-on"), stream, nullptr);
        }
        registered.wait("cuGraphicsUnmapResources", classes + " queued-100", stream);
      });
  }
}

void registration(Costs& costs, OpenGL& gl) {
  for (const size_t size : {4 * kib, mib, 16 * mib, 64 * mib}) {
    const GLuint name = gl.buffer(size);
    const auto at = static_cast<double>(size);
    for (const bool pending : {false, true})
      costs.repeat(15, .1, [&] {
        const std::string classes = pending ? "opengl pending" : "opengl idle";
        pending ? gl.clear(name) : gl.finish();
        CUgraphicsResource resource = nullptr;
        costs.timed({"cuGraphicsGLRegisterBuffer", classes, "byte"}, at,
                    [&] { return cuGraphicsGLRegisterBuffer(&resource, name, 0); });
        costs.timed({"cuGraphicsResourceSetMapFlags", "opengl"}, 1, [&] {
          return cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY);
        });
        costs.timed({"cuGraphicsUnregisterResource", classes, "byte"}, at,
                    [&] { return cuGraphicsUnregisterResource(resource); });
      });
    gl.delete_buffers(1, &name);
  }
}

// A second buffer beside one that stays registered.
void registration_beside(Costs& costs, OpenGL& gl) {
  const Registered one(costs, gl, mib, 1);
  for (const size_t size : {4 * kib, mib, 16 * mib, 64 * mib}) {
    const GLuint name = gl.buffer(size);
    const auto at = static_cast<double>(size);
    costs.repeat(15, .1, [&] {
      CUgraphicsResource resource = nullptr;
      costs.timed({"cuGraphicsGLRegisterBuffer", "opengl beside", "byte"}, at,
                  [&] { return cuGraphicsGLRegisterBuffer(&resource, name, 0); });
      costs.timed({"cuGraphicsUnregisterResource", "opengl beside", "byte"}, at,
                  [&] { return cuGraphicsUnregisterResource(resource); });
    });
    gl.delete_buffers(1, &name);
  }
}

void textures(Costs& costs, OpenGL& gl, CUstream stream) {
  const GLuint other = gl.buffer(16 * mib);
  for (const int width : {64, 512, 2048}) {
    const GLuint name = gl.texture(width);
    CUgraphicsResource resource = nullptr;
    const double at = 4.0 * width * width;
    costs.repeat(10, .1, [&] {
      if (costs.timed({"cuGraphicsGLRegisterImage", "opengl", "byte"}, at,
                      [&] { return cuGraphicsGLRegisterImage(&resource, name, GL_TEXTURE_2D, 0); }))
        costs.timed({"cuGraphicsUnregisterResource", "opengl texture", "byte"}, at,
                    [&] { return cuGraphicsUnregisterResource(resource); });
    });
    NEED(cuGraphicsGLRegisterImage(&resource, name, GL_TEXTURE_2D, 0));
    for (const bool pending : {false, true})
      costs.repeat(15, .1, [&] {
        const std::string classes = std::string("opengl texture ") + (pending ? "pending" : "idle");
        pending ? gl.clear(other) : gl.finish();
        costs.timed({"cuGraphicsMapResources", classes, "resource"}, 1,
                    [&] { return cuGraphicsMapResources(1, &resource, stream); });
        CUarray array;
        costs.timed({"cuGraphicsSubResourceGetMappedArray", "opengl"}, 1,
                    [&] { return cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0); });
        costs.timed({"cuGraphicsUnmapResources", classes, "resource"}, 1,
                    [&] { return cuGraphicsUnmapResources(1, &resource, stream); });
        cuStreamSynchronize(stream);
      });
    cuGraphicsUnregisterResource(resource);
    gl.delete_textures(1, &name);
  }
}

}  // namespace

void measure_graphics(Costs& costs) {
  OpenGL gl;
  const std::string why = gl.open();
  if (!why.empty()) return costs.skip("OpenGL", why);
  std::fprintf(stderr, "OpenGL: %s\n", gl.renderer.c_str());
  const Kernels kernels;
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (const int count : {1, 2, 4, 16, 64}) map(costs, gl, kernels, stream, "", count);
  map(costs, gl, kernels, nullptr, " legacy", 1);
  registration(costs, gl);
  registration_beside(costs, gl);
  textures(costs, gl, stream);
  cuStreamDestroy(stream);
  measure_sharing(costs, "graphics");
}

void measure_first_graphics(Costs& costs) {
  OpenGL gl;
  if (!gl.open().empty()) return;  // measure_graphics() says why
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  Firsts firsts(costs);
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  std::vector<CUgraphicsResource> resources(6);
  for (CUgraphicsResource& resource : resources) {
    const GLuint name = gl.buffer(mib);
    firsts.timed("cuGraphicsGLRegisterBuffer",
                 [&] { return cuGraphicsGLRegisterBuffer(&resource, name, 0); });
  }
  gl.finish();
  for (CUgraphicsResource& resource : resources) {
    CUdeviceptr address = 0;
    size_t size = 0;
    firsts.timed("cuGraphicsMapResources",
                 [&] { return cuGraphicsMapResources(1, &resource, stream); });
    firsts.timed("cuGraphicsResourceGetMappedPointer",
                 [&] { return cuGraphicsResourceGetMappedPointer(&address, &size, resource); });
    firsts.timed("cuGraphicsUnmapResources",
                 [&] { return cuGraphicsUnmapResources(1, &resource, stream); });
    cuStreamSynchronize(stream);
  }
  gl.finish();
  for (const CUgraphicsResource resource : resources)
    firsts.timed("cuGraphicsUnregisterResource",
                 [&] { return cuGraphicsUnregisterResource(resource); });
}

}  // namespace cuvette::bench
#endif
