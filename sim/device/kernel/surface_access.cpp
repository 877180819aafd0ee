// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/surface_access.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/device/texture/sampling.hpp"

namespace cuvette::device {
namespace {

using ptx::SurfaceOperation;
using ptx::TextureGeometry;
using Kind = SurfaceOperation::Kind;
using Outside = SurfaceOperation::Outside;

template <typename T>
void reduce(uint8_t* at, Kind kind, T operand) {
  std::atomic_ref<T> place(*reinterpret_cast<T*>(at));
  T old = place.load(std::memory_order_relaxed);
  T made;
  do {
    switch (kind) {
      case Kind::add:
        made = static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                              static_cast<std::make_unsigned_t<T>>(operand));
        break;
      case Kind::min:
        made = std::min(old, operand);
        break;
      case Kind::max:
        made = std::max(old, operand);
        break;
      case Kind::bit_and:
        made = old & operand;
        break;
      default:
        made = old | operand;
        break;
    }
  } while (!place.compare_exchange_weak(old, made, std::memory_order_relaxed));
}

void reduce(uint8_t* at, const SurfaceOperation& operation, uint32_t low, uint32_t high) {
  const auto kind = static_cast<Kind>(operation.kind);
  const uint64_t both = uint64_t{high} << 32 | low;
  if (operation.bytes == 8)
    operation.is_signed ? reduce<int64_t>(at, kind, static_cast<int64_t>(both))
                        : reduce<uint64_t>(at, kind, both);
  else
    operation.is_signed ? reduce<int32_t>(at, kind, static_cast<int32_t>(low))
                        : reduce<uint32_t>(at, kind, low);
}

// Scales a number between `least` and 1 to an integer of which `most` is the largest.
uint32_t share(uint32_t bits, float least, float most) {
  const float number = std::bit_cast<float>(bits);
  const float inside = number > least ? number > 1 ? 1.0f : number : least;
  return static_cast<uint32_t>(static_cast<int32_t>(std::nearbyint(inside * most)));
}

// A channel out of the 32 bits that a formatted store has for it.
uint32_t formatted(uint32_t bits, const FormatFacts& format) {
  const int64_t most = (int64_t{1} << (8 * format.bytes)) - 1;
  switch (format.kind) {
    case ChannelKind::unsigned_integer:
      return static_cast<uint32_t>(std::min<int64_t>(bits, most));
    case ChannelKind::signed_integer:
      return static_cast<uint32_t>(static_cast<int32_t>(
          std::clamp<int64_t>(static_cast<int32_t>(bits), -most / 2 - 1, most / 2)));
    case ChannelKind::unorm:
      return share(bits, 0, static_cast<float>(most));
    case ChannelKind::snorm:
      return share(bits, -1, static_cast<float>(most / 2));
    default:
      return format.bytes == 2 ? sampling::to_half(std::bit_cast<float>(bits)) : bits;
  }
}

}  // namespace

SurfaceView SurfaceView::of(const Texels::Level& level) {
  const ArrayDescriptor& d = level.descriptor;
  SurfaceView view;
  view.elements = reinterpret_cast<uint8_t*>(memory::host_pointer(level.address));
  view.row_bytes = static_cast<int32_t>(level.layout.row_bytes());
  view.height = static_cast<int32_t>(std::max<size_t>(d.height, 1));
  view.depth = static_cast<int32_t>(std::max<size_t>(d.depth, 1));
  view.pitch = level.layout.pitch;
  view.slice = level.layout.slice;
  view.descriptor = d;
  return view;
}

SurfaceFault access_surface(const SurfaceOperation& operation, const SurfaceView& view,
                            const LaneWords* place, uint32_t mask, LaneWords* texels,
                            SurfaceBytes* touched) {
  const auto kind = static_cast<Kind>(operation.kind);
  const auto outside = static_cast<Outside>(operation.outside);
  const auto geometry = static_cast<TextureGeometry>(operation.geometry);
  const bool layered = geometry == TextureGeometry::a1d || geometry == TextureGeometry::a2d;
  const unsigned dimensions = geometry == TextureGeometry::d1 || geometry == TextureGeometry::a1d
                                  ? 1
                              : geometry == TextureGeometry::d3 ? 3
                                                                : 2;
  const FormatFacts& format = *facts(view.descriptor.format);
  const bool formats = kind == Kind::store_formatted;
  const auto element = static_cast<uint32_t>(format.element_bytes(view.descriptor.channels));
  const uint32_t bytes = formats ? element : operation.bytes * operation.count;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned first = layered ? 1 : 0;
    const uint32_t given_x = place[first][lane];
    const uint32_t given_y = dimensions > 1 ? place[first + 1][lane] : 0;
    const uint32_t given_z = layered ? place[0][lane] : dimensions > 2 ? place[2][lane] : 0;
    const int64_t step = formats ? element : 1;
    int64_t x = static_cast<int32_t>(given_x) * step, y = static_cast<int32_t>(given_y);
    // Only 16 bits of a layer's number count (measured).
    int64_t z = layered ? int64_t{given_z & 0xffff} : static_cast<int32_t>(given_z);
    if (!formats && (given_x & (bytes - 1)) != 0)
      return {SurfaceFault::Kind::misaligned, lane, given_x, given_y, given_z};
    const int64_t last_x = view.row_bytes - static_cast<int64_t>(bytes);
    const bool beyond =
        x < 0 || x > last_x || y < 0 || y >= view.height || z < 0 || z >= view.depth;
    const bool loads = kind == Kind::load;
    if (beyond) {
      if (outside == Outside::trap)
        return {SurfaceFault::Kind::outside, lane, given_x, given_y, given_z};
      if (outside == Outside::zero || last_x < 0) {
        if (loads)
          for (unsigned word = 0; word < 4; ++word) texels[word][lane] = 0;
        continue;
      }
      x = std::clamp<int64_t>(x, 0, last_x) / bytes * bytes;
      y = std::clamp<int64_t>(y, 0, view.height - 1);
      z = std::clamp<int64_t>(z, 0, view.depth - 1);
    }
    uint8_t* const at = view.elements + static_cast<size_t>(z) * view.slice +
                        static_cast<size_t>(y) * view.pitch + static_cast<size_t>(x);
    if (touched) {
      touched->addresses[lane] = reinterpret_cast<uint64_t>(at);
      touched->lanes |= 1u << lane;
      touched->bytes = bytes;
    }
    if (loads || kind == Kind::store) {
      const uint32_t words = operation.bytes == 8 ? 2 * operation.count : operation.count;
      const uint32_t size = std::min<uint32_t>(operation.bytes, 4);
      for (unsigned word = 0; word < words; ++word) {
        if (loads) {
          uint32_t value = 0;
          std::memcpy(&value, at + size * word, size);
          texels[word][lane] = value;
        } else {
          std::memcpy(at + size * word, &texels[word][lane], size);
        }
      }
    } else if (formats && view.descriptor.format == ArrayFormat::UNORM_INT_101010_2) {
      uint32_t value = 0;
      for (unsigned channel = 0; channel < operation.count; ++channel)
        value |= share(texels[channel][lane], 0, channel == 3 ? 3.0f : 1023.0f) << (10 * channel);
      std::memcpy(at, &value, sizeof value);
    } else if (formats) {
      for (unsigned channel = 0;
           channel < std::min<unsigned>(view.descriptor.channels, operation.count); ++channel) {
        const uint32_t value = formatted(texels[channel][lane], format);
        std::memcpy(at + format.bytes * channel, &value, format.bytes);
      }
    } else {
      reduce(at, operation, texels[0][lane], texels[1][lane]);
    }
  }
  return {};
}

}  // namespace cuvette::device
