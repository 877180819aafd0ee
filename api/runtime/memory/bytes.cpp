// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/memory/bytes.hpp"

#include "api/runtime/convert.hpp"
#include "api/runtime/driver.hpp"
#include "api/runtime/memory/direction.hpp"
#include "api/runtime/thread.hpp"

namespace cuvette::runtime {
namespace {

Status copy_now(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return DRIVER_ON_NULL_STREAM(cuMemcpyHtoD)(device_pointer(to), from, count);
    case cudaMemcpyDeviceToHost:
      return DRIVER_ON_NULL_STREAM(cuMemcpyDtoH)(to, device_pointer(from), count);
    case cudaMemcpyDeviceToDevice:
      return DRIVER_ON_NULL_STREAM(cuMemcpyDtoD)(device_pointer(to), device_pointer(from), count);
    default:
      return DRIVER_ON_NULL_STREAM(cuMemcpy)(device_pointer(to), device_pointer(from), count);
  }
}

Status copy_in(CUstream stream, void* to, const void* from, std::size_t count,
               cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return DRIVER(cuMemcpyHtoDAsync)(device_pointer(to), from, count, stream);
    case cudaMemcpyDeviceToHost:
      return DRIVER(cuMemcpyDtoHAsync)(to, device_pointer(from), count, stream);
    case cudaMemcpyDeviceToDevice:
      return DRIVER(cuMemcpyDtoDAsync)(device_pointer(to), device_pointer(from), count, stream);
    default:
      return DRIVER(cuMemcpyAsync)(device_pointer(to), device_pointer(from), count, stream);
  }
}

}  // namespace

Status copy_bytes(void* to, const void* from, std::size_t count, cudaMemcpyKind kind,
                  std::optional<cudaStream_t> stream) {
  if (count == 0) return {};
  Direction direction;
  CHECK(find_direction(kind, &direction));
  return stream ? copy_in(driver_stream(*stream), to, from, count, kind)
                : copy_now(to, from, count, kind);
}

}  // namespace cuvette::runtime
