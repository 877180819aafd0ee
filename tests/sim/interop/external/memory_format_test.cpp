// SPDX-License-Identifier: Apache-2.0
// Which bytes of a foreign file are memory: files of each format, whole and damaged.
#include "sim/interop/external/memory_format.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "sim/memory/budget.hpp"

namespace cuvette::interop {
namespace {

constexpr uint64_t page = 4096, memory_bytes = 20'000, slack = 40;
constexpr const char* lavapipe_name = "llvmpipe memory fd";
constexpr const char* other_name = "anything";

struct Words {
  uint64_t file_bytes = page + memory_bytes + slack;
  uint64_t offset = page;
  uint64_t copy = page;
};

// `seals` are lavapipe's, if they are not said.
Ref<os::Segment> segment_with(const Words& words, const char* name,
                              uint64_t file_bytes = Words{}.file_bytes,
                              int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) {
  const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(file_bytes)), 0);
  EXPECT_EQ(pwrite(fd, &words.file_bytes, 8, 0), 8);
  EXPECT_EQ(pwrite(fd, &words.offset, 8, 8), 8);
  EXPECT_EQ(pwrite(fd, &words.copy, 8, page - 8), 8);
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  auto segment = os::Segment::adopt(fd, 1);
  EXPECT_TRUE(segment.ok());
  return segment.value();
}

TEST(find_payload, FindsLavapipesMemoryBehindItsHeader) {
  for (const char* const name : {lavapipe_name, other_name}) {
    const auto found = find_payload(*segment_with({}, name));
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
    const auto found = find_payload(*segment_with(words, other_name));
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().format, MemoryFormat::plain);
    EXPECT_EQ(found.value().offset, 0u);
    EXPECT_EQ(found.value().size, whole);
    const auto refused = find_payload(*segment_with(words, lavapipe_name));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(), Error::unknown);
  }
  EXPECT_FALSE(find_payload(*segment_with({}, lavapipe_name, page)).ok()) << "cut off";
}

// lavapipe's own files cannot grow.
TEST(find_payload, TakesAFileThatCanGrowForPlainMemory) {
  const Words damaged{0, page, page};
  const auto found = find_payload(
      *segment_with(damaged, lavapipe_name, Words{}.file_bytes, F_SEAL_SHRINK | F_SEAL_SEAL));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().format, MemoryFormat::plain);
}

TEST(format_of_images, KnowsSwiftShadersMemoryByItsName) {
  const Ref<os::Segment> swiftshaders = segment_with({1, 2, 3}, "SwiftShader.Memory.7");
  const auto found = find_payload(*swiftshaders);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().offset, 0u);
  EXPECT_EQ(format_of_images(found.value().format, *swiftshaders), MemoryFormat::swiftshader);
  const Ref<os::Segment> plain = segment_with({1, 2, 3}, other_name);
  EXPECT_EQ(format_of_images(MemoryFormat::plain, *plain), MemoryFormat::plain);
  EXPECT_EQ(format_of_images(MemoryFormat::lavapipe, *swiftshaders), MemoryFormat::lavapipe);
}

// What find_payload() reads of memory that cuMemCreate made is what first_page_of() had written.
TEST(first_page_of, GivesLavapipesHeaderToMemoryThatCanBeExported) {
  using memory::PhysicalMemory;
  constexpr uint64_t size = 2 << 20;
  for (const bool exported : {false, true}) {
    memory::PhysicalProperties properties;
    properties.handle_types = exported ? 1 : 0;
    memory::Budget budget;
    const auto made =
        PhysicalMemory::create(properties, size, first_page_of(properties), budget, nullptr);
    ASSERT_TRUE(made.ok());
    const auto found = find_payload(*made.value()->segment());
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value().format, exported ? MemoryFormat::lavapipe : MemoryFormat::plain);
    EXPECT_EQ(found.value().offset, exported ? page : 0u);
    EXPECT_EQ(found.value().offset, made.value()->payload());
    EXPECT_EQ(found.value().size, size);
  }
}

}  // namespace
}  // namespace cuvette::interop
