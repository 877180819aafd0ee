// SPDX-License-Identifier: Apache-2.0
// Random programs of branches and loops that lanes take together or apart: each thread must get
// what a plain interpreter computes for it alone. In some programs loops may wait for others,
// threads end early, or lanes vote alone or together with one that does the same.
#include <random>

#include "tests/sim/ptx/emit/extremes.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

constexpr uint32_t registers = 6, deepest_branch = 4;

// Writes a program as PTX, and interprets it for a given thread; both from one seed.
class FlowProgram {
 public:
  explicit FlowProgram(uint32_t seed) : seed_(seed) {}

  std::string text() {
    random_.seed(seed_);
    numbers_.seed(seed_);
    labels_ = tests_ = 0;
    for (uint32_t r = 0; r < registers; ++r) first_[r] = number(), factor_[r] = number();
    text_ =
        ".reg .b32 %r<9>; .reg .b32 %c<9>; .reg .b32 %t<999>, %own; .reg .pred %p<999>; .reg .b64 "
        "%rd<4>; .reg .b64 %w<999>; .reg .b32 %h<999>;\n"
        "ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"
        "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;\n"
        "mov.u32 %t0, %laneid;\n";
    text_ += in_pairs() ? "and.b32 %t0, %t0, 30; shl.b32 %own, 3, %t0; shr.u32 %r0, %r0, 1;\n"
                        : "shl.b32 %own, 1, %t0;\n";
    for (uint32_t r = 1; r < registers; ++r)
      text_ += is_same(r) ? "mov.u32 " + reg(r) + ", " + std::to_string(first_[r]) + ";\n"
                          : "mad.lo.u32 " + reg(r) + ", %r0, " + std::to_string(factor_[r]) + ", " +
                                std::to_string(first_[r]) + ";\n";
    end_ = new_label();
    block(0, 8);
    place(end_);
    for (uint32_t r = 1; r < registers; ++r) text_ += "mad.lo.u32 %r0, %r0, 31, " + reg(r) + ";\n";
    return text_ + "st.global.u32 [%rd2], %r0;\nret;\n";
  }

  uint32_t run(uint32_t thread) const {
    if (in_pairs()) thread /= 2;
    uint32_t r[registers] = {thread}, c[deepest_branch + 1] = {};
    for (uint32_t n = 1; n < registers; ++n)
      r[n] = (is_same(n) ? 0 : thread * factor_[n]) + first_[n];
    for (size_t at = 0; at < steps_.size();) {
      const Step& s = steps_[at++];
      uint32_t* const to = s.counter ? c : r;
      const bool holds = (r[s.test] & s.mask) < s.limit;
      switch (s.kind) {
        case Step::assign:
          if (s.always || holds)
            r[s.to] = s.operation == 0   ? r[s.a] + r[s.b]
                      : s.operation == 1 ? r[s.a] ^ r[s.b]
                      : s.wide           ? widened(r[s.a], s.factor) + r[s.b]
                                         : r[s.a] * s.factor + r[s.b];
          break;
        case Step::count:
          to[s.to] = r[s.a] & 3;
          break;
        case Step::jump_if:
          if (s.always || holds) at = places_[s.label];
          break;
        case Step::again:
          if (c[s.to]-- != 0) at = places_[s.label];
          break;
        case Step::vote:
          r[s.to] = holds;
          break;
        case Step::end:
          return r[s.a];
      }
    }
    for (uint32_t n = 1; n < registers; ++n) r[0] = r[0] * 31 + r[n];
    return r[0];
  }

 private:
  struct Step {
    enum Kind { assign, count, jump_if, again, vote, end } kind;
    bool always = true, counter = false, wide = false;
    uint32_t to = 0, a = 0, b = 0, operation = 0, test = 0, mask = 0, limit = 0, label = 0;
    uint32_t factor = 0;
  };

  // The upper half of a 64-bit product.
  static uint32_t widened(uint32_t a, uint32_t factor) {
    return static_cast<uint32_t>(uint64_t{a} * factor >> 32);
  }
  // Numbers come from a generator of their own, so that they do not change the flow that a seed
  // gives.
  uint32_t number() { return static_cast<uint32_t>(extreme(numbers_, 32)); }

  // Registers that are the same for all threads unless these diverge, and the kinds of programs.
  static bool is_same(uint32_t r) { return r >= registers / 2; }
  bool waits() const { return seed_ % 3 == 0; }
  bool ends_early() const { return seed_ % 2 == 0; }
  bool in_pairs() const { return seed_ % 4 == 1; }

  static std::string reg(uint32_t r) { return "%r" + std::to_string(r); }
  static std::string label(uint32_t l) { return "L" + std::to_string(l); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t any_register(bool same) {
    return same ? registers / 2 + below(registers / 2) : below(registers);
  }
  uint32_t new_label() {
    places_.push_back(0);
    return labels_++;
  }
  void place(uint32_t l) {
    places_[l] = steps_.size();
    text_ += label(l) + ":\n";
  }
  // Sets %p<n>, which is the same for all lanes if `same`; records the test in the step.
  std::string test(Step& s, bool same) {
    const std::string n = std::to_string(++tests_);
    s.always = false;
    s.test = any_register(same);
    s.mask = 1u << below(3) | 1u << below(5);
    s.limit = 1 + below(s.mask);
    text_ += "and.b32 %t" + n + ", " + reg(s.test) + ", " + std::to_string(s.mask) +
             "; setp.lt.u32 %p" + n + ", %t" + n + ", " + std::to_string(s.limit) + ";\n";
    return "%p" + n;
  }
  void jump(uint32_t to, bool always) {
    Step s{Step::jump_if};
    s.label = to;
    const std::string predicate = always ? "" : "@" + test(s, below(2) == 0) + " ";
    text_ += predicate + "bra " + label(to) + ";\n";
    steps_.push_back(s);
  }
  void assign() {
    Step s{Step::assign};
    s.to = below(registers);
    s.a = any_register(is_same(s.to)), s.b = any_register(is_same(s.to));
    s.operation = below(3);
    const std::string predicate = below(4) == 0 ? "@" + test(s, is_same(s.to)) + " " : "";
    const char* const operations[] = {"add.u32 ", "xor.b32 ", "mad.lo.u32 "};
    s.factor = number();
    s.wide = s.operation == 2 && numbers_() % 2;
    const std::string factor = std::to_string(s.factor);
    if (s.wide) {
      // Uses a new register each time, so that the value may stay a line.
      const std::string n = std::to_string(++tests_);
      text_ += "mul.wide.u32 %w" + n + ", " + reg(s.a) + ", " + factor + "; shr.u64 %w" + n +
               ", %w" + n + ", 32; cvt.u32.u64 %h" + n + ", %w" + n + ";\n" + predicate +
               "add.u32 " + reg(s.to) + ", %h" + n + ", " + reg(s.b) + ";\n";
    } else {
      text_ += predicate + std::string(operations[s.operation]) + reg(s.to) + ", " + reg(s.a) +
               ", " + (s.operation == 2 ? factor + ", " : "") + reg(s.b) + ";\n";
    }
    steps_.push_back(s);
  }

  // %own names the lane itself, or both lanes that do the same.
  void vote() {
    Step s{Step::vote};
    s.to = below(registers / 2);
    text_ += "vote.sync.ballot.b32 %t0, " + test(s, false) + ", %own; min.u32 " + reg(s.to) +
             ", %t0, 1;\n";
    steps_.push_back(s);
  }
  void end() {
    const uint32_t behind = new_label();
    jump(behind, false);
    Step s{Step::end};
    s.a = below(registers);
    text_ += "st.global.u32 [%rd2], " + reg(s.a) + "; ret;\n";
    steps_.push_back(s);
    place(behind);
  }

  // exits_: labels at which the enclosing loops can be left or continued.
  void block(uint32_t depth, uint32_t statements) {
    for (uint32_t n = 0; n < statements; ++n) {
      const uint32_t what = depth < deepest_branch ? below(10) : 0;
      if (what < 3) {
        assign();
      } else if (what == 8 || (what == 7 && exits_.empty())) {
        // Used seldom, since all that follows becomes a region.
        if (below(4) == 0) ends_early() ? end() : jump(end_, false);
      } else if (what == 9) {
        if (waits()) text_ += "ld.volatile.global.u32 %t0, [%rd2];\n";
        vote();
      } else if (what < 6) {
        const uint32_t other = new_label(), behind = new_label();
        jump(other, false);
        block(depth + 1, 1 + below(3));
        jump(behind, true);
        place(other);
        block(depth + 1, below(2));
        place(behind);
      } else if (what == 6) {
        const uint32_t head = new_label(), turn = new_label(), behind = new_label();
        Step s{Step::count};
        s.counter = true, s.to = depth, s.a = below(registers);
        text_ += "and.b32 %c" + std::to_string(depth) + ", " + reg(s.a) + ", 3;\n";
        steps_.push_back(s);
        place(head);
        exits_.push_back(turn);
        exits_.push_back(behind);
        block(depth + 1, 1 + below(4));
        exits_.resize(exits_.size() - 2);
        place(turn);
        const std::string c = "%c" + std::to_string(depth);
        text_ += "setp.ne.u32 %p0, " + c + ", 0; sub.u32 " + c + ", " + c + ", 1;\n@%p0 bra " +
                 label(head) + ";\n";
        Step again{Step::again};
        again.to = depth, again.label = head;
        steps_.push_back(again);
        place(behind);
      } else {
        jump(exits_[below(static_cast<uint32_t>(exits_.size()))], false);
      }
    }
  }

  const uint32_t seed_;
  std::mt19937 random_, numbers_;
  uint32_t first_[registers] = {}, factor_[registers] = {};
  std::string text_;
  uint32_t labels_ = 0, tests_ = 0, end_ = 0;
  std::vector<size_t> places_;
  std::vector<Step> steps_;
  std::vector<uint32_t> exits_;
};

class RandomFlow : public ::testing::TestWithParam<Vectors> {
 protected:
  void try_seed(uint32_t seed) {
    FlowProgram program(seed);
    CompileRequest request;
    // Lanes that repeat a loop are left behind at every turn, or rarely.
    if (seed % 9 < 6) request.turns_alone = 1;
    std::string text;
    if (seed % 5 != 0) {
      text = module_of(".param .u64 out", program.text());
    } else {
      // It is compiled by itself if no thread ends in it and no loop waits.
      request.most_in_place = 0;
      text = module_of(".param .u64 out", R"(
          .reg .b64 %rd<1>; .param .b64 given;
          ld.param.u64 %rd0, [out]; st.param.b64 [given], %rd0; call.uni work, (given); ret;)",
                       ".func work(.param .b64 out) {\n" + program.text() + "}");
    }
    Grid grid;
    grid.threads[0] = seed % 4 == 0 ? 45 : 64;
    Kernel kernel(text, "kernel", GetParam(), grid, request);
    std::vector<uint32_t> out(grid.threads[0]);
    ASSERT_EQ(kernel(out.data()), Status::finished);
    for (uint32_t t = 0; t < out.size(); ++t)
      ASSERT_EQ(out[t], program.run(t)) << "thread " << t << " of seed " << seed << "\n" << text;
  }
};

TEST_P(RandomFlow, EachThreadGetsWhatIsItsOwn) {
  uint32_t seeds = GetParam() == Vectors::sse ? 20 : 120;  // without masks the code is long
  if (const char* const more = getenv("CUVETTE_TEST_SEEDS"))
    seeds = static_cast<uint32_t>(atoi(more));
  for (uint32_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed) try_seed(seed);
}

// Its masks consist of bits that are combined, too; LLVM once did not finish with them.
TEST_P(RandomFlow, IsCompiledInTime) { try_seed(1061); }

INSTANTIATE_TEST_SUITE_P(Vectors, RandomFlow, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
