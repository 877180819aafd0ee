// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/array.hpp"

#include <algorithm>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/base/config.hpp"
#include "sim/device/graph/capture.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::ArrayDescriptor;
using device::ArrayStorage;

namespace {

// Destroying needs no context, but if one is current it must be usable, as for cuMemFree.
Result<> check_current_context() {
  if (device::Thread::current().context()) TRY(usable_context());
  return device::Capture::refuse_unsafe_call();
}

Result<> create_array(CUarray* handle, const ArrayDescriptor& descriptor,
                      device::Context& context) {
  TRY(device::Capture::refuse_unsafe_call());
  const auto array = TRY(device::create_array(context, descriptor, call_site()));
  *handle = TRY(give_handle(*array));
  return {};
}

// Ends the handle first; if several threads destroy the array, one of them is first.
template <typename Object>
Result<> end(const Ref<Object>& object) {
  if (object->storage().owner() == ArrayStorage::Owner::arrays && !forget_handle_of(*object))
    return refuse(Error::invalid_handle, "The array was destroyed by another thread.");
  TRY(device::end_memory(object->storage()));
  forget_handles_of(*object);
  return {};
}

// Answers questions about arrays with `flag`; for others "CUDA_ERROR_INVALID_VALUE will be
// returned". No array has the flag yet, because it could not be mapped.
template <typename Handle>
Result<> refuse_without(const char* flag, const void* answer, Handle handle) {
  // Measured: a null handle gives another error here than in other calls.
  if (!answer || !handle) return Error::invalid_value;
  TRY(find(handle));
  return refuse(Error::invalid_value, "The array was not created with %s.", flag);
}

}  // namespace

extern "C" {

CUresult cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pHandle || !pAllocateArray) return Error::invalid_value;
    const CUDA_ARRAY_DESCRIPTOR& d = *pAllocateArray;
    return create_array(pHandle, descriptor_of({d.Width, d.Height, 0, d.Format, d.NumChannels, 0}),
                        context);
  });
}

CUresult cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pHandle || !pAllocateArray) return Error::invalid_value;
    return create_array(pHandle, descriptor_of(*pAllocateArray), context);
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return call<CUresult>([&]() -> Result<> {
    const auto array = TRY(find_usable(hArray));
    if (!pArrayDescriptor) return Error::invalid_value;
    // Measured: layers, faces and slices are not mentioned.
    const ArrayDescriptor& d = array->descriptor();
    *pArrayDescriptor = {d.width, d.height, static_cast<CUarray_format>(d.format), d.channels};
    return {};
  });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  return call<CUresult>([&]() -> Result<> {
    const auto array = TRY(find_usable(hArray));
    if (!pArrayDescriptor) return Error::invalid_value;
    const ArrayDescriptor& d = array->descriptor();
    *pArrayDescriptor = {d.width,    d.height, d.depth, static_cast<CUarray_format>(d.format),
                         d.channels, d.flags};
    return {};
  });
}

CUresult cuArrayDestroy(CUarray hArray) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_current_context());
    const auto array = TRY(find(hArray));
    // Measured: a level or a plane ends with its array; destroying it is not an error and does
    // nothing.
    if (array->is_part() && array->storage().owner() == ArrayStorage::Owner::arrays) return {};
    return end(array);
  });
}

CUresult cuArrayGetPlane(CUarray* pPlaneArray, CUarray hArray, unsigned int planeIdx) {
  return call<CUresult>([&]() -> Result<> {
    const auto array = TRY(find_usable(hArray));
    if (!pPlaneArray) return Error::invalid_value;
    *pPlaneArray = TRY(give_handle(*TRY(array->plane(planeIdx))));
    return {};
  });
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements,
                                      CUarray array, CUdevice device) {
  return call<CUresult>([&]() -> Result<> {
    return refuse_without("CUDA_ARRAY3D_DEFERRED_MAPPING", memoryRequirements, array);
  });
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties, CUarray array) {
  return call<CUresult>(
      [&]() -> Result<> { return refuse_without("CUDA_ARRAY3D_SPARSE", sparseProperties, array); });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* pHandle,
                                const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pHandle || !pMipmappedArrayDesc) return Error::invalid_value;
    TRY(device::Capture::refuse_unsafe_call());
    const auto array = TRY(device::create_mipmapped_array(
        context, descriptor_of(*pMipmappedArrayDesc), numMipmapLevels, call_site()));
    *pHandle = TRY(give_handle(*array));
    return {};
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
  return call<CUresult>([&]() -> Result<> {
    const auto array = TRY(find_usable(hMipmappedArray));
    if (!pLevelArray) return Error::invalid_value;
    // "If level is greater than the maximum number of levels in this mipmapped array,
    // CUDA_ERROR_INVALID_VALUE is returned." The driver does not check this for arrays of graphics
    // resources.
    if (array->storage().owner() == ArrayStorage::Owner::somebody && follows_driver())
      level = std::min(level, array->levels() - 1);
    *pLevelArray = TRY(give_handle(*TRY(array->level(level))));
    return {};
  });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_current_context());
    return end(TRY(find(hMipmappedArray)));
  });
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device) {
  return call<CUresult>([&]() -> Result<> {
    return refuse_without("CUDA_ARRAY3D_DEFERRED_MAPPING", memoryRequirements, mipmap);
  });
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties,
                                             CUmipmappedArray mipmap) {
  return call<CUresult>([&]() -> Result<> {
    return refuse_without("CUDA_ARRAY3D_SPARSE", sparseProperties, mipmap);
  });
}

}  // extern "C"
