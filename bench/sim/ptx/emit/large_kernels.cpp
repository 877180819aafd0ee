// SPDX-License-Identifier: Apache-2.0
#include "bench/sim/ptx/emit/large_kernels.hpp"

#include <cstdint>
#include <random>

namespace cuvette::ptx::test {
namespace {

// Writes a kernel line by line.
class Text {
 public:
  explicit Text(uint32_t seed) : random_(seed) {}

  void line(const std::string& text) {
    text_ += text;
    text_ += '\n';
    ++lines_;
  }
  void label(const std::string& name) { text_ += name + ":\n"; }
  size_t lines() const { return lines_; }
  uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }
  // One of the registers that hold what is computed.
  std::string any() { return "%v" + std::to_string(below(values)); }
  std::string fresh_label() { return "L" + std::to_string(labels_++); }

  // Writes something like an address, a hash or a difference.
  void compute() {
    const std::string to = any();
    switch (below(6)) {
      case 0:
        return line("add.u32 " + to + ", " + any() + ", " + any() + ";");
      case 1:
        return line("xor.b32 " + to + ", " + any() + ", " + any() + ";");
      case 2:
        return line("mad.lo.u32 " + to + ", " + any() + ", 3, " + any() + ";");
      case 3:
        return line("shr.u32 " + to + ", " + any() + ", 3;");
      case 4:
        return line("sub.u32 " + to + ", " + any() + ", " + std::to_string(random_()) + ";");
      default:
        return line("max.u32 " + to + ", " + any() + ", " + any() + ";");
    }
  }
  // Sets %p, differently in different lanes.
  void test() {
    line("and.b32 %t, " + any() + ", 7;");
    line("setp.lt.u32 %p, %t, " + std::to_string(1 + below(7)) + ";");
  }

  std::string module(const std::string& declared = "", const std::string& functions = "") const {
    std::string text = R"(.version 7.8
.target sm_90
.address_size 64
)" + functions + R"(
.visible .entry kernel(.param .u64 out) {
  .reg .pred %p, %q<8>; .reg .b32 %v<64>, %t, %i<512>; .reg .b64 %a<4>;
)" + declared + R"(
  ld.param.u64 %a0, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a1, %t, 4;
  add.u64 %a0, %a0, %a1;
)";
    for (size_t v = 0; v < values; ++v)
      text += "  mad.lo.u32 %v" + std::to_string(v) + ", %t, " + std::to_string(2 * v + 1) + ", " +
              std::to_string(v * v) + ";\n";
    text += text_;
    for (size_t v = 1; v < values; ++v)
      text += "  mad.lo.u32 %v0, %v0, 31, %v" + std::to_string(v) + ";\n";
    return text + "  st.global.u32 [%a0], %v0;\n  ret;\n}\n";
  }

  static constexpr size_t values = 48;

 private:
  std::mt19937 random_;
  std::string text_;
  size_t lines_ = 0;
  uint32_t labels_ = 0;
};

std::string straight(size_t size) {
  Text text(1);
  while (text.lines() < size) {
    if (text.below(16) == 0)
      text.line("st.global.u32 [%a0], " + text.any() + ";");
    else if (text.below(12) == 0)
      text.line("ld.global.u32 " + text.any() + ", [%a0];");
    else
      text.compute();
  }
  return text.module();
}

// Writes a loop that pushes what it computes, and one backwards that pops it again.
std::string differentiated(size_t size) {
  Text text(2);
  std::string declared;
  for (int array = 0; array < 8; ++array)
    declared += "  .local .align 8 .b8 kept" + std::to_string(array) + "[512];\n";
  while (text.lines() < size) {
    const std::string outer = text.fresh_label(), inner = text.fresh_label();
    const std::string back = text.fresh_label();
    const std::string array = "kept" + std::to_string(text.below(8));
    text.line("mov.u32 %i0, 0;");
    text.label(outer);
    text.line("and.b32 %i1, " + text.any() + ", 3;");
    text.label(inner);
    text.line("mov.u64 %a2, " + array + ";");
    text.line("shl.b32 %i3, %i0, 2;");
    text.line("cvt.u64.u32 %a3, %i3;");
    text.line("add.u64 %a2, %a2, %a3;");
    for (int n = 0; n < 20; ++n) {
      text.compute();
      if (n % 5 == 0)
        text.line("st.local.u32 [%a2+" + std::to_string(32 * n) + "], " + text.any() + ";");
    }
    text.test();
    const std::string over = text.fresh_label();
    text.line("@%p bra " + over + ";");
    for (int n = 0; n < 5; ++n) text.compute();
    text.label(over);
    text.line("setp.ne.u32 %p, %i1, 0;");
    text.line("sub.u32 %i1, %i1, 1;");
    text.line("@%p bra " + inner + ";");
    text.line("add.u32 %i0, %i0, 1;");
    text.line("setp.lt.u32 %p, %i0, 3;");
    text.line("@%p bra " + outer + ";");
    text.label(back);
    text.line("sub.u32 %i0, %i0, 1;");
    text.line("mov.u64 %a2, " + array + ";");
    text.line("shl.b32 %i3, %i0, 2;");
    text.line("cvt.u64.u32 %a3, %i3;");
    text.line("add.u64 %a2, %a2, %a3;");
    for (int n = 0; n < 20; ++n) {
      if (n % 5 == 0)
        text.line("ld.local.u32 " + text.any() + ", [%a2+" + std::to_string(32 * n) + "];");
      text.compute();
    }
    text.line("setp.ne.u32 %p, %i0, 0;");
    text.line("@%p bra " + back + ";");
  }
  return text.module(declared);
}

// Writes forward branches, each to one of the next places: no two of their regions are nested.
std::string mesh(size_t size) {
  Text text(3);
  const size_t places = size / 4;
  for (size_t place = 0; place < places; ++place) {
    text.label("M" + std::to_string(place));
    text.compute();
    text.test();
    const size_t to = std::min(places, place + 1 + text.below(12));
    text.line("@%p bra M" + std::to_string(to) + ";");
  }
  text.label("M" + std::to_string(places));
  return text.module();
}

std::string loops(size_t size) {
  Text text(4);
  while (text.lines() < size) {
    const std::string head = text.fresh_label();
    text.line("and.b32 %i0, " + text.any() + ", 3;");
    text.label(head);
    text.compute();
    text.compute();
    text.line("setp.ne.u32 %p, %i0, 0;");
    text.line("sub.u32 %i0, %i0, 1;");
    text.line("@%p bra " + head + ";");
  }
  return text.module();
}

// Writes loops nested 60 deep; only the innermost ones run often.
std::string nests(size_t size) {
  Text text(5);
  constexpr uint32_t depth = 60;
  while (text.lines() < size) {
    std::string heads[depth];
    for (uint32_t d = 0; d < depth; ++d) {
      heads[d] = text.fresh_label();
      const std::string count = "%i" + std::to_string(d);
      if (d + 2 < depth)
        text.line("mov.u32 " + count + ", 0;");
      else
        text.line("and.b32 " + count + ", " + text.any() + ", 3;");
      text.label(heads[d]);
      text.compute();
    }
    for (uint32_t d = depth; d-- > 0;) {
      const std::string count = "%i" + std::to_string(d);
      text.compute();
      text.line("setp.ne.u32 %p, " + count + ", 0;");
      text.line("sub.u32 " + count + ", " + count + ", 1;");
      text.line("@%p bra " + heads[d] + ";");
    }
  }
  return text.module();
}

std::string calls(size_t size) {
  std::string functions;
  for (int f = 0; f < 8; ++f) {
    const std::string n = std::to_string(f);
    functions +=
        ".func (.param .b32 r) f" + n + "(.param .b32 x) {\n  .reg .b32 %r<4>; .reg .pred %p;\n" +
        "  ld.param.u32 %r0, [x];\n  and.b32 %r1, %r0, " + std::to_string(f + 1) +
        ";\n  setp.ne.u32 %p, %r1, 0;\n  @%p bra odd;\n  mad.lo.u32 %r0, %r0, 5, " + n + ";\n";
    for (int k = 0; k < 60; ++k)
      functions += "  mad.lo.u32 %r0, %r0, 3, " + std::to_string(k) + ";\n";
    functions += "odd:\n  xor.b32 %r0, %r0, 1234567;\n  st.param.b32 [r], %r0;\n  ret;\n}\n";
  }
  Text text(6);
  while (text.lines() < size) {
    for (int n = 0; n < 8; ++n) text.compute();
    text.line("{ .param .b32 x; .param .b32 y;");
    text.line("st.param.b32 [x], " + text.any() + ";");
    text.line("call (y), f" + std::to_string(text.below(8)) + ", (x);");
    text.line("ld.param.b32 " + text.any() + ", [y]; }");
  }
  return text.module("", functions);
}

// Writes jumps through tables of 64 targets each.
std::string tables(size_t size) {
  Text text(7);
  while (text.lines() < size) {
    const std::string name = text.fresh_label(), behind = text.fresh_label();
    std::string list;
    for (int n = 0; n < 64; ++n) {
      if (n) list += ", ";
      list += name + "_" + std::to_string(n);
    }
    text.label(name + "_table");
    text.line(".branchtargets " + list + ";");
    text.line("and.b32 %t, " + text.any() + ", 63;");
    text.line("brx.idx %t, " + name + "_table;");
    for (int n = 0; n < 64; ++n) {
      text.label(name + "_" + std::to_string(n));
      text.compute();
      text.line("bra " + behind + ";");
    }
    text.label(behind);
  }
  return text.module();
}

std::string barriers(size_t size) {
  Text text(8);
  while (text.lines() < size) {
    for (int n = 0; n < 60; ++n) text.compute();
    text.line("st.shared.u32 [kept], " + text.any() + ";");
    text.line("bar.sync 0;");
    text.line("ld.shared.u32 %t, [kept];");
    text.line("bar.sync 0;");
  }
  return text.module("  .shared .align 4 .b8 kept[4];\n");
}

// Writes one lock that all threads take again and again: a lane that finds it taken stops and goes
// on later, with all that it has computed.
std::string locks(size_t size) {
  Text text(9);
  text.line("setp.eq.u32 %p, %t, 0;");
  text.line("@%p st.shared.u32 [lock], 0;");
  text.line("bar.sync 0;");
  while (text.lines() < size) {
    const std::string again = text.fresh_label();
    for (int n = 0; n < 20; ++n) text.compute();
    text.label(again);
    text.line("atom.shared.cas.b32 %i0, [lock], 0, 1;");
    text.line("setp.ne.u32 %p, %i0, 0;");
    text.line("@%p bra " + again + ";");
    text.line("st.volatile.shared.u32 [kept], " + text.any() + ";");
    text.line("ld.volatile.shared.u32 " + text.any() + ", [kept];");
    text.line("membar.cta;");
    text.line("atom.shared.exch.b32 %i0, [lock], 0;");
  }
  return text.module("  .shared .align 4 .b8 kept[4];\n  .shared .align 4 .b8 lock[4];\n");
}

constexpr LargeKernel all[] = {
    {"straight", straight}, {"differentiated", differentiated},
    {"mesh", mesh},         {"loops", loops},
    {"nests", nests},       {"calls", calls},
    {"tables", tables},     {"barriers", barriers},
    {"locks", locks},
};

}  // namespace

std::span<const LargeKernel> large_kernels() { return all; }

}  // namespace cuvette::ptx::test
