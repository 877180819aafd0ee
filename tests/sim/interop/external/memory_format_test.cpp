// SPDX-License-Identifier: Apache-2.0
// Which bytes of a foreign file are memory: files of each format, whole and damaged.
#include "sim/interop/external/memory_format.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace cuvette::interop {
namespace {

constexpr uint64_t page = 4096, memory_bytes = 20'000, slack = 40;
constexpr const char* lavapipe_name = "/memfd:llvmpipe memory fd (deleted)";
constexpr const char* other_name = "/memfd:anything (deleted)";

struct Words {
  uint64_t file_bytes = page + memory_bytes + slack;
  uint64_t offset = page;
  uint64_t copy = page;
};

Ref<os::Segment> segment_with(const Words& words, uint64_t file_bytes = Words{}.file_bytes) {
  const int fd = memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(file_bytes)), 0);
  EXPECT_EQ(pwrite(fd, &words.file_bytes, 8, 0), 8);
  EXPECT_EQ(pwrite(fd, &words.offset, 8, 8), 8);
  EXPECT_EQ(pwrite(fd, &words.copy, 8, page - 8), 8);
  auto segment = os::Segment::adopt(fd, 1);
  EXPECT_TRUE(segment.ok());
  return segment.value();
}

TEST(find_payload, FindsLavapipesMemoryBehindItsHeader) {
  for (const char* const name : {lavapipe_name, other_name}) {
    const auto found = find_payload(*segment_with({}), name);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().format, MemoryFormat::lavapipe);
    EXPECT_EQ(found.value().offset, page);
    EXPECT_EQ(found.value().size, memory_bytes + slack);
  }
}

// With lavapipe's name such a file is refused; any other file is an exporter's data.
TEST(find_payload, TakesNoHeaderThatIsDamaged) {
  const uint64_t whole = Words{}.file_bytes;
  const Words damaged[] = {
      {whole - 1, page, page}, {whole + 1, page, page},   {0, page, page},
      {whole, 0, page},        {whole, page + 1, page},   {whole, page - 8, page},
      {whole, whole, page},    {whole, 1ull << 63, page}, {whole, UINT64_MAX, page},
      {whole, 2 * page, page}, {whole, page, 0},          {whole, page, 2 * page},
      {UINT64_MAX, page, page}};
  for (const Words& words : damaged) {
    const Ref<os::Segment> segment = segment_with(words);
    const auto found = find_payload(*segment, other_name);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().format, MemoryFormat::plain);
    EXPECT_EQ(found.value().offset, 0u);
    EXPECT_EQ(found.value().size, whole);
    const auto refused = find_payload(*segment, lavapipe_name);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(), Error::unknown);
  }
  EXPECT_FALSE(find_payload(*segment_with({}, page), lavapipe_name).ok()) << "cut off";
}

TEST(find_payload, FindsSwiftShadersMemoryAtTheBeginning) {
  const auto found =
      find_payload(*segment_with({1, 2, 3}), "/memfd:SwiftShader.Memory.7 (deleted)");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().format, MemoryFormat::swiftshader);
  EXPECT_EQ(found.value().offset, 0u);
}

}  // namespace
}  // namespace cuvette::interop
