// SPDX-License-Identifier: Apache-2.0
// Random programs of functions that call each other where lanes diverge: each thread must get what
// a plain interpreter computes for it alone, whether functions are inlined, placed once, or
// compiled by themselves. In some programs functions are recursive; some contain code that cannot
// be compiled by itself.
#include <optional>
#include <random>

#include "tests/sim/ptx/emit/extremes.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

constexpr uint32_t locals = 4, functions = 4, deepest_statement = 2, most_calls = 400;

struct Statement {
  enum Kind { assign, branch, loop, leave, call, give_back, vote, wait } kind;
  uint32_t to = 0, a = 0, b = 0, number = 0, mask = 0, limit = 0;
  std::optional<uint32_t> otherwise = {};  // for a call by address: the callee if the test fails
  std::vector<Statement> body = {}, other = {};
};
using Statements = std::vector<Statement>;

// Functions of two numbers, all drawn from one seed; the kernel calls the first one.
class CallProgram {
 public:
  explicit CallProgram(uint32_t seed) : seed_(seed), random_(seed), numbers_(seed) {
    for (uint32_t f = 0; f < functions; ++f) {
      function_ = f;
      bodies_.push_back(statements(0, 4, false));
    }
  }

  std::string text() {
    text_.clear();
    for (uint32_t f = 0; f < functions; ++f) text_ += head(f) + ";\n";
    for (uint32_t f = 0; f < functions; ++f) write_function(f);
    return text_;
  }

  // The number of copies if every call were inlined.
  uint32_t copies() const {
    uint32_t count = 0;
    copy(0, 0, count);
    return count;
  }

  // The result of the kernel's function for a thread; empty if that is too much for a test.
  std::optional<uint32_t> run(uint32_t thread) const {
    uint32_t calls = 0;
    const uint32_t result = run(0, thread, thread * 2654435761u, 0, calls);
    return calls > most_calls ? std::optional<uint32_t>() : result;
  }

 private:
  bool recursive() const { return seed_ % 3 == 0; }
  bool waits() const { return seed_ % 4 == 0; }
  bool votes() const { return seed_ % 2 == 0; }
  bool has_addresses() const { return seed_ % 5 < 2; }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  Statements statements(uint32_t depth, uint32_t most, bool in_loop) {
    Statements result;
    for (uint32_t n = 1 + below(most); n > 0; --n) {
      Statement s{Statement::assign};
      s.to = below(locals), s.a = below(locals), s.b = below(locals);
      s.number = static_cast<uint32_t>(extreme(numbers_, 32));
      s.mask = 1u << below(3) | 1u << below(5);
      s.limit = 1 + below(s.mask);
      const uint32_t what = depth < deepest_statement ? below(12) : below(6);
      if (what == 2 && depth > 0) {
        s.kind = below(3) == 0 ? Statement::give_back : Statement::assign;
      } else if (what == 3 && in_loop) {
        s.kind = Statement::leave;
      } else if (what == 4) {
        s.kind = votes() ? Statement::vote : waits() ? Statement::wait : Statement::assign;
      } else if (what == 5 || what == 6 || what == 11) {
        // A recursive call is behind a test, which fewer threads pass each time.
        const uint32_t first = recursive() ? function_ : function_ + 1;
        if (first < functions) {
          s.kind = Statement::call;
          s.number = first + below(functions - first);
          if (has_addresses() && below(2)) s.otherwise = first + below(functions - first);
        }
      } else if (what == 7 || what == 8) {
        s.kind = Statement::branch;
        s.body = statements(depth + 1, 3, in_loop);
        if (below(2)) s.other = statements(depth + 1, 3, in_loop);
      } else if (what == 9 || what == 10) {
        s.kind = Statement::loop;
        s.body = statements(depth + 1, 3, true);
      }
      result.push_back(std::move(s));
    }
    return result;
  }

  // `around` has a bit for each function that is being copied.
  void copy(uint32_t f, uint32_t around, uint32_t& count) const {
    if (around >> f & 1 || ++count > most_calls) return;
    copy(bodies_[f], around | 1u << f, count);
  }
  void copy(const Statements& all, uint32_t around, uint32_t& count) const {
    for (const Statement& s : all) {
      if (s.kind == Statement::call) {
        copy(s.number, around, count);
        if (s.otherwise) copy(*s.otherwise, around, count);
      }
      copy(s.body, around, count);
      copy(s.other, around, count);
    }
  }

  // --- As an interpreter ---

  enum class Ended { here, loop, function };
  struct Frame {
    uint32_t x[locals], depth, function;
    uint32_t result;
    uint32_t* calls;
  };

  uint32_t run(uint32_t f, uint32_t a, uint32_t b, uint32_t depth, uint32_t& calls) const {
    if (++calls > most_calls) return 0;
    Frame frame{{a, b, a ^ 5, f}, depth, f, 0, &calls};
    if (run(bodies_[f], frame) != Ended::function) frame.result = frame.x[0] * 31 + frame.x[1];
    return frame.result;
  }

  Ended run(const Statements& all, Frame& frame) const {
    uint32_t* const x = frame.x;
    for (const Statement& s : all) {
      if (*frame.calls > most_calls) return Ended::function;
      const bool holds = (x[s.a] & s.mask) < s.limit;
      switch (s.kind) {
        case Statement::assign:
          x[s.to] = x[s.a] * s.number + x[s.b];
          break;
        case Statement::vote:
          x[s.to] = holds;
          break;
        case Statement::wait:
          x[s.to] += frame.function;
          break;
        case Statement::call:
          if (frame.depth + s.limit < 6)
            x[s.to] = run(holds ? s.number : s.otherwise.value_or(s.number), x[s.a], x[s.b],
                          frame.depth + 1, *frame.calls);
          break;
        case Statement::give_back:
          frame.result = x[s.a];
          return Ended::function;
        case Statement::leave:
          if (holds) return Ended::loop;
          break;
        case Statement::branch:
          if (const Ended ended = run(holds ? s.body : s.other, frame); ended != Ended::here)
            return ended;
          break;
        case Statement::loop:
          for (uint32_t turns = 1 + (x[s.a] & 3); turns > 0; --turns) {
            const Ended ended = run(s.body, frame);
            if (ended == Ended::function) return ended;
            if (ended == Ended::loop) break;
          }
          break;
      }
    }
    return Ended::here;
  }

  // --- As PTX ---

  static std::string name(uint32_t f) { return "f" + std::to_string(f); }
  static std::string head(uint32_t f) {
    return ".func (.param .b32 result) " + name(f) +
           " (.param .b32 a, .param .b32 b, .param .b32 depth, .param .b64 own)";
  }
  static std::string x(uint32_t n) { return "%x" + std::to_string(n); }
  std::string fresh(const std::string& kind) { return kind + std::to_string(++names_); }

  void write_function(uint32_t f) {
    function_ = f;
    const size_t begin = text_.size();
    names_ = 0;
    write(bodies_[f], "");
    const std::string body = text_.substr(begin);
    text_.resize(begin);
    const std::string count = std::to_string(names_ + 1);
    text_ += head(f) + "\n{ .reg .b32 %x<4>, %t<" + count + ">, %depth, %lane; .reg .pred %p<" +
             count +
             ">; .reg .b64 %own, %f<3>;\n"
             "ld.param.b32 %x0, [a]; ld.param.b32 %x1, [b]; xor.b32 %x2, %x0, 5; mov.b32 %x3, " +
             std::to_string(f) +
             ";\nld.param.b32 %depth, [depth]; ld.param.b64 %own, [own];\n"
             "mov.u32 %lane, %laneid; shl.b32 %lane, 1, %lane;\n" +
             body + "mad.lo.u32 %x0, %x0, 31, %x1; st.param.b32 [result], %x0;\nEND:\nret; }\n";
  }

  std::string test(const Statement& s) {
    const std::string t = fresh("%t"), p = "%p" + t.substr(2);
    text_ += "and.b32 " + t + ", " + x(s.a) + ", " + std::to_string(s.mask) + "; setp.lt.u32 " + p +
             ", " + t + ", " + std::to_string(s.limit) + ";\n";
    return p;
  }

  // `leave` is the label after the enclosing loop.
  void write(const Statements& all, const std::string& leave) {
    for (const Statement& s : all) switch (s.kind) {
        case Statement::assign:
          text_ += "mad.lo.u32 " + x(s.to) + ", " + x(s.a) + ", " + std::to_string(s.number) +
                   ", " + x(s.b) + ";\n";
          break;
        case Statement::vote: {
          // A vote of this lane alone.
          const std::string p = test(s), t = fresh("%t");
          text_ += "vote.sync.ballot.b32 " + t + ", " + p + ", %lane; min.u32 " + x(s.to) + ", " +
                   t + ", 1;\n";
          break;
        }
        case Statement::wait: {
          const std::string t = fresh("%t");
          text_ += "ld.volatile.global.u32 " + t + ", [%own]; add.u32 " + x(s.to) + ", " + x(s.to) +
                   ", " + t + "; add.u32 " + x(s.to) + ", " + x(s.to) + ", " +
                   std::to_string(function_) + ";\n";
          break;
        }
        case Statement::call:
          write_call(s);
          break;
        case Statement::give_back:
          text_ +=
              "st.param.b32 [result], " + x(s.a) + ";\n" + (s.number % 2 ? "ret;\n" : "bra END;\n");
          break;
        case Statement::leave:
          text_ += "@" + test(s) + " bra " + leave + ";\n";
          break;
        case Statement::branch: {
          const std::string other = fresh("OTHER"), behind = fresh("BEHIND");
          text_ += "@!" + test(s) + " bra " + other + ";\n";
          write(s.body, leave);
          text_ += "bra " + behind + ";\n" + other + ":\n";
          write(s.other, leave);
          text_ += behind + ":\n";
          break;
        }
        case Statement::loop: {
          const std::string turns = fresh("%t"), p = "%p" + turns.substr(2), again = fresh("AGAIN"),
                            behind = fresh("BEHIND");
          text_ += "and.b32 " + turns + ", " + x(s.a) + ", 3;\n" + again + ":\n";
          write(s.body, behind);
          text_ += "setp.ne.u32 " + p + ", " + turns + ", 0; sub.u32 " + turns + ", " + turns +
                   ", 1;\n@" + p + " bra " + again + ";\n" + behind + ":\n";
          break;
        }
      }
  }

  void write_call(const Statement& s) {
    const std::string t = fresh("%t"), p = "%p" + t.substr(2), behind = fresh("BEHIND");
    text_ += "add.u32 " + t + ", %depth, " + std::to_string(s.limit) + "; setp.ge.u32 " + p + ", " +
             t + ", 6;\n@" + p + " bra " + behind + ";\nadd.u32 " + t + ", %depth, 1;\n";
    std::string callee = name(s.number), prototype;
    if (s.otherwise) {
      prototype = ", " + fresh("prototype");
      text_ += "mov.u64 %f1, " + callee + "; mov.u64 %f2, " + name(*s.otherwise) +
               "; selp.b64 %f0, %f1, %f2, " + test(s) + ";\n";
      callee = "%f0";
    }
    text_ +=
        "{ .param .b32 one, two, three, taken; .param .b64 four;\n"
        "st.param.b32 [one], " +
        x(s.a) + "; st.param.b32 [two], " + x(s.b) + "; st.param.b32 [three], " + t +
        "; st.param.b64 [four], %own;\n";
    if (s.otherwise)
      text_ += prototype.substr(2) +
               ": .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b32 _, "
               ".param .b64 _);\n";
    text_ += "call (taken), " + callee + ", (one, two, three, four)" + prototype +
             ";\nld.param.b32 " + x(s.to) + ", [taken]; }\n" + behind + ":\n";
  }

  const uint32_t seed_;
  std::mt19937 random_, numbers_;
  uint32_t function_ = 0;
  std::vector<Statements> bodies_;
  std::string text_;
  uint32_t names_ = 0;
};

class RandomCalls : public ::testing::TestWithParam<Vectors> {
 protected:
  static void try_seed(uint32_t seed) {
    CallProgram program(seed);
    std::vector<uint32_t> expected;
    for (uint32_t thread = 0; thread < 64; ++thread) {
      const auto result = program.run(thread);
      if (!result) return;
      expected.push_back(*result);
    }
    const std::string text = module_of(".param .u64 out", R"(
        .reg .b32 %r<4>; .reg .b64 %d<4>; .param .b32 one, two, three, taken; .param .b64 four;
        ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;
        add.u64 %d2, %d0, %d1; st.global.u32 [%d2], 0; mul.lo.u32 %r1, %r0, 2654435761;
        st.param.b32 [one], %r0; st.param.b32 [two], %r1; st.param.b32 [three], 0;
        st.param.b64 [four], %d2;
        call (taken), f0, (one, two, three, four);
        ld.param.b32 %r2, [taken]; st.global.u32 [%d2], %r2; ret;)",
                                       program.text());
    static const char addresses[functions] = {};
    // LLVM takes minutes for hundreds of copies.
    const int ways = program.copies() < 30 ? 4 : 3;
    for (int way = 0; way < ways; ++way) {
      CompileRequest request;
      request.most_in_place = way == 0 ? 0 : UINT32_MAX;
      request.most_copied = way < 3 ? 0 : UINT32_MAX;
      if (way == 2) request.most_optimised = 0;
      if (seed % 3 != 2) request.turns_alone = 1;
      Kernel kernel(text, "kernel", GetParam(), {.threads = {64, 1, 1}}, request);
      for (uint32_t f = 0; f < functions; ++f) kernel.place("f" + std::to_string(f), addresses + f);
      std::vector<uint32_t> out(64);
      ASSERT_EQ(kernel(out.data()), Status::finished) << "seed " << seed << " way " << way;
      for (uint32_t t = 0; t < out.size(); ++t)
        ASSERT_EQ(out[t], expected[t])
            << "thread " << t << " of seed " << seed << " way " << way << "\n"
            << text;
    }
  }
};

TEST_P(RandomCalls, EachThreadGetsWhatIsItsOwn) {
  uint32_t seeds = GetParam() == Vectors::sse ? 6 : 30;
  if (const char* const more = getenv("CUVETTE_TEST_SEEDS"))
    seeds = static_cast<uint32_t>(atoi(more));
  for (uint32_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed) try_seed(seed);
}

INSTANTIATE_TEST_SUITE_P(Vectors, RandomCalls, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
