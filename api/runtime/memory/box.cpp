// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/memory/box.hpp"

#include "api/runtime/convert.hpp"
#include "api/runtime/driver.hpp"
#include "api/runtime/memory/direction.hpp"
#include "api/runtime/thread.hpp"

namespace cuvette::runtime {
namespace {

size_t format_bytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

Status find_element_bytes(CUarray array, size_t* bytes) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  CHECK(DRIVER(cuArray3DGetDescriptor)(&descriptor, array));
  *bytes = format_bytes(descriptor.Format) * descriptor.NumChannels;
  // Compressed blocks and planes have no elements that a position could count in.
  if (*bytes == 0) return cudaErrorNotSupported;
  return {};
}

Status describe_box(const BoxEnd& to, const BoxEnd& from, BoxExtent extent, cudaMemcpyKind kind,
                    CUDA_MEMCPY3D* copy) {
  Direction direction;
  CHECK(find_direction(kind, &direction));
  *copy = {};
  copy->srcXInBytes = from.x_bytes;
  copy->srcY = from.y;
  copy->srcZ = from.z;
  copy->dstXInBytes = to.x_bytes;
  copy->dstY = to.y;
  copy->dstZ = to.z;
  copy->WidthInBytes = extent.width_bytes;
  copy->Height = extent.height;
  copy->Depth = extent.depth;
  if (from.array != nullptr) {
    copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy->srcArray = from.array;
  } else {
    copy->srcMemoryType = direction.from;
    copy->srcHost = from.pointer;
    copy->srcDevice = device_pointer(from.pointer);
    copy->srcPitch = from.pitch;
    copy->srcHeight = from.height;
  }
  if (to.array != nullptr) {
    copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy->dstArray = to.array;
  } else {
    copy->dstMemoryType = direction.to;
    copy->dstHost = to.pointer;
    copy->dstDevice = device_pointer(to.pointer);
    copy->dstPitch = to.pitch;
    copy->dstHeight = to.height;
  }
  return {};
}

// Errors are checked in this order: measured on an H200. The pitch of a single row is ignored,
// unless it is less than the row.
Status copy_rows(BoxEnd to, BoxEnd from, size_t width_bytes, size_t rows, cudaMemcpyKind kind,
                 std::optional<cudaStream_t> stream) {
  if (width_bytes == 0 || rows == 0) return {};
  for (BoxEnd* const end : {&to, &from}) {
    const bool is_narrow = end->array == nullptr && end->pitch < width_bytes;
    if (is_narrow && rows > 1) return cudaErrorInvalidPitchValue;
    if (rows == 1 && !is_narrow) end->pitch = 0;
  }
  Direction direction;
  CHECK(find_direction(kind, &direction));
  // An array is device memory.
  if ((from.array != nullptr && direction.from == CU_MEMORYTYPE_HOST) ||
      (to.array != nullptr && direction.to == CU_MEMORYTYPE_HOST))
    return cudaErrorInvalidMemcpyDirection;
  CUDA_MEMCPY3D copy;
  CHECK(describe_box(to, from, {width_bytes, rows, 1}, kind, &copy));
  if (stream) return DRIVER(cuMemcpy3DAsync)(&copy, driver_stream(*stream));
  return DRIVER_ON_NULL_STREAM(cuMemcpy3D)(&copy);
}

Status describe_copy(const cudaMemcpy3DParms& parameters, CUDA_MEMCPY3D* copy) {
  const bool from_array = parameters.srcArray != nullptr, to_array = parameters.dstArray != nullptr;
  Direction direction;
  CHECK(find_direction(parameters.kind, &direction));
  // Each end is either an array or memory.
  if (from_array == (parameters.srcPtr.ptr != nullptr) ||
      to_array == (parameters.dstPtr.ptr != nullptr))
    return cudaErrorInvalidValue;
  // Measured: widths are compared as given, although arrays count elements; and the kind
  // may claim that a destination array is host memory.
  const cudaExtent& given = parameters.extent;
  const auto is_narrow = [&](bool array, const cudaPitchedPtr& memory) {
    return !array && (((given.height > 1 || given.depth > 1) && memory.pitch < given.width) ||
                      (given.depth > 1 && memory.ysize < given.height));
  };
  if (is_narrow(from_array, parameters.srcPtr) || is_narrow(to_array, parameters.dstPtr))
    return cudaErrorInvalidPitchValue;
  if (from_array && direction.from == CU_MEMORYTYPE_HOST) return cudaErrorInvalidValue;
  size_t element = 1;
  if (from_array || to_array)
    CHECK(find_element_bytes(driver_array(from_array ? parameters.srcArray : parameters.dstArray),
                             &element));
  if (from_array && to_array) {
    size_t other = 0;
    CHECK(find_element_bytes(driver_array(parameters.dstArray), &other));
    if (other != element) return cudaErrorInvalidValue;
  }
  const auto end = [element](cudaArray_t array, const cudaPitchedPtr& memory, const cudaPos& at) {
    BoxEnd end;
    end.array = driver_array(array);
    end.pointer = memory.ptr;
    end.pitch = memory.pitch;
    end.height = memory.ysize;
    end.x_bytes = array != nullptr ? at.x * element : at.x;
    end.y = at.y;
    end.z = at.z;
    return end;
  };
  const BoxExtent extent{parameters.extent.width * element, parameters.extent.height,
                         parameters.extent.depth};
  return describe_box(end(parameters.dstArray, parameters.dstPtr, parameters.dstPos),
                      end(parameters.srcArray, parameters.srcPtr, parameters.srcPos), extent,
                      parameters.kind, copy);
}

namespace {

cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST)
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

void* pointer_of(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : reinterpret_cast<void*>(device);
}

}  // namespace

Status describe_copy(const CUDA_MEMCPY3D& copy, cudaMemcpy3DParms* parameters) {
  *parameters = {};
  const bool from_array = copy.srcMemoryType == CU_MEMORYTYPE_ARRAY;
  const bool to_array = copy.dstMemoryType == CU_MEMORYTYPE_ARRAY;
  size_t element = 1;
  if (from_array || to_array)
    CHECK(find_element_bytes(from_array ? copy.srcArray : copy.dstArray, &element));
  parameters->srcPos = {from_array ? copy.srcXInBytes / element : copy.srcXInBytes, copy.srcY,
                        copy.srcZ};
  parameters->dstPos = {to_array ? copy.dstXInBytes / element : copy.dstXInBytes, copy.dstY,
                        copy.dstZ};
  parameters->extent = {copy.WidthInBytes / element, copy.Height, copy.Depth};
  if (from_array)
    parameters->srcArray = reinterpret_cast<cudaArray_t>(copy.srcArray);
  else
    parameters->srcPtr = {pointer_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice),
                          copy.srcPitch, 0, copy.srcHeight};
  if (to_array)
    parameters->dstArray = reinterpret_cast<cudaArray_t>(copy.dstArray);
  else
    parameters->dstPtr = {pointer_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
                          copy.dstPitch, 0, copy.dstHeight};
  parameters->kind = kind_of(copy.srcMemoryType, copy.dstMemoryType);
  return {};
}

}  // namespace cuvette::runtime
