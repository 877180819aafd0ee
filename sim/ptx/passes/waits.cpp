// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/waits.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sim/ptx/passes/loop_view.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {
namespace {

using Kind = Operand::Kind;

bool is_barrier(const Instruction& i) {
  return i.is(Trait::barrier) && !i.predicate && !i.has(dot::warp) && !i.has(dot::arrive);
}

// Returns whether executing an instruction again with the same operands may give another result
// because of what other threads have done.
bool asks(const Instruction& i) {
  if (i.opcode == Opcode::mbarrier) return i.has_any({dot::test_wait, dot::try_wait});
  return i.is(Trait::asks) && !is_private(i);
}

bool is_clock(const Operand& operand) {
  if (operand.kind != Kind::special) return false;
  switch (operand.special) {
    case Special::clock:
    case Special::clock_hi:
    case Special::clock64:
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi:
      return true;
    default:
      return false;
  }
}

class LoopReader : LoopView {
 public:
  LoopReader(const Surroundings& around, const Loop& loop) : LoopView(around, loop) {}

  bool waits() {
    each([&](uint32_t n, const Instruction& i) {
      const bool own = is_own(i);
      if (own && i.opcode == Opcode::ld) own_loads_ = true;
      if (own && i.opcode == Opcode::st) own_stores_.push_back(n);
      if (i.opcode == Opcode::call) calls_.push_back(n);
      if (asks(i) && !own) asking_.push_back(n);
    });
    if (asking_.empty()) return false;
    find_polls();
    if (polls_.empty() && owns_.empty()) return false;
    if (!find_controllers()) return true;
    // As a rule no polled value decides anything.
    find_what_waits();
    if (!a_way_out_waits()) return false;
    find_influence();
    moving_.clear();  // influenced_ adds values that may be zero
    find_what_moves_on();
    waits_ = BitSet();
    block_waits_ = BitSet();
    find_what_waits();
    return a_way_out_waits();
  }

 private:
  bool a_way_out_waits() const {
    for (BlockId b = loop_.first; b <= loop_.last; ++b) {
      const Block& block = flow_.blocks[b];
      const bool leaves = std::ranges::any_of(
          block.successors, [&](BlockId to) { return to == exit_block || !loop_.contains(to); });
      if (leaves && block.successors.size() > 1 && (branch_waits(b) || block_waits_.contains(b)))
        return true;
    }
    return false;
  }

  // Finds, for each block of the loop, whose branches decide whether it runs. Returns false if
  // there are too many to look at.
  bool find_controllers() {
    size_t left = 1'000'000;
    controllers_.resize(loop_.last - loop_.first + 1);
    for (BlockId b = loop_.first; b <= loop_.last; ++b) {
      const Block& block = flow_.blocks[b];
      if (block.successors.size() < 2) continue;
      for (BlockId to : block.successors)
        for (; to != exit_block && to != block.post_dominator && loop_.contains(to);
             to = flow_.blocks[to].post_dominator) {
          std::vector<BlockId>& controllers = controllers_[to - loop_.first];
          if (!controllers.empty() && controllers.back() == b) break;
          if (left-- == 0) return false;
          controllers.push_back(b);
        }
    }
    return true;
  }

  // --- The thread's own memory ---

  // Whether a load of the thread's own memory may find a waiting value; exact addresses are not
  // compared.
  bool own_load_waits(const Instruction& load) const {
    const auto waits = [&](uint32_t r) { return waits_.contains(r); };
    const std::string_view name = load.operands[1].symbol;
    return std::ranges::any_of(own_stores_,
                               [&](uint32_t n) {
                                 return any_read(n, waits) ||
                                        block_waits_.contains(around_.block_of[n]);
                               }) ||
           std::ranges::any_of(calls_, [&](uint32_t n) {
             return std::ranges::any_of(body_.instructions[n].operands, [&](const Operand& o) {
               return std::ranges::any_of(o.elements,
                                          [&](const Operand& one) { return one.symbol == name; });
             });
           });
  }

  // --- Polling ---

  void find_polls() {
    BitSet barriers;
    each([&](uint32_t n, const Instruction& i) {
      if (is_barrier(i)) barriers.insert(around_.block_of[n]);
    });
    const bool together = !can_avoid(barriers);  // each iteration passes a barrier
    for (const uint32_t n : asking_) {
      const Instruction& i = body_.instructions[n];
      if (together && i.opcode == Opcode::ld && i.has(dot::shared) && !may_wait(i) &&
          find_stores(n))
        owns_.push_back(n);
      else if (always_polls(i) || stays(n))
        polls_.push_back(n);
    }
    for (const uint32_t n : polls_)
      for (const uint32_t r : around_.written[n]) polled_.insert(r);
  }

  static bool always_polls(const Instruction& i) {
    return i.opcode == Opcode::atom || i.opcode == Opcode::call || i.opcode == Opcode::mbarrier ||
           may_wait(i);
  }

  // Finds the loop's own stores to the place of a load, which barriers keep in step with the rest
  // of the block.
  bool find_stores(uint32_t load) {
    const Operand& place = body_.instructions[load].operands[1];
    bool found = false;
    each([&](uint32_t n, const Instruction& i) {
      if (i.opcode == Opcode::st && i.has(dot::shared) && same_place(i.operands[0], place)) {
        stores_.emplace_back(load, n);
        found = true;
      }
    });
    return found;
  }

  // Whether a load may read the same place in the next iteration. Definitions in its own block are
  // known to reach it; what a register holds at the block's beginning may come from anywhere in the
  // loop.
  bool stays(uint32_t load) const {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    std::vector<std::pair<uint32_t, uint32_t>>
        work;  // a register, and the instruction that reads it
    BitSet looked_up;
    std::vector<uint32_t> moving;
    const auto add_read = [&](uint32_t n) {
      for (const uint32_t r : around_.read[n])
        if (seen.emplace(r, n).second) work.emplace_back(r, n);
    };
    add_read(load);
    while (!work.empty()) {
      const auto [r, before] = work.back();
      work.pop_back();
      if (made_in_block(r, before, add_read) || looked_up.contains(r)) continue;
      looked_up.insert(r);
      if (carried_.contains(r)) moving.push_back(r);
      any_definition(r, [&](uint32_t n, const Instruction&) {
        add_read(n);
        return false;
      });
    }
    if (moving.empty()) return true;
    // Where several move, as the ends of an interval do, each iteration need only move one of them.
    if (moving.size() == 1) return can_avoid(moving_blocks(moving[0]));
    BitSet blocks;
    for (const uint32_t r : moving)
      any_definition(r, [&](uint32_t n, const Instruction&) {
        blocks.insert(around_.block_of[n]);
        return false;
      });
    return can_avoid(blocks);
  }

  // Returns the blocks of the loop in which `r` surely gets another value than it had at the
  // beginning of the iteration.
  const BitSet& moving_blocks(uint32_t r) const {
    const auto [known, is_new] = moving_.try_emplace(r);
    BitSet& blocks = known->second;
    if (!is_new) return blocks;
    // Registers that may hold that old value.
    BitSet kept;
    kept.insert(r);
    std::vector<uint32_t> work{r};
    while (!work.empty()) {
      const uint32_t one = work.back();
      work.pop_back();
      for (const uint32_t n : around_.uses[one]) {
        if (!inside(n) || !may_keep(body_.instructions[n], kept)) continue;
        for (const uint32_t to : around_.written[n])
          if (!kept.contains(to)) {
            kept.insert(to);
            work.push_back(to);
          }
      }
    }
    any_definition(r, [&](uint32_t n, const Instruction& i) {
      if (!i.predicate && !may_keep(i, kept)) blocks.insert(around_.block_of[n]);
      return false;
    });
    return blocks;
  }

  // Whether `i` may write the unchanged value of a register in `kept`.
  bool may_keep(const Instruction& i, const BitSet& kept) const {
    const auto& o = i.operands;
    if (o.size() < 2 || o[0].kind != Kind::reg) return false;
    const auto is_kept = [&](size_t n) {
      return n < o.size() && o[n].kind == Kind::reg && kept.contains(o[n].index);
    };
    const auto may_be_zero = [&](size_t n) {
      if (n >= o.size()) return false;
      if (o[n].kind != Kind::reg) return o[n].kind == Kind::immediate && o[n].bits == 0;
      return !is_floating(i.type()) &&
             (influenced_.contains(o[n].index) || polled_.contains(o[n].index) ||
              any_definition(o[n].index, [](uint32_t, const Instruction& by) {
                return by.opcode == Opcode::selp || by.opcode == Opcode::set ||
                       by.opcode == Opcode::and_ || by.opcode == Opcode::shr || by.predicate;
              }));
    };
    const Opcode op = i.opcode;
    if (op == Opcode::mov || op == Opcode::cvt) return is_kept(1);
    if (op == Opcode::selp || op == Opcode::slct || op == Opcode::min || op == Opcode::max)
      return is_kept(1) || is_kept(2);
    if (op == Opcode::add || op == Opcode::sub || op == Opcode::or_ || op == Opcode::xor_)
      return (is_kept(1) && may_be_zero(2)) || (is_kept(2) && may_be_zero(1));
    return op == Opcode::mad && is_kept(3) && (may_be_zero(1) || may_be_zero(2));
  }

  // --- What depends on polled values ---

  // Adds to `set`, until nothing changes, the registers written by instructions for which `holds`
  // is true.
  template <typename F>
  void grow(BitSet& set, const F& holds) {
    for (bool changed = true; changed;) {
      changed = false;
      each([&](uint32_t n, const Instruction& i) {
        const std::vector<uint32_t>& written = around_.written[n];
        if (std::ranges::all_of(written, [&](uint32_t r) { return set.contains(r); })) return;
        if (!holds(n, i)) return;
        for (const uint32_t r : written) set.insert(r);
        changed = true;
      });
    }
  }

  void find_influence() {
    grow(influenced_, [&](uint32_t n, const Instruction&) {
      return polls(n) || any_read(n, [&](uint32_t r) { return influenced_.contains(r); });
    });
  }

  bool polls(uint32_t n) const { return std::ranges::binary_search(sorted_polls(), n); }
  const std::vector<uint32_t>& sorted_polls() const {
    if (!sorted_) {
      std::ranges::sort(polls_);
      sorted_ = true;
    }
    return polls_;
  }

  // Finds registers that advance in each iteration, regardless of memory, and values that are
  // computed from them, alone or with others.
  void find_what_moves_on() {
    if (loop_.next_turn.size() == 1)
      carried_.each([&](uint32_t r) {
        if (depends_on_itself(r) && !can_avoid(moving_blocks(r))) moves_on_.insert(r);
      });
    grow(moves_on_, [&](uint32_t n, const Instruction& i) {
      const Opcode op = i.opcode;
      if (op == Opcode::mov && i.operands.size() > 1 && is_clock(i.operands[1])) return true;
      const bool carries = op == Opcode::mov || op == Opcode::cvt || op == Opcode::add ||
                           op == Opcode::sub || op == Opcode::mul || op == Opcode::mad ||
                           op == Opcode::shl || op == Opcode::neg || op == Opcode::cvta ||
                           op == Opcode::addc || op == Opcode::subc || op == Opcode::madc ||
                           (is_floating(i.type()) && op != Opcode::ld && op != Opcode::atom);
      return carries && any_read(n, [&](uint32_t r) { return moves_on_.contains(r); });
    });
  }

  bool branch_waits(BlockId b) const {
    const Block& block = flow_.blocks[b];
    if (!block.has_terminator) return false;
    return any_read(block.end - 1, [&](uint32_t r) { return waits_.contains(r); });
  }

  void find_what_waits() {
    for (bool changed = true; changed;) {
      changed = false;
      grow(waits_, [&](uint32_t n, const Instruction& i) { return polls(n) || is_waiting(n, i); });
      for (BlockId b = loop_.first; b <= loop_.last; ++b) {
        if (block_waits_.contains(b)) continue;
        for (const BlockId by : controllers_[b - loop_.first])
          if (by != b && loop_.contains(by) && (branch_waits(by) || block_waits_.contains(by))) {
            block_waits_.insert(b);
            changed = true;
            break;
          }
      }
    }
  }

  bool is_waiting(uint32_t n, const Instruction& i) const {
    const auto waits = [&](uint32_t r) { return waits_.contains(r); };
    if (i.predicate && waits(*i.predicate)) return true;
    if (block_waits_.contains(around_.block_of[n]) &&
        std::ranges::any_of(around_.written[n], [&](uint32_t r) { return is_conditional(r); }))
      return true;
    for (const auto& [load, store] : stores_)
      if (load == n && (block_waits_.contains(around_.block_of[store]) || any_read(store, waits)))
        return true;
    if (own_loads_ && i.opcode == Opcode::ld && is_own(i) && own_load_waits(i)) return true;
    const bool compares = i.opcode == Opcode::setp || i.opcode == Opcode::set;
    if (compares && i.operands.size() > 3 && i.operands[3].kind == Kind::reg &&
        waits(i.operands[3].index))
      return true;
    if (!any_read(n, waits)) return false;
    if (compares && ends_as_it_rises(i)) return false;
    const bool joins = compares || i.opcode == Opcode::add || i.opcode == Opcode::sub ||
                       i.opcode == Opcode::mul || i.opcode == Opcode::mad || is_floating(i.type());
    return !joins || !any_read(n, [&](uint32_t r) { return moves_on_.contains(r); });
  }

  // --- Tickets: a counter that the loop's own atomic operation moves to the loop's end ---

  // Returns 1 or -1 if `r` rises or falls in each iteration because it stems from such an
  // operation, else 0.
  int direction(uint32_t r, int depth = 0) const {
    if (depth > 8) return 0;
    int found = 0;
    const bool mixed = any_definition(r, [&](uint32_t n, const Instruction& i) {
      if (!waits_.contains(r) && !polled_.contains(r)) return false;
      int one = 0;
      const auto& o = i.operands;
      if (i.opcode == Opcode::atom) {
        one = step_of(n, i);
      } else if (o.size() > 1 && o[1].kind == Kind::reg) {
        if (i.opcode == Opcode::mov || i.opcode == Opcode::cvt || i.opcode == Opcode::shfl ||
            ((i.opcode == Opcode::add || i.opcode == Opcode::shl) && is_constant(o[2])) ||
            ((i.opcode == Opcode::mad || i.opcode == Opcode::mul) && is_constant(o[2]) &&
             static_cast<int64_t>(o[2].bits) > 0)) {
          // Only definitions that stem from the operation count.
          if (!waits_.contains(o[1].index)) return false;
          one = direction(o[1].index, depth + 1);
        }
      } else if (i.opcode == Opcode::mov) {
        return false;
      }
      if (one == 0 || (found != 0 && found != one)) return true;
      found = one;
      return false;
    });
    return mixed ? 0 : found;
  }

  int step_of(uint32_t n, const Instruction& i) const {
    if (i.predicate || is_floating(i.type()) || i.operands.size() < 3) return 0;
    const Operand& by = i.operands[2];
    int step = 0;
    if (i.has(dot::inc)) {
      step = 1;
    } else if (i.has(dot::dec)) {
      step = -1;
    } else if (i.has(dot::add) && by.kind == Kind::immediate && by.bits != 0) {
      const int64_t value =
          size_of(i.type()) == 4 ? static_cast<int32_t>(by.bits) : static_cast<int64_t>(by.bits);
      step = value > 0 ? 1 : -1;
    }
    if (step == 0) return 0;
    // No other atomic operation in the loop may take it back.
    bool alone = true;
    each([&](uint32_t other, const Instruction& one) {
      if (other == n || (one.opcode != Opcode::atom && one.opcode != Opcode::red) ||
          one.operands.empty())
        return;
      const Operand& place = one.operands[one.opcode == Opcode::atom ? 1 : 0];
      if (same_place(place, i.operands[1])) alone = false;
    });
    return alone ? step : 0;
  }

  // Whether `i` is a setp whose branch leaves the loop when such a number has come far enough.
  bool ends_as_it_rises(const Instruction& i) const {
    if (i.operands.size() < 3 || i.operands[0].kind != Kind::reg) return false;
    int side = 0;  // 1: holds for greater numbers, -1: for smaller ones
    if (i.has_any({dot::gt, dot::ge, dot::hi, dot::hs})) side = 1;
    if (i.has_any({dot::lt, dot::le, dot::lo, dot::ls})) side = -1;
    if (side == 0) return false;
    const auto towards = [&](const Operand& number, const Operand& bound) {
      return number.kind == Kind::reg && is_constant(bound) ? direction(number.index) : 0;
    };
    int way = side * towards(i.operands[1], i.operands[2]);
    if (way == 0) way = -side * towards(i.operands[2], i.operands[1]);
    if (way == 0) return false;
    // As the number moves on, the predicate becomes true or false for good: every branch on it must
    // then leave the loop.
    bool used = false, right = true;
    const uint32_t p = i.operands[0].index;
    each([&](uint32_t n, const Instruction& by) {
      if (by.predicate != p && !any_read(n, [&](uint32_t r) { return r == p; })) return;
      if (&by == &i) return;
      const Block& block = flow_.blocks[around_.block_of[n]];
      if (by.opcode != Opcode::bra || by.predicate != p || block.successors.size() != 2) {
        right = false;
        return;
      }
      used = true;
      const bool leaves_if = (way > 0) != by.predicate_negated;
      const BlockId to = block.successors[leaves_if ? 0 : 1];
      if (to != exit_block && loop_.contains(to)) right = false;
    });
    return used && right;
  }

  std::vector<uint32_t> asking_, owns_, own_stores_, calls_;
  bool own_loads_ = false;
  mutable std::vector<uint32_t> polls_;
  mutable bool sorted_ = false;
  std::vector<std::pair<uint32_t, uint32_t>> stores_;  // a load, and a store of what it finds
  BitSet polled_;                                      // registers that are polled
  BitSet influenced_;                                  // and those computed from them
  BitSet moves_on_;                                    // advance in each iteration
  BitSet waits_;  // may stay the same until another thread acts
  BitSet block_waits_;
  std::vector<std::vector<BlockId>> controllers_;
  // moving_blocks()
  mutable std::map<uint32_t, BitSet> moving_;
};

}  // namespace

void find_waits(const Body& body, Flow& flow) {
  if (flow.loops.empty()) return;
  const Surroundings around(body, flow);
  for (Loop& loop : flow.loops) {
    bool strong = false, asking = false;
    for (BlockId b = loop.first; b <= loop.last; ++b)
      for (uint32_t n = flow.blocks[b].first; n < flow.blocks[b].end; ++n) {
        strong |= may_wait(body.instructions[n]);
        asking |= asks(body.instructions[n]);
      }
    loop.waits = asking && LoopReader(around, loop).waits();
    loop.spins = strong || loop.waits;
  }
  // A loop around one that spins or waits does so, too. Inner loops come after outer ones.
  for (size_t l = flow.loops.size(); l-- > 0;) {
    const Loop& inner = flow.loops[l];
    if (inner.outer == no_loop) continue;
    flow.loops[inner.outer].spins |= inner.spins;
    flow.loops[inner.outer].waits |= inner.waits;
  }
}

}  // namespace cuvette::ptx
