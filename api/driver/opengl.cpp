// SPDX-License-Identifier: Apache-2.0
#include "api/driver/asker.hpp"
#include "api/driver/call.hpp"
#include "api/driver/cuda_gl.hpp"
#include "api/driver/graphics_flags.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

Result<> give_handle(Ref<interop::GraphicsResource> resource, device::Context& context,
                     CUgraphicsResource* handle) {
  const auto inserted = graphics_handles.insert(resource);
  if (!inserted.ok()) {
    static_cast<void>(resource->unregister(context));
    return inserted.error();
  }
  *handle = reinterpret_cast<CUgraphicsResource>(inserted.value());
  return {};
}

}  // namespace

extern "C" {

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, GLuint buffer,
                                    unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pCudaResource) return Error::invalid_value;
    *pCudaResource = nullptr;
    TRY(interop::check_gl_context());
    if (buffer == 0) return refuse(Error::invalid_value, "0 is no name of a buffer.");
    // The flags of registering that buffers have are the numbers of those of mapping.
    auto resource = TRY(interop::register_gl_buffer(buffer, TRY(map_flags(Flags)), asker(context)));
    return give_handle(std::move(resource), context, pCudaResource);
  });
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, GLuint image, GLenum target,
                                   unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pCudaResource) return Error::invalid_value;
    *pCudaResource = nullptr;
    TRY(interop::check_gl_context());
    if (image == 0) return refuse(Error::invalid_value, "0 is no name of an image.");
    constexpr unsigned known =
        CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD |
        CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST | CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
    if (Flags & ~known)
      return refuse(Error::invalid_value,
                    "Flags 0x%x have bits beyond CU_GRAPHICS_REGISTER_FLAGS_*.", Flags);
    unsigned array_flags = 0;
    if (Flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST) array_flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (Flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER)
      array_flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    // Measured: reading only and discarding may stand together; then nothing can be spared.
    const unsigned ways =
        Flags & (CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
    const auto flags =
        ways == (CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD)
            ? interop::MapFlags::none
            : TRY(map_flags(ways));
    auto resource =
        TRY(interop::register_gl_image(image, target, flags, array_flags, asker(context)));
    return give_handle(std::move(resource), context, pCudaResource);
  });
}

// Software OpenGL belongs to no device more than to another: it shares with the current context's,
// or with the first.
CUresult cuGLGetDevices_v2(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                           unsigned int cudaDeviceCount, CUGLDeviceList deviceList) {
  return call<CUresult>([&]() -> Result<> {
    if (!pCudaDeviceCount || !pCudaDevices || cudaDeviceCount == 0) return Error::invalid_value;
    switch (deviceList) {
      case CU_GL_DEVICE_LIST_ALL:
      case CU_GL_DEVICE_LIST_CURRENT_FRAME:
      case CU_GL_DEVICE_LIST_NEXT_FRAME:
        break;
      default:
        return refuse(Error::invalid_value, "There is no list %d of devices.",
                      static_cast<int>(deviceList));
    }
    TRY(interop::check_gl_context());
    const device::Context* const context = device::Thread::current().context();
    pCudaDevices[0] = context ? static_cast<CUdevice>(context->device().ordinal()) : 0;
    *pCudaDeviceCount = 1;
    return {};
  });
}

}  // extern "C"
