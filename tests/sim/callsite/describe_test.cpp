// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/symbol.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

namespace cuvette::callsite {
namespace {

const char* function_of_the_c_library() {
  return static_cast<const char*>(dlsym(RTLD_DEFAULT, "getenv"));
}

TEST(Describe, NamesFunctionOffsetAndFile) {
  const std::string text = describe(function_of_the_c_library() + 3);
  EXPECT_EQ(text.find("getenv+0x3 (/"), 0u) << text;
  EXPECT_NE(text.find("libc.so"), std::string::npos) << text;
  EXPECT_EQ(text.back(), ')');
}

TEST(Describe, GivesTheOffsetInTheFileWhereNoFunctionIsNamed) {
  const std::string text = describe(reinterpret_cast<const void*>(&function_of_the_c_library));
  EXPECT_NE(text.find("sim_callsite_test+0x"), std::string::npos) << text;
}

TEST(Describe, KnowsWhenItKnowsNothing) {
  EXPECT_EQ(describe(nullptr), "unknown");
  const int local = 0;
  EXPECT_EQ(describe(&local), "unknown");
  EXPECT_EQ(describe_call(nullptr), "unknown");
}

TEST(DescribeCall, NamesTheCallerWhoseLastInstructionItIs) {
  // As if the call were getenv's first byte and returned to the second one.
  EXPECT_EQ(describe_call(function_of_the_c_library() + 1), describe(function_of_the_c_library()));
}

}  // namespace
}  // namespace cuvette::callsite
