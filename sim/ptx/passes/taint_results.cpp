// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/taint_results.hpp"

#include <algorithm>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::ptx {

bool is_packed(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::u16x2 ||
         type == Type::s16x2 || type == Type::f32x2;
}

Operand TaintResults::result_of(const Instruction& i) {
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
      if (o.size() == 4 && o[0].kind == Operand::Kind::reg && (i.has(dot::and_) || i.has(dot::or_)))
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
Operand TaintResults::of_operands(const Instruction& i) {
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

Operand TaintResults::put_together(const Instruction& i) {
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

Operand TaintResults::selected(const Instruction& i) {
  const auto a = taint_of(i.operands[1]), b = taint_of(i.operands[2]),
             which = taint_of(i.operands[3]);
  const Operand one = select(a.value_or(number(0)), b.value_or(number(0)), i.operands[3]);
  return which ? computed(larger(one, *which)) : one;
}

Operand TaintResults::conjunction(const Instruction& i) {
  return decided(i.opcode == Opcode::and_, i.operands[1],
                 taint_of(i.operands[1]).value_or(number(0)), i.operands[2],
                 taint_of(i.operands[2]).value_or(number(0)));
}

// setp p, a, b, c: the comparison, and or or another predicate.
Operand TaintResults::comparison(const Instruction& i) {
  const Operand before = fresh(Type::pred);
  Instruction& compares = add_like(Opcode::setp, i.types, {before, i.operands[1], i.operands[2]});
  for (const Modifier one : i.modifiers)
    if (one != dot::and_ && one != dot::or_) compares.modifiers.push_back(one);
  Instruction alone = i;
  alone.operands.pop_back();
  return decided(i.has(dot::and_), before, of_operands(alone), i.operands[3],
                 taint_of(i.operands[3]).value_or(number(0)));
}

// False and anything is false, true or anything is true.
Operand TaintResults::decided(bool is_and, const Operand& a, const Operand& of_a, const Operand& b,
                              const Operand& of_b) {
  // 0 if it decides the result by itself.
  const auto leaves_open = [&](const Operand& one, const Operand& taint) {
    return is_and ? select(number(1), taint, one) : select(taint, number(1), one);
  };
  const Operand either = computed(larger(of_a, of_b));
  return unless_zero(leaves_open(a, of_a), unless_zero(leaves_open(b, of_b), either));
}

// A number that clears or sets bytes; what is set in a byte counts as all of it.
Operand TaintResults::masked(const Instruction& i) {
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

Operand TaintResults::shifted(const Instruction& i, uint32_t bytes) {
  const uint32_t all = low(size_of(i.type())), left = low(size_of(i.type()) - bytes);
  if (i.opcode == Opcode::shr) return bytes_of(*taint_of(i.operands[1]), left, bytes);
  return bytes_of(*taint_of(i.operands[1]), left & all, 0, bytes);
}

Operand TaintResults::field(const Instruction& i) {
  const uint64_t at = i.operands[2].bits & 0xff, bits = i.operands[3].bits & 0xff;
  const uint64_t end = std::min<uint64_t>(at + bits, 8 * size_of(i.type()));
  if (end <= at) return number(0);
  const auto first = static_cast<uint32_t>(at / 8), last = static_cast<uint32_t>((end - 1) / 8);
  const Operand taint = bytes_of(*taint_of(i.operands[1]), low(last - first + 1), first);
  return at % 8 == 0 && end % 8 == 0 ? taint : computed(taint);
}

// bfi d, a, b, at, bits: the field's bytes in b are set as a whole.
Operand TaintResults::inserted(const Instruction& i) {
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

Operand TaintResults::permuted(const Instruction& i) {
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

}  // namespace cuvette::ptx
