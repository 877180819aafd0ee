// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/cubin_registers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "build_image.hpp"
#include "sim/ptx/image/image.hpp"

namespace cuvette::image {
namespace {

struct KernelRegisters {
  std::string name;
  uint32_t registers;
};

// A cubin: its table of symbols is section 1, their names section 2, and .nv.info section 3.
std::string make_cubin(const std::vector<KernelRegisters>& kernels) {
  std::string symbols(24, '\0'), names(1, '\0'), records;
  const auto number = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  uint32_t symbol = 0;
  for (const KernelRegisters& kernel : kernels) {
    symbols += number(static_cast<uint32_t>(names.size())) + std::string(20, '\0');
    names += kernel.name + '\0';
    records += std::string("\x04\x11", 2) + number(uint16_t{8}) + number(++symbol) +
               number(uint32_t{0});                                 // frame size
    records += std::string("\x03\x1b", 2) + number(uint16_t{255});  // a value of 2 bytes
    records += std::string("\x04\x2f", 2) + number(uint16_t{8}) + number(symbol) +
               number(kernel.registers);
  }
  std::string file =
      make_elf({{".symtab", symbols}, {".strtab", names}, {".nv.info", records}}, 190);
  // The first section after the empty one is the table of symbols; its names are section 2.
  uint64_t table = 0;
  std::memcpy(&table, file.data() + 40, sizeof table);
  put(file, table + 64 + 4, uint32_t{2});
  put(file, table + 64 + 40, uint32_t{2});
  return file;
}

std::map<std::string, uint32_t> read(const std::string& file) {
  return registers_in_cubin(ByteView(file.data(), file.size()));
}

using Registers = std::map<std::string, uint32_t>;

TEST(registers_in_cubin, AreThoseOfEachKernel) {
  EXPECT_EQ(read(make_cubin({{"saxpy", 10}, {"_Z4nameif", 126}})),
            (Registers{{"saxpy", 10}, {"_Z4nameif", 126}}));
  EXPECT_EQ(read(make_cubin({})), Registers());
  EXPECT_EQ(read("no ELF file"), Registers());
  EXPECT_EQ(read(make_elf({{".nv.info", "x"}}, 190)), Registers()) << "no symbols";
  EXPECT_EQ(read(make_elf({{".nv.info", "x"}})), Registers()) << "a host's file";
}

TEST(registers_in_cubin, MayBeDamagedAnywhere) {
  const std::string good = make_cubin({{"one", 10}, {"two", 20}, {"three", 30}});
  std::mt19937 random(1);
  for (int i = 0; i < 50000; ++i) {
    std::string file = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      file[random() % file.size()] = static_cast<char>(random() % 2 ? random() : 0xff);
    if (random() % 2) file.resize(random() % (file.size() + 1));
    read(file);
  }
}

Registers registers(const std::string& image, uint32_t target = 90) {
  return kernel_registers(image.data(), image.size(), target);
}

std::string entry_of(const std::string& cubin, uint32_t target,
                     Compression compression = Compression::none) {
  return make_entry(cubin, target, {.kind = 2, .compression = compression});
}

TEST(kernel_registers, AreOfTheCodeForTheDevice) {
  const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const std::string container =
      make_container({make_entry(ptx, 80), entry_of(make_cubin({{"k", 8}}), 80),
                      entry_of(make_cubin({{"k", 16}}), 90, Compression::zstd),
                      entry_of(make_cubin({{"k", 86}}), 86, Compression::lz4)});
  EXPECT_EQ(registers(container, 90), (Registers{{"k", 16}}));
  EXPECT_EQ(registers(container, 80), (Registers{{"k", 8}}));
  EXPECT_EQ(registers(container, 89), (Registers{{"k", 86}})) << "the newest of its version";
  EXPECT_EQ(registers(container, 100), Registers()) << "none of its version";
  EXPECT_EQ(registers(ptx), Registers());
  EXPECT_EQ(registers(make_elf({{".nv_fatbin", container}})), (Registers{{"k", 16}}));
  EXPECT_EQ(registers(make_elf({{"__nv_relfatbin", container}})), Registers())
      << "it has yet to be linked";
}

TEST(kernel_registers, MayBeDamagedAnywhere) {
  const std::string cubin = make_cubin({{"k", 16}});
  const std::string container =
      make_container({entry_of(cubin, 90, Compression::zstd), entry_of(cubin, 80)});
  const std::string images[] = {container, make_elf({{".nv_fatbin", container}})};
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::string image = images[random() % 2];
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      image[random() % image.size()] = static_cast<char>(random() % 2 ? random() : 0xff);
    if (random() % 2) image.resize(random() % (image.size() + 1));
    registers(image);
  }
}

}  // namespace
}  // namespace cuvette::image
