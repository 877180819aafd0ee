// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/taint.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/ptx/abi.hpp"
#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/body_builder.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t none = UINT32_MAX;
constexpr uint32_t all_computed = taint_computed | taint_bytes;

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

uint32_t elements_of(const Instruction& i) {
  return i.has(dot::v2) ? 2 : i.has(dot::v4) ? 4 : i.has(dot::v8) ? 8 : 1;
}

uint32_t low(uint32_t bytes) { return (1u << bytes) - 1; }

bool is_packed(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::u16x2 ||
         type == Type::s16x2 || type == Type::f32x2;
}

class Follower : private BodyBuilder {
 public:
  explicit Follower(Body& body) : BodyBuilder(body), taints_(body.registers.size(), none) {}

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
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : body_.instructions) {
        written.clear();
        Flow::written(i, written);
        if (written.empty() || std::ranges::all_of(written, [&](uint32_t r) { return tainted(r); }))
          continue;
        if (!is_load(i) && !is_exchange(i) && !reads_tainted(i)) continue;
        for (const uint32_t r : written) {
          if (tainted(r)) continue;
          taints_[r] = add_register(Type::b32);
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

  // Nothing, unless it is a register that may be tainted.
  std::optional<Operand> taint_of(const Operand& operand) const {
    if (operand.kind != Operand::Kind::reg || !tainted(operand.index)) return {};
    return register_operand(taints_[operand.index]);
  }

  // --- Instructions that are added ---

  Instruction& add_like(Opcode opcode, std::vector<Type> types, std::vector<Operand> operands) {
    Instruction& added = add(*like_, opcode, {}, std::move(types), std::move(operands));
    added.predicate = like_->predicate;
    added.predicate_negated = like_->predicate_negated;
    return added;
  }

  Operand fresh(Type type = Type::b32) { return register_operand(add_register(type)); }

  Operand compute(Opcode opcode, const Operand& a, const Operand& b, Type type = Type::b32) {
    const Operand result = fresh();
    add_like(opcode, {type}, {result, a, b});
    return result;
  }
  Operand larger(const Operand& a, const Operand& b) {
    return compute(Opcode::max, a, b, Type::u32);
  }
  Operand select(const Operand& a, const Operand& b, const Operand& which) {
    const Operand result = fresh();
    add_like(Opcode::selp, {Type::b32}, {result, a, b, which});
    return result;
  }
  static Operand number(uint32_t value) { return number_operand(value); }

  // The taint of what is computed from a value with this taint.
  Operand computed(const Operand& taint) {
    return compute(Opcode::or_, taint,
                   compute(Opcode::min, taint, number(all_computed), Type::u32));
  }

  // The taint of two values together.
  Operand joined(const Operand& a, const Operand& b) {
    const Operand which = compute(Opcode::and_, compute(Opcode::or_, a, b), number(all_computed));
    return compute(Opcode::or_, which, compute(Opcode::and_, larger(a, b), number(~all_computed)));
  }

  // Keeps the bytes in `mask`, and moves them up; nothing is left if none is tainted.
  Operand bytes_of(const Operand& taint, uint32_t mask, uint32_t down = 0, uint32_t up = 0) {
    Operand bytes = taint;
    if (down) bytes = compute(Opcode::shr, bytes, number(down), Type::u32);
    bytes = compute(Opcode::and_, bytes, number(mask));
    if (up) bytes = compute(Opcode::shl, bytes, number(up));
    const Operand rest = compute(Opcode::and_, taint, number(~taint_bytes));
    const Operand any = fresh(Type::pred);
    add_like(Opcode::setp, {Type::u32}, {any, bytes, number(0)}).modifiers = {dot::ne};
    return select(compute(Opcode::or_, bytes, rest), number(0), any);
  }

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

  // --- Around an instruction ---

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
        if (o.size() == 4 && (i.has(dot::and_) || i.has(dot::or_)) && !taint_of(o[3])) {
          const Operand taint = of_operands(i);
          return i.has(dot::and_) ? select(taint, number(0), o[3]) : select(number(0), taint, o[3]);
        }
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
    for (size_t n = 1; n < i.operands.size(); ++n)
      each_part(i.operands[n], [&](const Operand& part) {
        if (const auto taint = taint_of(part)) all = all ? joined(*all, *taint) : *taint;
      });
    if (!all) return number(0);
    return is_packed(i.type()) ? in_halves(*all, size_of(i.type()) / 2) : computed(*all);
  }

  // Of two numbers in a register one may be padding, so the result counts as moved.
  Operand in_halves(const Operand& taint, uint32_t bytes) {
    const auto half = [&](uint32_t mask) {
      const Operand any = fresh(Type::pred);
      add_like(Opcode::setp, {Type::u32},
               {any, compute(Opcode::and_, taint, number(mask)), number(0)})
          .modifiers = {dot::ne};
      return select(number(mask), number(0), any);
    };
    const Operand rest = compute(Opcode::and_, taint, number(~taint_bytes));
    return compute(Opcode::or_, rest,
                   compute(Opcode::or_, half(low(bytes)), half(low(bytes) << bytes)));
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

  // Of predicates: false and anything is false, true or anything is true.
  Operand conjunction(const Instruction& i) {
    const auto a = taint_of(i.operands[1]), b = taint_of(i.operands[2]);
    const Operand taint = of_operands(i);
    if (a && b) return taint;
    const Operand& other = i.operands[a ? 2 : 1];
    return i.opcode == Opcode::and_ ? select(taint, number(0), other)
                                    : select(number(0), taint, other);
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
  const Instruction* like_ = nullptr;  // what instructions are added for
  Operand copied_;                     // the taint of what a copy moves
};

}  // namespace

void follow_taint(Body& body) { Follower(body).run(); }

}  // namespace cuvette::ptx
