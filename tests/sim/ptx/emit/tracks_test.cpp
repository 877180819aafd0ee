// SPDX-License-Identifier: Apache-2.0
// Kernels that leave tracks leave them for exactly the bytes that each kind of access touches:
// random kernels against a plain account of what each thread does.
#include <map>
#include <random>
#include <regex>
#include <set>

#include "tests/sim/ptx/emit/extremes.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

constexpr uint64_t planes_bytes = 1 << 20;
constexpr uint32_t stretch_bytes = 1 << TrackPlane::stretch_shift;

// Planes over an arena, and what they say.
class Planes {
 public:
  Planes() : memory_(planes_bytes + stretch_bytes) {
    arena_ = (reinterpret_cast<uint64_t>(memory_.data()) + stretch_bytes - 1) / stretch_bytes *
             stretch_bytes;
    const auto place = [&](uint32_t shift) {
      bytes_.emplace_back((planes_bytes >> shift) + 2);
      return reinterpret_cast<uint64_t>(bytes_.back().data()) - (arena_ >> shift);
    };
    for (uint32_t n = 0; n < TrackPlane::count; ++n)
      planes_[n] = {place(track_shift(n)), place(TrackPlane::stretch_shift),
                    place(TrackPlane::region_shift)};
  }

  uint64_t arena() const { return arena_; }
  const TrackPlane (&planes() const)[TrackPlane::count] { return planes_; }

  // Each byte of the plane that has a track, and its number. Fails the test where a stretch or a
  // region does not say so.
  std::map<uint64_t, uint8_t> tracks(uint32_t n) const {
    std::map<uint64_t, uint8_t> result;
    const TrackPlane& plane = planes_[n];
    const uint32_t shift = track_shift(n);
    for (uint64_t at = arena_; at < arena_ + planes_bytes; at += uint64_t{1} << shift) {
      const uint8_t number = TrackPlane::byte(plane.tracks, at >> shift);
      if (number == 0) continue;
      EXPECT_NE(TrackPlane::byte(plane.stretches, at >> TrackPlane::stretch_shift), 0);
      const uint64_t stretch = at >> TrackPlane::stretch_shift << TrackPlane::stretch_shift;
      const uint64_t before = std::max(stretch - 1, arena_);
      EXPECT_TRUE(TrackPlane::byte(plane.regions, stretch >> TrackPlane::region_shift) ||
                  TrackPlane::byte(plane.regions, before >> TrackPlane::region_shift));
      for (uint64_t b = 0; b < uint64_t{1} << shift; ++b) result[at - arena_ + b] = number;
    }
    return result;
  }

 private:
  std::vector<uint8_t> memory_;
  std::vector<std::vector<uint8_t>> bytes_;
  uint64_t arena_;
  TrackPlane planes_[TrackPlane::count];
};

struct Thread {
  uint32_t x, y, block, width;
};

// A random kernel: accesses in a row, each by some threads, once or in a loop.
class Accesses {
 public:
  explicit Accesses(uint32_t seed) : random_(seed) {
    static constexpr uint32_t shapes[][2] = {{32, 1}, {64, 1}, {45, 1}, {1, 1}, {33, 2}, {32, 4},
                                             {16, 2}, {16, 5}, {8, 8},  {5, 7}, {96, 1}, {256, 1}};
    const auto& shape = shapes[below(std::size(shapes))];
    grid_.threads[0] = shape[0];
    grid_.threads[1] = shape[1];
    grid_.blocks[0] = 1 + below(4);
    const uint32_t count = 1 + below(6);
    for (uint32_t n = 0; n < count; ++n) access(n);
  }

  std::string module() const {
    return module_of(".param .u64 arena", R"(
      .reg .b32 %x, %y, %block, %width, %o<8>, %t, %turn; .reg .b64 %arena, %at<8>, %wide<8>;
      .reg .b32 %v<4>; .reg .b64 %w<2>; .reg .b16 %h<4>; .reg .pred %p, %q;
      .shared .align 16 .b8 own[64];
      ld.param.u64 %arena, [arena];
      mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %block, %ctaid.x; mov.u32 %width, %ntid.x;
      mov.u32 %v0, 0; mov.u32 %v1, 1; mov.u32 %v2, 2; mov.u32 %v3, 3;
      mov.u64 %w0, 0; mov.u64 %w1, 1; mov.u16 %h0, 0; mov.u16 %h1, 1; mov.u16 %h2, 2; mov.u16 %h3, 3;
    )" + text_ + "ret;");
  }
  const Grid& grid() const { return grid_; }

  // The bytes that each plane has tracks of.
  std::map<uint32_t, std::set<uint64_t>> expected() const {
    std::map<uint32_t, std::set<uint64_t>> planes;
    for (uint32_t block = 0; block < grid_.blocks[0]; ++block)
      for (uint32_t y = 0; y < grid_.threads[1]; ++y)
        for (uint32_t x = 0; x < grid_.threads[0]; ++x)
          for (const auto& step : steps_) step({x, y, block, grid_.threads[0]}, planes);
    return planes;
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  struct Form {
    const char* text;  // @: the address
    uint32_t bytes;
    bool writes, strong;
  };
  static constexpr Form forms[] = {
      {"ld.global.u32 %v0, [@];", 4, false, false},
      {"ld.u32 %v1, [@];", 4, false, false},
      {"ld.global.u8 %h0, [@];", 1, false, false},
      {"ld.global.s16 %h1, [@];", 2, false, false},
      {"ld.global.u64 %w0, [@];", 8, false, false},
      {"ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [@];", 16, false, false},
      {"ld.global.v2.u64 {%w0, %w1}, [@];", 16, false, false},
      {"ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [@];", 4, false, false},
      {"ld.global.v2.u8 {%h0, %h1}, [@];", 2, false, false},
      {"ld.global.nc.u32 %v2, [@];", 4, false, false},
      {"ld.const.u32 %v2, [@];", 4, false, false},
      {"ld.const.u8 %h2, [@];", 1, false, false},
      {"ld.const.v4.f32 {%v0, %v1, %v2, %v3}, [@];", 16, false, false},
      {"st.global.u32 [@], %v0;", 4, true, false},
      {"st.u32 [@], %v1;", 4, true, false},
      {"st.global.u8 [@], %h0;", 1, true, false},
      {"st.global.u16 [@], %h1;", 2, true, false},
      {"st.global.u64 [@], %w0;", 8, true, false},
      {"st.global.v2.u32 [@], {%v0, %v1};", 8, true, false},
      {"st.global.v4.u32 [@], {%v0, %v1, %v2, %v3};", 16, true, false},
      {"atom.global.add.u32 %v3, [@], 1;", 4, true, true},
      {"red.global.add.u32 [@], 1;", 4, true, true},
      {"red.global.add.u64 [@], 1;", 8, true, true},
      {"atom.add.u32 %v3, [@], 1;", 4, true, true},
      {"atom.global.cta.add.u32 %v3, [@], 1;", 4, true, false},
      {"ld.volatile.global.u32 %v0, [@];", 4, false, true},
      {"ld.relaxed.sys.global.u32 %v0, [@];", 4, false, true},
      {"ld.relaxed.cta.global.u32 %v0, [@];", 4, false, false},
      {"st.relaxed.gpu.global.u32 [@], %v0;", 4, true, true},
      {"st.volatile.global.u16 [@], %h0;", 2, true, true},
  };

  struct Expression {
    std::string text;  // computes %o
    std::function<uint32_t(const Thread&)> value;
  };
  // A number that, times `bytes`, lies in half of the arena for all threads.
  Expression place(uint32_t bytes) {
    const uint32_t most = planes_bytes / 2 / bytes;
    const auto number = [](uint32_t n) { return std::to_string(n); };
    // Often just below the end of a stretch.
    const uint32_t first =
        below(2)
            ? below(most / 2)
            : (1 + below(planes_bytes / 4 / stretch_bytes)) * stretch_bytes / bytes - 1 - below(40);
    switch (below(7)) {
      case 0: {
        static constexpr uint32_t strides[] = {0, 1, 1, 1, 2, 3, 5, 33, 1000};
        const uint32_t stride = std::min(strides[below(std::size(strides))], most / 4 / 256);
        const uint32_t apart = std::min(256 * stride, most / 16);
        return {"mad.lo.u32 %o, %x, " + number(stride) + ", " + number(first) +
                    "; mad.lo.u32 %o, %block, " + number(apart) + ", %o;",
                [=](const Thread& t) { return t.x * stride + first + t.block * apart; }};
      }
      case 1: {
        const auto factor = static_cast<uint32_t>(extreme(random_, 32)) | 1;
        return {"mul.lo.u32 %o, %x, " + number(factor) + "; add.u32 %o, %o, " + number(first) +
                    "; rem.u32 %o, %o, " + number(most) + ";",
                [=](const Thread& t) { return (t.x * factor + first) % most; }};
      }
      case 2: {
        const uint32_t pitch = below(64);
        return {
            "mad.lo.u32 %o, %y, " + number(pitch) + ", %x; add.u32 %o, %o, " + number(first) + ";",
            [=](const Thread& t) { return t.y * pitch + t.x + first; }};
      }
      case 3: {
        const uint32_t by = 1 + below(5);
        return {"div.u32 %o, %x, " + number(by) + "; add.u32 %o, %o, " + number(first) + ";",
                [=](const Thread& t) { return t.x / by + first; }};
      }
      case 4:
        return {"mov.u32 %o, " + number(first) + ";", [=](const Thread&) { return first; }};
      case 5:
        return {"sub.u32 %o, %width, %x; add.u32 %o, %o, " + number(first) + ";",
                [=](const Thread& t) { return t.width - t.x + first; }};
      default: {
        const uint32_t with = below(32);
        return {"xor.b32 %o, %x, " + number(with) +
                    "; mad.lo.u32 %o, %block, 300, %o; add.u32 %o, %o, " + number(first) + ";",
                [=](const Thread& t) { return (t.x ^ with) + 300 * t.block + first; }};
      }
    }
  }

  struct Guard {
    std::string text;  // sets %p
    std::function<bool(const Thread&)> holds;
  };
  Guard guard() {
    const uint32_t n = below(40);
    switch (below(5)) {
      case 0:
        return {"setp.lt.u32 %p, %x, " + std::to_string(n) + ";",
                [=](const Thread& t) { return t.x < n; }};
      case 1:
        return {"and.b32 %t, %x, 1; setp.ne.u32 %p, %t, 0;",
                [](const Thread& t) { return (t.x & 1) != 0; }};
      case 2:
        return {"setp.eq.u32 %p, %block, 0;", [](const Thread& t) { return t.block == 0; }};
      case 3:
        return {"setp.ge.u32 %p, %x, 0;", [](const Thread&) { return true; }};
      default:
        return {"setp.eq.u32 %p, %x, " + std::to_string(n) + ";",
                [=](const Thread& t) { return t.x == n; }};
    }
  }

  void access(uint32_t n) {
    const Form& form = forms[below(std::size(forms))];
    const Expression at = place(form.bytes);
    // As a kernel's source makes addresses: by an index of 32 bits, or by 64 bits; and some bytes
    // on.
    const bool wide = below(2);
    const uint32_t on = below(3) ? 0 : form.bytes * below(5);
    std::string address = at.text;
    address +=
        wide ? "cvt.u64.u32 %wide, %o; mul.lo.u64 %wide, %wide, " + std::to_string(form.bytes) + ";"
             : "mul.wide.u32 %wide, %o, " + std::to_string(form.bytes) + ";";
    address += "add.u64 %at, %arena, %wide;";
    std::string body = form.text;
    body.replace(body.find('@'), 1, "%at+" + std::to_string(on));
    const uint32_t turns = below(3) ? 1 : 1 + below(5);
    const uint32_t step = form.bytes * (1 + below(40));
    const std::string label = std::to_string(n);
    Guard by{"", [](const Thread&) { return true; }};
    switch (below(4)) {
      case 0:
      case 1:
        break;
      case 2:  // a predicate
        by = guard();
        body = "@%p " + body;
        break;
      default:  // a branch
        by = guard();
        body = "@!%p bra over" + label + ";" + body + "over" + label + ":\n";
    }
    if (turns > 1)
      body = "mov.u32 %turn, 0; loop" + label + ":\n" + body + "add.u64 %at, %at, " +
             std::to_string(step) + "; add.u32 %turn, %turn, 1; setp.lt.u32 %q, %turn, " +
             std::to_string(turns) + "; @%q bra loop" + label + ";";
    // Each has registers of its own: one that is written twice is no line.
    text_ += std::regex_replace(address + by.text + body + "\n", std::regex("%(o|at|wide)\\b"),
                                "%$01" + label);
    steps_.push_back([=](const Thread& t, std::map<uint32_t, std::set<uint64_t>>& planes) {
      if (!by.holds(t)) return;
      const uint32_t plane =
          uint32_t{form.bytes < 4} | uint32_t{form.writes} << 1 | uint32_t{form.strong} << 2;
      for (uint32_t turn = 0; turn < turns; ++turn) {
        const uint64_t begin = uint64_t{at.value(t)} * form.bytes + on + turn * step;
        for (uint64_t b = begin; b < begin + form.bytes; ++b) planes[plane].insert(b);
      }
    });
  }

  std::mt19937 random_;
  Grid grid_;
  std::string text_;
  std::vector<std::function<void(const Thread&, std::map<uint32_t, std::set<uint64_t>>&)>> steps_;
};

class TracksOf : public testing::TestWithParam<Vectors> {};
INSTANTIATE_TEST_SUITE_P(, TracksOf, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

void compare(const Accesses& accesses, Vectors vectors, CompileRequest request = {}) {
  Planes planes;
  request.tracks = true;
  Kernel kernel(accesses.module(), "kernel", vectors, accesses.grid(), request);
  kernel.track_in(planes.planes());
  kernel.allow(reinterpret_cast<void*>(planes.arena()), planes_bytes);
  ASSERT_EQ(kernel(planes.arena()), Status::finished);
  auto expected = accesses.expected();
  const std::vector<NumberedAccess>& numbers = kernel.compiled().accesses;
  for (uint32_t plane = 0; plane < TrackPlane::count; ++plane) {
    const std::map<uint64_t, uint8_t> found = planes.tracks(plane);
    std::set<uint64_t> bytes;
    for (const auto& [at, number] : found) {
      bytes.insert(at);
      ASSERT_LE(number, numbers.size());
      ASSERT_EQ(track_plane(numbers[number - 1u].access), plane);
    }
    ASSERT_EQ(bytes, expected[plane]) << "plane " << plane << "\n" << accesses.module();
  }
}

TEST_P(TracksOf, RandomAccessesAreWhatTheyTouch) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    compare(Accesses(seed), GetParam());
    if (HasFatalFailure()) return;
  }
}

TEST_P(TracksOf, KernelsThatAreCompiledQuicklyAreTheSame) {
  CompileRequest quickly;
  quickly.most_optimised = 0;
  for (uint32_t seed = 100; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    compare(Accesses(seed), GetParam(), quickly);
    if (HasFatalFailure()) return;
  }
}

TEST_P(TracksOf, RowsThatEndInTheNextStretchSaySo) {
  Planes planes;
  CompileRequest request;
  request.tracks = true;
  const std::string body = R"(
    .reg .b64 %a, %b, %w; .reg .b32 %x, %v;
    ld.param.u64 %a, [arena]; mov.u32 %x, %tid.x; mul.wide.u32 %w, %x, 4; add.u64 %b, %a, %w;
    ld.global.u32 %v, [%b]; ret;)";
  Kernel kernel(module_of(".param .u64 arena", body), "kernel", GetParam(), {}, request);
  kernel.track_in(planes.planes());
  kernel.allow(reinterpret_cast<void*>(planes.arena()), planes_bytes);
  ASSERT_EQ(kernel(planes.arena() + stretch_bytes - 64), Status::finished);
  EXPECT_EQ(planes.tracks(0).size(), 128u);
}

TEST_P(TracksOf, AccessesBeyondTheLastNumberShareIt) {
  std::string text = ".reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [arena];\n";
  for (int n = 0; n < 300; ++n) text += "ld.global.u32 %v, [%a+" + std::to_string(4 * n) + "];\n";
  Planes planes;
  CompileRequest request;
  request.tracks = true;
  Kernel kernel(module_of(".param .u64 arena", text + "ret;"), "kernel", GetParam(), {}, request);
  kernel.track_in(planes.planes());
  kernel.allow(reinterpret_cast<void*>(planes.arena()), planes_bytes);
  ASSERT_EQ(kernel(planes.arena()), Status::finished);
  ASSERT_EQ(kernel.compiled().accesses.size(), most_tracked);
  EXPECT_NE(kernel.compiled().accesses[most_tracked - 2].location, 0u);
  EXPECT_EQ(kernel.compiled().accesses[most_tracked - 1].location, 0u);
  const auto found = planes.tracks(0);
  ASSERT_EQ(found.size(), 1200u);
  EXPECT_EQ(found.at(0), 1);
  EXPECT_EQ(found.at(4 * 253), 254);
  EXPECT_EQ(found.at(4 * 254), 255);
  EXPECT_EQ(found.at(4 * 299), 255);
}

}  // namespace
}  // namespace cuvette::ptx::test
