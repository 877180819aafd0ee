// SPDX-License-Identifier: Apache-2.0
#include "api/driver/asker.hpp"
#include "api/driver/call.hpp"
#include "api/driver/cuda_gl.hpp"
#include "api/driver/graphics_flags.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

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
    *pCudaResource =
        reinterpret_cast<CUgraphicsResource>(TRY(graphics_handles.insert(std::move(resource))));
    return {};
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
