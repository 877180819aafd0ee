// SPDX-License-Identifier: Apache-2.0
// Layouts of images: what both drivers answered to vkGetImageSubresourceLayout(), and that no two
// elements share a byte, whatever the shape.
#include "sim/interop/external/image_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "sim/device/texture/array_limits.hpp"

namespace cuvette::interop {
namespace {

using device::ArrayDescriptor;
using device::ArrayFormat;
using device::ArrayLayout;
using namespace device::array_flag;

struct Place {
  size_t offset, pitch, slice;
};

void expect_places(MemoryFormat format, const ArrayDescriptor& descriptor,
                   const std::vector<Place>& places) {
  const auto layouts = image_layouts(format, descriptor, static_cast<unsigned>(places.size()));
  ASSERT_TRUE(layouts.ok());
  for (size_t level = 0; level < places.size(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    EXPECT_EQ(layouts.value()[level].offset, places[level].offset);
    EXPECT_EQ(layouts.value()[level].pitch, places[level].pitch);
    EXPECT_EQ(layouts.value()[level].slice, places[level].slice);
  }
}

const ArrayDescriptor rgba8{100, 37, 0, ArrayFormat::UNSIGNED_INT8, 4, 0};
const ArrayDescriptor rgba8_layers{100, 37, 3, ArrayFormat::UNSIGNED_INT8, 4, layered};
const ArrayDescriptor volume{33, 17, 9, ArrayFormat::FLOAT, 1, 0};
const ArrayDescriptor cube{16, 16, 6, ArrayFormat::UNSIGNED_INT8, 4, cubemap};
const ArrayDescriptor small_cube{5, 5, 6, ArrayFormat::UNSIGNED_INT8, 1, cubemap};
const ArrayDescriptor blocks{20, 36, 2, ArrayFormat::BC1_UNORM, 4, layered};

TEST(image_layouts, AreLavapipes) {
  constexpr auto format = MemoryFormat::lavapipe;
  expect_places(format, rgba8, {{0, 448, 17920}, {17920, 256, 5120}});
  expect_places(format, rgba8_layers, {{0, 448, 17920}, {53760, 256, 5120}});
  expect_places(format, volume, {{0, 192, 3840}, {34560, 64, 512}});
  expect_places(format, cube, {{0, 64, 1024}, {6144, 64, 512}});
  expect_places(format, small_cube, {{0, 64, 512}, {3072, 64, 256}, {4608, 64, 256}});
  expect_places(format, blocks, {{0, 40, 360}, {768, 24, 120}, {1024, 16, 48}});
}

TEST(image_layouts, AreSwiftShaders) {
  constexpr auto format = MemoryFormat::swiftshader;
  expect_places(format, rgba8, {{0, 400, 15200}});
  // A face begins with its border: a row and an element.
  expect_places(format, cube, {{72 + 4, 72, 1696}, {1296 + 40 + 4, 40, 1696}});
  expect_places(format, small_cube, {{8 + 1, 8, 96}, {64 + 4 + 1, 4, 96}, {80 + 4 + 1, 4, 96}});
  expect_places(format, blocks, {{0, 40, 528}, {360, 24, 528}, {480, 16, 528}});
}

// The rows of all levels, layers and slices, as ranges of bytes.
std::vector<std::pair<size_t, size_t>> rows_of(const std::vector<ArrayLayout>& layouts) {
  std::vector<std::pair<size_t, size_t>> rows;
  for (const ArrayLayout& level : layouts)
    for (size_t z = 0; z < level.depth; ++z)
      for (size_t y = 0; y < level.height; ++y) {
        const size_t begin = level.offset + z * level.slice + y * level.pitch;
        rows.emplace_back(begin, begin + level.row_bytes());
      }
  return rows;
}

TEST(image_layouts, NeverOverlap) {
  std::mt19937 random(17);
  const auto below = [&](size_t end) { return static_cast<size_t>(random()) % end; };
  const auto extent = [&] { return below(4) == 0 ? size_t{1} << below(7) : 1 + below(70); };
  for (int round = 0; round < 3000; ++round) {
    ArrayDescriptor d;
    d.width = extent();
    const ArrayFormat formats[] = {ArrayFormat::UNSIGNED_INT8, ArrayFormat::HALF,
                                   ArrayFormat::FLOAT, ArrayFormat::BC1_UNORM,
                                   ArrayFormat::BC7_UNORM};
    d.format = formats[below(5)];
    const bool compressed = facts(d.format)->compressed();
    d.channels = compressed ? 4 : 1u << below(3);
    switch (below(compressed ? 3 : 5)) {
      case 0:
        d.height = extent();
        break;
      case 1:
        d.height = extent();
        d.depth = 1 + below(7);
        d.flags = layered;
        break;
      case 2:
        d.height = d.width;
        d.depth = 6 * (1 + below(2));
        d.flags = cubemap | (d.depth > 6 ? layered : 0);
        break;
      case 3:
        d.height = extent();
        d.depth = 1 + below(12);
        break;
      default:
        break;
    }
    const auto levels = static_cast<unsigned>(1 + below(d.most_levels()));
    for (const auto format :
         {MemoryFormat::plain, MemoryFormat::lavapipe, MemoryFormat::swiftshader}) {
      const auto layouts = image_layouts(format, d, levels);
      ASSERT_TRUE(layouts.ok());
      auto rows = rows_of(layouts.value());
      std::ranges::sort(rows);
      for (size_t row = 1; row < rows.size(); ++row)
        ASSERT_LE(rows[row - 1].second, rows[row].first)
            << d.width << " x " << d.height << " x " << d.depth << ", flags " << d.flags << ", "
            << levels << " levels, format " << static_cast<int>(format);
    }
  }
}

TEST(image_layouts, RefuseWhatIsLargerThanAnyMemory) {
  for (const auto format : {MemoryFormat::plain, MemoryFormat::lavapipe, MemoryFormat::swiftshader})
    for (const size_t extent : {size_t{1} << 28, size_t{1} << 40, SIZE_MAX / 2, SIZE_MAX}) {
      const ArrayDescriptor d{extent, extent, 0, ArrayFormat::FLOAT, 4, 0};
      const auto layouts = image_layouts(format, d, 1);
      EXPECT_FALSE(layouts.ok());
    }
}

}  // namespace
}  // namespace cuvette::interop
