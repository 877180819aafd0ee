// SPDX-License-Identifier: Apache-2.0
// Copies with an array at one end or both, and copies of boxes.
//
// Reference: CUDA Runtime API, "Memory Management".
#include <algorithm>
#include <initializer_list>
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

// Copies a rectangle; `arrays` names the ends that have to be arrays.
Status copy_rectangle(std::initializer_list<cudaArray_const_t> arrays, const BoxEnd& to,
                      const BoxEnd& from, size_t width, size_t height, cudaMemcpyKind kind,
                      std::optional<cudaStream_t> stream) {
  if (width == 0 || height == 0) return {};
  for (const cudaArray_const_t array : arrays)
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
  return copy_rows(to, from, width, height, kind, stream);
}

Status find_row_bytes(cudaArray_const_t array, size_t* bytes) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  CHECK(DRIVER(cuArray3DGetDescriptor)(&descriptor, driver_array(array)));
  size_t element = 0;
  CHECK(find_element_bytes(driver_array(array), &element));
  *bytes = descriptor.Width * element;
  return {};
}

// Copies `count` bytes into or out of rows of an array, beginning at an offset in the first: the
// rest of that row, whole rows, and what remains. `end` is the side in memory.
template <typename CopyPiece>
Status for_each_piece(cudaArray_const_t array, size_t x_bytes, size_t y, size_t count,
                      const CopyPiece& copy) {
  size_t row = 0;
  CHECK(find_row_bytes(array, &row));
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
        return copy_rows(in_array(to, at, row),
                         in_memory(static_cast<const char*>(from) + done, extent.width_bytes),
                         extent.width_bytes, extent.height, kind, stream);
      });
}

Status copy_from_array(void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                       cudaMemcpyKind kind, std::optional<cudaStream_t> stream) {
  return for_each_piece(
      from, x_bytes, y, count, [&](size_t done, size_t at, size_t row, BoxExtent extent) {
        return copy_rows(in_memory(static_cast<char*>(to) + done, extent.width_bytes),
                         in_array(from, at, row), extent.width_bytes, extent.height, kind, stream);
      });
}

// One end of a copy that goes through the rows of an array: where its next byte lies.
struct Cursor {
  cudaArray_const_t array;
  size_t x_bytes, y, row_bytes;

  BoxEnd end() const { return in_array(array, x_bytes, y); }
  size_t left_in_row() const { return row_bytes - x_bytes; }
  void advance(size_t bytes) {
    x_bytes += bytes;
    if (x_bytes < row_bytes) return;
    x_bytes = 0;
    ++y;
  }
};

// The ends may begin in different columns and have rows of different widths.
Status copy_rows_of_arrays(Cursor to, Cursor from, size_t count, cudaMemcpyKind kind) {
  for (Cursor* const end : {&to, &from}) {
    if (end->array == nullptr) return cudaErrorInvalidResourceHandle;
    CHECK(find_row_bytes(end->array, &end->row_bytes));
    if (end->x_bytes >= end->row_bytes) return cudaErrorInvalidValue;
  }
  while (count > 0) {
    const size_t width = std::min({count, to.left_in_row(), from.left_in_row()});
    CHECK(copy_rows(to.end(), from.end(), width, 1, kind, {}));
    to.advance(width);
    from.advance(width);
    count -= width;
  }
  return {};
}

Status copy_described(const cudaMemcpy3DParms* parameters, std::optional<cudaStream_t> stream) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  // If there is nothing to copy, nothing else is checked: measured on an H200.
  const cudaExtent& extent = parameters->extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return {};
  CUDA_MEMCPY3D copy;
  CHECK(describe_copy(*parameters, &copy));
  if (stream) return DRIVER(cuMemcpy3DAsync)(&copy, driver_stream(*stream));
  return DRIVER_ON_NULL_STREAM(cuMemcpy3D)(&copy);
}
}  // namespace

extern "C" {

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] {
    return copy_rectangle({dst}, in_array(dst, wOffset, hOffset), in_memory(src, spitch), width,
                          height, kind, {});
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void* src, size_t spitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] {
    return copy_rectangle({dst}, in_array(dst, wOffset, hOffset), in_memory(src, spitch), width,
                          height, kind, stream);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  return call([&] {
    return copy_rectangle({src}, in_memory(dst, dpitch), in_array(src, wOffset, hOffset), width,
                          height, kind, {});
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] {
    return copy_rectangle({src}, in_memory(dst, dpitch), in_array(src, wOffset, hOffset), width,
                          height, kind, stream);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] {
    return copy_rectangle({dst, src}, in_array(dst, wOffsetDst, hOffsetDst),
                          in_array(src, wOffsetSrc, hOffsetSrc), width, height, kind, {});
  });
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, cudaMemcpyKind kind) {
  return call([&] {
    return copy_rows_of_arrays({dst, wOffsetDst, hOffsetDst, 0}, {src, wOffsetSrc, hOffsetSrc, 0},
                               count, kind);
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
  return call([&] { return copy_described(p, {}); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return call([&] { return copy_described(p, stream); });
}
}
