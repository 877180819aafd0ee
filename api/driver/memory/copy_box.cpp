// SPDX-License-Identifier: Apache-2.0
#include "api/driver/memory/copy_box.hpp"

#include <cstdint>

#include "api/driver/handles.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/base/config.hpp"

namespace cuvette::driver {
namespace {

using device::MemoryType;
using memory::Region;

// CU_DEVICE_ATTRIBUTE_MAX_PITCH of every device.
constexpr size_t max_pitch = 0x7fffffff;

// One end of a copy: a position in a volume of rows.
struct End {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z;
  size_t pitch;   // 0: rows follow each other without a gap
  size_t height;  // rows of a slice; 0: as many as are copied
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
      return MemoryType::array;
  }
  return refuse(Error::invalid_value, "%d is not a memory type.", static_cast<int>(type));
}

Result<device::CopyOperand> place_in(CUarray handle, size_t x, size_t y, size_t z, size_t width,
                                     size_t height, size_t depth) {
  // Measured: a null handle gives another error here than in other calls.
  if (!handle) return refuse(Error::invalid_value, "The array of the copy is null.");
  Ref<device::Array> array = TRY(find(handle));
  const Region region = TRY(array->box(x, y, z, width, height, depth));
  return device::CopyOperand{region, MemoryType::array, std::move(array)};
}

Result<device::CopyOperand> place(const End& end, size_t width, size_t height, size_t depth) {
  const MemoryType type = TRY(memory_type(end.type));
  if (type == MemoryType::array) {
    // "For CUDA arrays, srcXInBytes must be evenly divisible by the array element size." An H200
    // does not ask for it, and the runtime API, which is built on this, documents no such rule.
    return place_in(end.array, end.x, end.y, end.z, width, height, depth);
  }
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
  // For a single slice at z = 0 the height does not matter.
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
  return device::CopyOperand{region, type};
}

// Measured: blocks are copied to and from blocks, or elements, of the same size.
Result<> check_blocks(const CopyBox& box) {
  if (!box.to.array || !box.from.array) return {};
  const device::ArrayLayout &to = box.to.array->layout(), &from = box.from.array->layout();
  if ((to.block == 1 && from.block == 1) || to.element == from.element) return {};
  return refuse(Error::invalid_value,
                "Blocks can only be copied whole, not from %zu bytes to %zu bytes.", from.element,
                to.element);
}

Result<CopyBox> box(const End& to, const End& from, size_t width, size_t height, size_t depth) {
  if (width == 0 || height == 0 || depth == 0) {
    // Measured: with nothing to copy, nothing else is checked.
    const Region empty{};
    return CopyBox{{empty, MemoryType::unified}, {empty, MemoryType::unified}};
  }
  CopyBox box{TRY(place(to, width, height, depth)), TRY(place(from, width, height, depth))};
  TRY(check_blocks(box));
  return box;
}

template <typename Description>
Result<CopyBox> volume(const Description& d) {
  // "srcLOD and dstLOD members of the CUDA_MEMCPY3D structure must be set to 0."
  if (d.srcLOD != 0 || d.dstLOD != 0)
    return refuse(Error::invalid_value, "The levels of detail are %zu and %zu; they must be 0.",
                  d.srcLOD, d.dstLOD);
  return box({d.dstMemoryType, d.dstHost, d.dstDevice, d.dstArray, d.dstXInBytes, d.dstY, d.dstZ,
              d.dstPitch, d.dstHeight},
             {d.srcMemoryType, d.srcHost, d.srcDevice, d.srcArray, d.srcXInBytes, d.srcY, d.srcZ,
              d.srcPitch, d.srcHeight},
             d.WidthInBytes, d.Height, d.Depth);
}

}  // namespace

Result<CopyBox> copy_box_of(const CUDA_MEMCPY2D* description) {
  if (!description) return refuse(Error::invalid_value, "The description of the copy is null.");
  const CUDA_MEMCPY2D& d = *description;
  return box({d.dstMemoryType, d.dstHost, d.dstDevice, d.dstArray, d.dstXInBytes, d.dstY, 0,
              d.dstPitch, 0},
             {d.srcMemoryType, d.srcHost, d.srcDevice, d.srcArray, d.srcXInBytes, d.srcY, 0,
              d.srcPitch, 0},
             d.WidthInBytes, d.Height, 1);
}

Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D* description) {
  if (!description) return refuse(Error::invalid_value, "The description of the copy is null.");
  return volume(*description);
}

Result<CopyBox> copy_box_of(const CUDA_MEMCPY3D_PEER* description) {
  if (!description) return refuse(Error::invalid_value, "The description of the copy is null.");
  CopyBox peers{};
  TRY(set_peers(peers, description->dstContext, description->srcContext));
  CopyBox box = TRY(volume(*description));
  box.to.peer = peers.to.peer;
  box.from.peer = peers.from.peer;
  return box;
}

Result<> set_peers(CopyBox& box, CUcontext to, CUcontext from) {
  if (to) box.to.peer = TRY(find(to))->device().ordinal();
  if (from) box.from.peer = TRY(find(from))->device().ordinal();
  return {};
}

Result<device::CopyOperand> row_of(CUarray array, size_t offset, size_t size) {
  // Measured: with nothing to copy, nothing is checked.
  if (size == 0) return device::CopyOperand{Region{}, MemoryType::array};
  return place_in(array, offset, 0, 0, size, 1, 1);
}

Result<> check_same_elements(const device::CopyOperand& one, const device::CopyOperand& other) {
  if (!one.array || !other.array) return {};
  const size_t first = one.array->layout().element, second = other.array->layout().element;
  TRY(check_blocks({one, other}));
  if (follows_driver() || first == second) return {};
  return refuse(Error::invalid_value, "Elements of %zu and of %zu bytes are not the same size.",
                first, second);
}

Result<> check_whole_elements(const device::CopyOperand& place, size_t bytes, const char* what) {
  if (!place.array || follows_driver()) return {};
  const size_t element = place.array->layout().element;
  if (bytes % element == 0) return {};
  return refuse(Error::invalid_value, "The %s of %zu bytes is not divisible by an element's %zu.",
                what, bytes, element);
}

}  // namespace cuvette::driver
