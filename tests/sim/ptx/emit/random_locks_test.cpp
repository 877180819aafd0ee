// SPDX-License-Identifier: Apache-2.0
// Locks whose takers retreat: each thread takes something, finds that others have it too, puts it
// back and tries again. On a GPU threads drift apart until one gets through; here warps take turns,
// and must not retreat and return in step for ever.
#include <random>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class LockProgram {
 public:
  explicit LockProgram(uint32_t seed) : random_(seed) {
    static constexpr uint32_t counts[] = {2, 33, 64, 64, 96, 128, 256, 1024};
    threads = counts[below(std::size(counts))];
    shared_ = below(2);
    kind_ = static_cast<Kind>(below(kinds));
    sleep_ = static_cast<Sleep>(below(sleeps));
    rotated_ = below(2);
    nanoseconds_ = 1u << below(8);
    // Locks in shared memory are each block's own.
    static constexpr uint32_t several[] = {1, 1, 2, 3, 4, 8};
    blocks = shared_ ? 1 : several[below(std::size(several))];
    if (blocks > 1) threads = std::min(threads, 256u);
  }

  uint32_t threads, blocks;

  // Each thread adds 1 to the word at [%count], which only the lock protects.
  std::string text() const {
    const std::string address = shared_ ? "mov.u64 %a, locks;" : "mov.u64 %a, %state;";
    // Two locks, which odd and even warps take in different order.
    return module_of(".param .u64 state",
                     R"(
        .reg .b64 %state, %a, %b, %c; .reg .b32 %t, %w, %old, %got; .reg .pred %p, %q;
        ld.param.u64 %state, [state]; mov.u32 %t, %tid.x; )" +
                         address + R"(
        add.u64 %b, %a, 64; shr.u32 %w, %t, 5; and.b32 %w, %w, 1; setp.eq.u32 %p, %w, 1;
        selp.b64 %c, %a, %b, %p; selp.b64 %a, %b, %a, %p; mov.b64 %b, %c;
        )" + take() + R"(
        ld.volatile.global.u32 %t, [%state+128]; add.u32 %t, %t, 1;
        st.volatile.global.u32 [%state+128], %t; membar.gl;
        )" + put_back() + "ret;",
                     shared_ ? ".shared .align 4 .b8 locks[128];\n" : "");
  }

 private:
  enum Kind { sum, increment, both_by_cas, both_by_exchange, kinds };
  enum Sleep { never, holding, retreated, sleeps };

  uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }
  std::string space() const { return shared_ ? ".shared" : ".global"; }
  std::string sleep_if(Sleep where) const {
    return sleep_ == where ? "nanosleep.u32 " + std::to_string(nanoseconds_) + ";\n" : "";
  }
  // One lock that all of a block count in has no order: it is the same for all warps.
  std::string one() const { return shared_ ? "[locks]" : "[%state]"; }
  std::string enter() const {
    return (kind_ == sum ? "atom" + space() + ".add.u32 %old, " + one() + ", 1;\n"
                         : "atom" + space() + ".inc.u32 %old, " + one() + ", 0xffffffff;\n") +
           "setp.ne.u32 %q, %old, 0;\n";
  }
  std::string retreat() const {
    return sleep_if(holding) +
           (kind_ == sum ? "atom" + space() + ".add.u32 %old, " + one() + ", -1;\n"
                         : "atom" + space() + ".dec.u32 %old, " + one() + ", 0xffffffff;\n") +
           sleep_if(retreated);
  }
  std::string take_one(const std::string& place) const {
    return (kind_ == both_by_cas ? "atom" + space() + ".cas.b32 %old, [" + place + "], 0, 1;\n"
                                 : "atom" + space() + ".exch.b32 %old, [" + place + "], 1;\n") +
           "setp.ne.u32 %q, %old, 0;\n";
  }

  std::string take() const {
    if (kind_ == sum || kind_ == increment)
      return rotated_ ? enter() + "@!%q bra GOT;\nAGAIN:\n" + retreat() + enter() +
                            "@%q bra AGAIN;\nGOT:\n"
                      : "AGAIN:\n" + enter() + "@!%q bra GOT;\n" + retreat() + "bra AGAIN;\nGOT:\n";
    return "AGAIN:\n" + take_one("%a") + "@%q bra AGAIN;\n" + take_one("%b") + "@!%q bra GOT;\n" +
           sleep_if(holding) + "atom" + space() + ".exch.b32 %old, [%a], 0;\n" +
           sleep_if(retreated) + "bra AGAIN;\nGOT:\n";
  }
  std::string put_back() const {
    if (kind_ == sum || kind_ == increment)
      return kind_ == sum ? "red" + space() + ".add.u32 " + one() + ", -1;\n"
                          : "atom" + space() + ".dec.u32 %old, " + one() + ", 0xffffffff;\n";
    return "atom" + space() + ".exch.b32 %old, [%b], 0;\natom" + space() +
           ".exch.b32 %old, [%a], 0;\n";
  }

  std::mt19937 random_;
  Kind kind_;
  Sleep sleep_;
  bool shared_, rotated_;
  uint32_t nanoseconds_;
};

class RandomLocks : public ::testing::TestWithParam<Vectors> {
 protected:
  static void try_seed(uint32_t seed) {
    const LockProgram program(seed);
    const std::string text = program.text();
    CompileRequest request;
    if (seed % 4 == 0) request.most_optimised = 0;
    Kernel kernel(
        text, "kernel", GetParam(),
        {.blocks = {program.blocks, 1, 1}, .threads = {program.threads, 1, 1}, .at_once = true},
        request);
    std::vector<uint32_t> state(64);
    ASSERT_EQ(kernel(state.data()), Status::finished) << "seed " << seed << "\n" << text;
    ASSERT_EQ(state[32], program.blocks * program.threads) << "seed " << seed << "\n" << text;
  }
};

TEST_P(RandomLocks, AreTakenByAll) {
  uint32_t seeds = GetParam() == vectors_here().back() ? 16 : 4;
  if (const char* const more = getenv("CUVETTE_TEST_SEEDS"))
    seeds = static_cast<uint32_t>(atoi(more));
  for (uint32_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed) try_seed(seed);
}

INSTANTIATE_TEST_SUITE_P(Vectors, RandomLocks, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
