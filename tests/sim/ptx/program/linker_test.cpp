// SPDX-License-Identifier: Apache-2.0
// The result of linking several modules: which definitions stay, which names change, and which
// errors are reported.
#include "sim/ptx/program/linker.hpp"

#include <gtest/gtest.h>

#include "sim/ptx/passes/check_bodies.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace {

using namespace cuvette;
using namespace cuvette::ptx;

const std::string head = ".version 7.8\n.target sm_80\n.address_size 64\n";

struct Linked {
  Error error{};
  std::string log, text;
  Module module;
};

std::unique_ptr<Linked> link(const std::vector<std::string>& texts) {
  auto linked = std::make_unique<Linked>();
  Linker linker(90);
  int number = 0;
  for (const std::string& text : texts) {
    const auto added = linker.add(head + text, "part" + std::to_string(++number), linked->log);
    if (added.ok()) continue;
    linked->error = added.error();
    return linked;
  }
  auto text = linker.link(linked->log);
  if (!text.ok()) {
    linked->error = text.error();
    return linked;
  }
  linked->text = text.value();
  Diagnostic diagnostic;
  EXPECT_TRUE(read_module(text.value(), 90, linked->module, diagnostic))
      << diagnostic.sentence() << "\n"
      << text.value();
  EXPECT_EQ(check_bodies(linked->module, false, diagnostic), BodyState::right)
      << diagnostic.sentence() << "\n"
      << text.value();
  return linked;
}

size_t definitions(const Module& module, std::string_view name) {
  size_t count = 0;
  for (const Function& function : module.functions)
    count += function.name == name && !function.body.empty();
  for (const Variable& variable : module.variables)
    count += variable.name == name && !variable.is_extern;
  return count;
}

const std::string uses = ".extern .func helper();\n.visible .entry k() { call helper; ret; }\n";

TEST(Linker, CallsMeetDefinitionsInEitherOrder) {
  const std::string helper = ".visible .func helper() { ret; }\n";
  for (const auto& texts : {std::vector{uses, helper}, std::vector{helper, uses}}) {
    const auto linked = link(texts);
    EXPECT_EQ(linked->log, "");
    EXPECT_EQ(definitions(linked->module, "helper"), 1u);
    EXPECT_EQ(definitions(linked->module, "k"), 1u);
  }
}

TEST(Linker, NamesWhatIsUndefinedIfItIsUsed) {
  const auto linked = link({uses});
  EXPECT_EQ(linked->error, Error::invalid_source);
  EXPECT_NE(linked->log.find("Undefined reference to 'helper' in 'part1'"), std::string::npos)
      << linked->log;
  EXPECT_EQ(link({".extern .func helper();\n.visible .entry k() { ret; }\n"})->error, Error{});
  EXPECT_EQ(link({".extern .global .u32 v;\n.visible .global .u64 p = v;\n"})->error,
            Error::invalid_source);
}

TEST(Linker, TheMachinesOwnFunctionsNeedNoDefinition) {
  EXPECT_EQ(link({".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                  ".visible .entry k() { .reg .b64 %a; .reg .b32 %r;\n"
                  "  mov.u64 %a, 0;\n"
                  "  { .param .b64 a; .param .b64 b; .param .b32 r;\n"
                  "    st.param.b64 [a], %a; st.param.b64 [b], %a;\n"
                  "    call.uni (r), vprintf, (a, b);\n"
                  "    ld.param.b32 %r, [r]; }\n  ret; }\n"})
                ->error,
            Error{});
}

TEST(Linker, RefusesTwoDefinitions) {
  const std::string helper = ".visible .func helper() { ret; }\n";
  const auto linked = link({uses, helper, helper});
  EXPECT_EQ(linked->error, Error::invalid_source);
  EXPECT_NE(
      linked->log.find("Multiple definition of 'helper' in 'part3', first defined in 'part2'"),
      std::string::npos)
      << linked->log;
}

TEST(Linker, StrongBeatsWeakBeatsCommon) {
  const auto value = [](const std::vector<std::string>& texts) -> int64_t {
    const auto linked = link(texts);
    EXPECT_EQ(linked->log, "");
    EXPECT_EQ(definitions(linked->module, "v"), 1u) << linked->text;
    const Variable* const variable = linked->module.variable("v");
    if (!variable) return -1;
    return variable->values.empty() ? 0 : static_cast<int64_t>(variable->values[0].bits);
  };
  const std::string strong = ".visible .global .u32 v = 6;\n", weak = ".weak .global .u32 v = 5;\n",
                    weak2 = ".weak .global .u32 v = 7;\n", common = ".common .global .u32 v;\n";
  EXPECT_EQ(value({weak, strong}), 6);
  EXPECT_EQ(value({strong, weak}), 6);
  EXPECT_EQ(value({weak, weak2}), 5);
  EXPECT_EQ(value({common, strong}), 6);
  EXPECT_EQ(value({common, weak}), 5);
  EXPECT_EQ(value({common, common}), 0);
}

TEST(Linker, TheLargestCommonCounts) {
  const auto linked = link({".common .global .b8 v[4];\n", ".common .global .b8 v[8];\n",
                            ".common .global .b8 v[6];\n"});
  ASSERT_TRUE(linked->module.variable("v"));
  EXPECT_EQ(linked->module.variable("v")->bytes(), 8u);
  EXPECT_EQ(definitions(linked->module, "v"), 1u);
}

TEST(Linker, NamesThatAreNotShownDoNotMeet) {
  const auto linked = link({".func own() { ret; }\n.visible .entry a() { call own; ret; }\n",
                            ".func own() { ret; }\n.visible .entry b() { call own; ret; }\n",
                            ".global .u32 own = 3;\n.visible .global .u64 p = own;\n"});
  EXPECT_EQ(linked->log, "");
  EXPECT_EQ(definitions(linked->module, "own"), 1u);
  EXPECT_EQ(linked->module.functions.size(), 4u);
  const Variable* const p = linked->module.variable("p");
  ASSERT_TRUE(p);
  EXPECT_TRUE(linked->module.variable(p->values.at(0).symbol)) << p->values[0].symbol;
  // A function that one module keeps to itself does not satisfy another one.
  EXPECT_EQ(link({uses, ".func helper() { ret; }\n"})->error, Error::invalid_source);
}

TEST(Linker, WhatIsNamedAlikeMustBeAlike) {
  const auto complaint = [](const std::string& a, const std::string& b) {
    const auto linked = link({a, b});
    EXPECT_EQ(linked->error, Error::invalid_source);
    return linked->log.substr(10, linked->log.find(" for") - 10);
  };
  EXPECT_EQ(complaint(".extern .global .b8 v[4];\n", ".visible .global .b8 v[8];\n"),
            "Size doesn't match");
  EXPECT_EQ(complaint(".extern .const .u32 v;\n", ".visible .global .u32 v;\n"),
            "Memory space doesn't match");
  EXPECT_EQ(complaint(".visible .global .u32 v;\n", ".visible .func v() { ret; }\n"),
            "Memory space doesn't match");
  EXPECT_EQ(complaint(".extern .func f(.param .b32 a);\n", ".visible .func f() { ret; }\n"),
            "Prototype doesn't match");
  EXPECT_EQ(link({".extern .global .b8 v[];\n", ".visible .global .b8 v[8];\n"})->error, Error{});
}

TEST(Linker, AddsNothingOfWhatIsRefused) {
  Linker linker(90);
  std::string log;
  EXPECT_FALSE(linker.add(head + ".visible .entry k() { addd; }\n", "bad", log).ok());
  EXPECT_NE(log.find("'bad', line 4, at 'addd'"), std::string::npos) << log;
  EXPECT_TRUE(linker.add(head + ".visible .entry k() { ret; }\n", "good", log).ok());
  EXPECT_TRUE(linker.link(log).ok());
}

TEST(Linker, KeepsTheNewestVersionAndTarget) {
  Linker linker(90);
  std::string log;
  ASSERT_TRUE(linker.add(".version 7.8\n.target sm_90\n.address_size 64\n", "a", log).ok());
  ASSERT_TRUE(linker.add(".version 8.2\n.target sm_75\n.address_size 64\n", "b", log).ok());
  const std::string text = linker.link(log).value();
  EXPECT_TRUE(text.starts_with(".version 8.2\n.target sm_90\n")) << text;
  EXPECT_EQ(linker.target(), 90u);
}

TEST(Linker, SourceFilesKeepApart) {
  const auto linked =
      link({".visible .entry a() {\n.loc 1 10 0\n ret; }\n.file 1 \"a.cu\"\n.file 2 \"a.h\"\n",
            ".visible .entry b() {\n.loc 1 20 0\n ret; }\n.file 1 \"b.cu\"\n"});
  ASSERT_EQ(linked->module.files.size(), 3u);
  EXPECT_EQ(linked->module.files[2].number, 3u);
  EXPECT_EQ(linked->module.files[2].name, "b.cu");
  EXPECT_NE(linked->text.find(".loc 3 20"), std::string::npos) << linked->text;
}

TEST(Linker, OfNothingIsAnEmptyModule) { EXPECT_EQ(link({})->module.functions.size(), 0u); }

}  // namespace
