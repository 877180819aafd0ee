// SPDX-License-Identifier: Apache-2.0
// What kernels count: random accesses, and random branches and loops, against a plain interpreter
// that follows each thread by itself. Each statement has a source line of its own.
#include <map>
#include <random>
#include <set>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

using Kind = CountedPlace::Kind;

uint32_t source_line_of(const CountedPlace& place) {
  return static_cast<uint32_t>(place.location >> 24 & 0xffffff);
}

CompileRequest counting() {
  CompileRequest request;
  request.counts = true;
  return request;
}

// --- Accesses ------------------------------------------------------------------------------------

// Counts by definition, one byte after the other.
struct Expected {
  uint64_t requests = 0, lanes = 0, sectors = 0, wavefronts = 0;
  bool operator==(const Expected&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Expected& one) {
  return out << one.requests << " requests, " << one.lanes << " lanes, " << one.sectors
             << " sectors, " << one.wavefronts << " wavefronts";
}

// Stores alone are compared in wavefronts: loads of 8 and 16 bytes have rules of their own
// (access_counts_test).
void count(Expected& to, const uint64_t* addresses, uint32_t mask, uint32_t bytes, bool shared) {
  if (mask == 0) return;
  ++to.requests;
  std::set<uint64_t> sectors;
  const uint32_t together = bytes <= 4 ? 32 : 128 / bytes;
  for (uint32_t first = 0; first < 32; first += together) {
    std::map<uint64_t, std::set<uint64_t>> by_bank;
    for (uint32_t lane = first; lane < first + together; ++lane) {
      if (!(mask >> lane & 1)) continue;
      ++to.lanes;
      for (uint32_t byte = 0; byte < bytes; ++byte) {
        sectors.insert((addresses[lane] + byte) / 32);
        const uint64_t word = (addresses[lane] + byte) / 4;
        by_bank[word % 32].insert(word);
      }
    }
    size_t most = 0;
    for (const auto& [bank, words] : by_bank) most = std::max(most, words.size());
    if (shared) to.wavefronts += most;
  }
  if (!shared) to.sectors += sectors.size();
}

class AccessProgram {
 public:
  static constexpr uint32_t accesses = 12, memory = 64 << 10;

  AccessProgram(uint32_t seed, const Grid& grid) : random_(seed), grid_(grid) {
    for (uint32_t n = 0; n < accesses; ++n) {
      One one;
      one.bytes = 1u << below(5);
      one.shared = below(2);
      one.store = below(2);
      if (one.shared && one.bytes > 4) one.store = true;
      one.what = below(5);
      one.stride = below(3) == 0 ? 1 : below(3) == 0 ? 0 : below(40);
      one.offset = below(20);
      one.guard = below(4);
      one.limit = 1 + below(31);
      all_.push_back(one);
    }
  }

  std::string text() const {
    std::string text =
        R"(.reg .b64 %base, %a<12>, %wide<12>; .reg .b32 %x, %y, %tid, %i<12>, %sh, %v<4>, %t, %n;
      .reg .b16 %h; .reg .pred %p;
      ld.param.u64 %base, [data]; mov.u32 %sh, buffer;
      mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %n, %ntid.x; mad.lo.u32 %tid, %y, %n, %x;
      mov.u32 %v0, 1; mov.u32 %v1, 2; mov.u32 %v2, 3; mov.u32 %v3, 4; mov.u16 %h, 5;
)";
    for (uint32_t n = 0; n < accesses; ++n) {
      const One& one = all_[n];
      const std::string number = std::to_string(n);
      // Registers of its own, so that what is a line may stay one.
      const std::string i = "%i" + number, at = "%a" + number, stride = std::to_string(one.stride);
      const auto index = [&](const std::string& from) {
        text += "mul.lo.u32 " + i + ", " + from + ", " + stride + ";\n";
      };
      switch (one.what) {
        case 0:
          index("%x");
          break;
        case 1:
          index("%tid");
          break;
        case 2:
          index("%y");
          break;
        case 3:
          text += "mad.lo.u32 " + i + ", %tid, 1664525, 17; shr.u32 " + i + ", " + i +
                  ", 20; and.b32 " + i + ", " + i + ", 255;\n";
          break;
        default:
          text += "mad.lo.u32 " + i + ", %y, " + stride + ", %x;\n";
      }
      text += "add.u32 " + i + ", " + i + ", " + std::to_string(one.offset) + ";\n";
      const std::string bytes = std::to_string(one.bytes);
      if (one.shared)
        text += "mad.lo.u32 " + i + ", " + i + ", " + bytes + ", %sh;\n";
      else
        text += "mul.wide.u32 %wide" + number + ", " + i + ", " + bytes + "; add.u64 " + at +
                ", %base, %wide" + number + ";\n";
      // Guards: none, a predicate, a branch.
      text += "and.b32 %t, %tid, 31; setp.lt.u32 %p, %t, " + std::to_string(one.limit) + ";\n";
      if (one.guard == 3) text += "@!%p bra BEHIND" + number + ";\n";
      text += ".loc 1 " + std::to_string(n + 1) + " 0\n";
      if (one.guard == 2) text += "@%p ";
      const std::string space = one.shared ? ".shared" : ".global";
      const std::string place = "[" + (one.shared ? i : at) + "]";
      const std::string type = one.bytes == 1   ? ".u8 "
                               : one.bytes == 2 ? ".u16 "
                               : one.bytes == 4 ? ".u32 "
                               : one.bytes == 8 ? ".v2.u32 "
                                                : ".v4.u32 ";
      const std::string value = one.bytes == 2   ? "%h"
                                : one.bytes <= 4 ? "%v0"
                                : one.bytes == 8 ? "{%v0, %v1}"
                                                 : "{%v0, %v1, %v2, %v3}";
      text += one.store ? "st" + space + type + place + ", " + value + ";\n"
                        : "ld" + space + type + value + ", " + place + ";\n";
      text += ".loc 1 1000 0\n";
      if (one.guard == 3) text += "BEHIND" + number + ":\n";
    }
    return module_of(
        ".param .u64 data", text + "ret;",
        ".file 1 \"a.cu\"\n.shared .align 128 .b8 buffer[" + std::to_string(memory) + "];\n");
  }

  Expected expected(uint32_t n, uint64_t base) const {
    const One& one = all_[n];
    Expected result;
    const uint32_t threads = grid_.threads[0] * grid_.threads[1];
    for (uint32_t warp = 0; warp * 32 < threads; ++warp) {
      uint64_t addresses[32] = {};
      uint32_t mask = 0;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t tid = warp * 32 + lane;
        if (tid >= threads || (one.guard >= 2 && lane >= one.limit)) continue;
        const uint32_t x = tid % grid_.threads[0], y = tid / grid_.threads[0];
        const uint32_t element = one.what == 0   ? x * one.stride
                                 : one.what == 1 ? tid * one.stride
                                 : one.what == 2 ? y * one.stride
                                 : one.what == 3 ? (tid * 1664525 + 17) >> 20 & 255
                                                 : y * one.stride + x;
        addresses[lane] = (one.shared ? 0 : base) + (element + one.offset) * one.bytes;
        mask |= 1u << lane;
      }
      count(result, addresses, mask, one.bytes, one.shared);
    }
    return result;
  }
  bool compares_wavefronts(uint32_t n) const { return all_[n].bytes <= 4 || all_[n].store; }

 private:
  struct One {
    uint32_t bytes, what, stride, offset, guard, limit;
    bool shared, store;
  };
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::mt19937 random_;
  const Grid grid_;
  std::vector<One> all_;
};

class Counts : public ::testing::TestWithParam<Vectors> {};

// What the kernel has counted by itself, and what it has left to the machine, by source line.
std::map<uint32_t, Expected> found_in(const Kernel& kernel) {
  std::map<uint32_t, Expected> found;
  for (const CountedPlace& place : kernel.compiled().places) {
    if (place.kind != Kind::load && place.kind != Kind::store) continue;
    Expected& here = found[source_line_of(place)];
    const Counter& counter = kernel.counters()[place.counter];
    const bool shared = place.access & access_shared;
    here.requests += counter.whole;
    here.lanes += 32 * counter.whole;
    const uint64_t units = place.units ? counter.whole * place.units : counter.whole_units;
    (shared ? here.wavefronts : here.sectors) += units;
    for (const Kernel::CountedAccess& one : kernel.counted())
      if (one.counter == place.counter)
        count(here, one.addresses, one.mask, access_bytes(one.access), shared);
  }
  return found;
}

TEST_P(Counts, AccessesOfAnyAddressesAndLanes) {
  constexpr uint32_t shapes[][2] = {{32, 1}, {64, 1}, {45, 1}, {16, 4}, {32, 3}, {8, 8}, {96, 1}};
  uint64_t alone = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    Grid grid;
    std::copy_n(shapes[seed % std::size(shapes)], 2, grid.threads);
    const AccessProgram program(seed, grid);
    const std::string text = program.text();
    Kernel kernel(text, "kernel", GetParam(), grid, counting());
    std::vector<uint64_t> data(AccessProgram::memory / 8 + 16);
    const uint64_t begin = (reinterpret_cast<uint64_t>(data.data()) + 127) / 128 * 128;
    ASSERT_EQ(kernel(begin), Status::finished);
    const auto found = found_in(kernel);
    for (uint32_t n = 0; n < AccessProgram::accesses; ++n) {
      Expected expected = program.expected(n, begin);
      ASSERT_TRUE(found.contains(n + 1)) << text;
      Expected here = found.at(n + 1);
      if (!program.compares_wavefronts(n)) here.wavefronts = expected.wavefronts = 0;
      ASSERT_EQ(here, expected) << "access " << n << " of seed " << seed << "\n" << text;
    }
    for (const Counter& counter : kernel.counters()) alone += counter.whole;
  }
  EXPECT_GT(alone, 100u) << "compiled code counts simple accesses by itself";
}

// --- Branches and loops --------------------------------------------------------------------------

// A program of work, branches and loops without jumps: where lanes meet again is certain.
class BranchProgram {
 public:
  explicit BranchProgram(uint32_t seed) : random_(seed) {
    all_ = statements(0);
    write(all_, 0);
  }

  std::string text() const {
    return module_of(".param .u64 out", R"(.reg .b64 %o; .reg .b32 %x, %t, %c<8>; .reg .pred %p;
      ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.lo.u32 %x, %t, 2654435761, 12345;
)" + text_ + R"(.loc 1 9999 0
      mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4; add.u64 %o, %o, %w; st.global.u32 [%o], %x; ret;)",
                     ".file 1 \"a.cu\"\n");
  }

  // What happens in each turn of the loops around a statement: the lanes that come, and the lanes
  // that take a branch.
  struct Lanes {
    uint32_t come = 0, taken = 0;
  };
  using Turns = std::map<std::vector<uint32_t>, Lanes>;  // also by warp
  std::map<uint32_t, Turns> run(uint32_t threads) const {
    std::map<uint32_t, Turns> seen;
    for (uint32_t thread = 0; thread < threads; ++thread) {
      std::vector<uint32_t> turns{thread / 32};
      uint32_t x = thread * 2654435761u + 12345;
      run(all_, turns, 1u << thread % 32, x, seen);
    }
    return seen;
  }
  const std::set<uint32_t>& branches() const { return branches_; }
  const std::set<uint32_t>& predicated() const { return predicated_; }

 private:
  struct Statement {
    enum Kind { work, guarded, branch, loop } kind = work;
    uint32_t line = 0, back = 0, mask = 0, limit = 0;  // back: the line of a loop's branch
    std::vector<Statement> body = {}, other = {};
  };

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::vector<Statement> statements(uint32_t depth) {
    std::vector<Statement> result;
    for (uint32_t n = 1 + below(3); n > 0; --n) {
      Statement s;
      const uint32_t what = below(depth < 3 ? 7 : 3);
      s.kind = what < 2    ? Statement::work
               : what == 2 ? Statement::guarded
               : what < 5  ? Statement::branch
                           : Statement::loop;
      s.line = ++lines_;
      s.back = ++lines_;
      s.mask = 1u << below(6) | 1u << below(6);
      s.limit = 1 + below(s.mask);
      if (s.kind == Statement::branch || s.kind == Statement::loop) s.body = statements(depth + 1);
      if (s.kind == Statement::branch && below(2)) s.other = statements(depth + 1);
      result.push_back(s);
    }
    return result;
  }
  void at(uint32_t line) { text_ += ".loc 1 " + std::to_string(line) + " 0\n"; }
  void write(const std::vector<Statement>& all, uint32_t depth) {
    const std::string c = "%c" + std::to_string(depth);
    for (const Statement& s : all) {
      const std::string number = std::to_string(s.line);
      const auto test = [&] {
        at(0);
        text_ += "and.b32 %t, %x, " + std::to_string(s.mask) + "; setp.lt.u32 %p, %t, " +
                 std::to_string(s.limit) + ";\n";
      };
      switch (s.kind) {
        case Statement::work:
          at(s.line);
          text_ += "mad.lo.u32 %x, %x, 1664525, 1013904223;\n";
          break;
        case Statement::guarded:
          test();
          at(s.line);
          text_ += "@%p mad.lo.u32 %x, %x, 22695477, 1;\n";
          predicated_.insert(s.line);
          break;
        case Statement::branch:
          test();
          at(s.line);
          text_ += "@%p bra ELSE" + number + ";\n";
          branches_.insert(s.line);
          write(s.body, depth);
          at(0);
          text_ += "bra END" + number + ";\nELSE" + number + ":\n";
          write(s.other, depth);
          text_ += "END" + number + ":\n";
          break;
        case Statement::loop:
          at(0);
          text_ +=
              "shr.u32 " + c + ", %x, 7; and.b32 " + c + ", " + c + ", 3;\nHEAD" + number + ":\n";
          write(s.body, depth + 1);
          at(0);
          text_ += "setp.ne.u32 %p, " + c + ", 0; sub.u32 " + c + ", " + c + ", 1;\n";
          at(s.back);
          text_ += "@%p bra HEAD" + number + ";\n";
          branches_.insert(s.back);
          break;
      }
    }
  }
  static void run(const std::vector<Statement>& all, std::vector<uint32_t>& turns, uint32_t lane,
                  uint32_t& x, std::map<uint32_t, Turns>& seen) {
    for (const Statement& s : all) {
      const bool holds = (x & s.mask) < s.limit;
      Lanes* here = s.kind == Statement::loop ? nullptr : &seen[s.line][turns];
      if (here) here->come |= lane;
      switch (s.kind) {
        case Statement::work:
          x = x * 1664525 + 1013904223;
          break;
        case Statement::guarded:
          if (holds) here->taken |= lane;
          if (holds) x = x * 22695477 + 1;
          break;
        case Statement::branch:
          if (holds) here->taken |= lane;
          run(holds ? s.other : s.body, turns, lane, x, seen);
          break;
        case Statement::loop: {
          const uint32_t count = x >> 7 & 3;
          turns.push_back(0);
          for (uint32_t n = 0; n <= count; ++n) {
            turns.back() = n;
            run(s.body, turns, lane, x, seen);
            Lanes& end = seen[s.back][turns];
            end.come |= lane;
            if (n < count) end.taken |= lane;
          }
          turns.pop_back();
          break;
        }
      }
    }
  }

  std::mt19937 random_;
  std::vector<Statement> all_;
  std::string text_ = ".reg .b64 %w;\n";
  std::set<uint32_t> branches_, predicated_;
  uint32_t lines_ = 0;
};

TEST_P(Counts, BranchesAndTheLanesOfEachInstruction) {
  for (uint32_t seed = 1; seed <= (GetParam() == Vectors::sse ? 15u : 40u); ++seed) {
    const BranchProgram program(seed);
    const std::string text = program.text();
    Grid grid;
    grid.threads[0] = seed % 3 == 0 ? 45 : 64;
    Kernel kernel(text, "kernel", GetParam(), grid, counting());
    std::vector<uint32_t> out(grid.threads[0]);
    ASSERT_EQ(kernel(out.data()), Status::finished);
    std::map<std::pair<uint32_t, Kind>, Counter> found;
    for (const CountedPlace& place : kernel.compiled().places) {
      const Counter& from = kernel.counters()[place.counter];
      Counter& to = found[{source_line_of(place), place.kind}];
      to.executions += from.executions * place.count;
      to.lanes += from.lanes * place.count;
      to.divergent += from.divergent;
    }
    for (const auto& [line, turns] : program.run(grid.threads[0])) {
      uint64_t executions = 0, lanes = 0, divergent = 0, holding = 0;
      uint64_t with_predicate = 0;
      for (const auto& [turn, all] : turns) {
        ++executions;
        lanes += static_cast<uint64_t>(__builtin_popcount(all.come));
        divergent += all.taken != 0 && all.taken != all.come;
        holding += static_cast<uint64_t>(__builtin_popcount(all.taken));
        with_predicate += all.taken != 0;
      }
      const bool is_branch = program.branches().contains(line);
      const bool is_guarded = program.predicated().contains(line);
      const Counter& here = found[{line, is_branch    ? Kind::branch
                                         : is_guarded ? Kind::predicated
                                                      : Kind::instructions}];
      const std::string where =
          "line " + std::to_string(line) + " of seed " + std::to_string(seed) + "\n" + text;
      ASSERT_EQ(here.executions, is_guarded ? with_predicate : executions) << where;
      ASSERT_EQ(here.lanes, is_guarded ? holding : lanes) << where;
      if (is_branch) {
        ASSERT_EQ(here.divergent, divergent) << where;
      }
    }
  }
}

// --- Others --------------------------------------------------------------------------------------

uint64_t sum_of(const Kernel& kernel, Kind kind, uint64_t Counter::*member) {
  uint64_t sum = 0;
  for (const CountedPlace& place : kernel.compiled().places)
    if (place.kind == kind) sum += kernel.counters()[place.counter].*member;
  return sum;
}

TEST_P(Counts, Barriers) {
  Grid grid;
  grid.threads[0] = 96;
  Kernel kernel(module_of(".param .u64 out", R"(.reg .b32 %n; .reg .pred %p; mov.u32 %n, 0;
      TURN: bar.sync 0; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 5; @%p bra TURN;
      barrier.sync 1; ret;)"),
                "kernel", GetParam(), grid, counting());
  ASSERT_EQ(kernel(uint64_t{0}), Status::finished);
  EXPECT_EQ(sum_of(kernel, Kind::barrier, &Counter::executions), 18u);
  EXPECT_EQ(sum_of(kernel, Kind::barrier, &Counter::lanes), 18u * 32);
  EXPECT_EQ(sum_of(kernel, Kind::branch, &Counter::executions), 15u);
  EXPECT_EQ(sum_of(kernel, Kind::branch, &Counter::divergent), 0u);
}

TEST_P(Counts, CopiesAndRowsOfMatrices) {
  Kernel kernel(module_of(".param .u64 in", R"(.reg .b64 %in, %a; .reg .b32 %t, %s, %size, %r<4>;
      .reg .pred %p; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 16;
      add.u64 %a, %a, %in; mov.u32 %s, buffer; mad.lo.u32 %s, %t, 16, %s;
      cp.async.cg.shared.global [%s], [%a], 16;
      setp.lt.u32 %p, %t, 3; selp.b32 %size, 16, 0, %p;
      cp.async.cg.shared.global [%s], [%a], 16, %size;
      cp.async.wait_all;
      ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%s]; ret;)",
                          ".shared .align 16 .b8 buffer[512];\n"),
                "kernel", GetParam(), {}, counting());
  alignas(32) std::vector<uint64_t> in(128);
  ASSERT_EQ(kernel(in.data()), Status::finished);
  uint64_t copied = 0, rows = 0;
  for (const CountedPlace& place : kernel.compiled().places) {
    const uint64_t whole = 32 * kernel.counters()[place.counter].whole;
    if (place.kind == Kind::copy) copied += whole;
    for (const Kernel::CountedAccess& one : kernel.counted()) {
      if (one.counter != place.counter) continue;
      const auto lanes = static_cast<uint64_t>(__builtin_popcount(one.mask));
      if (place.kind == Kind::copy) copied += lanes;
      if (place.kind == Kind::matrix_load) rows += lanes;
    }
  }
  EXPECT_EQ(copied, 32u + 3);
  EXPECT_EQ(rows, 16u) << "of two matrices";
}

TEST_P(Counts, NothingUnlessAskedTo) {
  Kernel kernel(module_of(".param .u64 out", R"(.reg .b64 %o; ld.param.u64 %o, [out];
      st.global.u32 [%o], 1; ret;)"),
                "kernel", GetParam());
  EXPECT_EQ(kernel.compiled().counters, 0u);
  EXPECT_TRUE(kernel.compiled().places.empty());
}

INSTANTIATE_TEST_SUITE_P(Vectors, Counts, ::testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
