// SPDX-License-Identifier: Apache-2.0
// Lines: a kernel of random arithmetic on the numbers of threads, lanes and blocks, and what each
// thread must compute.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/ptx/emit/extremes.hpp"
#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test::random_lines {

// Registers. Most are written once; one that is written twice is a line only if both values are.
inline constexpr unsigned words = 14, doubles = 14, halves = 2;
inline constexpr unsigned next = ~0u;  // as a destination: a register that has no value yet

struct Thread {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3], lane;
  uint32_t parameters[2];
  uint64_t parameter64;
  uint64_t r[words] = {}, d[doubles] = {}, h[halves] = {};
  uint64_t place = 0;   // address of the accesses, relative to the arena's middle
  uint64_t loaded = 0;  // the value there
};

inline uint64_t cut(uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}
inline int64_t with_sign(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}
inline uint64_t mixed(uint64_t x) { return (x ^ x >> 29) * 0xbf58476d1ce4e5b9 + 1; }

// Instructions, each as text and as its effect on one thread.
class Lines {
 public:
  explicit Lines(uint32_t seed) : random_(seed) {
    static constexpr unsigned sizes[] = {1, 2, 4, 8};
    size_ = sizes[below(4)];
    choose_block();
    for (uint32_t& p : parameters_) p = static_cast<uint32_t>(extreme(random_, 32));
    parameter64_ = extreme(random_, 64);
    text_ = R"(
      .reg .b32 %r<14>; .reg .b64 %d<14>; .reg .b16 %h<2>; .reg .b32 %t<9>; .reg .b64 %td<9>;
      .reg .b32 %k<99>; .reg .b64 %kd<99>; .reg .pred %p<99>; .reg .b64 %at, %store, %load;
      .reg .b32 %u<2>; .reg .b64 %ud; .reg .b64 %loaded; .reg .b16 %small; .reg .b32 %full;
      ld.param.u32 %u0, [p0]; ld.param.u32 %u1, [p1]; ld.param.u64 %ud, [p2];
    )";
    // The first values are those that each thread knows about itself.
    for (unsigned n = 0; n < 4; ++n) special(next);
    for (unsigned n = 0; n < 3; ++n) widen(next);
    for (unsigned n = 0; n < halves; ++n) {
      const unsigned from = known(32);
      add(form("cvt.u16.u32 %h", n, ", %r", from, ";"),
          [n, from](Thread& t) { t.h[n] = cut(t.r[from], 16); });
    }
    for (unsigned n = 0; n < 9; ++n) statement();
    access();
    for (unsigned n = 0; n < 4; ++n) statement();
  }

  std::string module() const {
    // Computes the address of a thread's results.
    std::string text = text_ + R"(
      mov.u32 %t0, %tid.z; mov.u32 %t1, %ntid.y; mov.u32 %t2, %tid.y;
      mad.lo.u32 %t0, %t0, %t1, %t2;
      mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;
      mov.u32 %t3, %ntid.y; mul.lo.u32 %t1, %t1, %t3;
      mov.u32 %t3, %ntid.z; mul.lo.u32 %t1, %t1, %t3;
      mov.u32 %t2, %ctaid.x; mad.lo.u32 %t0, %t2, %t1, %t0;
      ld.param.u64 %td0, [out]; mul.wide.u32 %td1, %t0, )" +
                       std::to_string(8 * results) + "; add.u64 %td0, %td0, %td1;\n";
    unsigned at = 0;
    const auto put = [&](const std::string& reg) {
      text += "st.global.u64 [%td0+" + std::to_string(8 * at++) + "], " + reg + ";\n";
    };
    for (unsigned n = 0; n < words; ++n) {
      text += form("cvt.u64.u32 %td2, %r", n, ";");
      put("%td2");
    }
    for (unsigned n = 0; n < doubles; ++n) put("%d" + std::to_string(n));
    for (unsigned n = 0; n < halves; ++n) {
      text += form("cvt.u64.u16 %td2, %h", n, ";");
      put("%td2");
    }
    put("%loaded");
    return module_of(
        ".param .u64 out, .param .u64 stores, .param .u64 loads, .param .u64 p2, .param .u32 p0, "
        ".param .u32 p1",
        text + "ret;");
  }
  static constexpr unsigned results = words + doubles + halves + 1;

  Grid grid() const {
    Grid grid;
    std::copy_n(block_, 3, grid.threads);
    grid.blocks[0] = blocks_;
    return grid;
  }
  uint32_t parameter(int n) const { return parameters_[n]; }
  uint64_t parameter64() const { return parameter64_; }
  unsigned size() const { return size_; }

  // All threads in order, run up to the access or to their end.
  std::vector<Thread> run(bool to_the_end) const {
    std::vector<Thread> threads;
    for (uint32_t block = 0; block < blocks_; ++block)
      for (uint32_t n = 0; n < block_[0] * block_[1] * block_[2]; ++n) {
        Thread t{{n % block_[0], n / block_[0] % block_[1], n / (block_[0] * block_[1])},
                 {block_[0], block_[1], block_[2]},
                 {block, 0, 0},
                 {blocks_, 1, 1},
                 n % warp_size,
                 {parameters_[0], parameters_[1]},
                 parameter64_};
        for (size_t step = 0; step < (to_the_end ? steps_.size() : access_); ++step)
          steps_[step](t);
        threads.push_back(t);
      }
    return threads;
  }

 private:
  using Step = std::function<void(Thread&)>;
  static constexpr uint32_t shapes[][3] = {
      {32, 1, 1}, {64, 1, 1}, {45, 1, 1}, {1, 1, 1},  {33, 1, 1}, {32, 2, 1}, {32, 2, 2},
      {64, 2, 1}, {96, 1, 1}, {16, 2, 1}, {16, 3, 1}, {16, 2, 2}, {16, 3, 3}, {8, 8, 1},
      {4, 4, 4},  {5, 7, 2},  {1, 64, 1}, {2, 1, 32}, {31, 2, 1}, {32, 1, 3}, {64, 1, 2}};

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  void choose_block() {
    std::copy_n(shapes[below(std::size(shapes))], 3, block_);
    blocks_ = 1 + below(3);
  }

  template <typename... Parts>
  static std::string form(const Parts&... parts) {
    std::string text;
    const auto one = [&](const auto& part) {
      if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
        text += std::to_string(part);
      else
        text += part;
    };
    (one(parts), ...);
    return text + "\n";
  }
  void add(const std::string& text, Step step) {
    text_ += text;
    steps_.push_back(std::move(step));
  }

  // An operand of 32 or 64 bits: its text and its value.
  struct Source {
    std::string text;
    std::function<uint64_t(const Thread&)> value;
  };
  Source reg(unsigned bits, unsigned n) {
    if (bits == 32) return {"%r" + std::to_string(n), [n](const Thread& t) { return t.r[n]; }};
    return {"%d" + std::to_string(n), [n](const Thread& t) { return t.d[n]; }};
  }
  Source constant(unsigned bits) {
    const uint64_t value = extreme(random_, bits);
    const auto number = [value](const Thread&) { return value; };
    // As programs write constants: signed or unsigned, or in a register.
    const std::string text =
        below(2) ? std::to_string(with_sign(value, bits)) : std::to_string(value);
    if (below(3) != 0 || constants_ == 98) return {text, number};
    const std::string name = (bits == 32 ? "%k" : "%kd") + std::to_string(constants_++);
    text_ += form(bits == 32 ? "mov.u32 " : "mov.u64 ", name, ", ", text, ";");
    return {name, number};
  }
  Source uniform(unsigned bits) {
    if (bits == 64) return {"%ud", [](const Thread& t) { return t.parameter64; }};
    const unsigned n = below(2);
    return {"%u" + std::to_string(n), [n](const Thread& t) { return t.parameters[n]; }};
  }
  Source any(unsigned bits) {
    switch (below(6)) {
      case 0:
      case 1:
        return constant(bits);
      case 2:
        return uniform(bits);
      default: {
        const unsigned ready = ready_[bits == 64];
        return ready ? reg(bits, below(ready)) : constant(bits);
      }
    }
  }
  unsigned known(unsigned bits) { return below(ready_[bits == 64]); }
  unsigned target(unsigned bits) {
    unsigned& ready = ready_[bits == 64];
    return ready == words || (ready && below(12) == 0) ? known(bits) : ready++;
  }
  void set(unsigned bits, unsigned n, const std::string& text,
           std::function<uint64_t(const Thread&)> value) {
    if (n == next) n = target(bits);
    const std::string name = (bits == 32 ? "%r" : "%d") + std::to_string(n);
    const size_t at = text.find('@');  // stands for the result register
    std::string whole = text;
    whole.replace(at, 1, name);
    add(whole + ";\n", [bits, n, value](Thread& t) {
      const uint64_t result = cut(value(t), bits);
      (bits == 32 ? t.r[n] : t.d[n]) = result;
    });
  }

  void special(unsigned to) {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return set(32, to, "mov.u32 @, %tid.x", [](const Thread& t) { return t.tid[0]; });
      case 3:
        return set(32, to, "mov.u32 @, %laneid", [](const Thread& t) { return t.lane; });
      case 4:
        return set(32, to, "mov.u32 @, %tid.y", [](const Thread& t) { return t.tid[1]; });
      case 5:
        return set(32, to, "mov.u32 @, %ctaid.x", [](const Thread& t) { return t.ctaid[0]; });
      case 6:
        return set(32, to, "mad.lo.s32 @, " + index_parts(),
                   [](const Thread& t) { return uint64_t{t.ctaid[0]} * t.ntid[0] + t.tid[0]; });
      default:
        return set(32, to, "mov.u32 @, %tid.z", [](const Thread& t) { return t.tid[2]; });
    }
  }
  std::string index_parts() {
    text_ += "mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x;\n";
    return "%t0, %t1, %t2";
  }

  // Widens 32 bits to 64.
  void widen(unsigned to) {
    const bool is_signed = below(2);
    const std::string type = is_signed ? "s32" : "u32";
    const Source x = below(5) ? reg(32, known(32)) : any(32);
    const auto wide = [is_signed, x](const Thread& t) {
      return is_signed ? static_cast<uint64_t>(with_sign(x.value(t), 32)) : x.value(t);
    };
    switch (below(3)) {
      case 0:
        return set(64, to, form("cvt.", below(2) ? "u" : "s", "64.", type, " @, ", x.text), wide);
      case 1: {
        const Source y = below(4) ? constant(32) : any(32);
        const bool swapped = below(3) == 0;
        return set(
            64, to,
            form("mul.wide.", type, " @, ", (swapped ? y : x).text, ", ", (swapped ? x : y).text),
            [=](const Thread& t) {
              const uint64_t b =
                  is_signed ? static_cast<uint64_t>(with_sign(y.value(t), 32)) : y.value(t);
              return wide(t) * b;
            });
      }
      default: {
        const Source y = below(4) ? constant(32) : any(32);
        const Source z = any(64);
        return set(64, to, form("mad.wide.", type, " @, ", x.text, ", ", y.text, ", ", z.text),
                   [=](const Thread& t) {
                     const uint64_t b =
                         is_signed ? static_cast<uint64_t>(with_sign(y.value(t), 32)) : y.value(t);
                     return wide(t) * b + z.value(t);
                   });
      }
    }
  }

  // Narrows, by truncation or by saturation to the smaller type.
  void narrow(unsigned to) {
    static constexpr unsigned widths[] = {8, 16, 32};
    const unsigned bits = widths[below(3)], from_bits = below(2) ? 64 : 32;
    const bool to_signed = below(2), from_signed = below(2), sat = below(3) == 0;
    const Source x = any(from_bits);
    set(32, to,
        form("cvt.", sat ? "sat." : "", to_signed ? "s" : "u", bits, ".", from_signed ? "s" : "u",
             from_bits, " @, ", x.text),
        [=](const Thread& t) {
          uint64_t value = x.value(t);
          if (sat) {
            using Wide = __int128;
            Wide number = from_signed ? Wide{with_sign(value, from_bits)} : Wide{value};
            const Wide least = to_signed ? -(Wide{1} << (bits - 1)) : Wide{0};
            const Wide most = (Wide{1} << (to_signed ? bits - 1 : bits)) - 1;
            number = std::clamp(number, least, most);
            value = static_cast<uint64_t>(number);
          }
          // A smaller result is sign- or zero-extended to its register.
          return to_signed ? static_cast<uint64_t>(with_sign(cut(value, bits), bits))
                           : cut(value, bits);
        });
  }

  void through_halves(unsigned to) {
    const unsigned h = below(halves);
    if (below(2)) {
      const bool wide = below(2);
      const Source x = any(wide ? 64 : 32);
      return add(form("cvt.u16.", wide ? "u64" : "u32", " %h", h, ", ", x.text, ";"),
                 [=](Thread& t) { t.h[h] = cut(x.value(t), 16); });
    }
    const unsigned bits = below(2) ? 16 : 8, width = below(2) ? 64 : 32;
    const bool is_signed = below(2);
    set(width, to, form("cvt.u", width, ".", is_signed ? "s" : "u", bits, " @, %h", h),
        [=](const Thread& t) {
          const uint64_t low = cut(t.h[h], bits);
          return is_signed ? static_cast<uint64_t>(with_sign(low, bits)) : low;
        });
  }

  static uint64_t divided(uint64_t a, uint64_t b, unsigned bits, bool is_signed, bool rest) {
    if (b == 0) return ~uint64_t{0};
    if (!is_signed) return rest ? a % b : a / b;
    const __int128 x = with_sign(a, bits), y = with_sign(b, bits);
    return static_cast<uint64_t>(rest ? x % y : x / y);
  }

  // Operations that keep a line a line.
  void line_operation(unsigned bits, unsigned to) {
    const std::string s = (below(2) ? "s" : "u") + std::to_string(bits);
    const std::string b = "b" + std::to_string(bits);
    const Source x = any(bits), y = any(bits);
    switch (below(7)) {
      case 0:
      case 1:
        return set(bits, to, "add." + s + " @, " + x.text + ", " + y.text,
                   [=](const Thread& t) { return x.value(t) + y.value(t); });
      case 2:
        return set(bits, to, "sub." + s + " @, " + x.text + ", " + y.text,
                   [=](const Thread& t) { return x.value(t) - y.value(t); });
      case 3: {
        const Source k = constant(bits);
        const bool swapped = below(3) == 0;
        return set(bits, to,
                   "mul.lo." + s + " @, " + (swapped ? k : x).text + ", " + (swapped ? x : k).text,
                   [=](const Thread& t) { return x.value(t) * k.value(t); });
      }
      case 4: {
        const Source k = constant(bits);
        return set(bits, to, "mad.lo." + s + " @, " + x.text + ", " + k.text + ", " + y.text,
                   [=](const Thread& t) { return x.value(t) * k.value(t) + y.value(t); });
      }
      case 5: {
        const unsigned by = below(bits + 2);
        return set(bits, to, form("shl.", b, " @, ", x.text, ", ", by),
                   [=](const Thread& t) { return by >= bits ? 0 : x.value(t) << by; });
      }
      default:
        return set(bits, to, form("neg.s", bits, " @, ", x.text),
                   [=](const Thread& t) { return 0 - x.value(t); });
    }
  }

  // Operations that do not, or only where enough is known.
  void other_operation(unsigned bits, unsigned to) {
    const bool is_signed = below(2);
    const std::string s = (is_signed ? "s" : "u") + std::to_string(bits);
    const std::string b = "b" + std::to_string(bits);
    const Source x = any(bits), y = any(bits);
    const auto number = [=](uint64_t v) { return with_sign(v, bits); };
    switch (below(9)) {
      case 0: {
        const bool rest = below(2);
        return set(bits, to, (rest ? "rem." : "div.") + s + " @, " + x.text + ", " + y.text,
                   [=](const Thread& t) {
                     return divided(x.value(t), y.value(t), bits, is_signed, rest);
                   });
      }
      case 1: {
        const bool least = below(2);
        return set(bits, to, (least ? "min." : "max.") + s + " @, " + x.text + ", " + y.text,
                   [=](const Thread& t) {
                     const uint64_t p = x.value(t), q = y.value(t);
                     const bool less = is_signed ? number(p) < number(q) : p < q;
                     return less == least ? p : q;
                   });
      }
      case 2: {
        static constexpr const char* names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
        const unsigned how = below(6);
        const Source p = any(bits), q = any(bits);
        text_ += form("setp.", names[how], ".", s, " %p1, ", x.text, ", ", y.text, ";");
        return set(bits, to, "selp." + b + " @, " + p.text + ", " + q.text + ", %p1",
                   [=](const Thread& t) {
                     const uint64_t m = x.value(t), n = y.value(t);
                     const bool less = is_signed ? number(m) < number(n) : m < n;
                     const bool holds[] = {less,  less || m == n, !less && m != n,
                                           !less, m == n,         m != n};
                     return holds[how] ? p.value(t) : q.value(t);
                   });
      }
      case 3: {
        const unsigned by = below(bits + 2);
        return set(bits, to, form("shr.", s, " @, ", x.text, ", ", by), [=](const Thread& t) {
          if (is_signed) return static_cast<uint64_t>(number(x.value(t)) >> std::min(by, bits - 1));
          return by >= bits ? 0 : x.value(t) >> by;
        });
      }
      case 4:
        return set(bits, to, form("and.", b, " @, ", x.text, ", ", 31),
                   [=](const Thread& t) { return x.value(t) & 31; });
      case 5: {
        static constexpr const char* names[] = {"and.", "or.", "xor."};
        const unsigned how = below(3);
        return set(bits, to, names[how] + b + " @, " + x.text + ", " + y.text,
                   [=](const Thread& t) {
                     const uint64_t p = x.value(t), q = y.value(t);
                     return how == 0 ? p & q : how == 1 ? p | q : p ^ q;
                   });
      }
      case 6:
        return set(bits, to, "mul.hi." + s + " @, " + x.text + ", " + y.text, [=](const Thread& t) {
          const __int128 product =
              is_signed
                  ? __int128{number(x.value(t))} * number(y.value(t))
                  : static_cast<__int128>(static_cast<unsigned __int128>(x.value(t)) * y.value(t));
          return static_cast<uint64_t>(product >> bits);
        });
      case 7:
        if (bits == 32)
          return set(32, to, "add.sat.s32 @, " + x.text + ", " + y.text, [=](const Thread& t) {
            return static_cast<uint64_t>(
                std::clamp<int64_t>(number(x.value(t)) + number(y.value(t)), INT32_MIN, INT32_MAX));
          });
        return set(64, to, "not.b64 @, " + x.text, [=](const Thread& t) { return ~x.value(t); });
      default:
        return set(bits, to, form("abs.s", bits, " @, ", x.text), [=](const Thread& t) {
          const uint64_t p = x.value(t);
          return number(p) < 0 ? 0 - p : p;
        });
    }
  }

  // A sum over one to four turns; the number is the same for all threads or their own.
  void loop() {
    const unsigned bits = below(2) ? 32 : 64, to = known(bits);
    const Source by = below(2) ? constant(bits) : uniform(bits);
    const bool same = below(2);
    const unsigned label = labels_++;
    const std::string name = (bits == 32 ? "%r" : "%d") + std::to_string(to);
    add(form(same ? "and.b32 %t3, %u0, 3;" : "mov.u32 %t3, %tid.x; and.b32 %t3, %t3, 3;", "L",
             label, ": add.u", bits, " ", name, ", ", name, ", ", by.text,
             "; setp.ne.u32 %p2, %t3, 0; sub.u32 %t3, %t3, 1; @%p2 bra L", label, ";"),
        [=](Thread& t) {
          const uint64_t turns = ((same ? t.parameters[0] : t.tid[0]) & 3) + 1;
          uint64_t& value = bits == 32 ? t.r[to] : t.d[to];
          value = cut(value + turns * by.value(t), bits);
        });
  }

  // A statement under a condition that holds for all lanes or for some.
  void sometimes() {
    const bool same = below(2);
    const unsigned label = labels_++;
    const uint32_t limit = same ? parameters_[1] + below(2) : below(40);
    const Source left = same ? Source{"%u1", [](const Thread& t) { return t.parameters[1]; }}
                             : Source{"%t4", [](const Thread& t) { return t.lane; }};
    text_ += form(same ? "" : "mov.u32 %t4, %laneid;", "setp.lt.u32 %p3, ", left.text, ", ",
                  static_cast<uint64_t>(limit), "; @%p3 bra M", label, ";");
    const size_t first = steps_.size();
    steps_.push_back({});
    statement_inside();
    text_ += form("M", label, ":");
    // The statements inside become one step.
    std::vector<Step> inside(std::make_move_iterator(steps_.begin() + static_cast<long>(first) + 1),
                             std::make_move_iterator(steps_.end()));
    steps_.resize(first);
    steps_.push_back([=](Thread& t) {
      if (left.value(t) < limit) return;
      for (const Step& step : inside) step(t);
    });
  }

  void statement_inside() {
    switch (below(3)) {
      case 0:
        return widen(known(64));
      default: {
        const unsigned bits = width();
        return line_operation(bits, known(bits));
      }
    }
  }

  void statement() {
    const uint32_t what = below(20);
    if (what < 7) return line_operation(width(), next);
    if (what < 12) return widen(next);
    if (what < 14) return narrow(next);
    if (what < 16) return other_operation(width(), next);
    if (what == 16) return through_halves(next);
    if (what == 17) return loop();
    if (what == 18) return sometimes();
    special(next);
  }

  // A store and a load at arena + index * size, where the index is a word that is widened.
  void access() {
    const unsigned to = known(64);
    unsigned index = known(32);
    // Uses a line that is made now, since an old value would rarely still be one.
    if (below(4)) {
      line_operation(32, next);
      index = ready_[0] - 1;
    }
    if (below(2)) {
      const Source k = constant(32);
      text_ += "mov.u32 %t5, %tid.x;\n";
      set(32, next, "add.u32 @, %t5, " + k.text,
          [=](const Thread& t) { return t.tid[0] + k.value(t); });
      index = ready_[0] - 1;
    }
    const bool is_signed = below(2);
    const std::string type = is_signed ? "s32" : "u32";
    const uint64_t size = size_;
    if (below(2)) {
      text_ += form("mul.wide.", type, " %d", to, ", %r", index, ", ", size_, ";");
    } else {
      text_ += form("cvt.u64.", type, " %d", to, ", %r", index, ";shl.b64 %d", to, ", %d", to, ", ",
                    __builtin_ctz(size_), ";");
    }
    steps_.push_back([=](Thread& t) {
      const uint64_t wide =
          is_signed ? static_cast<uint64_t>(with_sign(t.r[index], 32)) : t.r[index];
      t.d[to] = wide * size;
      t.place = t.d[to];
    });
    access_ = steps_.size();
    const std::string store = size_ == 1   ? "st.global.u8 [%store], %small;"
                              : size_ == 2 ? "st.global.u16 [%store], %small;"
                              : size_ == 4 ? "st.global.u32 [%store], %full;"
                                           : "st.global.u64 [%store], %at;";
    text_ += form("ld.param.u64 %store, [stores]; ld.param.u64 %load, [loads]; add.u64 %store, ",
                  "%store, %d", to, "; add.u64 %load, %load, %d", to, ";");
    // Stores a value that is the same for all lanes with the same place.
    text_ += form("cvt.u64.u32 %at, %r", index, "; mul.lo.u64 %at, %at, 7;",
                  "cvt.u32.u64 %full, %at; cvt.u16.u64 %small, %at;", store, "ld.global.u",
                  8 * size_, " ",
                  size_ <= 2   ? "%small"
                  : size_ == 4 ? "%full"
                               : "%loaded",
                  ", [%load];",
                  size_ <= 2   ? "cvt.u64.u16 %loaded, %small;"
                  : size_ == 4 ? "cvt.u64.u32 %loaded, %full;"
                               : "");
    steps_.push_back(
        [=](Thread& t) { t.loaded = cut(mixed(t.place), 8 * static_cast<unsigned>(size)); });
  }

  unsigned width() { return below(2) ? 32 : 64; }

  std::mt19937 random_;
  std::string text_;
  std::vector<Step> steps_;
  size_t access_ = 0;
  uint32_t block_[3] = {1, 1, 1}, blocks_ = 1;
  uint32_t parameters_[2] = {};
  uint64_t parameter64_ = 0;
  unsigned ready_[2] = {};  // how many registers of 32 and 64 bits have a value
  unsigned constants_ = 0, labels_ = 0, size_ = 4;
};

}  // namespace cuvette::ptx::test::random_lines
