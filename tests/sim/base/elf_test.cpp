// SPDX-License-Identifier: Apache-2.0
#include "sim/base/elf.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace cuvette {
namespace {

// A file with the sections "", ".text" without contents in the file, ".symtab" that has its names
// in number 3, and ".strtab", which has the names of sections, too.
std::string make_elf(uint16_t type = 3, uint16_t machine = 62) {
  const std::string names("\0.text\0.symtab\0.strtab\0", 23);
  std::string file(64 + 24, '\0');
  const auto put = [&](size_t at, auto value) {
    std::memcpy(file.data() + at, &value, sizeof value);
  };
  std::memcpy(file.data(), "\177ELF\2\1\1", 7);
  put(16, type), put(18, machine);
  std::memset(file.data() + 64, 'y', 24);
  const size_t names_at = file.size();
  file += names;
  const size_t table = file.size();
  file.resize(table + size_t{4} * 64);
  put(40, uint64_t{table}), put(58, uint16_t{64}), put(60, uint16_t{4}), put(62, uint16_t{3});
  const auto section = [&](size_t n, uint32_t name, uint32_t kind, size_t at, size_t size,
                           uint32_t link) {
    const size_t head = table + n * 64;
    put(head, name), put(head + 4, kind);
    put(head + 24, uint64_t{at}), put(head + 32, uint64_t{size}), put(head + 40, link);
  };
  section(1, 1, 8, size_t{1} << 40, 4096, 0);
  section(2, 7, Elf::symbol_table, 64, 24, 3);
  section(3, 15, 3, names_at, names.size(), 0);
  return file;
}

ByteView view(const std::string& file) { return {file.data(), file.size()}; }

TEST(read_elf, FindsSectionsByTheirNumbers) {
  const std::string file = make_elf();
  EXPECT_EQ(elf_bytes(view(file)), file.size());
  const auto elf = read_elf(view(file));
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->is_relocated);
  EXPECT_FALSE(elf->cubin);
  ASSERT_EQ(elf->sections.size(), 4u);
  EXPECT_EQ(elf->sections[1].name, ".text");
  EXPECT_EQ(elf->sections[1].contents.size(), 0u) << "it has none in the file";
  EXPECT_EQ(elf->sections[2].name, ".symtab");
  EXPECT_EQ(elf->sections[2].type, Elf::symbol_table);
  EXPECT_EQ(elf->sections[2].contents.text(), std::string(24, 'y'));
  EXPECT_EQ(elf->sections[elf->sections[2].link].name, ".strtab");
}

TEST(read_elf, TellsKindsOfFilesApart) {
  EXPECT_FALSE(read_elf(view(make_elf(2)))->is_relocated) << "a program that is not relocated";
  EXPECT_TRUE(read_elf(view(make_elf(3, 190)))->cubin);
}

TEST(read_elf, TrustsNothing) {
  const std::string good = make_elf();
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_elf({good.data(), size})) << size;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string file = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      file[random() % file.size()] = static_cast<char>(random() % 2 ? random() : 0xff);
    const auto elf = read_elf(view(file));
    if (!elf) continue;
    for (const Elf::Section& section : elf->sections) {
      EXPECT_GE(section.contents.size() ? section.contents.data() : file.data(), file.data());
      EXPECT_LE(section.contents.size(), file.size());
      EXPECT_LT(section.name.size(), file.size());
    }
  }
}

}  // namespace
}  // namespace cuvette
