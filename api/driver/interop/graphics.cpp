// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/graphics_flags.hpp"
#include "api/driver/requester.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/device/graph/capture.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using interop::GraphicsResource;

namespace {

using Resources = std::vector<Ref<GraphicsResource>>;

Result<Resources> find_resources(unsigned count, const CUgraphicsResource* resources) {
  // Measured: this is checked before the context is.
  if (count == 0 || !resources)
    return refuse(Error::invalid_value, "The list of resources is empty (count %u, array %p).",
                  count, static_cast<const void*>(resources));
  Resources found;
  found.reserve(std::min(count, 4096u));  // a wrong count must not exhaust memory
  for (unsigned i = 0; i < count; ++i) found.push_back(TRY(find(resources[i])));
  return found;
}

// Returns the context that the resources were registered with, in which they are mapped. Measured:
// in another context the handle is invalid; without one, the context is, but handles are looked at
// first.
Result<device::Context*> context_of(const Resources& resources) {
  device::Context* const context = device::Thread::current().context();
  if (!context) return usable_context();
  for (const auto& resource : resources)
    if (resource->owner() != context->generation())
      return refuse(Error::invalid_handle,
                    "%s was registered with another context than the current one.",
                    resource->lender().describe().c_str());
  return usable_context();
}

// Checks a stream. Errors: invalid_handle for a stream of another context; as any call that a
// capture forbids.
Result<> check_stream(const device::Context& context, device::Stream& stream) {
  if (&stream.context() != &context)  // measured
    return refuse(Error::invalid_handle, "The stream belongs to another context.");
  TRY(device::Capture::refuse_in(stream));
  return device::Capture::refuse_unsafe_call();
}

}  // namespace

extern "C" {

// Measured: the handle is checked first, then the place for the answer, then the resource.
CUresult cuGraphicsSubResourceGetMappedArray(CUarray* pArray, CUgraphicsResource resource,
                                             unsigned int arrayIndex, unsigned int mipLevel) {
  return call<CUresult>([&]() -> Result<> {
    const auto found = TRY(find(resource));
    if (!pArray) return Error::invalid_value;
    *pArray = TRY(give_handle(*TRY(found->array(arrayIndex, mipLevel))));
    return {};
  });
}

CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray* pMipmappedArray,
                                                   CUgraphicsResource resource) {
  return call<CUresult>([&]() -> Result<> {
    const auto found = TRY(find(resource));
    if (!pMipmappedArray) return Error::invalid_value;
    *pMipmappedArray = TRY(give_handle(*TRY(found->mipmapped_array())));
    return {};
  });
}

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources,
                                CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const Resources found = TRY(find_resources(count, resources));
    device::Context& context = *TRY(context_of(found));
    const auto stream = TRY(find(hStream, context));
    TRY(check_stream(context, *stream));
    return GraphicsResource::map(found, stream.get(), requester(context));
  });
}

CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource* resources,
                                  CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const Resources found = TRY(find_resources(count, resources));
    device::Context& context = *TRY(context_of(found));
    const auto stream = TRY(find(hStream, context));
    TRY(check_stream(context, *stream));
    return GraphicsResource::unmap(found, *stream, requester(context));
  });
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr* pDevPtr, size_t* pSize,
                                               CUgraphicsResource resource) {
  return call<CUresult>([&]() -> Result<> {
    const auto pointer = TRY(TRY(find(resource))->pointer());
    // Measured: either may be null.
    if (pDevPtr) *pDevPtr = pointer.address;
    if (pSize) *pSize = pointer.size;
    return {};
  });
}

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto found = TRY(find(resource));
    return found->set_map_flags(TRY(map_flags(flags)));
  });
}

// Measured: it does not matter which context is current.
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
  return call<CUresult>([&]() -> Result<> {
    const auto found = TRY(find(resource));
    TRY(device::Capture::refuse_unsafe_call());
    const auto arrays = found->arrays_ever_mapped();
    TRY(found->unregister());
    if (arrays) forget_handles_of(*arrays);
    forget_handle<interop::GraphicsResource>(resource);
    return {};
  });
}

// --- From before CUDA 3.2 and 6.5 ---

// Measured: it writes a size of 0 and fails, because no address has 32 bits today.
CUresult cuGraphicsResourceGetMappedPointer(CUdeviceptr_v1*, unsigned int* pSize,
                                            CUgraphicsResource resource) {
  return call<CUresult>([&]() -> Result<> {
    TRY(find(resource));
    if (pSize) *pSize = 0;
    return refuse(Error::invalid_context,
                  "Addresses do not fit into 32 bits: call cuGraphicsResourceGetMappedPointer_v2.");
  });
}

// Measured: unknown flags are accepted and ignored.
CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto found = TRY(find(resource));
    return found->set_map_flags(flags <= CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD
                                    ? TRY(map_flags(flags))
                                    : interop::MapFlags::none);
  });
}

}  // extern "C"
