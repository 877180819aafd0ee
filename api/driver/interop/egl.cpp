// SPDX-License-Identifier: Apache-2.0
#include "api/driver/cuda.hpp"
#define EGL_NO_X11
#pragma GCC visibility push(default)
#include <cudaEGL.h>
#pragma GCC visibility pop

#include "api/driver/call.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/graphics_flags.hpp"
#include "api/driver/requester.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/interop/egl/egl.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// Measured: the driver's names of the formats that it takes.
CUeglColorFormat colour_format(const device::ArrayDescriptor& descriptor) {
  return descriptor.channels == 1 ? CU_EGL_COLOR_FORMAT_Y : CU_EGL_COLOR_FORMAT_ABGR;
}

}  // namespace

extern "C" {

CUresult cuGraphicsEGLRegisterImage(CUgraphicsResource* pCudaResource, EGLImageKHR image,
                                    unsigned int flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pCudaResource) return Error::invalid_value;
    *pCudaResource = nullptr;
    const interop::MapFlags way = TRY(map_flags(flags));
    TRY(interop::check_gl_context());
    TRY(device::Capture::refuse_unsafe_call());
    *pCudaResource = TRY(give_handle_or_unregister(
        TRY(interop::register_egl_image(image, way, requester(context)))));
    return {};
  });
}

CUresult cuGraphicsResourceGetMappedEglFrame(CUeglFrame* eglFrame, CUgraphicsResource resource,
                                             unsigned int index, unsigned int mipLevel) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto found = TRY(find(resource));
    if (!eglFrame) return Error::invalid_value;
    TRY(found->take_frame(requester(context)));
    const auto array = TRY(found->array(index, mipLevel));
    const device::ArrayDescriptor& shape = array->descriptor();
    *eglFrame = {};
    eglFrame->frame.pArray[0] = TRY(give_handle(*array));
    eglFrame->width = static_cast<unsigned>(shape.width);
    eglFrame->height = static_cast<unsigned>(shape.height);
    eglFrame->planeCount = 1;
    eglFrame->numChannels = shape.channels;
    eglFrame->frameType = CU_EGL_FRAME_TYPE_ARRAY;
    eglFrame->eglColorFormat = colour_format(shape);
    eglFrame->cuFormat = static_cast<CUarray_format>(shape.format);
    return {};
  });
}

// "flags: CU_EVENT_DEFAULT or CU_EVENT_BLOCKING_SYNC". Software OpenGL runs in this process, so the
// call waits for the sync, and the event is complete.
CUresult cuEventCreateFromEGLSync(CUevent* phEvent, EGLSyncKHR eglSync, unsigned int flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!phEvent) return Error::invalid_value;
    if (flags & ~static_cast<unsigned>(CU_EVENT_BLOCKING_SYNC))
      return refuse(Error::invalid_value, "Flags 0x%x are neither 0 nor CU_EVENT_BLOCKING_SYNC.",
                    flags);
    TRY(interop::wait_for_egl_sync(eglSync));
    auto event = make_ref<device::Event>(
        Ref<device::Context>(&context),
        device::Event::Options{false, (flags & CU_EVENT_BLOCKING_SYNC) != 0}, call_site());
    *phEvent = TRY(give_handle(*event));
    return {};
  });
}

}  // extern "C"
