// SPDX-License-Identifier: Apache-2.0
// Atomic operations of lanes that all use one address, share a few, or have one each.
#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <thread>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class Atomics : public testing::TestWithParam<Vectors> {
 protected:
  static constexpr uint32_t threads = 64;
  struct Result {
    std::vector<uint64_t> cells, olds;
  };

  // Thread t takes part if t % skip != 1, and uses cell t % cells with operands b(t) and c(t). All
  // cells begin with `start`.
  template <typename B, typename C>
  Result run(const std::string& opcode, uint32_t cells, uint32_t skip, uint64_t start, B b, C c,
             uint32_t bytes, bool shared) {
    const std::string t = bytes == 8 ? "64" : bytes == 2 ? "16" : "32";
    const std::string r = bytes == 8 ? "%rd" : bytes == 2 ? "%h" : "%r";
    const bool cas = opcode.find(".cas") != std::string::npos;
    const bool red = opcode.starts_with("red");
    const auto with_space = [&] {
      std::string name = opcode;
      return name.insert(name.find('.'), shared ? ".shared" : ".global");
    };
    std::string text = R"(
      .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
      .shared .align 8 .b64 box[64];
      ld.param.u64 %rd10, [cells];
      ld.param.u64 %rd11, [olds];
      ld.param.u64 %rd12, [operands];
      mov.u32 %r10, %tid.x;
      mul.wide.u32 %rd13, %r10, 16;
      add.s64 %rd12, %rd12, %rd13;
      ld.global.b64 %rd1, [%rd12];
      ld.global.b64 %rd2, [%rd12+8];
      cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2;
      cvt.u16.u64 %h1, %rd1; cvt.u16.u64 %h2, %rd2;
      mul.wide.u32 %rd14, %r10, 8;
      add.s64 %rd11, %rd11, %rd14;
      ld.param.u32 %r11, [count];
    )";
    // With one cell, the compiler can see that the address is the same for all lanes.
    text += cells == 1 ? "mov.u32 %r12, 0;" : "rem.u32 %r12, %r10, %r11;";
    text += R"(
      mul.wide.u32 %rd15, %r12, 8;
      add.s64 %rd16, %rd10, %rd15;
      shl.b32 %r13, %r12, 3;
      mov.u32 %r14, box;
      add.u32 %r14, %r14, %r13;
      ld.param.u32 %r15, [skip];
      rem.u32 %r16, %r10, %r15;
      setp.eq.u32 %p1, %r16, 1;
    )";
    if (shared) text += "ld.global.b64 %rd3, [%rd16]; st.shared.b64 [%r14], %rd3; bar.sync 0;";
    text += "mov.b" + t + " " + r + "0, 0;\n@%p1 bra BEHIND;\n";
    text += with_space() + (red ? " " : " " + r + "0, ") + (shared ? "[%r14], " : "[%rd16], ") + r +
            "1" + (cas ? ", " + r + "2" : "") + ";\n";
    text += "BEHIND:\n";
    if (!red) text += "st.global.b" + t + " [%rd11], " + r + "0;\n";
    if (shared) text += "bar.sync 0; ld.shared.b64 %rd3, [%r14]; st.global.b64 [%rd16], %rd3;\n";
    text += "ret;";
    std::unique_ptr<Kernel>& kernel = kernels_[text];
    if (!kernel)
      kernel = std::make_unique<Kernel>(
          module_of(".param .u64 cells, .param .u64 olds, .param .u64 operands, "
                    ".param .u32 count, .param .u32 skip",
                    text),
          "kernel", GetParam(), Grid{{1, 1, 1}, {threads, 1, 1}});
    Result result{std::vector<uint64_t>(cells, start), std::vector<uint64_t>(threads)};
    std::vector<uint64_t> operands;
    for (uint32_t n = 0; n < threads; ++n) operands.insert(operands.end(), {b(n), c(n)});
    EXPECT_EQ((*kernel)(result.cells.data(), result.olds.data(), operands.data(), cells, skip),
              Status::finished);
    return result;
  }

  // The same operations, one lane after the other.
  template <typename B, typename C, typename F>
  Result model(uint32_t cells, uint32_t skip, uint64_t start, B b, C c, uint32_t bytes,
               const F& next) {
    Result result{std::vector<uint64_t>(cells, start), std::vector<uint64_t>(threads)};
    const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
    for (uint32_t n = 0; n < threads; ++n) {
      if (n % skip == 1) continue;
      uint64_t& cell = result.cells[n % cells];
      result.olds[n] = cell & mask;
      cell = (cell & ~mask) | (next(cell & mask, b(n) & mask, c(n) & mask) & mask);
    }
    return result;
  }

  template <typename B, typename C, typename F>
  void expect(const std::string& opcode, uint32_t bytes, uint64_t start, B b, C c, const F& next) {
    for (const bool shared : {false, true})
      for (const uint32_t cells : {1u, 5u, 64u})
        for (const uint32_t skip : {3u, 1000u}) {
          const Result wanted = model(cells, skip, start, b, c, bytes, next);
          const Result got = run("atom" + opcode, cells, skip, start, b, c, bytes, shared);
          EXPECT_EQ(got.cells, wanted.cells) << opcode << shared << ' ' << cells << ' ' << skip;
          EXPECT_EQ(got.olds, wanted.olds) << opcode << shared << ' ' << cells << ' ' << skip;
          if (opcode.find("cas") != std::string::npos || opcode.find("exch") != std::string::npos)
            continue;
          if (shared != (cells == 1)) continue;  // compiling a kernel takes long
          const Result red = run("red" + opcode, cells, skip, start, b, c, bytes, shared);
          EXPECT_EQ(red.cells, wanted.cells) << "red" << opcode << shared << ' ' << cells;
        }
  }

  std::map<std::string, std::unique_ptr<Kernel>> kernels_;  // by their texts
};

constexpr auto number = [](uint32_t n) { return uint64_t{n} * 0x9e3779b97f4a7c15u; };
constexpr auto same = [](uint32_t) { return uint64_t{3}; };

TEST_P(Atomics, Sums) {
  const auto add = [](uint64_t old, uint64_t b, uint64_t) { return old + b; };
  expect(".add.u32", 4, 10, number, same, add);
  expect(".relaxed.gpu.add.s32", 4, 10, same, same, add);
  expect(".add.u64", 8, 10, number, same, add);
}

TEST_P(Atomics, Bits) {
  const uint64_t start = 0x0123456789abcdef;
  expect(".and.b32", 4, start, number, same,
         [](uint64_t a, uint64_t b, uint64_t) { return a & b; });
  expect(".or.b64", 8, start, number, same, [](uint64_t a, uint64_t b, uint64_t) { return a | b; });
  expect(".xor.b32", 4, start, number, same,
         [](uint64_t a, uint64_t b, uint64_t) { return a ^ b; });
  expect(".acq_rel.gpu.exch.b64", 8, start, number, same,
         [](uint64_t, uint64_t b, uint64_t) { return b; });
}

TEST_P(Atomics, LeastAndGreatest) {
  const uint64_t start = 0x5555555555555555;
  expect(".min.u32", 4, start, number, same,
         [](uint64_t a, uint64_t b, uint64_t) { return std::min(a, b); });
  expect(".max.u64", 8, start, number, same,
         [](uint64_t a, uint64_t b, uint64_t) { return std::max(a, b); });
  expect(".max.s32", 4, start, number, same, [](uint64_t a, uint64_t b, uint64_t) {
    return static_cast<uint64_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
  });
  expect(".min.s64", 8, start, number, same, [](uint64_t a, uint64_t b, uint64_t) {
    return static_cast<uint64_t>(std::min(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  });
}

TEST_P(Atomics, Counters) {
  const auto limit = [](uint32_t n) { return uint64_t{n % 7}; };
  expect(".inc.u32", 4, 2, limit, same,
         [](uint64_t a, uint64_t b, uint64_t) { return a >= b ? 0 : a + 1; });
  expect(".dec.u32", 4, 2, limit, same,
         [](uint64_t a, uint64_t b, uint64_t) { return a == 0 || a > b ? b : a - 1; });
}

TEST_P(Atomics, ComparedAndExchanged) {
  const auto expected = [](uint32_t n) { return uint64_t{n < 20 ? n / 5u : 3}; };
  const auto next = [](uint32_t n) { return uint64_t{n / 5u + 1}; };
  const auto cas = [](uint64_t a, uint64_t b, uint64_t c) { return a == b ? c : a; };
  expect(".cas.b32", 4, 0, expected, next, cas);
  expect(".cas.b64", 8, 0, expected, next, cas);
  expect(".acquire.gpu.cas.b16", 2, 0, expected, next, cas);
}

TEST_P(Atomics, FloatingSums) {
  const auto f32 = [](uint32_t n) {
    return uint64_t{std::bit_cast<uint32_t>(1.0f / static_cast<float>(n + 1))};
  };
  const auto f64 = [](uint32_t n) { return std::bit_cast<uint64_t>(1.0 / (n + 1)); };
  expect(".add.f32", 4, std::bit_cast<uint32_t>(0.25f), f32, same,
         [](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
           return std::bit_cast<uint32_t>(std::bit_cast<float>(static_cast<uint32_t>(a)) +
                                          std::bit_cast<float>(static_cast<uint32_t>(b)));
         });
  expect(".add.f64", 8, std::bit_cast<uint64_t>(0.25), f64, same,
         [](uint64_t a, uint64_t b, uint64_t) {
           return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
         });
}

TEST_P(Atomics, SumsOf16Bits) {
  const auto sum16 = [](uint64_t a, uint64_t b) -> uint64_t {
    return std::bit_cast<uint16_t>(
        static_cast<_Float16>(std::bit_cast<_Float16>(static_cast<uint16_t>(a)) +
                              std::bit_cast<_Float16>(static_cast<uint16_t>(b))));
  };
  const auto half = [](uint32_t n) {
    return uint64_t{
        std::bit_cast<uint16_t>(static_cast<_Float16>(1.0f / static_cast<float>(n + 1)))};
  };
  const auto small = [](uint32_t n) { return uint64_t{n * 5}; };  // subnormal numbers
  const auto large = [](uint32_t n) { return uint64_t{0x7a00 + n}; };
  for (const auto& b : std::initializer_list<uint64_t (*)(uint32_t)>{half, small, large})
    expect(".add.noftz.f16", 2, 0x1234, b, same,
           [&](uint64_t a, uint64_t c, uint64_t) { return sum16(a, c); });
  const auto pair = [&](uint32_t n) { return half(n) | half(n + 7) << 16; };
  expect(".add.noftz.f16x2", 4, 0x12343456, pair, same, [&](uint64_t a, uint64_t b, uint64_t) {
    return sum16(a, b) | sum16(a >> 16, b >> 16) << 16;
  });
  // Powers of two and small multiples of them, which bf16 represents exactly.
  const auto brain = [](uint32_t n) {
    return uint64_t{std::bit_cast<uint32_t>(float(n % 3)) >> 16};
  };
  expect(".add.noftz.bf16", 2, 0x3f80, brain, same, [](uint64_t a, uint64_t b, uint64_t) {
    const auto wide = [](uint64_t x) {
      return std::bit_cast<float>(static_cast<uint32_t>(x << 16));
    };
    return uint64_t{std::bit_cast<uint32_t>(wide(a) + wide(b)) >> 16};
  });
}

TEST_P(Atomics, VectorsAndGenericAddresses) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
    .shared .align 4 .b32 box[32];
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 1;
    mul.wide.u32 %rd1, %r1, 16;
    add.s64 %rd2, %rd0, %rd1;
    mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
    red.global.v2.f32.add [%rd2], {%f1, %f2};
    atom.global.v4.f32.add {%f3, %f4, %f5, %f6}, [%rd2+32], {%f1, %f2, %f2, %f1};
    mov.u32 %r2, box;
    cvt.u64.u32 %rd3, %r2;
    cvta.shared.u64 %rd4, %rd3;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    red.add.u32 [%rd6], %r0;
    bar.sync 0;
    ld.u32 %r3, [%rd6];
    st.global.u32 [%rd2+64], %r3;
    ret;)"),
                "kernel", GetParam());
  alignas(16) float out[24] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  for (const int n : {0, 4}) {
    EXPECT_EQ(out[n], 16);
    EXPECT_EQ(out[n + 1], 32);
    EXPECT_EQ(out[n + 8], 16);
    EXPECT_EQ(out[n + 9], 32);
    EXPECT_EQ(out[n + 10], 32);
    EXPECT_EQ(out[n + 11], 16);
  }
  EXPECT_EQ(std::bit_cast<uint32_t>(out[16]), 240u);
  EXPECT_EQ(std::bit_cast<uint32_t>(out[20]), 256u);
}

// As on an H100, including generic addresses.
TEST_P(Atomics, SubnormalSumsAreZeroInGlobalMemoryOnly) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
    .shared .align 4 .b32 box[33];
    ld.param.u64 %rd0, [out];
    mov.u32 %r1, 5;
    mov.b32 %f1, %r1;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd4, %r0, 4;
    add.s64 %rd5, %rd0, %rd4;
    red.global.add.f32 [%rd0], %f1;
    red.add.f32 [%rd5+4], %f1;
    xor.b32 %r3, %r0, 5;
    mul.wide.u32 %rd6, %r3, 4;
    add.s64 %rd6, %rd0, %rd6;
    red.global.add.f32 [%rd6+132], %f1;
    mov.u32 %r2, box;
    red.shared.add.f32 [%r2], %f1;
    cvt.u64.u32 %rd1, %r2;
    cvta.shared.u64 %rd2, %rd1;
    add.s64 %rd3, %rd2, %rd4;
    red.add.f32 [%rd2], %f1;
    red.add.f32 [%rd3+4], %f1;
    bar.sync 0;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%rd0+4], %r3;
    ld.shared.u32 %r3, [%r2+44];
    st.global.u32 [%rd0+8], %r3;
    ret;)"),
                "kernel", GetParam());
  uint32_t out[65] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[1], 320u);
  EXPECT_EQ(out[2], 5u);
  for (int n = 3; n < 65; ++n) EXPECT_EQ(out[n], 0u);
}

// Two threads of the processor add 1 to a few words, in lanes that share words or do not: each
// addition returns a sum that no other returns, and none is lost.
TEST_P(Atomics, FloatingSumsLoseNothing) {
  constexpr uint32_t blocks = 20, threads = 64, all = blocks * threads;
  for (const std::string type : {"f32", "f64"})
    for (const uint32_t places : {1u, 2u, 13u, 1000u})
      for (const bool some : {false, true}) {
        SCOPED_TRACE(testing::Message() << type << ", " << places << " places, some: " << some);
        const std::string text = module_of(
            ".param .u64 words, .param .u64 seen, .param .u64 places, .param .u32 count",
            ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg ." + type + R"( %old, %one; .reg .pred %p;
             ld.param.u64 %d0, [words]; ld.param.u64 %d1, [seen]; ld.param.u64 %d2, [places];
             ld.param.u32 %r0, [count];
             mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1;
             mul.lo.u32 %r2, %r1, 2654435761; shr.u32 %r2, %r2, 7; rem.u32 %r3, %r2, %r0;
             mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3; add.u64 %d1, %d1, %d3;
             mov.u32 %r4, -1; st.global.u32 [%d2], %r4;
             and.b32 %r5, %r2, 5; setp.ne.u32 %p, %r5, 0; cvt.rn.)" +
                type + R"(.u32 %one, 1;)" + (some ? "@!%p ret;" : "") +
                "mul.wide.u32 %d4, %r3, 8; add.u64 %d4, %d0, %d4; atom.global.add." + type +
                " %old, [%d4], %one; cvt.rzi.u32." + type +
                " %r6, %old; st.global.u32 [%d1], %r6; st.global.u32 [%d2], %r3; ret;");
        Kernel one(text, "kernel", GetParam(), {{blocks, 1, 1}, {threads, 1, 1}});
        Kernel two(text, "kernel", GetParam(), {{blocks, 1, 1}, {threads, 1, 1}});
        std::vector<uint64_t> words(places);
        std::vector<uint32_t> seen(2 * all), place(2 * all);
        std::thread beside([&] {
          EXPECT_EQ(two(words.data(), &seen[all], &place[all], places), Status::finished);
        });
        EXPECT_EQ(one(words.data(), seen.data(), place.data(), places), Status::finished);
        beside.join();
        std::map<uint32_t, std::vector<uint32_t>> sums;
        for (uint32_t n = 0; n < 2 * all; ++n)
          if (place[n] != UINT32_MAX) sums[place[n]].push_back(seen[n]);
        for (auto& [where, found] : sums) {
          std::sort(found.begin(), found.end());
          for (uint32_t n = 0; n < found.size(); ++n) ASSERT_EQ(found[n], n) << "place " << where;
        }
      }
}

TEST_P(Atomics, AMisalignedOneIsReported) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    cvt.u64.u32 %rd1, %r0;
    add.s64 %rd2, %rd0, %rd1;
    red.global.add.u32 [%rd2], 1;
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {4, 1, 1}});
  alignas(4) uint32_t out[2] = {};
  kernel.allow(out, sizeof out);
  EXPECT_EQ(kernel(out), Status::stopped);
  ASSERT_EQ(kernel.faults().size(), 1u);
  EXPECT_EQ(kernel.faults()[0].mask, 0xeu);
  EXPECT_EQ(kernel.faults()[0].access, 4 | access_write | access_atomic);
}

// The lanes take the lock in turn: the others wait while one is inside.
TEST_P(Atomics, LanesWaitForALock) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [out];
  TRY:
    atom.global.cas.b32 %r1, [%rd0], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra TRY;
    ld.volatile.global.u32 %r2, [%rd0+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd0+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd0], 0;
    ret;)"),
                "kernel", GetParam(), {{1, 1, 1}, {96, 1, 1}});
  uint32_t out[2] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  EXPECT_EQ(out[1], 96u);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Atomics, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
