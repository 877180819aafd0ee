// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/check_bodies.hpp"

#include <gtest/gtest.h>

#include <string>

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
  return check_bodies(module, linked_later, diagnostic) ? "" : diagnostic.sentence();
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

}  // namespace
}  // namespace cuvette::ptx
