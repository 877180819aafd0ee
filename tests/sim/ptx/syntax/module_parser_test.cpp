// SPDX-License-Identifier: Apache-2.0
// What a module declares: sizes that cannot be represented, names, versions; and where errors are
// reported.
#include <random>

#include "sim/ptx/passes/check_bodies.hpp"
#include "sim/ptx/syntax/parser.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";
const std::string kernel_begin = ".visible .entry k(.param .u64 a) {\n";

Diagnostic said(const std::string& text) {
  Module module;
  Diagnostic diagnostic;
  if (!read_module(text, 90, module, diagnostic) ||
      check_bodies(module, false, diagnostic) != BodyState::right) {
    diagnostic.quote_from(text);
    return diagnostic;
  }
  return {};
}
std::string message(const std::string& text) { return said(head + text).message; }
bool taken(const std::string& text) { return message(text).empty(); }

// PTX that is newer than any that is known is read as far as it has nothing new in it.
TEST(read_module, TakesNewerVersionsWithoutNewWords) {
  for (const std::string version : {"9.5", "9.9", "9.10", "10.0", "10.9"}) {
    const std::string newer = ".version " + version + "\n.target sm_90\n.address_size 64\n";
    EXPECT_EQ(said(newer + kernel_begin + "ret; }\n").message, "") << version;
    for (const std::string& text :
         {newer + ".novelty 5;\n", newer + kernel_begin + "novelty.u32; ret; }\n",
          newer + kernel_begin + "bar.novelty 0; ret; }\n"}) {
      const Diagnostic diagnostic = said(text);
      EXPECT_EQ(diagnostic.error, Error::unsupported_ptx_version) << text;
      EXPECT_NE(diagnostic.message.find("the newest that is known here"), std::string::npos)
          << diagnostic.message;
    }
  }
  EXPECT_EQ(said(head + kernel_begin + "novelty.u32; ret; }\n").error, Error::invalid_ptx);
}

TEST(module_parser, SizesThatWrapAreRefusedWithTheirLine) {
  const std::string kernel = kernel_begin + "ret;\n}\n";
  for (const char* const text :
       {".global .b8 g[4294967296][4294967296];", ".global .b8 g[1099511627777];",
        ".global .b64 g[9223372036854775807];", ".global .b64 g[2305843009213693952];",
        ".global .v4 .b32 g[1152921504606846976];",
        ".global .b8 g[18446744073709551615][18446744073709551615][2];",
        ".shared .b8 s[4294967296];", ".shared .b8 s[65536][65536];", ".shared .b64 s[536870912];",
        ".const .b64 c[2305843009213693952] = {1};"}) {
    EXPECT_NE(said(head + text + "\n" + kernel).message.find("too large"), std::string::npos)
        << text;
    EXPECT_EQ(said(head + text + "\n" + kernel).line, 4u) << text;
  }
  for (const char* const text :
       {".local .b8 l[4294967296];", ".local .b8 l[65536][65536];", ".param .b8 l[4294967296];",
        ".shared .b8 l[4294967297];", ".shared .b128 l[268435456];", ".local .b8 l[0];",
        ".reg .b32 r<4294967297>;", ".reg .v2 .b32 r<3000000>;", ".loc 4294967297 1 1"})
    EXPECT_EQ(said(head + kernel_begin + text + "\nret;\n}\n").line, 5u) << text;
  for (const char* const text :
       {".maxntid 4294967297", ".maxntid 1, 4294967296", ".maxntid 0", ".reqntid 8589934592",
        ".minnctapersm 4294967297", ".maxnreg 4294967297", ".reqnctapercluster 4294967297"})
    EXPECT_FALSE(taken(".visible .entry k()\n" + std::string(text) + " {\nret;\n}\n")) << text;
  EXPECT_FALSE(taken(".visible .entry k(.param .b8 a[4294967296]) { ret; }"));
  EXPECT_TRUE(taken(".global .b8 g[1099511627776];\n" + kernel));
  EXPECT_TRUE(taken(".visible .entry k() .maxntid 1024, 1, 1 .minnctapersm 4294967295 { ret; }"));
}

// A size is either correct or refused.
TEST(module_parser, RandomSizesNeverWrap) {
  std::mt19937_64 random(7);
  const auto extreme = [&] {
    const uint64_t power = uint64_t{1} << random() % 64;
    return power + random() % 3 - 1;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string spaces[] = {"global", "shared", "const"};
    const std::pair<const char*, unsigned> types[] = {
        {"b8", 1}, {"f16", 2}, {"b32", 4}, {"f64", 8}};
    const auto& [type, bytes] = types[random() % 4];
    const unsigned lanes = 1u << random() % 3;
    std::string text = "." + spaces[random() % 3] +
                       (lanes > 1 ? " .v" + std::to_string(lanes) : "") + " ." + type + " x";
    unsigned __int128 size = bytes * lanes;
    bool known = true;
    for (uint64_t dimension = 0; dimension <= random() % 4; ++dimension) {
      const uint64_t count = extreme();
      text += "[" + std::to_string(count) + "]";
      known &= size < (static_cast<unsigned __int128>(1) << 100);
      if (known) size *= count;
    }
    Module module;
    Diagnostic diagnostic;
    if (!read_module(head + text + ";\n", 90, module, diagnostic)) continue;
    ASSERT_TRUE(known) << text;
    ASSERT_LE(size, uint64_t{1} << 40) << text;
    EXPECT_EQ(module.variable("x")->bytes(), static_cast<uint64_t>(size)) << text;
  }
}

TEST(module_parser, OneNameIsOneThing) {
  const auto body = [](const std::string& text) { return taken(kernel_begin + text + "\nret; }"); };
  for (const char* const text :
       {".reg .b32 x; .reg .f32 x;", ".reg .b32 x; .reg .b32 x;", ".reg .b32 x1; .reg .b32 x<4>;",
        ".reg .b32 x<4>; .reg .f64 x1;", ".reg .b32 x<4>; .reg .b32 x<8>;",
        ".reg .b32 x; .local .b32 x;", ".local .b32 x; .shared .b32 x;", ".reg .b32 a;",
        ".local .b32 a;", ".local .b32 x1; .local .b32 x<2>;", ".global .b32 x; .reg .b32 x;"})
    EXPECT_FALSE(body(text)) << text;
  for (const char* const text : {".reg .b32 x<4>; .reg .b32 x;", ".reg .b32 x; { .reg .f64 x; }",
                                 "{ .reg .b32 x; } { .reg .f32 x; }", ".reg .b32 x<4>, x4;"})
    EXPECT_TRUE(body(text)) << text;
  EXPECT_FALSE(taken(".visible .entry k(.param .u32 a, .param .u64 a) { ret; }"));
}

TEST(module_parser, WhatIsNeverClosedIsSaid) {
  EXPECT_EQ(message("/* and so on"), "this comment is never closed");
  EXPECT_EQ(message(".pragma \"nounroll;"), "this string is never closed");
  EXPECT_EQ(message(".file 1 \"a.cu\n"), "this string is never closed");
  EXPECT_FALSE(taken(kernel_begin + "ret; /* }\n"));
  EXPECT_TRUE(taken(kernel_begin + "ret; /* \n*/ }\n// the end"));
  EXPECT_EQ(said(head + "/* one\ntwo */ nothing").line, 5u);
}

TEST(module_parser, SpacesOfNamesAndAddresses) {
  const std::string outside = ".global .b32 g[4]; .const .b32 c[4]; .shared .b32 s[4];\n";
  const auto body = [&](const std::string& text) {
    return taken(outside + kernel_begin + ".reg .b32 %r<4>; .reg .b64 %rd<4>; .local .b32 l[4];\n" +
                 text + ";\nret; }");
  };
  for (const char* const text : {"ld.u32 %r1, [c]",
                                 "ld.u32 %r1, [a]",
                                 "ld.global.u32 %r1, [s]",
                                 "ld.shared.u32 %r1, [g]",
                                 "ld.local.u32 %r1, [s]",
                                 "ld.const.u32 %r1, [g]",
                                 "ld.global.u32 %r1, [c]",
                                 "ld.shared.u32 %r1, [l]",
                                 "ld.param.u32 %r1, [s]",
                                 "st.global.u32 [l], 1",
                                 "atom.shared.add.u32 %r1, [g], 1",
                                 "red.global.add.u32 [s], 1",
                                 "ld.global.u32 %r1, [4096]",
                                 "ld.u32 %r1, [4096]",
                                 "ld.shared.u32 %r1, [0]",
                                 "st.global.u32 [4096], 1",
                                 "ld.global.u32 %r1, s[%r2]",
                                 "ld.shared.u32 %r1, l[1]",
                                 "mov.u64 %rd1, a1[0]",
                                 "ld.global.u32 %r1, [%r2+%r3]",
                                 "mov.u32 %r1, 5 / 0",
                                 "mov.u32 %r1, 1 + 2.0"})
    EXPECT_FALSE(body(text)) << text;
  for (const char* const text :
       {"ld.u32 %r1, [g]", "ld.u32 %r1, [s]", "ld.u32 %r1, [l]", "ld.local.u32 %r1, [0]",
        "ld.const.u32 %r1, [c]", "ld.param.u32 %r1, [a]", "ld.shared::cta.u32 %r1, [s]",
        "atom.add.u32 %r1, [s], 1", "ld.const.u32 %r1, c[%r2]", "mov.u64 %rd1, s[%r2]"})
    EXPECT_TRUE(body(text)) << text << ": " << message(outside + kernel_begin + text);
}

TEST(module_parser, VersionsUpToTheNewest) {
  for (const char* const version : {"6.0", "8.7", "9.0", "9.1", "9.4"})
    EXPECT_EQ(said(".version " + std::string(version) + "\n.target sm_90\n.address_size 64\n" +
                   kernel_begin + "ret; }\n")
                  .message,
              "");
  EXPECT_EQ(said(".version 99.9\n.target sm_90\n").error, Error::unsupported_ptx_version);
  EXPECT_EQ(said(".version 9.4294967295\n.target sm_90\n").error, Error::unsupported_ptx_version);
}

TEST(module_parser, AMistakeIsQuoted) {
  const std::string text = head + kernel_begin + "\t.reg .b32 %r<4>; addd.s32\t%r1, %r2, %r3;\n}";
  const Diagnostic diagnostic = said(text);
  EXPECT_EQ(diagnostic.line, 5u);
  EXPECT_EQ(diagnostic.column, 19u);
  EXPECT_EQ(diagnostic.quote,
            "  5 | .reg .b32 %r<4>; addd.s32 %r1, %r2, %r3;\n"
            "    |                  ^~~~~~~~");
  // A body begins in the middle of its function's line.
  EXPECT_EQ(said(head + ".visible .entry k() { addd; }").quote,
            "  4 | .visible .entry k() { addd; }\n"
            "    |                       ^~~~");
  // Only the relevant part of a long line is quoted.
  const std::string blanks(3000, ' ');
  const std::string quote =
      said(head + ".visible .entry k() {" + blanks + "addd;" + blanks + "}").quote;
  EXPECT_LT(quote.size(), 250u);
  EXPECT_NE(quote.find("addd;"), std::string::npos);
}

TEST(module_parser, VariablesOfBodiesAreTheModules) {
  const std::string text =
      head +
      ".global .b32 x = 1;\n"
      ".visible .entry k(.param .u64 a) { .reg .b32 %r; .global .b32 x = 5; "
      "{ .const .b32 x[2] = {6, 7}; ld.const.b32 %r, [x+4]; } st.global.b32 [x], %r; ret; }\n"
      ".visible .entry l(.param .u64 a) { .global .b32 x = 8, y<2>; ret; }\n";
  Module module;
  Diagnostic diagnostic;
  ASSERT_TRUE(read_module(text, 90, module, diagnostic)) << diagnostic.sentence();
  ASSERT_EQ(check_bodies(module, false, diagnostic), BodyState::right) << diagnostic.sentence();
  ASSERT_EQ(module.variables.size(), 6u);
  EXPECT_EQ(module.variable("x")->values[0].bits, 1u);
  EXPECT_EQ(module.variables[1].values[0].bits, 5u);
  EXPECT_EQ(module.variables[2].space, Space::constant);
  EXPECT_EQ(module.variables[2].values[1].bits, 7u);
  EXPECT_EQ(module.variables[3].values[0].bits, 8u);
  uint32_t global = 0, constants[2] = {6, 7};
  Kernel kernel(text, "k", vectors_here()[0], {{1, 1, 1}, {32, 1, 1}});
  ASSERT_EQ(kernel.compiled().symbols.size(), 2u);
  kernel.place(std::string(module.variables[1].name), &global);
  kernel.place(std::string(module.variables[2].name), constants);
  EXPECT_EQ(kernel(uint64_t{0}), Status::finished);
  EXPECT_EQ(global, 7u);
}

TEST(module_parser, InitialisersAreExpressions) {
  Module module;
  Diagnostic diagnostic;
  ASSERT_TRUE(read_module(head +
                              ".global .b32 x[4]; .global .u64 g[6] = {1+2*3, 1<<3, ~0, 5 ? 6 : 7,"
                              " x+4*2, generic(x)+8};\n.global .f32 f = 1.0+2.0;",
                          90, module, diagnostic))
      << diagnostic.sentence();
  const auto& values = module.variable("g")->values;
  const uint64_t expected[] = {7, 8, ~uint64_t{0}, 6, 8, 8};
  for (size_t n = 0; n < 6; ++n) EXPECT_EQ(values[n].bits, expected[n]);
  EXPECT_EQ(values[4].symbol, "x");
  EXPECT_EQ(module.variable("f")->values[0].bits, 0x40400000u);
}

TEST(module_parser, ExternalSharedMemoryOfAKnownSizeIsCounted) {
  const std::string text =
      head +
      ".extern .shared .b8 s[256];\n.extern .shared .align 16 .b8 d[];\n"
      ".shared .b8 t[64];\n"
      ".visible .entry k(.param .u64 a) { .reg .b32 %r<4>; .reg .b64 %rd;\n"
      "ld.param.u64 %rd, [a]; mov.u32 %r1, s; mov.u32 %r2, d; mov.u32 %r3, t;\n"
      "st.global.u32 [%rd], %r2; st.global.u32 [%rd+4], %r1; ret; }";
  uint32_t places[2] = {};
  Kernel kernel(text, "k", vectors_here()[0], {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(kernel.compiled().shared_bytes, 320u);
  EXPECT_EQ(kernel.compiled().shared_reserved, 1024u);
  EXPECT_EQ(kernel(places), Status::finished);
  EXPECT_EQ(places[0], kernel.compiled().shared_reserved + 320);
  EXPECT_EQ(places[1], kernel.compiled().shared_reserved);
  Module module;
  Diagnostic diagnostic;
  DeclaredMemory memory;
  ASSERT_TRUE(read_module(text, 90, module, diagnostic));
  ASSERT_TRUE(declared_memory(module, *module.function("k"), memory, diagnostic));
  EXPECT_EQ(memory.shared, 320u);
}

// With quadratic time, the test would time out.
TEST(module_parser, ManyKernels) {
  std::string text = head;
  for (int n = 0; n < 100'000; ++n)
    text += ".visible .entry k" + std::to_string(n) + "() { ret; }\n";
  EXPECT_EQ(said(text).sentence(), "");
}

TEST(module_parser, ManyTargetsInABody) {
  std::string text = head + ".visible .entry k() {\n.reg .b32 %r<2>;\n";
  for (int n = 0; n < 100'000; ++n) {
    const std::string number = std::to_string(n);
    text += "T" + number + ": .branchtargets L" + number + ";\nbrx.idx %r1, T" + number + ";\nL" +
            number + ":\n";
  }
  Module module;
  Diagnostic diagnostic;
  Body body;
  ASSERT_TRUE(read_module(text + "ret;\n}\n", 90, module, diagnostic));
  ASSERT_TRUE(read_body(module, module.functions[0], body, diagnostic)) << diagnostic.sentence();
  EXPECT_EQ(body.tables.size(), 100'000u);
}

}  // namespace
}  // namespace cuvette::ptx::test
