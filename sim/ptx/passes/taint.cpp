// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/taint.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/ptx/abi.hpp"
#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/taint_words.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t none = UINT32_MAX;

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
  return i.opcode == Opcode::shfl || !i.is(needs_lanes | Trait::own | Trait::ends_block);
}

bool is_packed(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::u16x2 ||
         type == Type::s16x2 || type == Type::f32x2;
}

class Follower : private TaintWords {
 public:
  explicit Follower(Body& body) : TaintWords(body), taints_(body.registers.size(), none) {}

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
    writers_.resize(taints_.size());
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
    may_be_moved_.resize(taints_.size());
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

  bool tainted(uint32_t r) const { return r < taints_.size() && taints_[r] != none; }

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
    switch (i.opcode) {
      case Opcode::mov:
      case Opcode::cvta:
      case Opcode::cvt:
      case Opcode::selp:
      case Opcode::shfl:
      case Opcode::and_:
      case Opcode::or_:
      case Opcode::shl:
      case Opcode::shr:
      case Opcode::bfe:
      case Opcode::bfi:
      case Opcode::prmt:
        break;
      default:
        return is_packed(i.type());
    }
    bool any = false;
    for (size_t n = 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        any = any || (part.kind == Operand::Kind::reg && part.index < may_be_moved_.size() &&
                      may_be_moved_[part.index]);
      });
    return any;
  }

  // Nothing, unless it is a register that may be tainted.
  std::optional<Operand> taint_of(const Operand& operand) const {
    if (operand.kind != Operand::Kind::reg || !tainted(operand.index)) return {};
    return register_operand(taints_[operand.index]);
  }

  // --- Around an instruction ---

  void use(const Operand& taint, TaintUse what) {
    add_like(Opcode::taintuse, {Type::b32}, {taint, number(static_cast<uint32_t>(what))});
  }

  // What a load at this place of memory brings.
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
      own.reset();  // it decides whatever it is
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

  // What is in memory decides the result, except where it is merely taken out.
  void ahead_of_atomic(const Instruction& i) {
    const size_t place = i.opcode == Opcode::atom ? 1 : 0;
    for (size_t n = place + 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        if (const auto taint = taint_of(part))
          if (!is_exchange(i)) use(*taint, TaintUse::atomic);
      });
    // Bits are set and cleared one by one where nobody has written before: cooperative groups do
    // so.
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

  template <typename Visit>
  static void each_part(const Operand& operand, const Visit& visit) {
    if (operand.kind != Operand::Kind::vector) return visit(operand);
    for (const Operand& element : operand.elements) visit(element);
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

  Operand result_of(const Instruction& i) {
    const auto& o = i.operands;
    const bool integers =
        std::ranges::all_of(i.types, [](Type t) { return kind_of(t) <= TypeKind::signed_integer; });
    const auto immediate = [&](size_t n) {
      return n < o.size() && o[n].kind == Operand::Kind::immediate;
    };
    switch (i.opcode) {
      case Opcode::mov:
        if (o[1].kind == Operand::Kind::vector) return put_together(i);
        return *taint_of(o[1]);
      case Opcode::cvta:
        return *taint_of(o[1]);
      case Opcode::not_:
        if (i.type() == Type::pred) return *taint_of(o[1]);
        break;
      case Opcode::cvt:
        if (integers && i.types.size() == 2 && !i.has(dot::sat))
          return bytes_of(*taint_of(o[1]), low(std::min(size_of(i.types[0]), size_of(i.types[1]))));
        break;
      case Opcode::selp:
        return selected(i);
      case Opcode::shfl: {
        if (!taint_of(o[1])) return number(0);
        const Operand result = fresh();
        Instruction& same = add_like(Opcode::shfl, i.types, o);
        same.modifiers = i.modifiers;
        same.operands[0] = result;
        same.operands[1] = *taint_of(o[1]);
        return result;
      }
      case Opcode::and_:
      case Opcode::or_:
        return i.type() == Type::pred ? conjunction(i) : masked(i);
      case Opcode::setp:
        if (o.size() == 4 && o[0].kind == Operand::Kind::reg &&
            (i.has(dot::and_) || i.has(dot::or_)))
          return comparison(i);
        break;
      case Opcode::shl:
      case Opcode::shr:
        if (immediate(2) && !taint_of(o[2]) && o[2].bits % 8 == 0 &&
            o[2].bits < 8 * size_of(i.type()))
          return shifted(i, static_cast<uint32_t>(o[2].bits / 8));
        break;
      case Opcode::bfe:
        if (immediate(2) && immediate(3) && taint_of(o[1])) return field(i);
        break;
      case Opcode::bfi:
        return inserted(i);
      case Opcode::prmt:
        if (i.modifiers.empty() && immediate(3)) return permuted(i);
        break;
      default:
        break;
    }
    return of_operands(i);
  }

  // The taint of arithmetic with all its operands.
  Operand of_operands(const Instruction& i) {
    std::optional<Operand> all;
    bool moved = false;  // some of them may be, instead of computed
    for (size_t n = 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        const auto taint = taint_of(part);
        if (!taint) return;
        const bool packed = is_packed(i.type());
        all = !all ? *taint : packed ? joined(*all, *taint) : larger(*all, *taint);
        moved = moved || packed || may_be_moved_[part.index];
      });
    if (!all) return number(0);
    if (!moved) return *all;
    return is_packed(i.type()) ? computed_in_halves(*all, size_of(i.type()) / 2) : computed(*all);
  }

  Operand put_together(const Instruction& i) {
    const auto& parts = i.operands[1].elements;
    const uint32_t bytes = size_of(i.type()) / static_cast<uint32_t>(parts.size());
    std::optional<Operand> all;
    for (size_t n = 0; n < parts.size(); ++n) {
      const auto taint = taint_of(parts[n]);
      if (!taint) continue;
      const Operand part = bytes_of(*taint, low(bytes), 0, static_cast<uint32_t>(n) * bytes);
      all = all ? joined(*all, part) : part;
    }
    return *all;
  }

  Operand selected(const Instruction& i) {
    const auto a = taint_of(i.operands[1]), b = taint_of(i.operands[2]),
               which = taint_of(i.operands[3]);
    const Operand one = select(a.value_or(number(0)), b.value_or(number(0)), i.operands[3]);
    return which ? computed(larger(one, *which)) : one;
  }

  Operand conjunction(const Instruction& i) {
    return decided(i.opcode == Opcode::and_, i.operands[1],
                   taint_of(i.operands[1]).value_or(number(0)), i.operands[2],
                   taint_of(i.operands[2]).value_or(number(0)));
  }

  // setp p, a, b, c: the comparison, and or or another predicate.
  Operand comparison(const Instruction& i) {
    const Operand before = fresh(Type::pred);
    Instruction& compares = add_like(Opcode::setp, i.types, {before, i.operands[1], i.operands[2]});
    for (const Modifier one : i.modifiers)
      if (one != dot::and_ && one != dot::or_) compares.modifiers.push_back(one);
    Instruction alone = i;
    alone.operands.pop_back();
    return decided(i.has(dot::and_), before, of_operands(alone), i.operands[3],
                   taint_of(i.operands[3]).value_or(number(0)));
  }

  // False and anything is false, true or anything is true: whatever the other is.
  Operand decided(bool is_and, const Operand& a, const Operand& of_a, const Operand& b,
                  const Operand& of_b) {
    // 0 if it decides the result by itself.
    const auto leaves_open = [&](const Operand& one, const Operand& taint) {
      return is_and ? select(number(1), taint, one) : select(taint, number(1), one);
    };
    const Operand either = computed(larger(of_a, of_b));
    return unless_zero(leaves_open(a, of_a), unless_zero(leaves_open(b, of_b), either));
  }

  // A number that clears or sets bytes; what is set in a byte counts as all of it.
  Operand masked(const Instruction& i) {
    const bool is_and = i.opcode == Opcode::and_;
    const Operand &a = i.operands[1], &b = i.operands[2];
    if (b.kind == Operand::Kind::immediate && taint_of(a)) {
      uint32_t kept = 0;
      for (uint32_t n = 0; n < size_of(i.type()); ++n) {
        const uint64_t byte = b.bits >> (8 * n) & 0xff;
        if ((byte != 0) == is_and) kept |= 1u << n;
      }
      return bytes_of(*taint_of(a), kept);
    }
    if (!is_and)
      for (const Operand* operand : {&a, &b})
        if (operand->kind == Operand::Kind::reg && writers_[operand->index].count == 1 &&
            writers_[operand->index].clears_field)
          return number(0);
    return of_operands(i);
  }

  Operand shifted(const Instruction& i, uint32_t bytes) {
    const uint32_t all = low(size_of(i.type())), left = low(size_of(i.type()) - bytes);
    if (i.opcode == Opcode::shr) return bytes_of(*taint_of(i.operands[1]), left, bytes);
    return bytes_of(*taint_of(i.operands[1]), left & all, 0, bytes);
  }

  Operand field(const Instruction& i) {
    const uint64_t at = i.operands[2].bits & 0xff, bits = i.operands[3].bits & 0xff;
    const uint64_t end = std::min<uint64_t>(at + bits, 8 * size_of(i.type()));
    if (end <= at) return number(0);
    const auto first = static_cast<uint32_t>(at / 8), last = static_cast<uint32_t>((end - 1) / 8);
    const Operand taint = bytes_of(*taint_of(i.operands[1]), low(last - first + 1), first);
    return at % 8 == 0 && end % 8 == 0 ? taint : computed(taint);
  }

  // bfi d, a, b, at, bits: the field's bytes in b are set as a whole.
  Operand inserted(const Instruction& i) {
    const Operand &at = i.operands[3], &bits = i.operands[4];
    if (at.kind != Operand::Kind::immediate || bits.kind != Operand::Kind::immediate)
      return number(0);
    const uint64_t begin = at.bits & 0xff,
                   end = std::min<uint64_t>(begin + (bits.bits & 0xff), 8 * size_of(i.type()));
    uint32_t field = 0;
    if (end > begin)
      for (uint64_t n = begin / 8; n <= (end - 1) / 8; ++n) field |= 1u << n;
    const auto a = taint_of(i.operands[1]), b = taint_of(i.operands[2]);
    std::optional<Operand> all;
    if (b) all = bytes_of(*b, low(size_of(i.type())) & ~field);
    if (a && field && begin % 8 == 0 && end % 8 == 0) {
      const Operand part = bytes_of(*a, low(static_cast<uint32_t>((end - begin) / 8)), 0,
                                    static_cast<uint32_t>(begin / 8));
      all = all ? joined(*all, part) : part;
    }
    return all.value_or(number(0));
  }

  Operand permuted(const Instruction& i) {
    std::optional<Operand> all;
    for (uint32_t n = 0; n < 4; ++n) {
      const uint32_t from = i.operands[3].bits >> (4 * n) & 7;
      const auto taint = taint_of(i.operands[from < 4 ? 1 : 2]);
      if (!taint) continue;
      const Operand part = bytes_of(*taint, 1, from % 4, n);
      all = all ? joined(*all, part) : part;
    }
    return all.value_or(number(0));
  }

  struct Writers {
    uint32_t count = 0;
    bool clears_field = false;
  };
  std::vector<uint32_t> taints_;  // the register with its taint, of each that may have one
  std::vector<Writers> writers_;
  std::vector<bool> may_be_moved_;  // of tainted registers; others are computed
  Operand copied_;                  // the taint of what a copy moves
};

}  // namespace

void follow_taint(Body& body) { Follower(body).run(); }

}  // namespace cuvette::ptx
