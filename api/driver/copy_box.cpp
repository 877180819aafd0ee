// SPDX-License-Identifier: Apache-2.0
#include "api/driver/copy_box.hpp"

#include <cstdint>

#include "api/driver/handles.hpp"

namespace cuvette::driver {
namespace {

using device::MemoryType;
using memory::Region;

// CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device there is.
constexpr size_t max_pitch = 0x7fffffff;

// One end of a copy: a position in a volume of rows.
struct End {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  size_t x, y, z;
  size_t pitch;   // 0: rows follow each other without a gap
  size_t height;  // of a slice, in rows; 0: as many as are copied
};

Result<MemoryType> memory_type(CUmemorytype type) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return MemoryType::host;
    case CU_MEMORYTYPE_DEVICE:
      return MemoryType::device;
    case CU_MEMORYTYPE_UNIFIED:
      return MemoryType::unified;
    case CU_MEMORYTYPE_ARRAY:
      return refuse(Error::not_supported, "Arrays are not implemented; copy linear memory.");
  }
  return refuse(Error::invalid_value, "There is no memory type %d.", static_cast<int>(type));
}

Result<device::Place> place(const End& end, size_t width, size_t height, size_t depth) {
  const MemoryType type = TRY(memory_type(end.type));
  const size_t pitch = end.pitch ? end.pitch : end.x + width;
  const size_t rows = end.height ? end.height : end.y + height;
  // "The pitch must be greater than or equal to WidthInBytes + XInBytes".
  size_t row_end;
  if (__builtin_add_overflow(end.x, width, &row_end) || pitch < row_end)
    return refuse(Error::invalid_value,
                  "A pitch of %zu bytes is less than the row of %zu + %zu bytes.", pitch, end.x,
                  width);
  if (pitch > max_pitch)
    return refuse(Error::invalid_value, "A pitch of %zu bytes is larger than the limit of %zu.",
                  pitch, max_pitch);
  size_t column_end;
  if (__builtin_add_overflow(end.y, height, &column_end) || rows < column_end)
    return refuse(Error::invalid_value, "A slice height of %zu rows is less than %zu + %zu.", rows,
                  end.y, height);

  Region region{
      end.type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(end.host) : end.device,
      width,
      pitch,
      height,
      0,
      depth};
  // Of a single slice at z = 0, the height does not matter.
  const size_t slice_rows = depth > 1 || end.z > 0 ? rows : column_end;
  size_t skipped_slices, skipped_rows, skipped, extent, address;
  if (__builtin_mul_overflow(pitch, slice_rows, &region.slice) ||
      __builtin_mul_overflow(region.slice, end.z, &skipped_slices) ||
      __builtin_mul_overflow(pitch, end.y, &skipped_rows) ||
      __builtin_add_overflow(skipped_slices, skipped_rows, &skipped) ||
      __builtin_add_overflow(skipped, end.x, &skipped) ||
      __builtin_mul_overflow(region.slice, depth, &extent) ||
      __builtin_mul_overflow(pitch, height, &skipped_rows) ||
      __builtin_add_overflow(extent, skipped_rows, &extent) ||
      __builtin_add_overflow(region.address, skipped, &address) ||
      __builtin_add_overflow(address, extent, &skipped))
    return refuse(Error::invalid_value, "The box is larger than the address space.");
  if (region.address != 0) region.address = address;  // null stays null, to be refused as such
  return device::Place{region, type};
}

Result<CopyBox> box(const End& to, const End& from, size_t width, size_t height, size_t depth) {
  if (width == 0 || height == 0 || depth == 0) {
    // Nothing to copy, measured: nothing else is looked at.
    const Region empty{};
    return CopyBox{{empty, MemoryType::unified}, {empty, MemoryType::unified}};
  }
  return CopyBox{TRY(place(to, width, height, depth)), TRY(place(from, width, height, depth))};
}

template <typename Description>
Result<CopyBox> volume(const Description& d) {
  // "srcLOD and dstLOD members of the CUDA_MEMCPY3D structure must be set to 0."
  if (d.srcLOD != 0 || d.dstLOD != 0)
    return refuse(Error::invalid_value, "The level of detail must be 0 (%zu and %zu given).",
                  d.srcLOD, d.dstLOD);
  return box({d.dstMemoryType, d.dstHost, d.dstDevice, d.dstXInBytes, d.dstY, d.dstZ, d.dstPitch,
              d.dstHeight},
             {d.srcMemoryType, d.srcHost, d.srcDevice, d.srcXInBytes, d.srcY, d.srcZ, d.srcPitch,
              d.srcHeight},
             d.WidthInBytes, d.Height, d.Depth);
}

}  // namespace

Result<CopyBox> copy_box_of(const CUDA_MEMCPY2D* description) {
  if (!description) return refuse(Error::invalid_value, "The description of the copy is null.");
  const CUDA_MEMCPY2D& d = *description;
  return box({d.dstMemoryType, d.dstHost, d.dstDevice, d.dstXInBytes, d.dstY, 0, d.dstPitch, 0},
             {d.srcMemoryType, d.srcHost, d.srcDevice, d.srcXInBytes, d.srcY, 0, d.srcPitch, 0},
             d.WidthInBytes, d.Height, 1);
}

Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D* description) {
  if (!description) return refuse(Error::invalid_value, "The description of the copy is null.");
  return volume(*description);
}

Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D_PEER* description) {
  if (!description) return refuse(Error::invalid_value, "The description of the copy is null.");
  // Measured: null is the current context.
  if (description->dstContext) TRY(find(description->dstContext));
  if (description->srcContext) TRY(find(description->srcContext));
  return volume(*description);
}

}  // namespace cuvette::driver
