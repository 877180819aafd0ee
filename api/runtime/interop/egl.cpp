// SPDX-License-Identifier: Apache-2.0
// Images and syncs of EGL.
//
// Reference: CUDA Runtime API, "EGL Interoperability".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/texture/channel.hpp"

#define EGL_NO_X11
#include <cudaEGL.h>

#pragma GCC visibility push(default)
#include <cuda_egl_interop.h>
#pragma GCC visibility pop

using namespace cuvette::runtime;

namespace {

// The driver describes the planes of a frame by the first. Frames with chroma in planes of their
// own have smaller ones there, and no image that the driver registers has such planes.
Status describe_frame(const CUeglFrame& from, cudaEglFrame* to) {
  if (from.planeCount > CUDA_EGL_MAX_PLANES) return cudaErrorNotSupported;
  *to = {};
  to->planeCount = from.planeCount;
  to->frameType = static_cast<cudaEglFrameType>(from.frameType);
  to->eglColorFormat = static_cast<cudaEglColorFormat>(from.eglColorFormat);
  for (unsigned plane = 0; plane < from.planeCount; ++plane) {
    if (from.frameType == CU_EGL_FRAME_TYPE_ARRAY)
      to->frame.pArray[plane] = reinterpret_cast<cudaArray_t>(from.frame.pArray[plane]);
    else
      to->frame.pPitch[plane] = {from.frame.pPitch[plane], from.pitch, from.width, from.height};
    cudaEglPlaneDesc& description = to->planeDesc[plane];
    description.width = from.width;
    description.height = from.height;
    description.depth = from.depth;
    description.pitch = from.pitch;
    description.numChannels = from.numChannels;
    CHECK(find_description(from.cuFormat, from.numChannels, &description.channelDesc));
  }
  return {};
}

}  // namespace

extern "C" {

cudaError_t cudaGraphicsEGLRegisterImage(cudaGraphicsResource** pCudaResource, EGLImageKHR image,
                                         unsigned int flags) {
  return call([&] {
    return DRIVER(cuGraphicsEGLRegisterImage)(same_layout<CUgraphicsResource>(pCudaResource), image,
                                              flags);
  });
}

cudaError_t cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame* eglFrame,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int index, unsigned int mipLevel) {
  return call([&]() -> Status {
    if (eglFrame == nullptr) return cudaErrorInvalidValue;
    CUeglFrame frame{};
    CHECK(DRIVER(cuGraphicsResourceGetMappedEglFrame)(&frame, driver_resource(resource), index,
                                                      mipLevel));
    return describe_frame(frame, eglFrame);
  });
}

cudaError_t cudaEventCreateFromEGLSync(cudaEvent_t* phEvent, EGLSyncKHR eglSync,
                                       unsigned int flags) {
  return call([&] { return DRIVER(cuEventCreateFromEGLSync)(phEvent, eglSync, flags); });
}
}
