// SPDX-License-Identifier: Apache-2.0
// Fills: each writes one byte everywhere.
//
// Reference: CUDA Runtime API, "Memory Management".
#include <optional>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {
Status fill_rows(void* pointer, size_t pitch, int value, size_t width, size_t rows,
                 std::optional<cudaStream_t> stream) {
  if (width == 0 || rows == 0) return {};
  if (rows == 1 && pitch > width) pitch = width;  // a single row has no use for it
  const auto byte = static_cast<unsigned char>(value);
  if (stream)
    return DRIVER(cuMemsetD2D8Async)(device_pointer(pointer), pitch, byte, width, rows,
                                     driver_stream(*stream));
  return DRIVER_ON_NULL_STREAM(cuMemsetD2D8)(device_pointer(pointer), pitch, byte, width, rows);
}

// Slices without gaps between them are one set of rows.
Status fill_box(cudaPitchedPtr memory, int value, cudaExtent extent,
                std::optional<cudaStream_t> stream) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return {};
  if (extent.height > memory.ysize) return cudaErrorInvalidValue;
  if (extent.height == memory.ysize || extent.depth == 1)
    return fill_rows(memory.ptr, memory.pitch, value, extent.width, extent.height * extent.depth,
                     stream);
  for (size_t slice = 0; slice < extent.depth; ++slice)
    CHECK(fill_rows(static_cast<char*>(memory.ptr) + slice * memory.pitch * memory.ysize,
                    memory.pitch, value, extent.width, extent.height, stream));
  return {};
}
}  // namespace

extern "C" {

// A fill of nothing does not even report an error of the context.
cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return call([&]() -> Status {
    if (count == 0) return {};
    return DRIVER_ON_NULL_STREAM(cuMemsetD8)(device_pointer(devPtr),
                                             static_cast<unsigned char>(value), count);
  });
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return call([&]() -> Status {
    if (count == 0) return {};
    return DRIVER(cuMemsetD8Async)(device_pointer(devPtr), static_cast<unsigned char>(value), count,
                                   driver_stream(stream));
  });
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return call([&] { return fill_rows(devPtr, pitch, value, width, height, {}); });
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return call([&] { return fill_rows(devPtr, pitch, value, width, height, stream); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return call([&] { return fill_box(pitchedDevPtr, value, extent, {}); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return call([&] { return fill_box(pitchedDevPtr, value, extent, stream); });
}
}
