// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/sim/memory/sizes.hpp"

namespace cuvette::memory {
namespace {

DevicePtr address(const std::vector<char>& bytes) {
  return reinterpret_cast<DevicePtr>(bytes.data());
}

std::vector<char> numbered(size_t size) {
  std::vector<char> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 >> 3 ^ i);
  return bytes;
}

// Copies the boxes byte by byte.
void copy_slowly(const Region& to, const Region& from) {
  for (size_t z = 0; z < to.depth; ++z) {
    for (size_t y = 0; y < to.height; ++y) {
      memcpy(host_pointer(to.address + z * to.slice + y * to.pitch),
             host_pointer(from.address + z * from.slice + y * from.pitch), to.width);
    }
  }
}

TEST(pieces, SmallRegionsAreOne) {
  EXPECT_EQ(pieces(Region::linear(0, 0)), 1u);
  EXPECT_EQ(pieces(Region::linear(0, 100)), 1u);
  EXPECT_EQ(pieces(Region::linear(0, 512 * KiB)), 1u);
  EXPECT_EQ(pieces(Region::linear(0, 4 * MiB)), 8u);
  EXPECT_EQ(pieces({0, 1, 512, 4 << 20, 0, 1}), 8u);
}

TEST(copy_piece, EveryShapeInAnyNumberOfPieces) {
  struct Shape {
    size_t width, height, depth, to_pitch, to_slice, from_pitch, from_slice;
  };
  for (const Shape& shape :
       std::initializer_list<Shape>{{100000, 1, 1, 100000, 100000, 100000, 100000},
                                    {100, 50, 1, 128, 128 * 50, 100, 5000},
                                    {100, 50, 1, 100, 5000, 100, 5000},
                                    {100, 50, 7, 100, 5000, 100, 5000},
                                    {100, 50, 7, 112, 6000, 100, 5000},
                                    {100, 50, 7, 100, 5000, 100, 6000},
                                    {3, 5, 7, 4, 100, 3, 15},
                                    {70000, 5, 2, 80000, 400000, 70000, 350000},
                                    {1, 1, 1, 1, 1, 1, 1}}) {
    for (const size_t count : {1, 2, 3, 7, 64}) {
      const std::vector<char> from = numbered(2 * MiB);
      std::vector<char> to(2 * MiB, 'x'), expected(2 * MiB, 'x');
      const Region source{address(from) + 5, shape.width,      shape.from_pitch,
                          shape.height,      shape.from_slice, shape.depth};
      Region target{address(to) + 3, shape.width,    shape.to_pitch,
                    shape.height,    shape.to_slice, shape.depth};
      for (size_t index = 0; index < count; ++index) copy_piece(target, source, index, count);
      target.address = address(expected) + 3;
      copy_slowly(target, source);
      ASSERT_TRUE(to == expected) << shape.width << " x " << shape.height << " x " << shape.depth
                                  << " in " << count;
    }
  }
}

TEST(copy_piece, EmptyRegionsAreNothing) {
  const std::vector<char> bytes(1);
  copy_piece({address(bytes), 0, 0, 1, 0, 1}, {address(bytes), 0, 0, 1, 0, 1}, 0, 1);
  copy_piece({address(bytes), 1, 1, 0, 0, 1}, {address(bytes), 1, 1, 0, 0, 1}, 0, 1);
}

TEST(copy_piece, LinearRegionsMayOverlapInOnePiece) {
  std::vector<char> bytes = numbered(MiB);
  const std::vector<char> before = bytes;
  copy_piece(Region::linear(address(bytes) + 1000, 500000), Region::linear(address(bytes), 500000),
             0, 1);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 500000, bytes.begin() + 1000));
}

TEST(fill_piece, EveryElementInAnyNumberOfPieces) {
  for (const size_t element : {1, 2, 4}) {
    for (const size_t count : {1, 2, 5}) {
      std::vector<char> to(MiB, 'x'), expected(MiB, 'x');
      const uint32_t value = 0x12345678;
      const Region region{address(to) + 4, 300 * element, 2000, 20, 100000, 3};
      for (size_t index = 0; index < count; ++index)
        fill_piece(region, value, element, index, count);
      for (size_t z = 0; z < 3; ++z) {
        for (size_t y = 0; y < 20; ++y) {
          for (size_t x = 0; x < 300; ++x) {
            memcpy(expected.data() + 4 + z * 100000 + y * 2000 + x * element, &value, element);
          }
        }
      }
      ASSERT_TRUE(to == expected) << element << " bytes in " << count;
    }
  }
}

TEST(fill_piece, LongRowsAreCutBetweenElements) {
  std::vector<char> to(3 * MiB);
  const Region region = Region::linear(address(to), 3 * MiB);
  for (size_t index = 0; index < 7; ++index) fill_piece(region, 0xA1B2C3D4, 4, index, 7);
  const uint32_t value = 0xA1B2C3D4;
  for (size_t at = 0; at < to.size(); at += 4) ASSERT_EQ(memcmp(&to[at], &value, 4), 0) << at;
}

}  // namespace
}  // namespace cuvette::memory
