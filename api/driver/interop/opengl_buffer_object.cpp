// SPDX-License-Identifier: Apache-2.0
// The interface from before CUDA 3.0, which names buffers by their OpenGL names. Each buffer is one
// graphics resource, which these functions find by context, share group and name.
#include <algorithm>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/context/context_flags.hpp"
#include "api/driver/cuda_gl.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/graphics_flags.hpp"
#include "api/driver/requester.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/graph/capture.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using interop::GraphicsResource;

namespace {

struct BufferObject {
  GLuint name;
  Ref<GraphicsResource> resource;
};

constinit Mutex mutex;
std::vector<BufferObject>& registered() REQUIRES(mutex) {
  static auto* const objects = new std::vector<BufferObject>;
  return *objects;
}

// Finds the registration of a buffer of the current OpenGL context, or null.
Ref<GraphicsResource> find_object(GLuint name, const device::Context& context) {
  MutexLock lock(mutex);
  std::erase_if(registered(), [](const BufferObject& one) { return one.resource->ended(); });
  for (const BufferObject& one : registered())
    if (one.name == name && one.resource->owner() == context.generation() &&
        one.resource->of_current_gl())
      return one.resource;
  return nullptr;
}

// Runs `body` with the registration of `buffer`. Measured: a buffer without one gives
// invalid_value.
template <typename Body>
[[gnu::always_inline]] inline CUresult with_object(GLuint buffer, Body body) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto object = find_object(buffer, context);
    if (!object)
      return refuse(Error::invalid_value,
                    "Buffer %u of the current OpenGL context is not registered.", buffer);
    return body(context, object);
  });
}

Result<> map(device::Context& context, const Ref<GraphicsResource>& object,
             const device::Stream* stream, CUdeviceptr* dptr, size_t* size) {
  TRY(device::Capture::refuse_unsafe_call());
  TRY(GraphicsResource::map({&object, 1}, stream, requester(context)));
  const auto pointer = TRY(object->pointer());
  // Measured: either may be null.
  if (dptr) *dptr = pointer.address;
  if (size) *size = pointer.size;
  return {};
}

Result<> unmap(device::Context& context, const Ref<GraphicsResource>& object,
               device::Stream& stream) {
  TRY(device::Capture::refuse_unsafe_call());
  return GraphicsResource::unmap({&object, 1}, stream, requester(context));
}

Error too_wide() {
  return refuse(Error::invalid_context,
                "Addresses do not fit into 32 bits: call cuGLMapBufferObject_v2.");
}

Result<> create_context(CUcontext* pCtx, unsigned flags, CUdevice dev) {
  device::Device* device = TRY(find_device(dev));
  if (!pCtx) return Error::invalid_value;
  TRY(check_context_flags(flags));
  TRY(interop::check_gl_context());
  if (auto error = device->poisoned()) return *error;
  auto context = make_ref<device::Context>(*device, flags, false);
  *pCtx = TRY(driver::give_handle(*context));
  device::Thread::current().push(std::move(context));
  return {};
}

}  // namespace

extern "C" {

// "Initializes OpenGL interoperability. This function is deprecated, and calling it is no longer
// required."
CUresult cuGLInit(void) {
  return call_in_context<CUresult>([](device::Context&) { return interop::check_gl_context(); });
}

CUresult cuGLCtxCreate_v2(CUcontext* pCtx, unsigned int Flags, CUdevice device) {
  return call<CUresult>([&] { return create_context(pCtx, Flags, device); });
}

CUresult cuGLCtxCreate(CUcontext* pCtx, unsigned int Flags, CUdevice device) {
  return call<CUresult>([&] { return create_context(pCtx, Flags, device); });
}

CUresult cuGLRegisterBufferObject(GLuint buffer) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    TRY(interop::check_gl_context());
    TRY(device::Capture::refuse_unsafe_call());
    if (find_object(buffer, context))
      return refuse(Error::already_mapped, "Buffer %u is already registered.", buffer);
    auto resource =
        TRY(interop::register_gl_buffer(buffer, interop::MapFlags::none, requester(context)));
    MutexLock lock(mutex);
    registered().push_back({buffer, std::move(resource)});
    return {};
  });
}

CUresult cuGLUnregisterBufferObject(GLuint buffer) {
  return with_object(buffer, [&](device::Context&, const Ref<GraphicsResource>& object) {
    return object->unregister();
  });
}

CUresult cuGLSetBufferObjectMapFlags(GLuint buffer, unsigned int Flags) {
  return with_object(buffer,
                     [&](device::Context&, const Ref<GraphicsResource>& object) -> Result<> {
                       return object->set_map_flags(TRY(map_flags(Flags)));
                     });
}

// "All streams in the current CUDA context are synchronized with the current GL context."
CUresult cuGLMapBufferObject_v2(CUdeviceptr* dptr, size_t* size, GLuint buffer) {
  return with_object(buffer, [&](device::Context& context, const Ref<GraphicsResource>& object) {
    return map(context, object, nullptr, dptr, size);
  });
}

CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr* dptr, size_t* size, GLuint buffer,
                                     CUstream hStream) {
  return with_object(
      buffer, [&](device::Context& context, const Ref<GraphicsResource>& object) -> Result<> {
        const auto stream = TRY(find(hStream, context));
        return map(context, object, stream.get(), dptr, size);
      });
}

CUresult cuGLUnmapBufferObject(GLuint buffer) {
  return with_object(
      buffer, [&](device::Context& context, const Ref<GraphicsResource>& object) -> Result<> {
        TRY(device::Capture::refuse_unsafe_call());
        context.synchronise();
        return unmap(context, object, context.legacy_stream());
      });
}

CUresult cuGLUnmapBufferObjectAsync(GLuint buffer, CUstream hStream) {
  return with_object(
      buffer, [&](device::Context& context, const Ref<GraphicsResource>& object) -> Result<> {
        return unmap(context, object, *TRY(find(hStream, context)));
      });
}

// --- From before CUDA 3.2 ---

// Measured: these write a size of 0 and fail, because no address has 32 bits today.
CUresult cuGLMapBufferObject(CUdeviceptr_v1*, unsigned int* size, GLuint buffer) {
  return with_object(buffer, [&](device::Context&, const Ref<GraphicsResource>&) -> Result<> {
    if (size) *size = 0;
    return too_wide();
  });
}

CUresult cuGLMapBufferObjectAsync(CUdeviceptr_v1*, unsigned int* size, GLuint buffer, CUstream) {
  return with_object(buffer, [&](device::Context&, const Ref<GraphicsResource>&) -> Result<> {
    if (size) *size = 0;
    return too_wide();
  });
}

}  // extern "C"
