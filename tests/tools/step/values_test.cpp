// SPDX-License-Identifier: Apache-2.0
// Bytes as values, and ranges as the user names them.
#include <gtest/gtest.h>

#include <cstring>

#include "tools/cuvette/step/values.hpp"
#include "tools/cuvette/step/watches.hpp"

namespace cuvette::tools {
namespace {

template <typename Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) {
    char some[sizeof number];
    memcpy(some, &number, sizeof number);
    bytes.append(some, sizeof number);
  }
  return bytes;
}

TEST(StepValues, HaveTheirTypes) {
  EXPECT_EQ(value_at(bytes_of<int32_t>({-3}), 0, ValueType::i32), "-3");
  EXPECT_EQ(value_at(bytes_of<int32_t>({-3}), 0, ValueType::u8), "253");
  EXPECT_EQ(value_at(bytes_of<float>({0.5f, 1e20f}), 4, ValueType::f32), "1e+20");
  EXPECT_EQ(value_at(bytes_of<double>({0.1}), 0, ValueType::f64), "0.1");
  EXPECT_EQ(value_at("ab\n", 1, ValueType::text), "b");
  EXPECT_EQ(value_at("ab\n", 2, ValueType::text), "\\x0a");
  EXPECT_EQ(value_at("ab\n", 2, ValueType::hex), "0a");
}

TEST(StepValues, AreUnknownOutsideAndBeforeAWrite) {
  EXPECT_EQ(value_at("abc", 0, ValueType::i32), "-");
  EXPECT_EQ(value_at(bytes_of<uint32_t>({0x7FFDF00D}), 0, ValueType::i32), "?");
  EXPECT_EQ(value_at(bytes_of<uint32_t>({0x7FFDF00D}), 1, ValueType::u8), "?");
  EXPECT_EQ(value_at(bytes_of<uint32_t>({0x7FFDDEAD, 1}), 0, ValueType::u64).find('?'),
            std::string::npos);
}

TEST(StepValues, AreGuessedToBeFloatOrInt) {
  EXPECT_EQ(guessed_type({bytes_of<float>({0, 1.5f, -2})}), ValueType::f32);
  EXPECT_EQ(guessed_type({bytes_of<int>({0, 1, -2, 500})}), ValueType::i32);
  EXPECT_EQ(guessed_type({std::string(16, '\x3f')}), ValueType::i32);  // filled
  EXPECT_EQ(guessed_type({bytes_of<uint32_t>({0x7FFDF00D}), bytes_of<float>({2})}), ValueType::f32);
  EXPECT_EQ(guessed_type({}), ValueType::i32);
}

TEST(StepWatch, IsReadAsItIsWritten) {
  const auto watch = Watch::parse("sum=2+16:float[4]");
  ASSERT_TRUE(watch);
  EXPECT_EQ(watch->name, "sum");
  EXPECT_EQ(watch->allocation, "2");
  EXPECT_EQ(watch->offset, 16u);
  EXPECT_EQ(watch->type, ValueType::f32);
  EXPECT_EQ(watch->count, 4u);
  EXPECT_EQ(watch->bytes(), 32u);
  EXPECT_EQ(Watch::parse("ns::counter")->allocation, "ns::counter");
  EXPECT_EQ(Watch::parse("ns::counter:int")->allocation, "ns::counter");
  EXPECT_EQ(Watch::parse("3:u8")->count, 8u);
}

TEST(StepWatch, RefusesOtherText) {
  for (const char* text : {"", "a=", "1:", "1:quaternion", "1:int[0]", "1:int[", "1:int[9999999]",
                           "1+x", "1+99999999999", "=:"})
    EXPECT_FALSE(Watch::parse(text)) << text;
}

}  // namespace
}  // namespace cuvette::tools
