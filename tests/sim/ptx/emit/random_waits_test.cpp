// SPDX-License-Identifier: Apache-2.0
// Random programs of functions that wait: for the block at barriers, for each other in loops, for
// their warp at shuffles. They call each other where lanes diverge, and some threads end early.
// Each thread must get what a plain interpreter computes for it alone, whether functions are
// inlined or placed once.
//
// A thread counts its phases. In phase k all threads wait in the way that k says, at any place of
// the text: so nobody waits in vain. Before, a thread publishes a value; afterwards it reads
// another thread's of the same phase, or 0 if that one had fewer.
#include <optional>
#include <random>
#include <utility>

#include "tests/sim/ptx/emit/extremes.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

class WaitProgram {
  static constexpr uint32_t locals = 4, functions = 4, most_calls = 60, most_phases = 40,
                            most_work = 3000;
  struct Statement {
    enum Kind { assign, branch, loop, leave, give_back, end, call, phase, exchange } kind;
    uint32_t to = 0, a = 0, b = 0, number = 0, mask = 0, limit = 0;
    std::vector<Statement> body = {}, other = {};
  };
  using Statements = std::vector<Statement>;

 public:
  explicit WaitProgram(uint32_t seed) : seed_(seed), random_(seed), numbers_(seed) {
    threads = seed % 3 == 0 ? 45 : 64;
    for (uint32_t f = 0; f < functions; ++f) {
      function_ = f;
      bodies_.push_back(statements(0, 4, false));
    }
    function_ = functions;
    for (uint32_t n = 2 + below(2); n > 0; --n) {
      Statement call = drawn(Statement::call), test = drawn(Statement::branch);
      call.number = below(2);
      test.body = {call, drawn(Statement::call)};
      test.body[1].number = below(functions);
      if (below(2)) test.other = {drawn(Statement::call)};
      if (!test.other.empty()) test.other[0].number = below(2);
      kernel_.push_back(below(2) ? test : call);
      if (exchanges()) kernel_.push_back(drawn(Statement::exchange));
    }
  }

  uint32_t threads;

  // About how much code this is, and if every call were inlined: LLVM takes long for much.
  uint32_t size() const {
    uint32_t size = size_of(kernel_, most_calls);
    for (const Statements& body : bodies_) size += size_of(body, most_calls);
    return size;
  }
  uint32_t size_inlined() const { return size_of(kernel_, 0); }

  // The threads' results; empty if that is too much for a test.
  std::optional<std::vector<uint32_t>> run() {
    published_.assign(threads, {});
    exchanged_.assign(threads, {});
    ended_.assign(threads, false);
    results_.assign(threads, 0);
    for (uint32_t ended = 0, round = 0; ended < threads; ++round) {
      if (round > 4 * most_phases) return {};
      for (uint32_t t = 0; t < threads; ++t) {
        if (ended_[t]) continue;
        Thread thread{t};
        Frame frame{{t, t * 2654435761u, t ^ 5, 1}, 0, 0, &thread};
        const Ended how = run(kernel_, frame);
        if (thread.calls > most_calls || thread.phases > most_phases || thread.work > most_work)
          return {};
        if (how == Ended::blocked) continue;
        results_[t] = how == Ended::thread ? thread.result : frame.x[0] * 31 + frame.x[1];
        ended_[t] = true;
        ++ended;
      }
    }
    return results_;
  }

  std::string text() {
    text_.clear();
    std::string before;
    for (uint32_t f = 0; f < functions; ++f) text_ += head(f) + ";\n";
    for (uint32_t f = 0; f < functions; ++f) write_function(f);
    text_.swap(before);
    names_ = 0;
    write(kernel_, "");
    const std::string body = std::exchange(text_, {});
    return module_of(".param .u64 state",
                     registers() + R"(
        ld.param.u64 %state, [state]; mov.u32 %depth, 0;
        mov.u32 %tid, %tid.x; mul.wide.u32 %own, %tid, 4; add.u64 %own, %own, %state;
        mov.u32 %x0, %tid; mul.lo.u32 %x1, %tid, 2654435761; xor.b32 %x2, %tid, 5;
        mov.u32 %x3, 1; setp.ne.u32 %p0, %tid, 0;
        @%p0 bra BEGUN; mbarrier.init.shared.b64 [meeting], )" +
                         std::to_string(threads) + ";\nBEGUN: bar.sync 0;\n" + body +
                         "mad.lo.u32 %x0, %x0, 31, %x1;\nEND:\n" + ending("%x0") + "ret;",
                     ".shared .align 8 .b64 meeting;\n" + before);
  }
  // In words: counts, progress, results, then the slots of each phase.
  size_t words() const { return size_t{threads} * (3 + most_phases + 1); }

 private:
  bool recursive() const { return seed_ % 4 == 1; }
  bool exchanges() const { return threads == 64 && seed_ % 2 == 0; }
  bool ends() const { return !exchanges() && seed_ % 5 < 2; }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  // The ways to wait, by phase: only barriers, only loops, or all. 5 are barriers with predicates,
  // 6 reductions, which count odd numbers, and 7 barriers for a number of threads.
  std::vector<uint32_t> ways() const {
    const uint32_t counted = ends() ? 5 : 7;  // a number of threads, which must all be there
    const std::vector<uint32_t> all[] = {{0},       {0, 1}, {2},    {4},       {0, 2, 1, 3, 4},
                                         {3, 1, 4}, {6},    {5, 6}, {counted}, {6, 2, counted}};
    return all[seed_ / 2 % std::size(all)];
  }

  Statement drawn(Statement::Kind kind) {
    Statement s{kind};
    s.to = below(locals), s.a = below(locals), s.b = below(locals);
    s.number = static_cast<uint32_t>(extreme(numbers_, 32));
    s.mask = 1u << below(3) | 1u << below(5);
    s.limit = 1 + below(s.mask);
    // A recursive call is behind a test, which fewer threads pass each time.
    if (kind == Statement::call && !recursive()) s.limit = 1;
    return s;
  }

  Statements statements(uint32_t depth, uint32_t most, bool in_loop) {
    Statements result;
    for (uint32_t n = 1 + below(most); n > 0; --n) {
      Statement s = drawn(Statement::assign);
      const uint32_t what = below(depth < 2 ? 13 : 7);
      if (what == 2 && depth > 0) {
        s.kind = below(3) == 0             ? Statement::give_back
                 : ends() && below(3) == 0 ? Statement::end
                                           : Statement::assign;
      } else if (what == 3 && in_loop) {
        s.kind = Statement::leave;
      } else if (what == 4 || what == 5) {
        s.kind = Statement::phase;
      } else if (what == 6 || what == 12) {
        const uint32_t first = recursive() ? function_ : function_ + 1;
        if (first < functions) {
          s = drawn(Statement::call);
          s.number = first + below(functions - first);
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

  // With the functions that it calls, down to a depth of `most_calls`.
  uint32_t size_of(const Statements& all, uint32_t depth) const {
    uint32_t size = 0;
    for (const Statement& s : all) {
      size += s.kind == Statement::phase ? 4 + 2 * static_cast<uint32_t>(ways().size()) : 1;
      if (s.kind == Statement::call) size += 2;
      if (s.kind == Statement::call && depth < functions)
        size += size_of(bodies_[s.number], depth + 1);
      size += size_of(s.body, depth) + size_of(s.other, depth);
    }
    return size;
  }

  // --- As an interpreter ---

  enum class Ended { here, loop, function, thread, blocked };
  struct Thread {
    uint32_t number, calls = 0, phases = 0, exchanges = 0, work = 0, result = 0;
  };
  struct Frame {
    uint32_t x[locals], depth, result;
    Thread* thread;
  };

  // Another thread's value with that number; empty if it has not come so far.
  std::optional<uint32_t> read(const std::vector<std::vector<uint32_t>>& values, uint32_t of,
                               uint32_t number) const {
    if (number < values[of].size()) return values[of][number];
    return ended_[of] ? std::optional<uint32_t>(0) : std::nullopt;
  }

  // Whether those are there for which a barrier, or a shuffle, waits. Where nobody gets on any
  // more, a GPU does not either: that is no program for a test.
  bool all_came(bool phase, uint32_t thread, uint32_t number) const {
    const uint32_t way = ways()[number % ways().size()];
    if (phase && (way == 2 || way == 3)) return true;
    const uint32_t first = phase ? 0 : thread / warp_size * warp_size;
    const auto& values = phase ? published_ : exchanged_;
    for (uint32_t t = first; t < (phase ? threads : first + warp_size); ++t)
      if (!read(values, t, number)) return false;
    return true;
  }

  Ended run(const Statements& all, Frame& frame) {
    uint32_t* const x = frame.x;
    Thread& thread = *frame.thread;
    for (const Statement& s : all) {
      if (++thread.work > most_work || thread.calls > most_calls || thread.phases > most_phases)
        return Ended::thread;
      const bool holds = (x[s.a] & s.mask) < s.limit;
      Ended ended = Ended::here;
      switch (s.kind) {
        case Statement::assign:
          x[s.to] = x[s.a] * s.number + x[s.b];
          break;
        case Statement::phase:
        case Statement::exchange: {
          const bool phase = s.kind == Statement::phase;
          auto& values = phase ? published_ : exchanged_;
          const uint32_t number = phase ? thread.phases++ : thread.exchanges++;
          if (values[thread.number].size() == number) values[thread.number].push_back(x[s.a]);
          const uint32_t of =
              phase ? (thread.number + s.limit) % threads : thread.number ^ (s.limit & 31);
          const auto value = read(values, of, number);
          if (!value || !all_came(phase, thread.number, number)) return Ended::blocked;
          x[s.to] = x[s.b] + *value;
          if (phase && ways()[number % ways().size()] == 6)
            for (const std::vector<uint32_t>& one : published_)
              x[s.to] += number < one.size() && one[number] % 2;
          break;
        }
        case Statement::call: {
          if (frame.depth + s.limit >= 5) break;
          ++thread.calls;
          Frame inside{{x[s.a], x[s.b], x[s.a] ^ 5, s.number}, frame.depth + 1, 0, &thread};
          ended = run(bodies_[s.number], inside);
          if (ended == Ended::here) inside.result = inside.x[0] * 31 + inside.x[1];
          if (ended == Ended::here || ended == Ended::function) {
            x[s.to] = inside.result;
            ended = Ended::here;
          }
          break;
        }
        case Statement::give_back:
          frame.result = x[s.a];
          return Ended::function;
        case Statement::end:
          if (!holds) break;
          thread.result = x[s.a];
          return Ended::thread;
        case Statement::leave:
          if (holds) return Ended::loop;
          break;
        case Statement::branch:
          ended = run(holds ? s.body : s.other, frame);
          break;
        case Statement::loop:
          for (uint32_t turns = 1 + (x[s.a] & 3); turns > 0 && ended == Ended::here; --turns)
            ended = run(s.body, frame);
          if (ended == Ended::loop) ended = Ended::here;
          break;
      }
      if (ended != Ended::here) return ended;
    }
    return Ended::here;
  }

  // --- As PTX ---

  static std::string head(uint32_t f) {
    return ".func (.param .b32 result) f" + std::to_string(f) +
           " (.param .b32 a, .param .b32 b, .param .b32 depth, .param .b64 state)";
  }
  static std::string x(uint32_t n) { return "%x" + std::to_string(n); }
  std::string fresh(const std::string& kind) { return kind + std::to_string(++names_); }
  std::string registers() const {
    const std::string count = std::to_string(names_ + 1);
    return ".reg .b32 %x<4>, %t<" + count + ">, %depth, %tid, %k, %v, %w, %c; .reg .pred %p<" +
           count + ">;\n.reg .b64 %state, %own, %place, %token;\n";
  }

  void write_function(uint32_t f) {
    const size_t begin = text_.size();
    names_ = 0;
    write(bodies_[f], "");
    const std::string body = text_.substr(begin);
    text_.resize(begin);
    text_ += head(f) + "\n{ " + registers() +
             "ld.param.b32 %x0, [a]; ld.param.b32 %x1, [b]; xor.b32 %x2, %x0, 5; mov.b32 %x3, " +
             std::to_string(f) +
             ";\nld.param.b32 %depth, [depth]; ld.param.b64 %state, [state];\n"
             "mov.u32 %tid, %tid.x; mul.wide.u32 %own, %tid, 4; add.u64 %own, %own, %state;\n" +
             body + "mad.lo.u32 %x0, %x0, 31, %x1; st.param.b32 [result], %x0;\nEND:\nret; }\n";
  }

  // The words of the thread: at 0 its count of phases, then its progress, then its result.
  std::string own(uint32_t word) const {
    return "[%own+" + std::to_string(4 * threads * word) + "]";
  }
  std::string ending(const std::string& result) const {
    return "st.global.u32 " + own(2) + ", " + result + "; st.volatile.global.u32 " + own(1) +
           ", 0xffffffff;\nmbarrier.arrive_drop.shared.b64 _, [meeting];\n";
  }

  std::string test(const Statement& s) {
    const std::string t = fresh("%t"), p = "%p" + t.substr(2);
    text_ += "and.b32 " + t + ", " + x(s.a) + ", " + std::to_string(s.mask) + "; setp.lt.u32 " + p +
             ", " + t + ", " + std::to_string(s.limit) + ";\n";
    return p;
  }

  // Another thread's slot in this phase: its address is %place.
  void write_place(const std::string& thread, uint32_t first_word) {
    text_ += "mul.wide.u32 %place, " + thread + ", 4; add.u64 %place, %place, %state;\n";
    if (first_word == 3)
      text_ += "mul.lo.u32 %w, %k, " + std::to_string(4 * threads) +
               "; cvt.u64.u32 %token, %w; add.u64 %place, %place, %token;\n";
  }

  void write_barrier(const Statement& s, uint32_t way) {
    const std::string p = fresh("%p");
    if (way < 2) {
      text_ += way == 0 ? "bar.sync 0;\n" : "barrier.sync 0;\n";
    } else if (way == 7) {
      text_ += "barrier.sync 0, 64;\n";
    } else {
      text_ += "and.b32 %w, " + x(s.a) + ", 1; setp.ne.u32 " + p + ", %w, 0;\n" +
               (way == 5 ? "@" + p + " barrier.sync 0;\n@!" + p + " barrier.sync 0;\n"
                         : "barrier.red.popc.u32 %c, 0, " + p + ";\n");
    }
  }

  void write_wait(const Statement& s, uint32_t way, const std::string& partner) {
    const std::string again = fresh("AGAIN"), p = "%p" + std::to_string(names_);
    if (way < 2 || way > 4) {
      write_barrier(s, way);
    } else if (way == 4) {
      text_ += "mbarrier.arrive.shared.b64 %token, [meeting];\n" + again +
               ": mbarrier.test_wait.shared.b64 " + p + ", [meeting], %token;\n@!" + p + " bra " +
               again + ";\n";
    } else {
      write_place(partner, 1);
      const std::string place = "[%place+" + std::to_string(4 * threads) + "]";
      text_ += again + ": " +
               (way == 2 ? "ld.volatile.global.u32 %w, " + place
                         : "atom.global.add.u32 %w, " + place + ", 0") +
               ";\nsetp.le.u32 " + p + ", %w, %k; @" + p + " bra " + again + ";\n";
    }
  }

  void write_phase(const Statement& s) {
    const std::string slots = "[%place+" + std::to_string(4 * threads * 3) + "]";
    const std::string partner = fresh("%t");
    text_ += "ld.global.u32 %k, " + own(0) + ";\n";
    write_place("%tid", 3);
    text_ += "st.global.u32 " + slots + ", " + x(s.a) + "; add.u32 %v, %k, 1; st.global.u32 " +
             own(0) + ", %v; membar.cta; st.volatile.global.u32 " + own(1) + ", %v;\nadd.u32 " +
             partner + ", %tid, " + std::to_string(s.limit) + "; rem.u32 " + partner + ", " +
             partner + ", " + std::to_string(threads) + ";\n";
    const std::vector<uint32_t> all = ways();
    const std::string waited = fresh("WAITED"), kind = fresh("%t");
    text_ += "mov.u32 %c, 0; rem.u32 " + kind + ", %k, " + std::to_string(all.size()) + ";\n";
    for (size_t n = 0; n < all.size(); ++n) {
      const std::string next = fresh("NEXT"), p = "%p" + std::to_string(names_);
      if (n + 1 < all.size())
        text_ += "setp.ne.u32 " + p + ", " + kind + ", " + std::to_string(n) + "; @" + p + " bra " +
                 next + ";\n";
      write_wait(s, all[n], partner);
      text_ += "bra " + waited + ";\n" + next + ":\n";
    }
    text_ += waited + ":\n";
    write_place(partner, 3);
    text_ += "ld.volatile.global.u32 %w, " + slots + "; add.u32 " + x(s.to) + ", " + x(s.b) +
             ", %w;\nadd.u32 " + x(s.to) + ", " + x(s.to) + ", %c;\n";
  }

  // `leave` is the label after the enclosing loop.
  void write(const Statements& all, const std::string& leave) {
    for (const Statement& s : all) switch (s.kind) {
        case Statement::assign:
          text_ += "mad.lo.u32 " + x(s.to) + ", " + x(s.a) + ", " + std::to_string(s.number) +
                   ", " + x(s.b) + ";\n";
          break;
        case Statement::phase:
          write_phase(s);
          break;
        case Statement::exchange:
          text_ += "shfl.sync.bfly.b32 %w, " + x(s.a) + ", " + std::to_string(s.limit & 31) +
                   ", 31, 0xffffffff; add.u32 " + x(s.to) + ", " + x(s.b) + ", %w;\n";
          break;
        case Statement::call:
          write_call(s);
          break;
        case Statement::give_back:
          text_ +=
              "st.param.b32 [result], " + x(s.a) + ";\n" + (s.number % 2 ? "ret;\n" : "bra END;\n");
          break;
        case Statement::end: {
          const std::string p = test(s), behind = fresh("BEHIND");
          text_ +=
              "@!" + p + " bra " + behind + ";\n" + ending(x(s.a)) + "exit;\n" + behind + ":\n";
          break;
        }
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
             t + ", 5;\n@" + p + " bra " + behind + ";\nadd.u32 " + t +
             ", %depth, 1;\n{ .param .b32 one, two, three, taken; .param .b64 four;\n"
             "st.param.b32 [one], " +
             x(s.a) + "; st.param.b32 [two], " + x(s.b) + "; st.param.b32 [three], " + t +
             "; st.param.b64 [four], %state;\ncall (taken), f" + std::to_string(s.number) +
             ", (one, two, three, four);\nld.param.b32 " + x(s.to) + ", [taken]; }\n" + behind +
             ":\n";
  }

  const uint32_t seed_;
  std::mt19937 random_, numbers_;
  uint32_t function_ = 0;
  std::vector<Statements> bodies_;
  Statements kernel_;
  std::string text_;
  uint32_t names_ = 0;
  std::vector<std::vector<uint32_t>> published_, exchanged_;  // of threads
  std::vector<bool> ended_;
  std::vector<uint32_t> results_;
};

class RandomWaits : public ::testing::TestWithParam<Vectors> {
 protected:
  static constexpr uint32_t most_size = 60;
  // Returns whether it was a program for a test.
  static bool try_seed(uint32_t seed) {
    WaitProgram program(seed);
    if (program.size() > most_size) return false;
    const auto expected = program.run();
    if (!expected) return false;
    const std::string text = program.text();
    for (int way = 0; way < (program.size_inlined() > most_size ? 2 : 3); ++way) {
      CompileRequest request;
      request.most_in_place = UINT32_MAX;
      request.most_copied = way < 2 ? 0 : UINT32_MAX;
      if (way == 1) request.most_optimised = 0;
      if (seed % 5 < 3) request.turns_alone = 1;
      Kernel kernel(text, "kernel", GetParam(), {.threads = {program.threads, 1, 1}}, request);
      std::vector<uint32_t> state(program.words());
      EXPECT_EQ(kernel(state.data()), Status::finished) << "seed " << seed << " way " << way;
      for (uint32_t t = 0; t < program.threads && !HasFailure(); ++t)
        EXPECT_EQ(state[2 * program.threads + t], (*expected)[t])
            << "thread " << t << " of seed " << seed << " way " << way << "\n"
            << text;
    }
    return true;
  }
};

TEST_P(RandomWaits, EachThreadGetsWhatIsItsOwn) {
  uint32_t programs = GetParam() == Vectors::sse ? 2 : 5;
  if (const char* const more = getenv("CUVETTE_TEST_SEEDS"))
    programs = static_cast<uint32_t>(atoi(more));
  for (uint32_t seed = 1; programs > 0 && !HasFailure(); ++seed) programs -= try_seed(seed);
}

INSTANTIATE_TEST_SUITE_P(Vectors, RandomWaits, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
