// SPDX-License-Identifier: Apache-2.0
// Random arithmetic on the numbers of threads, lanes and blocks. What the compiler keeps as a line,
// one base and a stride, must be what each thread computes for itself, however large the factors
// are and however 32 bits become 64; and accesses at such places must go there.
#include <sys/mman.h>

#include <cstdlib>

#include "tests/sim/ptx/emit/kernel.hpp"
#include "tests/sim/ptx/emit/random_lines.hpp"

namespace cuvette::ptx::test {
namespace {

using namespace random_lines;

constexpr uint64_t arena_bytes = uint64_t{80} << 30, middle = uint64_t{40} << 30;

// A reservation whose pages are allocated when they are touched.
class Arena {
 public:
  Arena() {
    void* const at = mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return;
    begin_ = static_cast<uint8_t*>(at);
    madvise(begin_, arena_bytes, MADV_NOHUGEPAGE);
  }
  ~Arena() {
    if (begin_) munmap(begin_, arena_bytes);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  bool there() const { return begin_; }
  uint8_t* centre() const { return begin_ + middle; }
  void forget() { madvise(begin_, arena_bytes, MADV_DONTNEED); }

 private:
  uint8_t* begin_ = nullptr;
};

class RandomLines : public ::testing::TestWithParam<Vectors> {
 protected:
  void try_seed(uint32_t seed, Arena& stores, Arena& loads) {
    const Lines lines(seed);
    const std::string text = lines.module();
    const unsigned size = lines.size();
    std::vector<Thread> threads = lines.run(false);
    for (const Thread& t : threads) {
      const uint64_t value = mixed(t.place);
      memcpy(loads.centre() + static_cast<int64_t>(t.place), &value, size);
    }
    threads = lines.run(true);
    std::vector<uint64_t> out(threads.size() * Lines::results);
    Kernel kernel(text, "kernel", GetParam(), lines.grid());
    ASSERT_EQ(kernel(out.data(), stores.centre(), loads.centre(), lines.parameter64(),
                     lines.parameter(0), lines.parameter(1)),
              Status::finished)
        << "seed " << seed << "\n"
        << text;
    for (size_t n = 0; n < threads.size(); ++n) {
      const Thread& t = threads[n];
      std::vector<uint64_t> expected(t.r, t.r + words);
      expected.insert(expected.end(), t.d, t.d + doubles);
      expected.insert(expected.end(), t.h, t.h + halves);
      expected.push_back(t.loaded);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(out[n * Lines::results + i], expected[i])
            << "thread " << n << ", result " << i << " of seed " << seed << "\n"
            << text;
      uint64_t stored = 0;
      memcpy(&stored, stores.centre() + static_cast<int64_t>(t.place), size);
      // Equal places have equal indices, since no bit of the 64 is lost.
      const uint64_t index = cut(t.place / size, 32);
      ASSERT_EQ(stored, cut(index * 7, 8 * size))
          << "where thread " << n << " of seed " << seed << " writes\n"
          << text;
    }
    stores.forget();
    loads.forget();
  }
};

TEST_P(RandomLines, AreWhatEachThreadComputes) {
  Arena stores, loads;
  if (!stores.there() || !loads.there()) GTEST_SKIP() << "this machine reserves no addresses";
  uint32_t seeds = GetParam() == Vectors::sse ? 12 : 25;
  if (const char* const more = getenv("CUVETTE_TEST_SEEDS"))
    seeds = static_cast<uint32_t>(atoi(more));
  for (uint32_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed)
    try_seed(seed, stores, loads);
}

INSTANTIATE_TEST_SUITE_P(Vectors, RandomLines, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
