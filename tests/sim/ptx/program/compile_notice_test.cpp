// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/compile_notice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace cuvette::ptx {
namespace {

using std::chrono::milliseconds;

// What is written while a kernel compiles for so long.
std::string written(milliseconds compiling, CompileNotice::Times times) {
  std::string text;
  {
    const CompileNotice notice(
        "k", [] { return size_t{1234567}; }, [&](std::string_view line) { text += line; }, times);
    std::this_thread::sleep_for(compiling);
  }
  return text;
}

TEST(CompileNotice, IsWrittenAgainAndGoes) {
  const std::string text = written(milliseconds(200), {milliseconds(1), milliseconds(20)});
  const std::string line = "cuvette: compiling kernel 'k': 0 s, 1,234,567 instructions";
  EXPECT_NE(text.find(line), std::string::npos) << text;
  EXPECT_NE(text.find(line), text.rfind(line)) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST(CompileNotice, IsNotWrittenForAQuickKernel) {
  EXPECT_EQ(written(milliseconds(1), {milliseconds(10'000), milliseconds(1)}), "");
}

TEST(CompileNotice, CountsTheInstructionsOfOneKernel) {
  const std::string text = R"(.version 7.0
.visible .entry first(.param .u64 p) { ret; }
.visible .entry second(
  .param .u64 p
)
.maxntid 32, 1, 1
{
  .reg .b32 %r<3>;
  .shared .b32 s[4];
  mov.u32 %r1, 1;
loop: add.u32 %r1, %r1, 1;
  { .reg .b32 t; mov.u32 t, %r1; }
  @%p bra loop;
  ret;
}
.visible .entry second_other() { ret; ret; }
)";
  EXPECT_EQ(count_instructions(text, "first"), 1u);
  EXPECT_EQ(count_instructions(text, "second"), 5u);
  EXPECT_EQ(count_instructions(text, "second_other"), 2u);
  EXPECT_EQ(count_instructions(text, "third"), 0u);
  EXPECT_EQ(count_instructions(".entry k {", "k"), 0u);
}

}  // namespace
}  // namespace cuvette::ptx
