// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/taint.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/taint_results.hpp"

namespace cuvette::ptx {
namespace {

bool is_of_parameters(const Instruction& i) {
  return i.has(dot::param) || i.has(dot::param_entry) || i.has(dot::param_func);
}

// Loads from memory that might not have been written.
bool is_load(const Instruction& i) {
  return (i.opcode == Opcode::ld || i.opcode == Opcode::ldu) && !is_of_parameters(i) &&
         !i.has(dot::const_) && size_of(i.type()) <= 8;
}

bool is_atomic(const Instruction& i) {
  return (i.opcode == Opcode::atom || i.opcode == Opcode::red) && !i.has(dot::async) &&
         size_of(i.type()) <= 8;
}

bool is_exchange(const Instruction& i) { return i.opcode == Opcode::atom && i.has(dot::exch); }

// Whether its results are made of its operands, lane by lane.
bool is_computation(const Instruction& i) {
  return i.opcode == Opcode::shfl || i.opcode == Opcode::ownlocal ||
         !i.is(needs_lanes | Trait::own | Trait::ends_block);
}

class Follower : private TaintResults {
 public:
  explicit Follower(Body& body) : TaintResults(body) {}

  void run() {
    find_tainted();
    remake_all([&](const Instruction& one) {
      like_ = &one;
      ahead_of(one);
      body_.instructions.push_back(one);
      if (one.opcode == Opcode::st) behind_store(one);
      if (one.opcode == Opcode::cp) behind_copy(one);
    });
  }

 private:
  // --- Which registers may be tainted ---

  void find_tainted() {
    std::vector<uint32_t> written;
    for (const Instruction& i : body_.instructions) {
      written.clear();
      Flow::written(i, written);
      for (const uint32_t r : written) {
        writers_[r].count += 1;
        // An `and` with a number clears a field of bits, which an `or` then sets.
        writers_[r].clears_field =
            i.opcode == Opcode::and_ && i.operands[2].kind == Operand::Kind::immediate;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : body_.instructions) {
        written.clear();
        Flow::written(i, written);
        if (written.empty()) continue;
        const bool from_memory = is_load(i) || is_exchange(i);
        if (!from_memory && !reads_tainted(i)) continue;
        const bool moves = from_memory || may_move(i);
        for (const uint32_t r : written) {
          if (!tainted(r)) {
            taints_[r] = add_register(Type::b32);
            changed = true;
          }
          if (!moves || may_be_moved_[r]) continue;
          may_be_moved_[r] = true;
          changed = true;
        }
      }
    }
  }

  bool reads_tainted(const Instruction& i) const {
    if (!is_computation(i)) return false;
    bool any = false;
    for (size_t n = 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        any = any || (part.kind == Operand::Kind::reg && tainted(part.index));
      });
    return any;
  }

  // Whether its result may hold bytes as they were in memory.
  bool may_move(const Instruction& i) const {
    if (!i.is(Trait::moves_bytes)) return is_packed(i.type());
    bool any = false;
    for (size_t n = 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        any = any || (part.kind == Operand::Kind::reg && part.index < may_be_moved_.size() &&
                      may_be_moved_[part.index]);
      });
    return any;
  }

  // --- Around an instruction ---

  void use(const Operand& taint, TaintUse what) {
    add_like(Opcode::taintuse, {Type::b32}, {taint, number(static_cast<uint32_t>(what))});
  }

  // The taint that a load from this place of memory brings.
  Operand taint_in_memory(const Instruction& i, const Operand& address) {
    const uint32_t count = elements_of(i);
    Operand to;
    if (count == 1) {
      to = fresh();
    } else {
      to.kind = Operand::Kind::vector;
      for (uint32_t n = 0; n < count; ++n) to.elements.push_back(fresh());
    }
    add_like(Opcode::taintld, i.types, {to, address}).modifiers = i.modifiers;
    return to;
  }

  void ahead_of(const Instruction& i) {
    if (i.predicate && tainted(*i.predicate)) {
      use(register_operand(taints_[*i.predicate]), TaintUse::branch);
      std::optional<uint32_t>& own = body_.instructions.back().predicate;
      own.reset();  // it decides, whatever its value
    }
    if (i.opcode == Opcode::brx)
      if (const auto taint = taint_of(i.operands[0])) use(*taint, TaintUse::branch);
    if (i.is(needs_lanes))
      for (const Operand& operand : i.operands)
        if (operand.kind == Operand::Kind::address && operand.has_base && !operand.base_is_symbol &&
            tainted(operand.index))
          use(register_operand(taints_[operand.index]), TaintUse::address);
    if (is_atomic(i)) return ahead_of_atomic(i);
    if (i.opcode == Opcode::cp) return ahead_of_copy(i);
    set_results(i);
  }

  // The content of memory decides the result, except where it is merely taken out.
  void ahead_of_atomic(const Instruction& i) {
    const size_t place = i.opcode == Opcode::atom ? 1 : 0;
    for (size_t n = place + 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        if (const auto taint = taint_of(part))
          if (!is_exchange(i)) use(*taint, TaintUse::atomic);
      });
    // Bits are set and cleared one by one in uninitialised memory: cooperative groups do so.
    if (i.has_any({dot::and_, dot::or_})) return i.opcode == Opcode::atom ? clear(i) : void();
    const Operand taint = taint_in_memory(i, i.operands[place]);
    if (is_exchange(i)) return assign(i.operands[0], taint);
    each_part(taint, [&](const Operand& part) { use(part, TaintUse::atomic); });
    if (i.opcode == Opcode::atom) clear(i);
  }

  // cp.async moves 4, 8 or 16 bytes; where it may fill up with zeros, it counts as having done so.
  static std::optional<Instruction> copy_of(const Instruction& i, Modifier space) {
    const auto is = [&](size_t n, uint64_t bytes) {
      return i.operands[n].kind == Operand::Kind::immediate && i.operands[n].bits == bytes;
    };
    if (!i.has(dot::async) || i.has(dot::bulk) || i.has(dot::mbarrier) || i.operands.size() < 3 ||
        i.operands[2].kind != Operand::Kind::immediate)
      return {};
    const size_t plain = i.has(dot::L2_cache_hint) ? 4 : 3;
    if (i.operands.size() > plain && !is(3, i.operands[2].bits)) return {};
    const uint64_t words = i.operands[2].bits / 4;
    if (words != 1 && words != 2 && words != 4) return {};
    Instruction access = i;
    access.types = {Type::b32};
    access.modifiers = {space};
    if (words > 1) access.modifiers.push_back(words == 2 ? dot::v2 : dot::v4);
    return access;
  }

  void ahead_of_copy(const Instruction& i) {
    if (const auto from = copy_of(i, dot::global)) copied_ = taint_in_memory(*from, i.operands[1]);
  }
  // The copy counts as a write of all its bytes.
  void behind_copy(const Instruction& i) {
    if (const auto to = copy_of(i, dot::shared))
      add_like(Opcode::taintst, to->types, {i.operands[0], copied_}).modifiers = to->modifiers;
  }

  void behind_store(const Instruction& i) {
    if (is_of_parameters(i) || size_of(i.type()) > 8) return;
    bool any = false;
    Operand taints;
    taints.kind = Operand::Kind::vector;
    each_part(i.operands[1], [&](const Operand& part) {
      const auto taint = taint_of(part);
      any = any || taint;
      taints.elements.push_back(taint.value_or(number(0)));
    });
    if (!any) return;
    if (taints.elements.size() == 1) taints = Operand(taints.elements[0]);
    add_like(Opcode::taintst, i.types, {i.operands[0], taints}).modifiers = i.modifiers;
  }

  // --- Results ---

  void assign_one(const Operand& to, const Operand& taint) {
    if (const auto own = taint_of(to)) add_like(Opcode::mov, {Type::b32}, {*own, taint});
  }
  // Each element its own, or the same for all.
  void assign(const Operand& to, const Operand& taint) {
    if (to.kind != Operand::Kind::vector) return assign_one(to, taint);
    for (size_t n = 0; n < to.elements.size(); ++n)
      assign_one(to.elements[n], taint.kind == Operand::Kind::vector ? taint.elements[n] : taint);
  }
  void clear(const Instruction& i) {
    std::vector<uint32_t> written;
    Flow::written(i, written);
    for (const uint32_t r : written) assign_one(register_operand(r), number(0));
  }

  void set_results(const Instruction& i) {
    std::vector<uint32_t> written;
    Flow::written(i, written);
    if (std::ranges::none_of(written, [&](uint32_t r) { return tainted(r); })) return;
    if (is_load(i)) return assign(i.operands[0], taint_in_memory(i, i.operands[1]));
    if (!reads_tainted(i)) return clear(i);
    if (i.opcode == Opcode::mov && i.operands[0].kind == Operand::Kind::vector)
      return take_apart(i);
    assign(i.operands[0], result_of(i));
    if (i.opcode == Opcode::shfl && i.operands[0].kind == Operand::Kind::vector)
      assign_one(i.operands[0].elements[1], number(0));
  }

  void take_apart(const Instruction& i) {
    const auto taint = taint_of(i.operands[1]);
    const auto& parts = i.operands[0].elements;
    const uint32_t bytes = size_of(i.type()) / static_cast<uint32_t>(parts.size());
    for (size_t n = 0; n < parts.size(); ++n)
      if (taint_of(parts[n]))
        assign_one(parts[n], bytes_of(*taint, low(bytes), static_cast<uint32_t>(n) * bytes));
  }

  Operand copied_;  // the taint of what a copy moves
};

}  // namespace

void follow_taint(Body& body) { Follower(body).run(); }

}  // namespace cuvette::ptx
