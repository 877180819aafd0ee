// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/check_bodies.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

// The message for a module whose kernel calls `function`, which is declared and not defined.
std::string said_of_call(const std::string& function, bool linked_later = false) {
  Module module;
  Diagnostic diagnostic;
  const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func " +
                           function + "();\n.visible .entry k() {\n  call.uni " + function +
                           ", ();\n  ret;\n}\n";
  if (!read_module(text, 90, module, diagnostic)) return "module: " + diagnostic.sentence();
  return check_bodies(module, linked_later, diagnostic) == BodyState::right ? ""
                                                                            : diagnostic.sentence();
}

TEST(check_bodies, NamesAFunctionThatNobodyDefines) {
  const std::string said = said_of_call("absent");
  EXPECT_NE(said.find("line 6"), std::string::npos) << said;
  EXPECT_NE(said.find("absent"), std::string::npos) << said;
  EXPECT_NE(said.find("defined nowhere"), std::string::npos) << said;
}

TEST(check_bodies, LeavesFunctionsToTheLinker) { EXPECT_EQ(said_of_call("absent", true), ""); }

TEST(check_bodies, SaysThatKernelsLaunchNoKernels) {
  const std::string said = said_of_call("__cudaCDP2GetParameterBufferV2");
  EXPECT_NE(said.find("kernels that launch kernels"), std::string::npos) << said;
}

TEST(check_bodies, NamesWhatTheDeviceRuntimeLacks) {
  const std::string said = said_of_call("__cudaCDP2StreamCreateWithFlags");
  EXPECT_NE(said.find("this function of the device runtime"), std::string::npos) << said;
}

// The state of a module whose kernel has this instruction. `large`: it is not read at once.
BodyState state_of(const std::string& instruction, bool large, Diagnostic& diagnostic) {
  Module module;
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n" +
                     instruction + ";\n  ret;\n}\n";
  if (large) text += "//" + std::string(read_all_below, ' ') + "\n";
  EXPECT_TRUE(read_module(text, 90, module, diagnostic)) << diagnostic.sentence();
  return check_bodies(module, false, diagnostic);
}

// PTX has what is lacking. What it does not have is wrong, with the module that says it.
TEST(check_bodies, TellsWhatIsLackingFromWhatIsWrong) {
  for (const bool large : {false, true}) {
    Diagnostic diagnostic;
    for (const char* lacking : {"wgmma.fence.sync.aligned", "tcgen05.wait::ld.sync.aligned",
                                "cp.async.bulk.tensor.1d.shared::cluster.global.tile [a], [b], [c]",
                                "st.async.u32 [a], b, [c]", "mma.sp::ordered_metadata.sync a, b"}) {
      EXPECT_EQ(state_of(lacking, large, diagnostic), BodyState::lacking) << lacking;
      EXPECT_NE(diagnostic.message.find("not implemented"), std::string::npos)
          << diagnostic.message;
      EXPECT_EQ(diagnostic.line, 5u);
    }
    for (const char* wrong :
         {"nonsense", "wgmm.fence", "st.tensor [a], b", "add.async.u32 a, b, c"})
      EXPECT_EQ(state_of(wrong, large, diagnostic), BodyState::wrong) << wrong;
  }
}

// Random programs: of functions that call those behind them, some lack something. A kernel can be
// used if it reaches none of these.
TEST(declared_memory, RefusesExactlyTheKernelsThatReachWhatIsLacking) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 engine(seed);
    const size_t count = 2 + engine() % 12;
    std::vector<std::vector<size_t>> calls(count);
    std::vector<bool> lacks(count), reaches(count);
    std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (size_t f = 0; f < count; ++f) text += ".func f" + std::to_string(f) + "();\n";
    for (size_t f = count; f-- > 0;) {
      lacks[f] = engine() % 5 == 0;
      reaches[f] = lacks[f];
      for (size_t g = f + 1; g < count; ++g)
        if (engine() % 4 == 0) {
          calls[f].push_back(g);
          reaches[f] = reaches[f] || reaches[g];
        }
      for (const char* const kind : {".func f", ".visible .entry k"}) {
        text += kind + std::to_string(f) + "() {\n";
        for (const size_t g : calls[f]) text += "  call f" + std::to_string(g) + ";\n";
        if (lacks[f]) text += "  wgmma.fence.sync.aligned;\n";
        text += "  ret;\n}\n";
      }
    }
    if (engine() % 2) text += "//" + std::string(read_all_below, ' ') + "\n";
    Module module;
    Diagnostic diagnostic;
    ASSERT_TRUE(read_module(text, 90, module, diagnostic)) << diagnostic.sentence();
    ASSERT_NE(check_bodies(module, false, diagnostic), BodyState::wrong) << diagnostic.sentence();
    for (size_t f = 0; f < count; ++f) {
      DeclaredMemory memory;
      const Function& kernel = *module.function("k" + std::to_string(f));
      EXPECT_EQ(declared_memory(module, kernel, memory, diagnostic), !reaches[f])
          << "seed " << seed << ", k" << f << " of\n"
          << text;
    }
  }
}

}  // namespace
}  // namespace cuvette::ptx
