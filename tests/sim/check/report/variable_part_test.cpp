// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/variable_part.hpp"

#include <gtest/gtest.h>

#include "sim/ptx/program/machine_code.hpp"

namespace cuvette::check {
namespace {

TEST(VariableName, IsTheLastPart) {
  for (const auto& [symbol, name] :
       {std::pair("_ZZ4reduPfE7partial", "partial"),       // redu(float*)::partial
        std::pair("_ZZ4reduPfE7partial_0", "partial"),     // a second one of that name
        std::pair("_ZZ4reduIfEvPT_E7partial", "partial"),  // void redu<float>(float*)::partial
        std::pair("_ZN5outer5inner5tableE", "table"),      // outer::inner::table
        std::pair("_ZN12_GLOBAL__N_15tableE", "table"),    // (anonymous namespace)::table
        std::pair("_Z5tableIN5outer4ItemEE", "table<outer::Item>"),
        std::pair("_ZN5outer5tableINS_4ItemEEE", "table<outer::Item>"),
        std::pair("_ZZ4workRSt6vectorIiSaIiEEE3buf", "buf"),
        std::pair("_ZZZ4mainENKUlvE_clEvE3buf", "buf"),  // of a lambda in main
        std::pair("buffer", "buffer"), std::pair("__local_depot0", "__local_depot0"),
        std::pair("", "")})
    EXPECT_EQ(variable_name(symbol), name) << symbol;
}

TEST(PartOf, IsAnElementWhereTheAccessFits) {
  EXPECT_EQ(part_of("a", 4, 128, 1, 4).words, "a[1]");
  EXPECT_EQ(part_of("a", 0, 128, 1, 4).words, "a[0]");
  EXPECT_EQ(part_of("a", 5, 128, 1, 1).words, "a[5]");
  EXPECT_EQ(part_of("a", 16, 128, 4, 16).words, "a[4]") << "the type of the elements is known";
  EXPECT_EQ(part_of("a", 128, 128, 1, 4).words, "a[32]") << "past its end";
  EXPECT_EQ(part_of("a", -4, 128, 1, 4).words, "a[-1]") << "before its beginning";
}

TEST(PartOf, IsANumberOfBytesElsewhere) {
  EXPECT_EQ(part_of("a", 6, 128, 1, 4).words, "a + 6");
  EXPECT_EQ(part_of("a", 6, 128, 4, 2).words, "a + 6");
  EXPECT_EQ(part_of("a", -2, 128, 1, 4).words, "a - 2");
  EXPECT_EQ(part_of("a", 6, 128, 1, 0).words, "a + 6") << "of no known size";
}

TEST(PartOf, IsTheNameOfWhatHasNoElements) {
  EXPECT_EQ(part_of("count", 0, 4, 4, 4).words, "count");
  EXPECT_EQ(part_of("count", 0, 8, 1, 8).words, "count");
  EXPECT_EQ(part_of("count", 0, 8, 1, 4).words, "count[0]");
}

TEST(PartOf, SaysWhichByte) {
  EXPECT_EQ(part_of("_ZZ4reduPfE7partial", 4, 128, 1, 4).fact(), "partial, byte 4 of 128");
}

class SharedPart : public testing::Test {
 protected:
  std::string words(uint64_t address, uint64_t bytes) {
    code_.machine = &machine_;
    code_.shared_reserved = 1024;
    code_.shared_bytes = 64;
    shape_.dynamic_shared = 32;
    const auto part = shared_part(code_, shape_, address, bytes);
    return part ? part->words : "";
  }
  ptx::MachineCode machine_;
  device::CompiledCode code_;
  device::LaunchShape shape_;
};

TEST_F(SharedPart, IsTheVariableThatLiesThere) {
  machine_.facts.shared_variables = {
      {"first", 1024, 32, 1}, {"second", 1056, 4, 4}, {"rest", 1088, 0, 1}};
  EXPECT_EQ(words(1024, 4), "first[0]");
  EXPECT_EQ(words(1055, 1), "first[31]");
  EXPECT_EQ(words(1056, 4), "second");
  EXPECT_EQ(words(1060, 4), "") << "between two variables";
  EXPECT_EQ(words(1088 + 28, 4), "rest[7]");
  EXPECT_EQ(words(1088 + 32, 4), "") << "past the dynamic bytes of the launch";
  EXPECT_EQ(words(1020, 4), "") << "in the reserved part";
}

TEST_F(SharedPart, IsNothingWhereTwoDynamicArraysBegin) {
  machine_.facts.shared_variables = {{"floats", 1088, 0, 4}, {"doubles", 1088, 0, 8}};
  EXPECT_EQ(words(1096, 8), "");
}

TEST_F(SharedPart, IsNothingWithoutNames) { EXPECT_EQ(words(1024, 4), ""); }

TEST(GlobalPart, IsOfModulesVariablesAlone) {
  const auto memory =
      memory::AddressSpace::create({{size_t{64} << 20}, memory::Fill::none}).value();
  const auto variable =
      memory->allocate_variable({"_ZN5outer5tableE", 16, 4, false}, {1, 0, nullptr}).value();
  const auto other = memory->allocate(64, {1, 0, nullptr}).value();
  EXPECT_EQ(global_part(variable.get(), variable->address + 8, 4)->words, "table[2]");
  EXPECT_FALSE(global_part(other.get(), other->address, 4));
  EXPECT_FALSE(global_part(variable.get(), variable->address + 16, 4)) << "past its end";
  EXPECT_FALSE(global_part(nullptr, 64, 4));
}

}  // namespace
}  // namespace cuvette::check
