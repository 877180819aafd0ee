// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/register_limit.hpp"

#include <gtest/gtest.h>

#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

uint32_t maxnreg_of(const std::string& text, std::string_view kernel) {
  Module module;
  Diagnostic diagnostic;
  EXPECT_TRUE(read_module(text, 90, module, diagnostic)) << diagnostic.sentence() << "\n" << text;
  return module.function(kernel)->maxnreg;
}

TEST(limit_registers, IsForKernelsThatSetNoBounds) {
  const std::string text = head +
                           ".visible .entry plain(.param .u64 p)\n{ ret; }\n"
                           ".visible .entry own() .maxnreg 50 { ret; }\n"
                           ".visible .entry threads() .maxntid 128, 1, 1 { ret; }\n"
                           ".visible .entry blocks() .minnctapersm 2 { ret; }\n"
                           ".visible .entry shape() .reqntid 32 { { ret; } }\n"
                           ".func helper() { ret; }\n.extern .func other();\n";
  const std::string limited = limit_registers(text, 32);
  EXPECT_EQ(maxnreg_of(limited, "plain"), 32u);
  EXPECT_EQ(maxnreg_of(limited, "own"), 50u);
  EXPECT_EQ(maxnreg_of(limited, "threads"), 0u);
  EXPECT_EQ(maxnreg_of(limited, "blocks"), 0u);
  EXPECT_EQ(maxnreg_of(limited, "shape"), 32u);
  EXPECT_EQ(maxnreg_of(limited, "helper"), 0u);
  EXPECT_EQ(limit_registers(limited, 24), limited) << "a limit is set once";
}

TEST(limit_registers, LeavesOthersAlone) {
  const std::string text = head + ".visible .entry k() { ret; }\n";
  EXPECT_EQ(limit_registers(text, 0), text);
  EXPECT_EQ(limit_registers("not PTX", 32), "not PTX");
  EXPECT_EQ(limit_registers(head + ".nonsense", 32), head + ".nonsense");
}

}  // namespace
}  // namespace cuvette::ptx
