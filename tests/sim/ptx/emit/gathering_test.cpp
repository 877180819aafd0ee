// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp that come to barriers of the block at different places: a barrier waits for all
// threads of a warp that have not ended, and counts them together.
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Gathering : public ThreadResults {
 protected:
  static constexpr uint32_t threads = 64;
  // Threads write their slot, wait, and read the slot of a thread of the other warp: 100 + thread.
  // Lanes with %p2 are in the second half of the last warp, which runs after the other.
  static constexpr std::string_view head = R"(
      .shared .align 4 .b32 slots[64];
      mul.lo.u32 %r2, %r0, 4; mov.u32 %r3, slots; add.u32 %r4, %r3, %r2;
      add.u32 %r5, %r0, 100; xor.b32 %r6, %r2, 128; add.u32 %r6, %r3, %r6;
      mov.u32 %r7, 0; st.shared.u32 [%r4], %r7; bar.sync 0;
      add.u32 %r8, %r0, -48; setp.lt.u32 %p2, %r8, 16;
  )";
  static constexpr std::string_view write = "st.shared.u32 [%r4], %r5;\n",
                                    read = "ld.shared.u32 %r1, [%r6];\n";
  void expect_others(const std::string& body) {
    const auto out = run(std::string(head) + body, threads);
    for (uint32_t t = 0; t < threads; ++t) EXPECT_EQ(out[t], 100 + (t ^ 32)) << t;
  }
  // The last warp's halves come to two barriers, and the other warp to the first of them.
  static std::string at_two_places(const std::string& barrier) {
    return "@%p2 bra ELSE;\n" + std::string(write) + barrier + "bra BEHIND;\nELSE:\n" +
           std::string(write) + barrier + "BEHIND:\n";
  }
};

TEST_P(Gathering, WaitsForLanesThatComeByOtherWays) {
  expect_others(at_two_places("barrier.sync 0;\n") + std::string(read));
}

TEST_P(Gathering, WaitsForANumberOfThreads) {
  expect_others(at_two_places("barrier.sync 3, 64;\n") + std::string(read));
}

// Lanes that go by a barrier come to the next one.
TEST_P(Gathering, WaitsForLanesThatAPredicateLeadsPast) {
  for (const char* const barrier : {"barrier.sync 0;\n", "bar.sync 0;\n", "barrier.sync 2, 64;\n"})
    expect_others("@!%p2 st.shared.u32 [%r4], %r5; @!%p2 " + std::string(barrier) +
                  "@!%p2 ld.shared.u32 %r1, [%r6]; @%p2 st.shared.u32 [%r4], %r5; @%p2 " + barrier +
                  "@%p2 ld.shared.u32 %r1, [%r6];\n");
}

TEST_P(Gathering, ReducesWhatLanesBringFromSeveralPlaces) {
  const auto result = [&](const std::string& kind, const std::string& into, bool all) {
    const auto out = run(std::string(head) + "and.b32 %r9, %r0, 3; setp." + (all ? "le" : "eq") +
                             ".u32 %p3, %r9, 3; mov.u32 %r1, 7;\n" +
                             at_two_places("barrier.red" + kind + " " + into + ", 0, %p3;\n") +
                             (into == "%p4" ? "selp.u32 %r1, 1, 0, %p4;\n" : ""),
                         threads);
    for (const uint32_t one : out) EXPECT_EQ(one, out[0]) << kind;
    return out[0];
  };
  EXPECT_EQ(result(".popc.u32", "%r1", false), 16u);
  EXPECT_EQ(result(".popc.u32", "%r1", true), 64u);
  EXPECT_EQ(result(".and.pred", "%p4", false), 0u);
  EXPECT_EQ(result(".and.pred", "%p4", true), 1u);
  EXPECT_EQ(result(".or.pred", "%p4", false), 1u);
}

// A predicate on a reduction guards its result, too.
TEST_P(Gathering, GivesNoResultToLanesThatGoBy) {
  const auto out = run(std::string(head) + R"(
      mov.u32 %r1, 7; setp.eq.u32 %p3, %r0, %r0;
      @!%p2 barrier.red.popc.u32 %r1, 0, %p3; @%p2 barrier.red.popc.u32 %r9, 0, %p3;
  )",
                       threads);
  for (uint32_t t = 0; t < threads; ++t) EXPECT_EQ(out[t], t / 16 == 3 ? 7u : 64u) << t;
}

INSTANTIATE_TEST_SUITE_P(All, Gathering, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
