// SPDX-License-Identifier: Apache-2.0
// Copies with an array at one end or both, and copies of boxes.
//
// Reference: CUDA Runtime API, "Memory Management".
#include <algorithm>
#include <optional>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/box.hpp"

using namespace cuvette::runtime;

namespace {
BoxEnd in_memory(const void* pointer, size_t pitch) {
  BoxEnd end;
  end.pointer = const_cast<void*>(pointer);
  end.pitch = pitch;
  return end;
}

// Offsets of these functions count bytes and rows.
BoxEnd in_array(cudaArray_const_t array, size_t x_bytes, size_t y) {
  BoxEnd end;
  end.array = driver_array(array);
  end.x_bytes = x_bytes;
  end.y = y;
  return end;
}

// Copies `count` bytes that fill rows of an array, the first of which begins at an offset: what is
// left of that row, whole rows, and the rest. In `end` the memory's side is where the bytes go on.
template <typename CopyPiece>
Status for_each_piece(cudaArray_const_t array, size_t x_bytes, size_t y, size_t count,
                      const CopyPiece& copy) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  CHECK(DRIVER(cuArray3DGetDescriptor)(&descriptor, driver_array(array)));
  size_t element = 0;
  CHECK(find_element_bytes(driver_array(array), &element));
  const size_t row = descriptor.Width * element;
  if (x_bytes >= row) return cudaErrorInvalidValue;
  size_t done = 0;
  while (done < count) {
    const size_t left = count - done;
    const size_t width = std::min(left, row - x_bytes);
    const size_t rows = x_bytes == 0 && left >= row ? left / row : 1;
    CHECK(copy(done, x_bytes, y, BoxExtent{width, rows, 1}));
    done += width * rows;
    x_bytes = 0;
    y += rows;
  }
  return {};
}

Status copy_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t count,
                     cudaMemcpyKind kind, std::optional<cudaStream_t> stream) {
  return for_each_piece(
      to, x_bytes, y, count, [&](size_t done, size_t at, size_t row, BoxExtent extent) {
        return copy_box(in_array(to, at, row),
                        in_memory(static_cast<const char*>(from) + done, extent.width_bytes),
                        extent, kind, stream);
      });
}

Status copy_from_array(void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                       cudaMemcpyKind kind, std::optional<cudaStream_t> stream) {
  return for_each_piece(
      from, x_bytes, y, count, [&](size_t done, size_t at, size_t row, BoxExtent extent) {
        return copy_box(in_memory(static_cast<char*>(to) + done, extent.width_bytes),
                        in_array(from, at, row), extent, kind, stream);
      });
}
}  // namespace

extern "C" {

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] {
    return copy_box(in_array(dst, wOffset, hOffset), in_memory(src, spitch), {width, height, 1},
                    kind, {});
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void* src, size_t spitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] {
    return copy_box(in_array(dst, wOffset, hOffset), in_memory(src, spitch), {width, height, 1},
                    kind, stream);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  return call([&] {
    return copy_box(in_memory(dst, dpitch), in_array(src, wOffset, hOffset), {width, height, 1},
                    kind, {});
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] {
    return copy_box(in_memory(dst, dpitch), in_array(src, wOffset, hOffset), {width, height, 1},
                    kind, stream);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] {
    return copy_box(in_array(dst, wOffsetDst, hOffsetDst), in_array(src, wOffsetSrc, hOffsetSrc),
                    {width, height, 1}, kind, {});
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                              size_t count, cudaMemcpyKind kind) {
  return call([&] { return copy_to_array(dst, wOffset, hOffset, src, count, kind, {}); });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] { return copy_to_array(dst, wOffset, hOffset, src, count, kind, stream); });
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, cudaMemcpyKind kind) {
  return call([&] { return copy_from_array(dst, src, wOffset, hOffset, count, kind, {}); });
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return call([&] { return copy_from_array(dst, src, wOffset, hOffset, count, kind, stream); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return call([&]() -> Status {
    if (p == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D copy;
    CHECK(describe_copy(*p, &copy));
    if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return {};
    return DRIVER_ON_NULL_STREAM(cuMemcpy3D)(&copy);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return call([&]() -> Status {
    if (p == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D copy;
    CHECK(describe_copy(*p, &copy));
    if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return {};
    return DRIVER(cuMemcpy3DAsync)(&copy, driver_stream(stream));
  });
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp* opList,
                                   unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemcpy3DBatchAsync)(numOps, same_layout<CUDA_MEMCPY3D_BATCH_OP>(opList), flags,
                                        driver_stream(stream));
  });
}
}
