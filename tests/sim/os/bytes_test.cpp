// SPDX-License-Identifier: Apache-2.0
#include "sim/os/bytes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace cuvette::os {
namespace {

std::vector<char> numbered(size_t size) {
  std::vector<char> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + 1);
  return bytes;
}

TEST(copy_bytes, CopiesEverySizeAndNothingMore) {
  find_bytes_routines();
  const std::vector<char> from = numbered(400);
  for (size_t size = 0; size <= 300; ++size) {
    for (size_t shift : {0, 1, 5}) {
      std::vector<char> to(400, 'x'), expected(400, 'x');
      copy_bytes(to.data() + shift, from.data() + 3, size);
      std::copy_n(from.begin() + 3, size, expected.begin() + static_cast<long>(shift));
      ASSERT_EQ(to, expected) << size << " bytes to offset " << shift;
    }
  }
}

TEST(copy_bytes, RangesMayOverlapEitherWay) {
  for (size_t size = 0; size <= 200; ++size) {
    for (size_t distance = 1; distance <= 40; ++distance) {
      std::vector<char> up = numbered(300), down = numbered(300);
      const std::vector<char> before = up;
      copy_bytes(up.data() + distance, up.data(), size);
      copy_bytes(down.data(), down.data() + distance, size);
      ASSERT_TRUE(std::equal(before.begin(), before.begin() + static_cast<long>(size),
                             up.begin() + static_cast<long>(distance)));
      ASSERT_TRUE(std::equal(before.begin() + static_cast<long>(distance),
                             before.begin() + static_cast<long>(distance + size), down.begin()));
    }
  }
}

TEST(copy_bytes_past_caches, CopiesEverySizeAndNothingMore) {
  find_bytes_routines();
  const std::vector<char> from = numbered(5000);
  for (size_t size = 0; size <= 3000; size += 37) {
    for (size_t shift : {0, 1, 16, 63}) {
      std::vector<char> to(5000, 'x'), expected(5000, 'x');
      copy_bytes_past_caches(to.data() + shift, from.data() + 3, size);
      std::copy_n(from.begin() + 3, size, expected.begin() + static_cast<long>(shift));
      ASSERT_EQ(to, expected) << size << " bytes to offset " << shift;
    }
  }
}

TEST(fill_elements, LargeOnesTooAtAnyAlignment) {
  for (const size_t element : {1, 2, 4}) {
    for (const size_t shift : {0, 1, 3, 8}) {
      const uint32_t value = 0x12345678;
      const size_t count = 5003;
      std::vector<char> to(21000, 'x'), expected(21000, 'x');
      fill_elements(to.data() + shift, value, element, count);
      for (size_t i = 0; i < count; ++i) {
        memcpy(expected.data() + shift + i * element, &value, element);
      }
      ASSERT_TRUE(to == expected) << element << " bytes at " << shift;
    }
  }
}

TEST(fill_elements, FillsEveryCountOfEveryElementAndNothingMore) {
  find_bytes_routines();
  for (const uint32_t value : {0u, 0xABABABABu, 0x12345678u}) {
    for (const size_t element : {1, 2, 4}) {
      for (size_t count = 0; count <= 150; ++count) {
        for (const size_t shift : {0, 1, 4, 13}) {
          std::vector<char> to(700, 'x'), expected(700, 'x');
          fill_elements(to.data() + shift, value, element, count);
          for (size_t i = 0; i < count; ++i) {
            memcpy(expected.data() + shift + i * element, &value, element);
          }
          ASSERT_EQ(to, expected) << count << " of " << element << " bytes at " << shift;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::os
