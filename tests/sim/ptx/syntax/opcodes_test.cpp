// SPDX-License-Identifier: Apache-2.0
// opcodes.def must be consistent: a forgotten trait would give wrong results without a report.
#include "sim/ptx/syntax/opcodes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "sim/ptx/syntax/type.hpp"

namespace cuvette::ptx::test {
namespace {

template <typename F>
void each_row(const F& f) {
  for (size_t n = 0; n < opcode_count; ++n) {
    SCOPED_TRACE(name_of(static_cast<Opcode>(n)));
    f(static_cast<Opcode>(n), row_of(static_cast<Opcode>(n)));
  }
}

std::vector<std::string> words_of(std::string_view list) {
  std::istringstream stream{std::string(list)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Opcodes in `list` are exempt from a rule.
bool excepted(std::string_view name, std::string_view list) { return lists(list, name); }

TEST(opcodes, AreFoundByTheirNames) {
  each_row([](Opcode opcode, const OpcodeRow& row) {
    if (row.is(Trait::made))
      EXPECT_EQ(opcode_named(row.name), std::nullopt);
    else
      EXPECT_EQ(opcode_named(row.name), opcode);
    EXPECT_EQ(row.name.find('_'), row.name.npos);
  });
  EXPECT_EQ(opcode_named("and"), Opcode::and_);
  EXPECT_EQ(opcode_named("and_"), std::nullopt);
  EXPECT_EQ(opcode_named("vset3"), std::nullopt);
}

TEST(opcodes, HaveTheModifiersOfTheirRow) {
  each_row([](Opcode opcode, const OpcodeRow& row) {
    std::set<std::string> known;
    for (const std::string& word : words_of(row.modifiers)) {
      EXPECT_TRUE(known.insert(word).second) << word << " twice";
      const std::optional<Modifier> modifier = modifier_named(opcode, word);
      ASSERT_TRUE(modifier) << word;
      EXPECT_EQ(name_of(*modifier), word);
    }
    EXPECT_EQ(modifier_named(opcode, "shift"), std::nullopt);
  });
  EXPECT_EQ(modifier_named(Opcode::ld, "param::entry"), dot::param_entry);
  EXPECT_EQ(modifier_named(Opcode::ld, "param::"), std::nullopt);
  EXPECT_EQ(modifier_named(Opcode::add, "volatile"), std::nullopt);
}

// lacking.def is about what is not in opcodes.def.
TEST(opcodes, AreLackingOrThere) {
  const std::pair<std::string_view, std::string_view> lacking[] = {
#define LACKING(instruction, words) {#instruction, words},
#include "sim/ptx/syntax/lacking.def"
  };
  for (const auto& [name, words] : lacking) {
    SCOPED_TRACE(name);
    const std::optional<Opcode> opcode = opcode_named(name);
    EXPECT_EQ(opcode.has_value(), !words.empty());
    for (const std::string& word : words_of(words)) {
      EXPECT_EQ(modifier_named(*opcode, word), std::nullopt) << word;
      EXPECT_FALSE(type_named(word) && lists(row_of(*opcode).types, word)) << word;
    }
  }
}

TEST(opcodes, SayTheSizeOfMatrices) {
  EXPECT_EQ(extent_of(dot::m16n8k256), (Extent{16, 8, 256}));
  EXPECT_EQ(extent_of(dot::m8n8), std::nullopt);
  EXPECT_EQ(extent_of(dot::row), std::nullopt);
}

// An opcode with an address reads or writes memory that others know; those listed only give hints,
// or use a block's own memory or a texture's description.
TEST(opcodes, WithAnAddressSettleWhatIsKept) {
  each_row([](Opcode, const OpcodeRow& row) {
    if (row.operands.find('A') == row.operands.npos) return;
    EXPECT_TRUE(row.is(Trait::accesses | Trait::settles) ||
                excepted(row.name,
                         "prefetch prefetchu applypriority discard ldmatrix stmatrix "
                         "txq suq taintld taintst inside"));
  });
}

TEST(opcodes, ThatAreSynchronousMeet) {
  each_row([](Opcode, const OpcodeRow& row) {
    if (!lists(row.modifiers, "sync")) return;
    EXPECT_TRUE(row.is(Trait::barrier | Trait::meets | Trait::meets_all) ||
                excepted(row.name, "setmaxnreg"));
    EXPECT_TRUE(row.is(needs_lanes) || excepted(row.name, "setmaxnreg"));
  });
}

// A result from memory, other lanes or a carry does not depend on the operands alone. For loads,
// votes and sums the trait is set where their form is known.
TEST(opcodes, WhoseResultIsNotOfTheirOperandsSaySo) {
  each_row([](Opcode, const OpcodeRow& row) {
    const bool from_elsewhere = row.is(needs_lanes) || lists(row.modifiers, "cc");
    if (!row.writes_first() || !from_elsewhere) return;
    EXPECT_TRUE(row.is(Trait::own | Trait::same) ||
                excepted(row.name, "ld ldu vote redux add sub mad"));
  });
}

// An opcode that asks may be polled, so it has a result; a call may have one.
TEST(opcodes, ThatAskHaveAResult) {
  each_row([](Opcode opcode, const OpcodeRow& row) {
    if (row.is(Trait::asks)) {
      EXPECT_TRUE(row.writes_first() || opcode == Opcode::call);
    }
  });
}

// Traits that passes rely on for exactly these opcodes: an opcode that is new has to be thought
// about here, too.
TEST(opcodes, HaveTheTraitsOfTheirKind) {
  const struct {
    Trait trait;
    std::string_view opcodes;
  } kinds[] = {
      {Trait::polled, "atom call mbarrier"},
      {Trait::keeps, "mov cvt ownlocal"},
      {Trait::keeps_one, "selp slct min max"},
      {Trait::keeps_beside_zero, "add sub or xor"},
      {Trait::keeps_third, "mad"},
      {Trait::often_zero, "selp set and shr"},
      {Trait::carries, "mov cvt add sub mul mad shl neg cvta addc subc madc"},
      {Trait::joins, "setp set add sub mul mad"},
      {Trait::compares, "setp set"},
      {Trait::rises, "mov cvt shfl"},
      {Trait::rises_by_sum, "add shl"},
      {Trait::rises_by_product, "mad mul"},
      {Trait::moves_bytes, "mov cvta cvt selp shfl and or shl shr bfe bfi prmt"},
      {Trait::long_code, "mma wmma tex tld4 suld sust sured call cp ldmatrix stmatrix"},
      {Trait::interrupts, "bar barrier call trap brkpt nanosleep mbarrier wildcall"},
  };
  for (const auto& kind : kinds) {
    SCOPED_TRACE(kind.opcodes);
    for (const std::string& name : words_of(kind.opcodes)) {
      bool is_one = false;
      each_row([&](Opcode, const OpcodeRow& row) { is_one |= row.name == name; });
      EXPECT_TRUE(is_one) << name;
    }
    each_row([&](Opcode, const OpcodeRow& row) {
      EXPECT_EQ(row.is(kind.trait), lists(kind.opcodes, row.name));
    });
  }
}

TEST(opcodes, ThatEndABlockHaveNoResult) {
  each_row([](Opcode, const OpcodeRow& row) {
    if (row.is(Trait::ends_block)) {
      EXPECT_FALSE(row.writes_first());
    }
  });
}

}  // namespace
}  // namespace cuvette::ptx::test
