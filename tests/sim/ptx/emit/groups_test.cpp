// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp vote, match and add in groups; each names the members of its own group.
#include <algorithm>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Groups : public testing::TestWithParam<Vectors> {
 protected:
  static uint32_t members_of(uint32_t t) { return t < 4 ? 0xf : t < 16 ? 0xfff0 : 0xffff0000; }
  // %r1 is the lane's input, %r2 its group, %p1 whether %r1 is odd, and %r5 its result.
  std::vector<uint32_t> run(std::string_view instruction, const std::vector<uint32_t>& given) {
    Kernel kernel(module_of(".param .u64 in, .param .u64 out", std::string(R"(
      .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
      ld.param.u64 %rd0, [in];
      ld.param.u64 %rd1, [out];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 4;
      add.s64 %rd3, %rd0, %rd2;
      add.s64 %rd4, %rd1, %rd2;
      ld.global.u32 %r1, [%rd3];
      mov.u32 %r2, 0xffff0000;
      setp.lt.u32 %p2, %r0, 16;
      @%p2 mov.u32 %r2, 0xfff0;
      setp.lt.u32 %p2, %r0, 4;
      @%p2 mov.u32 %r2, 0xf;
      and.b32 %r3, %r1, 1;
      setp.eq.u32 %p1, %r3, 1;
      )") + std::string(instruction) + "st.global.u32 [%rd4], %r5; ret;"),
                  "kernel", GetParam());
    std::vector<uint32_t> out(32);
    EXPECT_EQ(kernel(given.data(), out.data()), Status::finished);
    return out;
  }
  std::vector<uint32_t> numbers() {
    std::vector<uint32_t> values;
    for (uint32_t t = 0; t < 32; ++t) values.push_back(t < 4 ? 7 : (t * 0x9e3779b9u) >> 3);
    return values;
  }
  template <typename F>
  void expect(std::string_view instruction, const F& of_members) {
    const std::vector<uint32_t> given = numbers(), out = run(instruction, given);
    for (uint32_t t = 0; t < 32; ++t) {
      std::vector<uint32_t> values;
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (members_of(t) >> lane & 1) values.push_back(given[lane]);
      EXPECT_EQ(out[t], of_members(values, t)) << instruction << ' ' << t;
    }
  }
};

TEST_P(Groups, Vote) {
  const auto odd = [](uint32_t value) { return value % 2 == 1; };
  expect("vote.sync.ballot.b32 %r5, %p1, %r2;", [&](const auto&, uint32_t t) {
    uint32_t bits = 0;
    const auto given = numbers();
    for (uint32_t lane = 0; lane < 32; ++lane) bits |= uint32_t{odd(given[lane])} << lane;
    return bits & members_of(t);
  });
  const std::string picks = " selp.u32 %r5, 1, 0, %p3;";
  expect("vote.sync.all.pred %p3, %p1, %r2;" + picks, [&](const auto& values, uint32_t) {
    return uint32_t{std::all_of(values.begin(), values.end(), odd)};
  });
  expect("vote.sync.any.pred %p3, %p1, %r2;" + picks, [&](const auto& values, uint32_t) {
    return uint32_t{std::any_of(values.begin(), values.end(), odd)};
  });
  expect("vote.sync.uni.pred %p3, %p1, %r2;" + picks, [&](const auto& values, uint32_t) {
    return uint32_t{std::all_of(values.begin(), values.end(), odd) ||
                    std::none_of(values.begin(), values.end(), odd)};
  });
}

TEST_P(Groups, Reduce) {
  expect("redux.sync.add.u32 %r5, %r1, %r2;", [](const auto& values, uint32_t) {
    uint32_t sum = 0;
    for (const uint32_t value : values) sum += value;
    return sum;
  });
  expect("redux.sync.max.u32 %r5, %r1, %r2;", [](const auto& values, uint32_t) {
    return *std::max_element(values.begin(), values.end());
  });
  expect("redux.sync.min.s32 %r5, %r1, %r2;", [](const auto& values, uint32_t) {
    return *std::min_element(values.begin(), values.end(), [](uint32_t a, uint32_t b) {
      return static_cast<int32_t>(a) < static_cast<int32_t>(b);
    });
  });
}

TEST_P(Groups, Match) {
  expect("match.all.sync.b32 %r5, %r1, %r2;", [](const auto& values, uint32_t t) {
    const bool same = std::count(values.begin(), values.end(), values[0]) ==
                      static_cast<ptrdiff_t>(values.size());
    return same ? members_of(t) : 0;
  });
  expect("match.any.sync.b32 %r5, %r3, %r2;", [this](const auto&, uint32_t t) {
    const auto given = numbers();
    uint32_t bits = 0;
    for (uint32_t lane = 0; lane < 32; ++lane)
      bits |= uint32_t{given[lane] % 2 == given[t] % 2} << lane;
    return bits & members_of(t);
  });
}

INSTANTIATE_TEST_SUITE_P(Vectors, Groups, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
