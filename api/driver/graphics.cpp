// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "api/driver/asker.hpp"
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graphics_flags.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using interop::GraphicsResource;

namespace {

using Resources = std::vector<Ref<GraphicsResource>>;

Result<Resources> find(unsigned count, const CUgraphicsResource* resources) {
  // Measured: looked at before the context is.
  if (count == 0 || !resources)
    return refuse(Error::invalid_value, "There is no resource in the list (count %u, array %p).",
                  count, static_cast<const void*>(resources));
  Resources found;
  found.reserve(std::min(count, 4096u));  // what a wrong count says is not taken from the machine
  for (unsigned i = 0; i < count; ++i) found.push_back(TRY(driver::find(resources[i])));
  return found;
}

// A resource is its CUDA context's.
Result<device::Context*> context_of(const Resources& resources) {
  device::Context* const context = TRY(detail::usable_context());
  for (const auto& resource : resources)
    if (resource->owner() != context->generation())
      return refuse(Error::invalid_context,
                    "%s was registered with another context than the current one.",
                    resource->lender().describe().c_str());
  return context;
}

}  // namespace

extern "C" {

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources,
                                CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const Resources found = TRY(::find(count, resources));
    device::Context& context = *TRY(context_of(found));
    const auto stream = TRY(find(hStream, context));
    return GraphicsResource::map(found, asker(context));
  });
}

CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource* resources,
                                  CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const Resources found = TRY(::find(count, resources));
    device::Context& context = *TRY(context_of(found));
    const auto stream = TRY(find(hStream, context));
    return GraphicsResource::unmap(found, *stream, asker(context));
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

CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
  return call<CUresult>([&]() -> Result<> {
    const auto found = TRY(find(resource));
    TRY(found->unregister(*TRY(context_of({found}))));
    graphics_handles.remove(reinterpret_cast<uintptr_t>(resource));
    return {};
  });
}

}  // extern "C"
