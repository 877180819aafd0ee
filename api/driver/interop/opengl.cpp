// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda_gl.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/graphics_flags.hpp"
#include "api/driver/requester.hpp"
#include "sim/device/graph/capture.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// Software OpenGL belongs to no particular device, so it is taken to share with the current
// context's device, or with the first one.
Result<> answer_devices(unsigned* count, CUdevice* devices, unsigned room, CUGLDeviceList list) {
  TRY(interop::check_gl_context());
  if (!count || !devices) return Error::invalid_value;
  switch (list) {
    case CU_GL_DEVICE_LIST_ALL:
    case CU_GL_DEVICE_LIST_CURRENT_FRAME:
    case CU_GL_DEVICE_LIST_NEXT_FRAME:
      break;
    default:
      return refuse(Error::invalid_value, "%d is not a list of devices.", static_cast<int>(list));
  }
  *count = room == 0 ? 0 : 1;  // measured: without room it succeeds with no device
  if (room == 0) return {};
  const device::Context* const context = device::Thread::current().context();
  devices[0] = context ? static_cast<CUdevice>(context->device().ordinal()) : 0;
  return {};
}

constexpr unsigned ways =
    CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;

// Returns the flags of an image's arrays. Errors: invalid_value.
Result<unsigned> array_flags_of(unsigned flags) {
  constexpr unsigned known =
      ways | CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST | CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
  if (flags & ~known)
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_GRAPHICS_REGISTER_FLAGS_*.",
                  flags);
  unsigned array_flags = 0;
  if (flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST) array_flags |= CUDA_ARRAY3D_SURFACE_LDST;
  if (flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER) array_flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  return array_flags;
}

// Measured: reading only and discarding may be combined; then nothing can be left out.
Result<interop::MapFlags> image_map_flags(unsigned flags) {
  if ((flags & ways) == ways) return interop::MapFlags::none;
  return map_flags(flags & ways);
}

}  // namespace

extern "C" {

// Measured: the arguments are checked before the contexts.
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, GLuint buffer,
                                    unsigned int Flags) {
  return call<CUresult>([&]() -> Result<> {
    if (!pCudaResource) return Error::invalid_value;
    if (buffer == 0) return refuse(Error::invalid_value, "0 is not a valid buffer name.");
    // The registration flags of buffers have the same numbers as the flags of mapping.
    const interop::MapFlags flags = TRY(map_flags(Flags));
    const device::Context& context = *TRY(usable_context());
    TRY(interop::check_gl_context());
    TRY(device::Capture::refuse_unsafe_call());
    *pCudaResource = TRY(give_handle_or_unregister(
        TRY(interop::register_gl_buffer(buffer, flags, requester(context)))));
    return {};
  });
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, GLuint image, GLenum target,
                                   unsigned int Flags) {
  return call<CUresult>([&]() -> Result<> {
    if (!pCudaResource) return Error::invalid_value;
    if (image == 0) return refuse(Error::invalid_value, "0 is not a valid image name.");
    TRY(interop::check_gl_image_target(target));
    const unsigned array_flags = TRY(array_flags_of(Flags));
    const interop::MapFlags flags = TRY(image_map_flags(Flags));
    const device::Context& context = *TRY(usable_context());
    TRY(interop::check_gl_context());
    TRY(device::Capture::refuse_unsafe_call());
    *pCudaResource = TRY(give_handle_or_unregister(
        TRY(interop::register_gl_image(image, target, flags, array_flags, requester(context)))));
    return {};
  });
}

CUresult cuGLGetDevices_v2(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                           unsigned int cudaDeviceCount, CUGLDeviceList deviceList) {
  return call<CUresult>(
      [&] { return answer_devices(pCudaDeviceCount, pCudaDevices, cudaDeviceCount, deviceList); });
}

// The same function under its name from before CUDA 6.5.
CUresult cuGLGetDevices(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                        unsigned int cudaDeviceCount, CUGLDeviceList deviceList) {
  return call<CUresult>(
      [&] { return answer_devices(pCudaDeviceCount, pCudaDevices, cudaDeviceCount, deviceList); });
}

}  // extern "C"
