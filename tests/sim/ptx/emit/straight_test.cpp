// SPDX-License-Identifier: Apache-2.0
// Blocks in which all lanes take part and every access lies in the window have a second compiled
// version. It must give the same results, touch nothing else, and report the same faults.
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <numeric>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

// Memory whose surroundings are not accessible.
class Edge {
 public:
  explicit Edge(size_t bytes) : bytes_(bytes) {
    mapped_ = (bytes + 4095) / 4096 * 4096 + 8192;
    begin_ = static_cast<uint8_t*>(
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(begin_ + 4096, mapped_ - 8192, PROT_READ | PROT_WRITE), 0);
  }
  ~Edge() { munmap(begin_, mapped_); }
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;
  uint8_t* data() const { return begin_ + mapped_ - 4096 - bytes_; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_, mapped_ = 0;
  uint8_t* begin_ = nullptr;
};

class Straight : public testing::TestWithParam<Vectors> {};

const char* type_of(unsigned size) {
  return size == 1 ? "u8" : size == 2 ? "u16" : size == 4 ? "u32" : "u64";
}

uint64_t element(const uint8_t* memory, size_t index, unsigned size) {
  uint64_t value = 0;
  memcpy(&value, memory + index * size, size);
  return value;
}

// sums[i] = in[apart * i] + ... + in[apart * i + reads - 1], where the last one counts twice
std::string sums_of_neighbours(unsigned size, unsigned apart, unsigned reads) {
  const std::string type = type_of(size);
  std::string body = R"(
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [sums];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.s32 %p, %r4, %r0;
    @%p bra END;
    mul.lo.s32 %r5, %r4, )" +
                     std::to_string(apart) + R"(;
    mul.wide.s32 %rd2, %r5, )" +
                     std::to_string(size) + R"(;
    add.s64 %rd3, %rd0, %rd2;
    mov.u64 %rd6, 0;
  )";
  for (unsigned read = 0; read < reads; ++read)
    body += (size == 1 ? ".reg .b16 %x" + std::to_string(read) + "; ld.global.u8 %x" +
                             std::to_string(read) + ", [%rd3+" + std::to_string(read) +
                             "]; cvt.u64.u8 %rd5, %x" + std::to_string(read) + ";"
             : size == 2 ? ".reg .b16 %x" + std::to_string(read) + "; ld.global.u16 %x" +
                               std::to_string(read) + ", [%rd3+" + std::to_string(2 * read) +
                               "]; cvt.u64.u16 %rd5, %x" + std::to_string(read) + ";"
             : size == 4 ? "ld.global.u32 %r6, [%rd3+" + std::to_string(4 * read) +
                               "]; cvt.u64.u32 %rd5, %r6;"
                         : "ld.global.u64 %rd5, [%rd3+" + std::to_string(8 * read) + "];") +
            "add.u64 %rd6, %rd6, %rd5;\n";
  body += R"(
    add.u64 %rd6, %rd6, %rd5;
    mul.wide.s32 %rd7, %r4, 8;
    add.s64 %rd8, %rd1, %rd7;
    st.global.u64 [%rd8], %rd6;
  END:
    ret;)";
  return module_of(".param .u64 in, .param .u64 sums, .param .u32 n", body);
}

void test_neighbours(Vectors vectors, unsigned size, unsigned apart, unsigned reads,
                     uint32_t width) {
  constexpr unsigned n = 72;
  const unsigned count = apart * (n - 1) + reads;
  const Edge in(size_t{count} * size);
  for (size_t i = 0; i < in.bytes(); ++i) in.data()[i] = static_cast<uint8_t>(37 * i + i / 251);
  std::vector<uint64_t> sums(96);
  Kernel kernel(sums_of_neighbours(size, apart, reads), "kernel", vectors,
                {{96 / width, 1, 1}, {width, 1, 1}});
  ASSERT_EQ(kernel(in.data(), sums.data(), n), Status::finished);
  for (size_t i = 0; i < sums.size(); ++i) {
    uint64_t expected = 0;
    for (unsigned read = 0; read < reads && i < n; ++read)
      expected += (read == reads - 1 ? 2 : 1) * element(in.data(), apart * i + read, size);
    ASSERT_EQ(sums[i], expected) << i << ": " << reads << " of " << size << " bytes, " << apart
                                 << " apart";
  }
}

TEST_P(Straight, ElementsAFewApartAreEachLanesOwn) {
  for (const unsigned size : {1u, 2u, 4u, 8u})
    for (unsigned apart = 1; apart <= (size == 4 ? 8 : 5); ++apart)
      test_neighbours(GetParam(), size, apart, apart, 32);
  // Fewer and more elements than lie between the first ones of two lanes.
  for (const unsigned apart : {2u, 3u, 5u, 6u})
    for (const unsigned reads : {1u, apart + 3}) test_neighbours(GetParam(), 4, apart, reads, 32);
}

TEST_P(Straight, ElementsAFewApartInHalvesOfAWarp) {
  for (const unsigned apart : {2u, 3u, 5u}) test_neighbours(GetParam(), 4, apart, apart, 16);
}

// The window ends one element too early: the fault names the last lane that reads, whether or not
// the warp is full.
TEST_P(Straight, TheLaneThatReadsTooFarIsNamed) {
  for (const uint32_t n : {64u, 50u})
    for (const unsigned apart : {1u, 3u, 5u}) {
      const Edge in(size_t{4} * apart * n);
      std::vector<uint64_t> sums(64);
      Kernel kernel(sums_of_neighbours(4, apart, apart), "kernel", GetParam(),
                    {{1, 1, 1}, {64, 1, 1}});
      // The window begins at the results and ends just before the last element; that needs the
      // results to be below it.
      const uint8_t* const end = in.data() + in.bytes() - 4;
      const auto* const out = reinterpret_cast<const uint8_t*>(sums.data());
      if (out < end)
        kernel.allow(out, static_cast<size_t>(end - out));
      else
        continue;
      ASSERT_EQ(kernel(in.data(), sums.data(), n), Status::stopped);
      ASSERT_EQ(kernel.faults().size(), 1u);
      EXPECT_EQ(kernel.faults()[0].mask, 1u << (n - 1) % 32);
      EXPECT_EQ(kernel.faults()[0].warp, 1u);
      EXPECT_EQ(kernel.faults()[0].address, reinterpret_cast<uint64_t>(end));
    }
}

// out[to[i]] = in[from[i]]
std::string moved(std::string_view widen) {
  return module_of(
      ".param .u64 from, .param .u64 in, .param .u64 to, .param .u64 out, .param .u32 n",
      std::string(R"(
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<15>;
    ld.param.u64 %rd0, [from];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [to];
    ld.param.u64 %rd3, [out];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.s32 %p, %r1, %r0;
    @%p bra END;
    mul.wide.s32 %rd4, %r1, 4;
    add.s64 %rd5, %rd0, %rd4;
    ld.global.u32 %r2, [%rd5];
    add.s64 %rd6, %rd2, %rd4;
    ld.global.u32 %r3, [%rd6];
    cvta.to.global.u64 %rd12, %rd1;
  )") + std::string(widen) +
          R"(
    add.s64 %rd8, %rd12, %rd7;
    ld.global.u32 %r4, [%rd8];
    mul.wide.s32 %rd9, %r3, 4;
    add.s64 %rd10, %rd9, %rd3;
    st.global.u32 [%rd10], %r4;
  END:
    ret;)");
}

TEST_P(Straight, ElementsByAnIndexAreEachLanesOwn) {
  for (const char* const widen : {"mul.wide.s32 %rd7, %r2, 4;", "mul.wide.u32 %rd7, %r2, 4;",
                                  "cvt.s64.s32 %rd11, %r2; shl.b64 %rd7, %rd11, 2;",
                                  "cvt.u64.u32 %rd11, %r2; shl.b64 %rd7, %rd11, 2;"})
    for (const int32_t n : {64, 41}) {
      std::vector<int32_t> from(64), to(64), in(300), out(64, -1);
      std::iota(in.begin(), in.end(), 1000);
      for (int32_t i = 0; i < 64; ++i) from[i] = 37 * i % 300, to[i] = 11 * i % 64;
      Kernel kernel(moved(widen), "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
      ASSERT_EQ(kernel(from.data(), in.data(), to.data(), out.data(), n), Status::finished);
      std::vector<int32_t> expected(64, -1);
      for (int32_t i = 0; i < n; ++i) expected[to[i]] = in[from[i]];
      EXPECT_EQ(out, expected) << widen;
    }
}

TEST_P(Straight, OfLanesWithTheSameIndexTheLastOneWrites) {
  std::vector<int32_t> from(32), to(32, 3), in(32), out(8, -1);
  std::iota(in.begin(), in.end(), 0);
  std::iota(from.begin(), from.end(), 0);
  Kernel kernel(moved("mul.wide.s32 %rd7, %r2, 4;"), "kernel", GetParam());
  ASSERT_EQ(kernel(from.data(), in.data(), to.data(), out.data(), 32), Status::finished);
  EXPECT_EQ(out[3], 31);
}

TEST_P(Straight, AnIndexMayBeNegativeIfItsPlaceIsGood) {
  std::vector<int32_t> from(32), to(32), in(64), out(32);
  std::iota(in.begin(), in.end(), 0);
  std::iota(to.begin(), to.end(), 0);
  for (int32_t i = 0; i < 32; ++i) from[i] = i - 16;
  Kernel kernel(moved("mul.wide.s32 %rd7, %r2, 4;"), "kernel", GetParam());
  ASSERT_EQ(kernel(from.data(), in.data() + 20, to.data(), out.data(), 32), Status::finished);
  for (int32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 4 + i);
}

// All arrays are in one allocation, so that the window can end anywhere.
TEST_P(Straight, AnIndexThatLeadsOutIsRefused) {
  struct Row {
    const char* widen;
    uint32_t index;
    bool good;
  };
  const Row rows[] = {{"mul.wide.s32 %rd7, %r2, 4;", 63, true},
                      {"mul.wide.s32 %rd7, %r2, 4;", 64, false},
                      {"mul.wide.s32 %rd7, %r2, 4;", UINT32_MAX - 96 + 1, true},
                      {"mul.wide.s32 %rd7, %r2, 4;", UINT32_MAX - 96, false},
                      {"mul.wide.u32 %rd7, %r2, 4;", UINT32_MAX, false},
                      {"mul.wide.s32 %rd7, %r2, 4;", 0x40000000, false},
                      {"mul.wide.s32 %rd7, %r2, 4;", 0x80000000, false},
                      {"mul.wide.u32 %rd7, %r2, 4;", 0x80000000, false}};
  for (const Row& row : rows)
    for (const int32_t n : {32, 20}) {
      const Edge memory(4 * 160);
      auto* const words = reinterpret_cast<uint32_t*>(memory.data());
      uint32_t *const from = words, *const to = words + 32, *const out = words + 64,
                      *const in = words + 96;
      for (uint32_t i = 0; i < 32; ++i) from[i] = i, to[i] = i;
      from[13] = row.index;
      in[63] = 4711;
      Kernel kernel(moved(row.widen), "kernel", GetParam());
      kernel.allow(words, memory.bytes());
      const Status status = kernel(from, in, to, out, n);
      EXPECT_EQ(status, row.good ? Status::finished : Status::stopped) << row.index;
      if (row.good) {
        EXPECT_EQ(out[13], row.index == 63 ? 4711 : words[0]);
        continue;
      }
      ASSERT_EQ(kernel.faults().size(), 1u);
      EXPECT_EQ(kernel.faults()[0].mask, 1u << 13);
      const bool with_sign = row.widen[9] == 's';
      const int64_t index = with_sign ? int64_t{static_cast<int32_t>(row.index)} : row.index;
      EXPECT_EQ(kernel.faults()[0].address,
                reinterpret_cast<uint64_t>(in) + static_cast<uint64_t>(4 * index));
    }
}

TEST_P(Straight, AMisalignedBaseIsRefused) {
  std::vector<int32_t> from(32), to(32), in(64), out(32);
  Kernel kernel(moved("mul.wide.s32 %rd7, %r2, 4;"), "kernel", GetParam());
  auto* const odd = reinterpret_cast<const uint8_t*>(in.data()) + 2;
  ASSERT_EQ(kernel(from.data(), odd, to.data(), out.data(), 32), Status::stopped);
  ASSERT_EQ(kernel.faults().size(), 1u);
  EXPECT_EQ(kernel.faults()[0].mask, UINT32_MAX);
  EXPECT_EQ(kernel.faults()[0].address, reinterpret_cast<uint64_t>(odd));
}

// Instructions before the faulting access have run exactly once.
TEST_P(Straight, WhatCameBeforeAFaultHasHappenedOnce) {
  const std::string text = module_of(".param .u64 counts, .param .u64 other, .param .u32 n", R"(
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [counts];
    ld.param.u64 %rd1, [other];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.s32 %p, %r1, %r0;
    @%p bra END;
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd0, %rd0, %rd2;
    ld.global.u32 %r2, [%rd0];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd0], %r2;
    red.global.add.u32 [%rd0+128], 1;
    mul.lo.s32 %r1, %r1, 3;
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd0], %r2;
    ld.global.u32 %r3, [%rd1];
    st.global.u32 [%rd0], %r3;
  END:
    ret;)");
  for (const int32_t n : {32, 31}) {
    std::vector<uint32_t> counts(64), other(96);
    Kernel kernel(text, "kernel", GetParam());
    kernel.allow(counts.data(), 256);
    ASSERT_EQ(kernel(counts.data(), &other[0] + 0, n), Status::stopped);
    for (int32_t i = 0; i < n; ++i) {
      EXPECT_EQ(counts[i], 2u) << i;
      EXPECT_EQ(counts[32 + i], 1u) << i;
    }
    ASSERT_EQ(kernel.faults().size(), 1u);
    EXPECT_EQ(kernel.faults()[0].mask, n == 32 ? UINT32_MAX : UINT32_MAX >> 1);
  }
}

// A warp that stops at a barrier inside such a block continues in it.
TEST_P(Straight, ABarrierInsideKeepsWhatIsKnown) {
  const std::string text = module_of(".param .u64 out, .param .u32 n", R"(
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .shared .align 4 .b32 values[64];
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.s32 %p, %r1, %r0;
    @%p bra END;
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd0, %rd0, %rd2;
    mov.u32 %r2, values;
    shl.b32 %r3, %r1, 2;
    add.u32 %r4, %r2, %r3;
    ld.global.u32 %r5, [%rd0];
    st.shared.u32 [%r4], %r5;
    bar.sync 0;
    xor.b32 %r3, %r3, 252;
    add.u32 %r4, %r2, %r3;
    ld.shared.u32 %r6, [%r4];
    st.global.u32 [%rd0+256], %r6;
  END:
    ret;)");
  std::vector<uint32_t> values(128);
  std::iota(values.begin(), values.end(), 0);
  Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {64, 1, 1}});
  ASSERT_EQ(kernel(values.data(), 64), Status::finished);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(values[64 + i], 63 - i);
}

// The same with an address computed before the barrier from an index that is dead after it.
TEST_P(Straight, ABarrierInsideKeepsPlacesByAnIndex) {
  for (const char* const widen :
       {"mul.wide.u32 %rd1, %r2, 4; add.s64 %rd2, %rd0, %rd1; bar.sync 0;",
        "mul.wide.u32 %rd1, %r2, 4; bar.sync 0; add.s64 %rd2, %rd0, %rd1;",
        "mad.wide.u32 %rd2, %r2, 4, %rd0; bar.sync 0;"}) {
    const std::string text = module_of(".param .u64 out", std::string(R"(
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %tid.y;
    mad.lo.u32 %r2, %r1, 8, %r0;
    )") + widen + R"(
    st.global.u32 [%rd2], 7;
    ret;)");
    std::vector<uint32_t> out(80, 1);
    Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {8, 8, 1}});
    ASSERT_EQ(kernel(out.data()), Status::finished) << widen;
    for (uint32_t i = 0; i < 80; ++i) EXPECT_EQ(out[i], i < 64 ? 7u : 1u) << widen << i;
  }
}

// Branches that compare indices with a number near both limits of 32 bits.
TEST_P(Straight, IndicesAreComparedAsNumbersOf32Bits) {
  for (const char* const comparison : {"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"})
    for (const char* const type : {"s32", "u32"}) {
      const std::string c = comparison;
      const bool without_sign = c == "lo" || c == "ls" || c == "hi" || c == "hs";
      if (without_sign && type[0] == 's') continue;
      for (const bool swapped : {false, true}) {
        const std::string text = module_of(".param .u64 out, .param .u32 first, .param .u32 limit",
                                           R"(.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
          ld.param.u64 %rd0, [out];
          ld.param.u32 %r0, [first];
          ld.param.u32 %r1, [limit];
          mov.u32 %r2, %tid.x;
          mul.wide.u32 %rd1, %r2, 4;
          add.s64 %rd0, %rd0, %rd1;
          add.u32 %r3, %r0, %r2;
          setp.)" + c + "." + type + (swapped ? " %p, %r1, %r3;" : " %p, %r3, %r1;") +
                                               R"(
          mov.u32 %r4, 0;
          @!%p bra END;
          mov.u32 %r4, 1;
        END:
          st.global.u32 [%rd0], %r4;
          ret;)");
        Kernel kernel(text, "kernel", GetParam());
        for (const uint32_t first : {0u, 100u, 0x7fffffe0u, 0x7fffffe1u, 0x7ffffff0u, 0x7fffffffu,
                                     0x80000000u, 0xffffffe0u, 0xffffffe1u, 0xfffffff3u})
          for (const uint32_t limit : {0u, 1u, 5u, 100u, 110u, 131u, 132u, 0x7ffffff8u, 0x7fffffffu,
                                       0x80000000u, 0x80000005u, 0xfffffff8u, 0xffffffffu}) {
            std::vector<uint32_t> out(32, 7);
            ASSERT_EQ(kernel(out.data(), first, limit), Status::finished);
            for (uint32_t lane = 0; lane < 32; ++lane) {
              uint32_t x = first + lane, y = limit;
              if (swapped) std::swap(x, y);
              const bool sign = !without_sign && type[0] == 's';
              const bool less = sign ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
              const bool expected = c == "lt" || c == "lo"   ? less
                                    : c == "le" || c == "ls" ? less || x == y
                                    : c == "gt" || c == "hi" ? !less && x != y
                                                             : !less;
              ASSERT_EQ(out[lane], expected)
                  << c << "." << type << " " << first << " + " << lane << ", " << limit;
            }
          }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Straight, Straight, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
