// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/launch/spinning/random_shape.hpp"

#include <random>

namespace {

constexpr unsigned results = 16;  // words, one for each phase
constexpr unsigned words_of_phase = 1024;

// A kernel consists of some phases in a row, possibly repeated. Each phase has its own words of
// memory. Their counts only grow, so that no phase undoes what another waits for.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  RandomShape write() {
    static constexpr unsigned grids[][2] = {{1, 32}, {1, 32}, {1, 64}, {2, 32}, {3, 64}, {1, 40}};
    const auto& grid = grids[draw(6)];
    shape_.blocks = grid[0], shape_.threads = grid[1];
    const unsigned phases = 1 + draw(3);
    shape_.words = results + phases * words_of_phase;
    shape_.results.assign(phases, 0);
    turns_ = chance(3) ? 2 + draw(2) : 1;
    if (turns_ > 1) {
      note("loop " + std::to_string(turns_));
      line("mov.u32 %turn, 0;");
      place("TURN");
    }
    for (phase_ = 0; phase_ < phases; ++phase_) {
      line("add.u64 %at, %memory, " + std::to_string(4 * (results + phase_ * words_of_phase)) +
           ";");
      line("add.u64 %mine, %memory, " + std::to_string(4 * phase_) + ";");
      switch (draw(5)) {
        case 0:
          lock();
          break;
        case 1:
          flag();
          break;
        case 2:
          in_turn();
          break;
        case 3:
          gathering();
          break;
        default:
          hand_over();
      }
      if (chance(4)) line("bar.sync 0;"), note("bar");
      if (chance(6) && shape_.threads % 32 == 0) line("bar.warp.sync -1;"), note("syncwarp");
    }
    if (turns_ > 1)
      line("add.u32 %turn, %turn, 1; setp.lt.u32 %q, %turn, " + std::to_string(turns_) +
           "; @%q bra TURN;");
    shape_.text =
        ".version 7.8\n.target sm_80\n.address_size 64\n"
        ".func (.param .b32 out) ask(.param .b64 place) {\n .reg .b64 %a; .reg .b32 %v;\n"
        " ld.param.u64 %a, [place];\n atom.global.add.u32 %v, [%a], 0;\n"
        " st.param.b32 [out], %v;\n ret;\n}\n"
        ".visible .entry spin(.param .u64 m) {\n"
        " .reg .pred %p, %q, %who, %done; .reg .b64 %memory, %at, %mine, %line, %place, %wide;\n"
        " .reg .b32 %thread, %lane, %block, %self, %turn, %ns, %v, %w, %x, %limit, %inner, %goal;\n"
        " ld.param.u64 %memory, [m]; cvta.to.global.u64 %memory, %memory;\n"
        " mov.u32 %thread, %tid.x; mov.u32 %lane, %laneid; mov.u32 %block, %ctaid.x;\n"
        " mov.u32 %v, %ntid.x; mad.lo.u32 %self, %block, %v, %thread; mov.u32 %turn, 0;\n" +
        text_ + " ret;\n}\n";
    return shape_;
  }

 private:
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool chance(unsigned of) { return draw(of) == 0; }
  void line(const std::string& code) { text_ += " " + code + "\n"; }
  void place(const std::string& label) { text_ += label + ":\n"; }
  std::string label() { return "L" + std::to_string(labels_++); }
  void note(const std::string& what) { shape_.description += what + "; "; }
  unsigned all() const { return shape_.blocks * shape_.threads; }

  // Sets %who for the participating lanes and returns their number in the whole grid.
  unsigned choose() {
    struct Who {
      const char *name, *code;
      unsigned first, step;  // among 32 lanes
    };
    static constexpr Who who[] = {
        {"all", "setp.lt.u32 %who, %lane, 32;", 0, 1},
        {"odd", "and.b32 %v, %lane, 1; setp.eq.u32 %who, %v, 1;", 1, 2},
        {"upper half", "setp.ge.u32 %who, %lane, 16;", 16, 1},
        {"lower half", "setp.lt.u32 %who, %lane, 16;", 0, 0},
        {"one", "setp.eq.u32 %who, %lane, 5;", 5, 32},
    };
    const Who& one = who[draw(5)];
    note(one.name);
    line(one.code);
    unsigned count = 0;
    for (unsigned t = 0; t < shape_.threads; ++t) {
      const unsigned lane = t % 32;
      const std::string name = one.name;
      count += name == "all" || (name == "odd" && lane % 2) ||
               (name == "upper half" && lane > 15) || (name == "lower half" && lane < 16) ||
               (name == "one" && lane == 5);
    }
    return count * shape_.blocks;
  }

  // Reads the word at [%place] into %x.
  void ask() {
    static constexpr const char* ways[] = {
        "ld.volatile.global.u32 %x, [%place];",
        "ld.relaxed.gpu.global.u32 %x, [%place];",
        "ld.acquire.gpu.global.u32 %x, [%place];",
        "ld.global.cv.u32 %x, [%place];",
        "atom.global.cas.b32 %x, [%place], 77777, 77777;",
        "atom.global.add.u32 %x, [%place], 0;",
        "atom.global.or.b32 %x, [%place], 0;",
        "atom.global.and.b32 %x, [%place], -1;",
        "atom.global.xor.b32 %x, [%place], 0;",
        "atom.global.max.u32 %x, [%place], 0;",
        "atom.global.min.u32 %x, [%place], -1;",
        "atom.acquire.gpu.global.add.u32 %x, [%place], 0;",
        "atom.add.u32 %x, [%place], 0;",
        "{ .param .b64 p; .param .b32 r; st.param.b64 [p], %place; call (r), ask, (p);"
        " ld.param.b32 %x, [r]; }",
        // Weak loads: a GPU may take longer to see a change, and programs that use them have
        // fences.
        "ld.global.cg.u32 %x, [%place]; membar.gl;",
        "membar.gl; ld.global.u32 %x, [%place];",
    };
    const unsigned way = draw(sizeof ways / sizeof *ways);
    std::string name = ways[way];
    note(name.substr(0, name.find("%x") == 0 ? 4 : name.find(' ')));
    if (name[0] == '{') shape_.description += "call; ";
    if (chance(5)) {
      // Computes the address anew each time.
      line("mov.u32 %w, 4; mul.wide.u32 %wide, %w, 2; add.u64 %place, %line, %wide;");
      line("sub.u64 %place, %place, 8;");
    }
    line(name);
  }

  void begin_rest() {
    rest_ = draw(4);
    if (rest_ == 2) line("mov.u32 %ns, 8;");
    if (rest_) note("sleeps");
  }
  void rest() {
    if (rest_ == 1) line("nanosleep.u32 50;");
    if (rest_ == 2) line("nanosleep.u32 %ns; shl.b32 %ns, %ns, 1; min.u32 %ns, %ns, 512;");
    if (rest_ == 3) line("setp.gt.u32 %q, %x, 3; @%q nanosleep.u32 20;");
    if (chance(8)) {  // other work in between
      const std::string again = label();
      line("mov.u32 %inner, 0;");
      place(again);
      line("add.u32 %inner, %inner, 1; setp.lt.u32 %q, %inner, 5; @%q bra " + again + ";");
    }
  }

  // Loops until `condition`, a setp that sets %p, holds for %x, which `look` reads.
  template <typename Look>
  void until(const std::string& condition, const Look& look) {
    const std::string again = label(), out = label();
    line("mov.u64 %line, %place;");
    begin_rest();
    switch (draw(5)) {
      case 0:  // tested at the end of the loop
        note("do");
        place(again);
        rest();
        look();
        line(condition + " @!%p bra " + again + ";");
        break;
      case 1:  // tested at its beginning
        note("while");
        place(again);
        look();
        line(condition + " @%p bra " + out + ";");
        rest();
        line("bra " + again + ";");
        place(out);
        break;
      case 2:  // with a flag for being done
        note("flag");
        line("setp.ne.u32 %done, %lane, %lane;");
        place(again);
        line("@%done bra " + out + ";");
        look();
        line(condition + " or.pred %done, %done, %p;");
        rest();
        line("bra.uni " + again + ";");
        place(out);
        break;
      case 3:  // with a counter for being done
        note("number");
        line("mov.u32 %goal, 0;");
        place(again);
        look();
        line(condition + " selp.u32 %w, 1, 0, %p; add.u32 %goal, %goal, %w;");
        rest();
        line("setp.lt.u32 %q, %goal, 1; @%q bra " + again + ";");
        break;
      default:  // with a limit on the turns
        note("limit");
        line("mov.u32 %limit, 0;");
        place(again);
        look();
        line(condition + " @%p bra " + out + ";");
        rest();
        line("add.u32 %limit, %limit, 1; setp.lt.u32 %q, %limit, 1000000000; @%q bra " + again +
             ";");
        place(out);
    }
  }

  // [%place] += by, visible to all threads.
  void raise(const std::string& at, unsigned by = 1) {
    static constexpr const char* ways[] = {
        "red.global.add.u32 [", "red.release.gpu.global.add.u32 [", "atom.global.add.u32 %v, ["};
    line("membar.gl;");
    line(ways[draw(3)] + at + "], " + std::to_string(by) + ";");
  }

  // A counter that is only changed under the lock.
  void lock() {
    note("lock");
    const unsigned count = choose();
    const std::string behind = label();
    line("@!%who bra " + behind + ";");
    line("mov.u64 %place, %at;");
    static constexpr const char* takes[] = {"atom.global.cas.b32 %x, [%place], 0, 1;",
                                            "atom.global.exch.b32 %x, [%place], 1;",
                                            "atom.global.or.b32 %x, [%place], 1;",
                                            "atom.global.max.u32 %x, [%place], 1;",
                                            "atom.acquire.gpu.global.cas.b32 %x, [%place], 0, 1;",
                                            "atom.global.inc.u32 %x, [%place], 1000000000;"};
    static constexpr const char* gives[] = {
        "atom.global.exch.b32 %x, [%place], 0;", "st.volatile.global.u32 [%place], 0;",
        "atom.global.and.b32 %x, [%place], 0;", "st.release.gpu.global.u32 [%place], 0;",
        "atom.global.min.u32 %x, [%place], 0;"};
    const unsigned take = draw(6);
    note(takes[take]);
    until("setp.eq.u32 %p, %x, 0;", [&] { line(takes[take]); });
    line("membar.gl; ld.volatile.global.u32 %v, [%mine]; add.u32 %v, %v, 1;");
    line("st.volatile.global.u32 [%mine], %v; membar.gl;");
    line(gives[draw(5)]);
    place(behind);
    shape_.results[phase_] = count * turns_;
  }

  // One lane of each warp releases the others, either beside their loop or after it.
  void flag() {
    note("flag of a warp");
    const unsigned setter = draw(std::min(shape_.threads, 8u));
    const unsigned where = draw(3);
    note("set " + std::to_string(where));
    line("shr.u32 %v, %self, 5; mul.wide.u32 %wide, %v, 4; add.u64 %place, %at, %wide;");
    if (shape_.threads % 32) line("add.u64 %place, %place, 0;");
    line("setp.eq.u32 %who, %lane, " + std::to_string(setter) + ";");
    const std::string set = label(), behind = label();
    const bool beside = where == 1;
    line("@%who bra " + (beside ? set : behind) + ";");
    until("setp.gt.u32 %p, %x, %turn;", [&] { ask(); });
    if (beside) {
      line("bra " + behind + ";");
      place(set);
      raise("%place");
    }
    place(behind);
    if (!beside) {
      const std::string last = label();
      line("setp.ne.u32 %who, %lane, " + std::to_string(setter) + "; @%who bra " + last + ";");
      raise("%place");
      place(last);
    }
    line("red.global.add.u32 [%mine], 1;");
    shape_.results[phase_] = all() * turns_;
  }

  // One thread after the other, in ascending or descending order.
  void in_turn() {
    const bool back = chance(2);
    note(back ? "backwards" : "in turn");
    line("mov.u64 %place, %at;");
    line("mad.lo.u32 %goal, %turn, " + std::to_string(all()) + ", %self;");
    if (back)
      line("mad.lo.u32 %goal, %turn, " + std::to_string(2 * all()) + ", " +
           std::to_string(all() - 1) + "; mad.lo.u32 %w, %turn, " + std::to_string(all()) +
           ", %self; sub.u32 %goal, %goal, %w;");
    line("mov.u32 %inner, %goal;");
    const std::string mine = "%y" + std::to_string(phase_);
    line("{ .reg .b32 " + mine + "; mov.u32 " + mine + ", %goal;");
    until("setp.eq.u32 %p, %x, " + mine + ";", [&] { ask(); });
    line("}");
    line("membar.gl; ld.volatile.global.u32 %v, [%mine]; mad.lo.u32 %v, %v, 3, %self;");
    line("st.volatile.global.u32 [%mine], %v;");
    raise("%place");
    uint32_t sum = 0;
    for (unsigned t = 0; t < turns_; ++t)
      for (unsigned i = 0; i < all(); ++i) sum = sum * 3 + (back ? all() - 1 - i : i);
    shape_.results[phase_] = sum;
  }

  // All participating threads of the grid wait for each other.
  void gathering() {
    note("gathering");
    const unsigned count = choose();
    const std::string behind = label();
    line("mov.u64 %place, %at;");
    line("@!%who bra " + behind + ";");
    raise("%place");
    const std::string goal = "%z" + std::to_string(phase_);
    line("{ .reg .b32 " + goal + "; mad.lo.u32 " + goal + ", %turn, " + std::to_string(count) +
         ", " + std::to_string(count) + ";");
    until("setp.ge.u32 %p, %x, " + goal + ";", [&] { ask(); });
    line("}");
    line("red.global.add.u32 [%mine], 1;");
    place(behind);
    shape_.results[phase_] = count * turns_;
  }

  // Even threads pass numbers to odd ones through one place per pair.
  void hand_over() {
    note("pairs");
    const unsigned times = 1 + draw(3);
    line("shr.u32 %v, %self, 1; mul.wide.u32 %wide, %v, 8; add.u64 %place, %at, %wide;");
    line("and.b32 %v, %self, 1; setp.eq.u32 %who, %v, 1;");
    const std::string again = label(), takes = label(), behind = label();
    const std::string n = "%n" + std::to_string(phase_);
    line("{ .reg .b32 " + n + "; mov.u32 " + n + ", 0;");
    place(again);
    line("@%who bra " + takes + ";");
    until("setp.eq.u32 %p, %x, 0;", [&] { ask(); });
    line("add.u32 %v, " + n + ", 5; membar.gl; st.volatile.global.u32 [%place+4], %v; membar.gl;");
    line("atom.global.exch.b32 %v, [%place], 1;");
    line("bra " + behind + ";");
    place(takes);
    until("setp.eq.u32 %p, %x, 1;", [&] { ask(); });
    line("membar.gl; ld.volatile.global.u32 %v, [%place+4]; red.global.add.u32 [%mine], %v;");
    line("membar.gl; st.volatile.global.u32 [%place], 0;");
    place(behind);
    line("add.u32 " + n + ", " + n + ", 1; setp.lt.u32 %q, " + n + ", " + std::to_string(times) +
         "; @%q bra " + again + "; }");
    uint32_t sum = 0;
    for (unsigned i = 0; i < times; ++i) sum += i + 5;
    shape_.results[phase_] = sum * (all() / 2) * turns_;
  }

  std::mt19937 random_;
  RandomShape shape_;
  std::string text_;
  unsigned labels_ = 0, phase_ = 0, turns_ = 1, rest_ = 0;
};

}  // namespace

RandomShape random_shape(uint32_t seed) { return Writer(seed).write(); }
