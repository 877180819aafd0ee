// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/graph/submission.hpp"
#include "sim/device/stream/transfer.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// `count` elements in a row.
struct Row {
  CUdeviceptr address;
  size_t count;
  bool empty() const { return count == 0; }
};

// Rows of `width` elements, `pitch` bytes apart.
struct Rows {
  CUdeviceptr address;
  size_t pitch, width, height;
  bool empty() const { return width == 0 || height == 0; }
};

template <typename Element>
Result<memory::Region> region_of(const Row& row) {
  size_t size, end;
  if (__builtin_mul_overflow(row.count, sizeof(Element), &size) ||
      __builtin_add_overflow(row.address, size, &end))
    return refuse(Error::invalid_value, "%zu elements are larger than the address space.",
                  row.count);
  return memory::Region::linear(row.address, size);
}

template <typename Element>
Result<memory::Region> region_of(const Rows& rows) {
  size_t width, size, end;
  if (__builtin_mul_overflow(rows.width, sizeof(Element), &width) ||
      __builtin_mul_overflow(rows.pitch, rows.height, &size) ||
      __builtin_add_overflow(rows.address, size, &end))
    return refuse(Error::invalid_value, "%zu rows are larger than the address space.", rows.height);
  if (rows.height > 1 && rows.pitch < width)
    return refuse(Error::invalid_value, "A pitch of %zu bytes is less than the row of %zu bytes.",
                  rows.pitch, width);
  if (rows.height > 1 && rows.pitch % sizeof(Element) != 0)
    return refuse(Error::invalid_value,
                  "A pitch of %zu bytes is not a multiple of the element size (%zu bytes).",
                  rows.pitch, sizeof(Element));
  return memory::Region{rows.address, width, rows.pitch, rows.height, size, 1};
}

template <typename Element, typename Shape>
Result<> fill(const device::Transfer& transfer, const Shape& shape, Element value) {
  // Measured: with nothing to set, nothing is checked.
  if (shape.empty()) return {};
  // "dstDevice pointer and dstPitch offset must be ... aligned" to the element.
  if (shape.address % sizeof(Element) != 0)
    return refuse(Error::invalid_value, "0x%llx is not a multiple of the element size (%zu bytes).",
                  shape.address, sizeof(Element));
  return device::submit_fill(transfer, TRY(region_of<Element>(shape)), value, sizeof(Element));
}

template <typename Element, typename Shape>
[[gnu::always_inline]] inline CUresult set(const Shape& shape, Element value) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto stream = TRY(find(CUstream{}, context));
    return fill<Element>({context, *stream, false, call_site()}, shape, value);
  });
}

template <typename Element, typename Shape>
[[gnu::always_inline]] inline CUresult set_async(const Shape& shape, Element value,
                                                 CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    return fill<Element>({stream->context(), *stream, true, call_site()}, shape, value);
  });
}

}  // namespace

extern "C" {

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return set<uint8_t>(Row{dstDevice, N}, uc);
}
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return set<uint16_t>(Row{dstDevice, N}, us);
}
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return set<uint32_t>(Row{dstDevice, N}, ui);
}
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return set_async<uint8_t>(Row{dstDevice, N}, uc, hStream);
}
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return set_async<uint16_t>(Row{dstDevice, N}, us, hStream);
}
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return set_async<uint32_t>(Row{dstDevice, N}, ui, hStream);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height) {
  return set<uint8_t>(Rows{dstDevice, dstPitch, Width, Height}, uc);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height) {
  return set<uint16_t>(Rows{dstDevice, dstPitch, Width, Height}, us);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height) {
  return set<uint32_t>(Rows{dstDevice, dstPitch, Width, Height}, ui);
}
CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream) {
  return set_async<uint8_t>(Rows{dstDevice, dstPitch, Width, Height}, uc, hStream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream) {
  return set_async<uint16_t>(Rows{dstDevice, dstPitch, Width, Height}, us, hStream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream) {
  return set_async<uint32_t>(Rows{dstDevice, dstPitch, Width, Height}, ui, hStream);
}

}  // extern "C"
