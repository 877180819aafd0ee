// SPDX-License-Identifier: Apache-2.0
#include "examples/galaxy/simulation.hpp"

#include <algorithm>
#include <cstring>

#include "examples/need.hpp"

namespace galaxy {
namespace {

template <typename Type>
Type* allocate_pinned(size_t count) {
  void* memory;
  NEED(cuMemAllocHost(&memory, count * sizeof(Type)));
  return static_cast<Type*>(memory);
}

CUdeviceptr pointer_of(CUgraphicsResource resource) {
  CUdeviceptr address;
  size_t size;
  NEED(cuGraphicsResourceGetMappedPointer(&address, &size, resource));
  return address;
}

CUarray array_of(CUgraphicsResource resource) {
  CUarray array;
  NEED(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
  return array;
}

}  // namespace

Simulation::Simulation(const Model& model, const Shared& shared) : model_(model) {
  CUcontext context;
  NEED(cuInit(0));
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  NEED(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));

  const auto stars = static_cast<size_t>(model.stars());
  places_ = allocate_pinned<Vertex>(stars);
  cells_ = allocate_pinned<float>(glow_.cells.size());
  NEED(cuMemAlloc(&palette_, stars * sizeof(Colour)));
  // In the stream that will read them: the call has taken the colours when it returns, but they
  // need not have arrived.
  NEED(cuMemcpyHtoDAsync(palette_, model.colours().data(), stars * sizeof(Colour), stream_));

  // The vertices keep what earlier frames wrote. Colours and glow are written as a whole each time,
  // so nobody needs to know what was there.
  NEED(
      cuGraphicsGLRegisterBuffer(&resources_[0], shared.vertices, CU_GRAPHICS_REGISTER_FLAGS_NONE));
  NEED(cuGraphicsGLRegisterBuffer(&resources_[1], shared.colours,
                                  CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD));
  NEED(cuGraphicsGLRegisterImage(&resources_[2], shared.glow, GL_TEXTURE_2D,
                                 CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD));
}

Simulation::~Simulation() {
  cuStreamSynchronize(stream_);
  for (const CUgraphicsResource resource : resources_) cuGraphicsUnregisterResource(resource);
  cuMemFree(palette_);
  cuMemFreeHost(cells_);
  cuMemFreeHost(places_);
  cuStreamDestroy(stream_);
  cuDevicePrimaryCtxRelease(0);
}

void Simulation::submit(int frame) {
  NEED(cuGraphicsMapResources(3, resources_, stream_));
  const CUdeviceptr vertices = pointer_of(resources_[0]), colours = pointer_of(resources_[1]);
  const CUarray glow = array_of(resources_[2]);

  if (frame == 0) begin(vertices);
  // There are no kernels here yet, so the stars are computed by a host function: it is work of the
  // stream like any other, and what comes after it in the stream waits for it.
  NEED(cuLaunchHostFunc(
      stream_, [](void* simulation) { static_cast<Simulation*>(simulation)->compute(); }, this));
  submit_vertices(frame, vertices);
  submit_colours(frame, colours);
  submit_glow(glow);

  // Nothing waits for the stream here: unmapping is what orders OpenGL's work behind it.
  NEED(cuGraphicsUnmapResources(3, resources_, stream_));
}

// Runs in the stream's order, and so never while an earlier frame is still being copied.
void Simulation::compute() {
  model_.place(computed_++, places_);
  model_.brighten(places_, glow_);
  std::copy(glow_.cells.begin(), glow_.cells.end(), cells_);
}

// Before there are trails, every generation has stars of size 0, which are invisible.
void Simulation::begin(CUdeviceptr vertices) {
  const auto stars = static_cast<size_t>(model_.stars());
  NEED(cuMemsetD32Async(vertices, 0, generations * stars * sizeof(Vertex) / 4, stream_));
}

void Simulation::submit_vertices(int frame, CUdeviceptr vertices) {
  const size_t bytes = static_cast<size_t>(model_.stars()) * sizeof(Vertex);
  NEED(cuMemcpyHtoDAsync(vertices + static_cast<size_t>(slot(frame)) * bytes, places_, bytes,
                         stream_));
}

// All stars get their own colours back, then the wave colours those it has reached.
void Simulation::submit_colours(int frame, CUdeviceptr colours) {
  NEED(cuMemcpyDtoDAsync(colours, palette_, static_cast<size_t>(model_.stars()) * sizeof(Colour),
                         stream_));
  const Model::Range shocked = model_.shocked(frame);
  if (shocked.count == 0) return;
  unsigned colour;
  std::memcpy(&colour, Model::shock_colour.data(), sizeof colour);
  NEED(cuMemsetD32Async(colours + static_cast<size_t>(shocked.first) * sizeof(Colour), colour,
                        static_cast<size_t>(shocked.count), stream_));
}

void Simulation::submit_glow(CUarray array) {
  CUDA_MEMCPY2D copy;
  std::memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = cells_;
  copy.srcPitch = Glow::row_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = Glow::row_bytes;
  copy.Height = Glow::size;
  NEED(cuMemcpy2DAsync(&copy, stream_));
}

}  // namespace galaxy
