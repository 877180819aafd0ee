// SPDX-License-Identifier: Apache-2.0
// Sums whose results are unused reach memory late, but a block's threads cannot see that: random
// programs that add, read, write, compare and synchronise give the same results as with each
// operation going to memory at once.
#include <cstdlib>
#include <random>

#include "sim/ptx/abi/sum_cache.hpp"
#include "tests/sim/ptx/emit/extremes.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

TEST(SumCache, KeepsSumsUntilSomebodyLooks) {
  uint32_t words[64] = {};
  BlockContext block{};
  uint64_t places[warp_size];
  uint32_t values[warp_size];
  for (uint32_t lane = 0; lane < warp_size; ++lane) {
    places[lane] = reinterpret_cast<uint64_t>(&words[lane % 5]);
    values[lane] = lane;
  }
  add_sums(&block, places, values, UINT32_MAX, 4);
  add_sums(&block, places, values, 0x21, 4);  // only lanes 0 and 5
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(block.sums_begin, reinterpret_cast<uint64_t>(&words[0]));
  EXPECT_EQ(block.sums_end, reinterpret_cast<uint64_t>(&words[5]));
  // Settling a single byte settles its whole word.
  settle_sums(&block, block.sums_begin + 3, block.sums_begin + 4);
  EXPECT_EQ(words[0], 0u + 5 + 10 + 15 + 20 + 25 + 30 + 5);
  EXPECT_EQ(words[1], 0u);
  settle_sums(&block, block.sums_end, block.sums_end + 100);
  EXPECT_EQ(words[4], 0u);
  settle_all_sums(&block);
  EXPECT_EQ(words[1], 1u + 6 + 11 + 16 + 21 + 26 + 31);
  EXPECT_EQ(words[4], 4u + 9 + 14 + 19 + 24 + 29);
  EXPECT_EQ(block.sums_end, 0u);
  free_sums(&block);
}

TEST(SumCache, AWordOfAnotherSizeComesBehindAll) {
  uint64_t memory[2] = {UINT32_MAX, 0};
  const auto place = reinterpret_cast<uint64_t>(memory);
  BlockContext block{};
  add_sum(&block, place, 1, 4);  // only the lower half
  add_sum(&block, place, UINT32_MAX, 8);
  settle_all_sums(&block);
  EXPECT_EQ(memory[0], UINT32_MAX);
  add_sum(&block, place, 1, 8);
  add_sum(&block, place + 4, 5, 4);
  add_sum(&block, place, 7, 4);
  settle_all_sums(&block);
  EXPECT_EQ(memory[0], (uint64_t{6} << 32) + 7);
  free_sums(&block);
}

TEST(SumCache, HoldsMoreWordsThanItHasPlaces) {
  std::vector<uint32_t> words(50000), expected(50000);
  std::mt19937 random(1);
  BlockContext block{};
  for (int call = 0; call < 5000; ++call) {
    uint64_t places[warp_size];
    uint32_t values[warp_size];
    const uint32_t mask = static_cast<uint32_t>(random());
    const uint32_t span = call / 500 % 2 ? 50000 : 300;
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      const auto at = static_cast<uint32_t>(random() % span);
      places[lane] = reinterpret_cast<uint64_t>(&words[at]);
      values[lane] = static_cast<uint32_t>(random());
      if (mask >> lane & 1) expected[at] += values[lane];
    }
    add_sums(&block, places, values, mask, 4);
  }
  settle_all_sums(&block);
  EXPECT_EQ(words, expected);
  free_sums(&block);
}

// Adds to words of both sizes, at places near and far, by one lane and by many, and checks some of
// them in between: they must contain all additions so far.
TEST(SumCache, HasAddedWhatIsLookedAt) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    alignas(64) static uint8_t memory[5 * 4096], expected[sizeof memory];
    std::memset(memory, 0, sizeof memory);
    std::memset(expected, 0, sizeof memory);
    BlockContext block{};
    uint32_t bytes = 4;
    size_t first = 0, span = 0;
    const auto add = [&](size_t at, uint64_t value) {
      uint64_t sum = 0;
      std::memcpy(&sum, expected + at, bytes);
      sum += value;
      std::memcpy(expected + at, &sum, bytes);
    };
    for (int call = 0; call < 3000; ++call) {
      if (call % 200 == 0) {
        if (below(4) == 0) bytes = 12 - bytes;
        // The words are often in one page, at its end or its beginning, or in two pages.
        span = 8 << below(11);
        first = below(sizeof memory - span) / 8 * 8;
      }
      const auto place = [&] { return first + below(span / bytes) * bytes; };
      uint64_t addresses[warp_size], values[warp_size];
      const auto mask = static_cast<uint32_t>(below(3) ? UINT32_MAX : random() & random());
      switch (below(16)) {
        case 0: {
          const size_t at = place();
          add(at, 77);
          add_sum(&block, reinterpret_cast<uint64_t>(memory + at), 77, bytes);
          break;
        }
        case 1: {
          const size_t begin = place(), length = std::min(1 + below(64), sizeof memory - begin);
          const auto at = reinterpret_cast<uint64_t>(memory + begin);
          settle_sums(&block, at, at + length);
          ASSERT_EQ(std::memcmp(memory + begin, expected + begin, length), 0) << "seed " << seed;
          break;
        }
        default:
          const bool same = below(2);
          const uint64_t one = below(2) ? 1 : extreme(random, 8 * bytes);
          for (uint32_t lane = 0; lane < warp_size; ++lane) {
            const size_t at = place();
            addresses[lane] = reinterpret_cast<uint64_t>(memory + at);
            const uint64_t value = same ? one : extreme(random, 8 * bytes);
            if (bytes == 4)
              reinterpret_cast<uint32_t*>(values)[lane] = static_cast<uint32_t>(value);
            else
              values[lane] = value;
            if (mask >> lane & 1) add(at, value);
          }
          if (same)
            add_to_each(&block, addresses, one, mask, bytes);
          else
            add_sums(&block, addresses, values, mask, bytes);
      }
      if (below(700) == 0) settle_all_sums(&block);
    }
    settle_all_sums(&block);
    ASSERT_EQ(std::memcmp(memory, expected, sizeof memory), 0) << "seed " << seed;
    free_sums(&block);
  }
}

// Each thread works on words that all share, and on what it has read from them.
class SumProgram {
 public:
  explicit SumProgram(uint32_t seed) : random_(seed) {
    text_ = R"(
      .reg .b32 %r<200>; .reg .b64 %d<9>; .reg .pred %p<3>; .reg .b16 %h; .reg .b64 %v; .reg .b64 %a<99>;
      .reg .b32 %sum, %n;
      ld.param.u64 %d0, [words]; ld.param.u64 %d1, [out];
      mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %laneid;
      mad.lo.u32 %r4, %r1, %r2, %r0; mov.u32 %sum, %r4;
    )";
    // Some programs run long enough for a page of sums to be kept.
    text_ += "mov.u32 %n, " + std::to_string(below(2) ? 2 : 90) + ";\nagain:\n";
    const unsigned count = 8 + below(16);
    for (unsigned n = 0; n < count; ++n) statement();
    text_ += R"(
      sub.u32 %n, %n, 1; setp.ne.u32 %p2, %n, 0; @%p2 bra again;
      mul.wide.u32 %d2, %r4, 4; add.u64 %d2, %d1, %d2; st.global.u32 [%d2], %sum; ret;)";
  }
  std::string module() const { return module_of(".param .u64 words, .param .u64 out", text_); }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::string value() {
    switch (below(3)) {
      case 0:
        return "%r" + std::to_string(below(5));
      case 1:
        return "%sum";
      default:
        return std::to_string(extreme(random_, 32));
    }
  }
  // Sets at_ to the address of an element of `bytes`: the same for all lanes, a line, or any.
  void place(unsigned bytes) {
    at_ = "%a" + std::to_string(addresses_++);
    const std::string last = std::to_string(512 / bytes - 1), size = std::to_string(bytes);
    switch (below(5)) {
      case 0:
        text_ += "add.u64 " + at_ + ", %d0, " + std::to_string(below(512 / bytes) * bytes) + ";";
        break;
      case 1:
      case 2:
        // A line that lies within the words in all lanes.
        text_ += "mul.wide.u32 " + at_ + ", %r3, " + size + "; add.u64 " + at_ + ", " + at_ +
                 ", %d0; add.u64 " + at_ + ", " + at_ + ", " +
                 std::to_string(below(4) * 8 * bytes) + ";";
        break;
      case 3:
        text_ += "mad.lo.u32 %r9, " + value() + ", " + std::to_string(extreme(random_, 32)) +
                 ", %r0; and.b32 %r9, %r9, " + last + "; mul.wide.u32 " + at_ + ", %r9, " + size +
                 "; add.u64 " + at_ + ", %d0, " + at_ + ";";
        break;
      default:  // a few words, shared by many lanes
        text_ += "and.b32 %r9, " + value() + ", 3; mul.wide.u32 " + at_ + ", %r9, " + size +
                 "; add.u64 " + at_ + ", %d0, " + at_ + ";";
    }
  }
  std::string guard() {
    if (below(3)) return "";
    text_ += "and.b32 %r10, " + value() + ", " + std::to_string(1 + below(7)) +
             "; setp.ne.u32 %p0, %r10, 0;";
    return "@%p0 ";
  }
  void statement() {
    static constexpr const char* sums[] = {"red.global.add.u32", "red.relaxed.gpu.global.add.u32",
                                           "red.global.add.s32", "red.relaxed.cta.global.add.u32"};
    static constexpr const char* others[] = {
        "red.global.and.b32", "red.global.max.s32",
        "red.global.min.u32", "red.global.xor.b32",
        "red.add.u32",        "red.relaxed.sys.global.add.u32",
        "red.global.inc.u32", "red.release.gpu.global.add.u32"};
    static constexpr const char* asks[] = {"atom.global.add.u32", "atom.global.exch.b32",
                                           "atom.add.u32", "atom.acq_rel.gpu.global.add.u32",
                                           "atom.global.or.b32"};
    static constexpr const char* loads[] = {"ld.global.u32", "ld.u32", "ld.volatile.global.u32",
                                            "ld.relaxed.gpu.global.u32", "ld.acquire.gpu.u32"};
    const std::string r = "%r" + std::to_string(next_ < 199 ? next_++ : 198);
    const auto take = [&] { text_ += "mad.lo.u32 %sum, %sum, 31, " + r + ";\n"; };
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        place(4);
        text_ += guard() + sums[below(4)] + " [" + at_ + "], " + value() + ";\n";
        break;
      case 5:
        place(8);
        text_ += "cvt.u64.u32 %v, " + value() + "; mul.lo.u64 %v, %v, 4294967311;" + guard() +
                 "red.global.add.u64 [" + at_ + "], %v;\n";
        break;
      case 6:
        place(4);
        text_ += guard() + others[below(8)] + " [" + at_ + "], " + value() + ";\n";
        break;
      case 7:  // the result is not used
        place(4);
        text_ += guard() + "atom.global.add.u32 %r11, [" + at_ + "], " + value() + ";\n";
        break;
      case 8:
        place(4);
        text_ += "mov.u32 " + r + ", 0;" + guard() + asks[below(5)] + " " + r + ", [" + at_ +
                 "], " + value() + ";\n";
        take();
        break;
      case 9:
        place(4);
        text_ +=
            "atom.global.cas.b32 " + r + ", [" + at_ + "], " + value() + ", " + value() + ";\n";
        take();
        break;
      case 10:
      case 11:
        place(4);
        text_ += std::string(loads[below(5)]) + " " + r + ", [" + at_ + "];\n";
        take();
        break;
      case 12:
        place(8);
        text_ += "ld.global.v2.u32 {" + r + ", %r11}, [" + at_ + "]; add.u32 " + r + ", " + r +
                 ", %r11;\n";
        take();
        break;
      case 13:
        place(below(2) ? 1 : 2);
        text_ += "and.b64 " + at_ + ", " + at_ + ", -2; ld.global.u16 %h, [" + at_ +
                 "]; cvt.u32.u16 " + r + ", %h;\n";
        take();
        break;
      case 14:
        place(4);
        text_ += guard() + "st.global.u32 [" + at_ + "], " + value() + ";\n";
        break;
      default: {
        static constexpr const char* orders[] = {"fence.acq_rel.gpu;\n", "membar.gl;\n",
                                                 "bar.warp.sync -1;\n", "fence.sc.gpu;\n"};
        text_ += orders[below(4)];
      }
    }
    if (barriers_ && below(8) == 0) text_ += "bar.sync 0;\n";
  }

  std::mt19937 random_;
  // The register of the last address. Each address has a new one, or none would be a line.
  std::string text_, at_;
  unsigned next_ = 12, addresses_ = 0;
  const bool barriers_ = below(2);
};

class RandomSums : public ::testing::TestWithParam<Vectors> {
 protected:
  struct Outcome {
    std::vector<uint32_t> words, out;
  };
  Outcome run(const std::string& text, uint32_t threads, bool keep) {
    CompileRequest request;
    request.keep_sums = keep;
    Grid grid;
    grid.threads[0] = threads;
    grid.blocks[0] = 3;
    Kernel kernel(text, "kernel", GetParam(), grid, request);
    Outcome outcome{std::vector<uint32_t>(256), std::vector<uint32_t>(3 * threads)};
    for (uint32_t i = 0; i < 256; ++i) outcome.words[i] = i * 2654435761u;
    EXPECT_EQ(kernel(outcome.words.data(), outcome.out.data()), Status::finished) << text;
    return outcome;
  }
};

TEST_P(RandomSums, AreSeenAsIfTheyHadBeenAddedAtOnce) {
  uint32_t seeds = GetParam() == Vectors::sse ? 10 : 20;
  if (const char* const more = getenv("CUVETTE_TEST_SEEDS"))
    seeds = static_cast<uint32_t>(atoi(more));
  for (uint32_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    const std::string text = SumProgram(seed).module();
    const uint32_t threads = seed % 3 == 0 ? 45 : 64;
    const Outcome kept = run(text, threads, true), direct = run(text, threads, false);
    ASSERT_EQ(kept.words, direct.words) << "seed " << seed << "\n" << text;
    ASSERT_EQ(kept.out, direct.out) << "seed " << seed << "\n" << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, RandomSums, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
