// SPDX-License-Identifier: Apache-2.0
// Addresses of a thread's local memory that other threads use: they mean the user's own.
#include <random>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class OwnMemory : public testing::TestWithParam<Vectors> {
 protected:
  static constexpr uint32_t threads = 96;
  // Each thread's array a[8] holds 100 * thread + index. %rd3 is the generic address of a[4], %r0
  // the thread, %rd1 where its result goes, and [table + 8 * thread] anybody's.
  static constexpr std::string_view head = R"(
      .local .align 8 .b8 a[32]; .shared .align 8 .b64 table[96];
      .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<20>;
      ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 4; add.s64 %rd1, %rd0, %rd2;
      mul.lo.u32 %r2, %r0, 100; mov.u64 %rd4, a; mov.u32 %r3, 0;
    $FILL:
      mul.wide.u32 %rd5, %r3, 4; add.s64 %rd5, %rd4, %rd5; add.u32 %r4, %r2, %r3;
      st.local.u32 [%rd5], %r4; add.u32 %r3, %r3, 1;
      setp.lt.u32 %p1, %r3, 8; @%p1 bra $FILL;
      cvta.local.u64 %rd3, %rd4; add.s64 %rd3, %rd3, 16;
  )";
  static std::string kernel_of(std::string_view body) {
    return module_of(".param .u64 out",
                     std::string(head) + std::string(body) + "st.global.u32 [%rd1], %r1; ret;",
                     functions);
  }
  static constexpr std::string_view functions = R"(
    .func (.param .b32 value) read_through(.param .b64 place)
    {
      .reg .b64 %rd<3>; .reg .b32 %r<3>;
      ld.param.u64 %rd1, [place]; ld.u64 %rd2, [%rd1]; ld.u32 %r1, [%rd2];
      st.param.b32 [value], %r1; ret;
    }
    .func publish(.param .b64 place, .param .b64 what)
    {
      .reg .b64 %rd<3>;
      ld.param.u64 %rd1, [place]; ld.param.u64 %rd2, [what];
      st.u64 [%rd1], %rd2; ret;
    }
  )";
  std::vector<uint32_t> run(std::string_view body, CompileRequest request = {}) {
    std::vector<uint32_t> out(threads, 0xdead);
    Kernel kernel(kernel_of(body), "kernel", GetParam(), {{1, 1, 1}, {threads, 1, 1}}, request);
    EXPECT_EQ(kernel(out.data()), Status::finished);
    return out;
  }
  void expect_own(const std::vector<uint32_t>& out, uint32_t index) {
    for (uint32_t n = 0; n < threads; ++n) ASSERT_EQ(out[n], 100 * n + index) << "thread " << n;
  }
};

constexpr std::string_view publish_of_40 = R"(
    setp.eq.u32 %p1, %r0, 40; @%p1 st.shared.u64 [table], %rd3; bar.sync 0;
)";

TEST_P(OwnMemory, IsWhatTheAddressOfOneThreadMeansToAll) {
  expect_own(run(std::string(publish_of_40) + R"(
      ld.shared.u64 %rd6, [table]; ld.u32 %r1, [%rd6+4];
  )"),
             5);
}

TEST_P(OwnMemory, IsWrittenThroughAnothersAddress) {
  expect_own(run(std::string(publish_of_40) + R"(
      ld.shared.u64 %rd6, [table]; add.u32 %r5, %r2, 7; st.u32 [%rd6], %r5;
      bar.sync 0; ld.local.u32 %r1, [a+16];
  )"),
             7);
}

// Threads of a line, and the place behind the array, less what leads back into it.
TEST_P(OwnMemory, IsReadByLinesAndFromBehind) {
  expect_own(run(std::string(publish_of_40) + R"(
      ld.shared.u64 %rd6, [table]; and.b32 %r5, %r0, 3; mul.wide.u32 %rd7, %r5, 4;
      add.s64 %rd7, %rd6, %rd7; ld.u32 %r1, [%rd7]; sub.u32 %r1, %r1, %r5;
  )"),
             4);
  expect_own(run(R"(
      add.s64 %rd3, %rd3, 16;
  )" + std::string(publish_of_40) +
                 R"(
      ld.shared.u64 %rd6, [table]; ld.v2.u32 {%r7, %r1}, [%rd6+-8];
  )"),
             7);
}

TEST_P(OwnMemory, IsWhatShuffledAddressesMean) {
  expect_own(run(R"(
      mov.b64 {%r5, %r6}, %rd3;
      shfl.sync.bfly.b32 %r5, %r5, 5, 31, -1; shfl.sync.bfly.b32 %r6, %r6, 5, 31, -1;
      mov.b64 %rd6, {%r5, %r6}; ld.u32 %r1, [%rd6];
  )"),
             4);
}

TEST_P(OwnMemory, IsFoundByFunctions) {
  for (const bool separate : {false, true}) {
    CompileRequest request;
    if (separate) request.most_in_place = 0;
    expect_own(run(R"(
        mov.u64 %rd6, table; cvta.shared.u64 %rd6, %rd6;
        setp.eq.u32 %p1, %r0, 33; @!%p1 bra $BEHIND;
        {.param .b64 x; .param .b64 y; st.param.b64 [x], %rd6; st.param.b64 [y], %rd3;
         call publish, (x, y);}
      $BEHIND:
        bar.sync 0;
        {.param .b64 x; .param .b32 y; st.param.b64 [x], %rd6; call (y), read_through, (x);
         ld.param.b32 %r1, [y];}
    )",
                   request),
               4);
  }
}

// Every thread publishes an address, and uses those of others as the random text says.
TEST_P(OwnMemory, HoldsWhateverIsPublished) {
  std::mt19937 random(7);
  const auto number = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  for (int round = 0; round < 6; ++round) {
    const uint32_t factor = 1 + number(threads), shift = number(threads);
    const bool uniform = number(3) == 0;
    const uint32_t other = number(threads);
    const int at = static_cast<int>(number(8)) - 4;
    std::string body = R"(
        mul.wide.u32 %rd7, %r0, 8; mov.u64 %rd8, table; add.s64 %rd8, %rd8, %rd7;
        st.shared.u64 [%rd8], %rd3; bar.sync 0; mov.u32 %r1, 0;
        mad.lo.u32 %r5, %r0, )" +
                       std::to_string(factor) + ", " + std::to_string(shift) + R"(;
        rem.u32 %r5, %r5, 96;
    )" + (uniform ? "mov.u32 %r5, " + std::to_string(other) + ";" : "") +
                       R"(
        mul.wide.u32 %rd7, %r5, 8; mov.u64 %rd8, table; add.s64 %rd8, %rd8, %rd7;
        setp.lt.u32 %p2, %r0, )" +
                       std::to_string(number(128)) + R"(; @%p2 bra $SOME;
        ld.shared.u64 %rd6, [%rd8]; ld.u32 %r1, [%rd6+)" +
                       std::to_string(4 * at) + R"(]; bra $END;
      $SOME:
        ld.shared.u64 %rd6, [%rd8]; ld.u32 %r1, [%rd6+)" +
                       std::to_string(4 * at) + R"(];
      $END:
    )";
    expect_own(run(body), static_cast<uint32_t>(4 + at));
  }
}

INSTANTIATE_TEST_SUITE_P(All, OwnMemory, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
