// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_forms.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "sim/ptx/syntax/video.hpp"

namespace cuvette::ptx {
namespace {

using Kind = Operand::Kind;
using Modifiers = std::initializer_list<Modifier>;

size_t count_of(const Instruction& i, Modifiers modifiers) {
  return static_cast<size_t>(
      std::count_if(modifiers.begin(), modifiers.end(), [&](Modifier one) { return i.has(one); }));
}

bool is_list(const Operand& operand) { return operand.kind == Kind::vector; }
size_t length_of(const Operand& operand) { return is_list(operand) ? operand.elements.size() : 1; }

// Constraints on operands that operands.def leaves open.
class Operands {
 public:
  Operands(const Instruction& instruction, const Body& body)
      : operands_(instruction.operands), body_(body) {}

  size_t count() const { return operands_.size(); }
  bool writes(size_t n, uint32_t bytes) const {
    return n < count() && (operands_[n].kind == Kind::sink || is_register(operands_[n], bytes));
  }
  bool writes_predicate(size_t n) const {
    return n < count() && (operands_[n].kind == Kind::sink || is_predicate(operands_[n]));
  }
  bool reads(size_t n, uint32_t bytes) const { return n < count() && reads(operands_[n], bytes); }
  bool reads(const Operand& operand, uint32_t bytes) const {
    return is_register(operand, bytes) || operand.kind == Kind::special ||
           (operand.kind == Kind::immediate && !operand.floating);
  }
  bool reads_predicate(size_t n) const {
    return n < count() && (is_predicate(operands_[n]) || operands_[n].kind == Kind::immediate);
  }
  bool is_address(size_t n) const { return n < count() && operands_[n].kind == Kind::address; }
  // A register, or several in braces; `sinks`: those that are not wanted may be left out.
  bool is_list(size_t n, uint32_t bytes, bool sinks) const {
    const auto one = [&](const Operand& operand) {
      return is_register(operand, bytes) || (sinks && operand.kind == Kind::sink);
    };
    if (n >= count()) return false;
    const Operand& list = operands_[n];
    return list.kind == Kind::vector ? std::all_of(list.elements.begin(), list.elements.end(), one)
                                     : one(list);
  }

 private:
  bool is_register(const Operand& operand, uint32_t bytes) const {
    if (operand.kind != Kind::reg || operand.negated || !operand.part.empty()) return false;
    const Type type = body_.registers[operand.index].type;
    return type != Type::pred && size_of(type) == bytes;
  }
  bool is_predicate(const Operand& operand) const {
    return operand.kind == Kind::reg && body_.registers[operand.index].type == Type::pred;
  }

  const std::vector<Operand>& operands_;
  const Body& body_;
};

constexpr const char* wrong_operands = "these are not the operands that it takes";

// --- Numbers ---

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::e4m3x2 ||
         type == Type::e5m2x2;
}
bool is_small(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
}
// The types that cvt accepts as floating-point and as whole numbers.
bool has_point(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}
bool is_whole(Type type) {
  return kind_of(type) == TypeKind::unsigned_integer || kind_of(type) == TypeKind::signed_integer;
}

std::string check_cvt_pack(const Instruction& i) {
  const bool bytes = i.types.size() == 3;
  if (i.types.size() < 2 || i.types[1] != Type::s32 || !i.has(dot::sat) ||
      !is_integer(i.types[0]) || size_of(i.types[0]) != (bytes ? 1 : 2) ||
      i.operands.size() != i.types.size() + 1)
    return "there is no such form of cvt.pack";
  return {};
}

// Measured with ptxas. Between bf16 and 8 bits it wants a register of 8 bits.
std::string check_cvt(const Instruction& i, const Body& body) {
  const auto in_byte = [&](const Operand& operand) {
    return operand.kind == Kind::reg && size_of(body.registers[operand.index].type) == 1;
  };
  if (i.has(dot::pack)) return check_cvt_pack(i);
  if (i.types.size() != 2) return "two types are required";
  if (i.has(dot::rs)) return "random rounding is not implemented";
  const Type to = i.types[0], from = i.types[1];
  if (is_pair(to) || is_pair(from)) {
    const bool joins = from == Type::f32 && is_pair(to);
    if (!joins && !(is_pair(to) && is_pair(from))) return "there is no such conversion";
    return i.operands.size() == (joins ? 3 : 2) ? "" : "the number of operands is wrong";
  }
  if (i.operands.size() != 2) return "the number of operands is wrong";
  const bool to_nearby = i.has_any({dot::rn, dot::rz, dot::rm, dot::rp, dot::rna});
  const bool to_whole = i.has_any({dot::rni, dot::rzi, dot::rmi, dot::rpi});
  if (count_of(i, {dot::rn, dot::rz, dot::rm, dot::rp, dot::rna, dot::rni, dot::rzi, dot::rmi,
                   dot::rpi}) > 1)
    return "it names two rounding modes";
  if (is_whole(to) && is_whole(from)) {
    if (to_nearby || to_whole) return "whole numbers are not rounded";
  } else if (is_whole(to) && has_point(from)) {
    if (!to_whole) return "a rounding mode is missing: .rni, .rzi, .rmi or .rpi";
    if (from == Type::bf16 && size_of(to) == 1 && !in_byte(i.operands[0])) return wrong_operands;
  } else if (has_point(to) && is_whole(from)) {
    if (!to_nearby) return "a rounding mode is missing: .rn, .rz, .rm or .rp";
    if (to == Type::bf16 && size_of(from) == 1 && !in_byte(i.operands[1])) return wrong_operands;
  } else if (has_point(to) && has_point(from)) {
    if (size_of(to) < size_of(from) && !to_nearby)
      return "a rounding mode is missing: .rn, .rz, .rm or .rp";
    if (size_of(to) > size_of(from) && (to_whole || (to_nearby && from != Type::bf16)))
      return "nothing is rounded here";
    if (to == from && to_nearby) return "nothing is rounded here";
  }
  return {};
}

std::string check_small(const Instruction& i) {
  if (i.types.size() > 1) return "operands of different widths are not implemented";
  if (is_small(i.type()) && i.has_any({dot::oob, dot::rz, dot::rm, dot::rp}))
    return "this is not implemented for numbers of 16 bits";
  return {};
}

std::string check_comparison(const Instruction& i) {
  const Type type = i.type();
  const bool floating = is_floating(type), sets = i.opcode == Opcode::set;
  const size_t common = count_of(i, {dot::eq, dot::ne, dot::lt, dot::le, dot::gt, dot::ge});
  const size_t whole = count_of(i, {dot::lo, dot::ls, dot::hi, dot::hs});
  const size_t unordered =
      count_of(i, {dot::equ, dot::neu, dot::ltu, dot::leu, dot::gtu, dot::geu, dot::num, dot::nan});
  if (common + whole + unordered != 1 || (floating ? whole : unordered) > 0)
    return "it does not say how to compare numbers of this type";
  const size_t combinations = count_of(i, {dot::and_, dot::or_, dot::xor_});
  if (combinations > 1 || (combinations == 1) != (i.operands.size() == 4))
    return "a predicate is taken with .and, .or or .xor, and only then";
  if (sets && i.types.size() != 2) return "two types are required";
  if (sets) return {};
  const bool both = size_of(type) == 4 && is_small(type);
  if (is_small(type) && both != is_list(i.operands[0]))
    return "a predicate for each number is required";
  return {};
}

std::string check_lop3(const Instruction& i) {
  const size_t combines = count_of(i, {dot::and_, dot::or_});
  const bool pair = is_list(i.operands[0]);
  if (combines > 1 || (combines == 1) != pair || pair != (i.operands.size() == 6))
    return "a second result is written with .and or .or, and only then";
  return {};
}

// --- Video ---

std::string check_video(const Instruction& i) {
  const VideoForm form = video_form(i.opcode);
  const bool several = form.count > 1, compares = form.operation == VideoOperation::set;
  if (i.types.size() != (compares ? 2 : 3)) return "the number of types is wrong";
  if (compares && count_of(i, {dot::eq, dot::ne, dot::lt, dot::le, dot::gt, dot::ge}) != 1)
    return "it does not say how to compare";
  if (several) return {};
  if (i.opcode == Opcode::vmad) {
    if (count_of(i, {dot::shr7, dot::shr15}) > 1) return "it names two shifts";
    const bool factor = i.operands[1].negated || i.operands[2].negated;
    if (factor && i.operands[3].negated) return "a factor and the addend cannot both be negated";
    if (i.has(dot::po) && (factor || i.operands[3].negated))
      return "with .po nothing can be negated";
    return {};
  }
  if ((i.opcode == Opcode::vshl || i.opcode == Opcode::vshr) &&
      count_of(i, {dot::clamp, dot::wrap}) != 1)
    return ".clamp or .wrap is missing";
  const size_t second = count_of(i, {dot::add, dot::min, dot::max});
  const bool inserts = !i.operands[0].part.empty();
  if (second + inserts > 1) return "it names two operations for the last operand";
  if (second + inserts != (i.operands.size() == 4))
    return "the last operand and its operation come together";
  return {};
}

// --- Memory ---

std::string check_access(const Instruction& i) {
  const TypeKind kind = kind_of(i.type());
  if (kind == TypeKind::predicate || kind == TypeKind::opaque)
    return "nothing in memory is of this type";
  if (size_of(i.type()) > 8) return "accesses of 128 bits are not implemented";
  return {};
}

std::string check_atomic(const Instruction& i) {
  if (i.has(dot::async)) return "this is for clusters of several blocks: it is not implemented";
  if (count_of(i, {dot::add, dot::and_, dot::or_, dot::xor_, dot::cas, dot::exch, dot::inc,
                   dot::dec, dot::min, dot::max}) != 1)
    return "it does not say what to do";
  const bool returns = i.opcode == Opcode::atom;
  if (returns && length_of(i.operands[0]) != length_of(i.operands[2]) &&
      i.operands[0].kind != Kind::sink)
    return "these vectors are of different lengths";
  return {};
}

std::string check_copy(const Instruction& i, const Operands& operands) {
  const size_t count = operands.count();
  if (i.has_any({dot::commit_group, dot::wait_all})) return count == 0 ? "" : wrong_operands;
  if (i.has(dot::wait_group)) return count == 1 && operands.reads(0, 4) ? "" : wrong_operands;
  if (i.has(dot::bulk)) {
    const bool counted = i.has(dot::mbarrier_complete_tx_bytes);
    if (!counted && !i.has(dot::bulk_group))
      return "it does not say how its completion is signalled";
    if (!operands.is_address(0) || !operands.is_address(1) || !operands.reads(2, 4) ||
        (counted && !operands.is_address(3)))
      return wrong_operands;
    if (!i.has(dot::global) || !i.has_any({dot::shared_cluster, dot::shared_cta}))
      return "copies between the blocks of a cluster are not implemented";
    return {};
  }
  if (i.has(dot::mbarrier)) return count == 1 && operands.is_address(0) ? "" : wrong_operands;
  if (!operands.is_address(0) || !operands.is_address(1) || count < 3) return wrong_operands;
  const Operand& size = i.operands[2];
  if (size.kind != Kind::immediate || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    return "a copy is of 4, 8 or 16 bytes";
  const size_t hint = i.has(dot::L2_cache_hint);
  if (count > 4 + hint || count < 3 + hint || (count == 4 + hint && !operands.reads(3, 4)) ||
      (hint && !operands.reads(count - 1, 8)))
    return wrong_operands;
  return {};
}

std::string check_mbarrier(const Instruction& i, const Operands& operands) {
  const size_t count = operands.count();
  const auto when = [](bool right) { return std::string(right ? "" : wrong_operands); };
  if (!i.types.empty() && i.type() != Type::b64) return "an mbarrier has 64 bits";
  if (i.has(dot::pending_count))
    return when(count == 2 && operands.writes(0, 4) && operands.reads(1, 8));
  if (i.has(dot::inval)) return when(count == 1 && operands.is_address(0));
  if (i.has_any({dot::test_wait, dot::try_wait}))
    return when(operands.writes_predicate(0) && operands.is_address(1) &&
                operands.reads(2, i.has(dot::parity) ? 4 : 8) &&
                (count == 3 || (count == 4 && i.has(dot::try_wait) && operands.reads(3, 4))));
  if (i.has_any({dot::arrive, dot::arrive_drop})) {
    const size_t at = operands.is_address(0) ? 0 : 1;
    return when((at == 0 || operands.writes(0, 8)) && operands.is_address(at) &&
                (count == at + 1 || (count == at + 2 && operands.reads(at + 1, 4))));
  }
  if (i.has_any({dot::init, dot::expect_tx, dot::complete_tx}))
    return when(count == 2 && operands.is_address(0) && operands.reads(1, 4));
  return "it does not say what to do";
}

std::string check_barrier(const Instruction& i, const Operands& operands) {
  const size_t count = operands.count();
  const auto when = [](bool right) { return std::string(right ? "" : wrong_operands); };
  if (i.has(dot::cluster)) return when(count == 0);
  if (i.has(dot::warp)) return when(count == 1 && operands.reads(0, 4));
  if (i.has(dot::red)) {
    const bool counts = i.has(dot::popc);
    if (count_of(i, {dot::popc, dot::and_, dot::or_}) != 1) return "it does not say what to count";
    return when((counts ? operands.writes(0, 4) : operands.writes_predicate(0)) &&
                operands.reads(1, 4) && (count == 3 || (count == 4 && operands.reads(2, 4))) &&
                operands.reads_predicate(count - 1));
  }
  const bool arrives = i.has(dot::arrive);
  if (i.has_any({dot::popc, dot::and_, dot::or_})) return "this is for .red";
  return when(operands.reads(0, 4) && (count == 1 ? !arrives : count == 2 && operands.reads(1, 4)));
}

std::string check_vote(const Instruction& i, const Operands& operands) {
  if (count_of(i, {dot::all, dot::any, dot::uni, dot::ballot}) != 1)
    return "it does not say what to vote";
  const bool right = i.has(dot::ballot) ? operands.writes(0, 4) : operands.writes_predicate(0);
  return right ? "" : wrong_operands;
}

// --- Matrices ---

// Returns how many 32-bit words of a matrix of so many elements a lane holds; an f64 counts as one.
uint32_t registers_of(uint32_t elements, Type type) {
  const uint32_t bits = type == Type::f64                      ? 32
                        : type == Type::b1                     ? 1
                        : type == Type::s4 || type == Type::u4 ? 4
                                                               : 8 * size_of(type);
  return elements * bits / (32 * 32);
}

std::string check_product(const Instruction& i, const Operands& operands) {
  const std::optional<Extent> x = extent_of(i);
  if (!x) return "the shape of the matrices is missing";
  const bool wmma = i.opcode == Opcode::wmma;
  if (i.operands.size() != 4) return "four operands are required";
  Type d = Type::f32, a = Type::f16, b = Type::f16, c = Type::f32;
  if (i.types.size() == 4)
    d = i.types[0], a = i.types[1], b = i.types[2], c = i.types[3];
  else if (wmma && i.types.size() == 2)
    d = i.types[0], c = i.types[1];
  else
    return "the number of types is wrong";
  struct Kind {
    std::initializer_list<Type> factors, sums;
    std::initializer_list<Extent> mma, wmma;
  };
  static const Kind kinds[] = {
      {{Type::f16},
       {Type::f16, Type::f32},
       {{8, 8, 4}, {16, 8, 8}, {16, 8, 16}},
       {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
      {{Type::bf16},
       {Type::f32},
       {{16, 8, 8}, {16, 8, 16}},
       {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
      {{Type::tf32}, {Type::f32}, {{16, 8, 4}, {16, 8, 8}}, {{16, 16, 8}}},
      {{Type::e4m3, Type::e5m2}, {Type::f16, Type::f32}, {{16, 8, 16}, {16, 8, 32}}, {}},
      {{Type::f64}, {Type::f64}, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}, {{8, 8, 4}}},
      {{Type::s8, Type::u8},
       {Type::s32},
       {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}},
       {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
      {{Type::s4, Type::u4}, {Type::s32}, {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}, {{8, 8, 32}}},
      {{Type::b1}, {Type::s32}, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}, {{8, 8, 128}}}};
  const auto has = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  const auto known = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& kind) {
    return has(kind.factors, a) && has(kind.factors, b) && has(kind.sums, c) && has(kind.sums, d) &&
           has(wmma ? kind.wmma : kind.mma, *x);
  });
  if (known == std::end(kinds)) return "there is no product of such matrices";
  if ((a == Type::b1) != (count_of(i, {dot::xor_, dot::and_}) == 1))
    return "for bits it must say how they are combined";
  const bool quads = !wmma && *x == Extent{8, 8, 4} && a == Type::f16;
  if (!wmma && !quads && (!i.has(dot::row) || !i.has(dot::col)))
    return "the layouts are .row and .col";
  // Lanes of m8n8k4 hold parts of four products.
  const uint32_t products = quads ? 4 : 1;
  const uint32_t wanted[] = {
      registers_of(products * x->m * x->n, d), registers_of(products * x->m * x->k, a),
      registers_of(products * x->k * x->n, b), registers_of(products * x->m * x->n, c)};
  for (size_t n = 0; n < 4; ++n) {
    const size_t given = length_of(i.operands[n]);
    const bool spare = wmma && n > 0;  // fragments may have copies after the needed part
    if (spare ? given < wanted[n] : given != wanted[n])
      return "operand " + std::to_string(n + 1) +
             " has another number of registers: " + std::to_string(wanted[n]) + " are required";
  }
  return {};
}

std::string check_fragment(const Instruction& i, const Operands& operands) {
  const auto x = extent_of(i);
  const Type type = i.type();
  const bool fours = type == Type::s4 || type == Type::u4, ones = type == Type::b1;
  const char matrix = i.has(dot::a) ? 'a' : i.has(dot::b) ? 'b' : 'c';
  const bool sums =
      type == Type::f32 || type == Type::f64 || type == Type::s32 || type == Type::f16;
  const bool factors = type == Type::f16 || type == Type::bf16 || type == Type::tf32 ||
                       type == Type::f64 || type == Type::s8 || type == Type::u8 || fours || ones;
  if (!x || !(matrix == 'c' ? sums : factors) || count_of(i, {dot::row, dot::col}) != 1)
    return "there is no such fragment";
  if ((fours || ones) && matrix != 'c' && i.has(matrix == 'b' ? dot::row : dot::col))
    return "such matrices have another layout";
  const bool loads = i.has(dot::load);
  const size_t count = operands.count(), list = loads ? 0 : 1;
  if (count_of(i, {dot::load, dot::store}) != 1 || !operands.is_address(1 - list) ||
      !operands.is_list(list, type == Type::f64 ? 8 : 4, loads) || count > 3 ||
      (count == 3 && !operands.reads(2, 4)))
    return wrong_operands;
  const uint32_t elements = matrix == 'a' ? x->m * x->k : matrix == 'b' ? x->k * x->n : x->m * x->n;
  if (length_of(i.operands[list]) < registers_of(elements, type) ||
      registers_of(elements, type) == 0)
    return "these are too few registers";
  return {};
}

std::string check_rows(const Instruction& i, const Operands& operands) {
  const Operand& list = i.operands[i.opcode == Opcode::ldmatrix ? 0 : 1];
  const size_t count = i.has(dot::x4) ? 4 : i.has(dot::x2) ? 2 : 1;
  if (i.type() != Type::b16) return "matrices have elements of 16 bits";
  if (count_of(i, {dot::x1, dot::x2, dot::x4}) != 1 || length_of(list) != count)
    return "the number of matrices differs from the number of registers";
  const bool loads = i.opcode == Opcode::ldmatrix;
  return operands.is_list(loads ? 0 : 1, 4, loads) ? "" : wrong_operands;
}

// --- Textures ---

size_t vector_length(const Instruction& i) { return i.has(dot::v4) ? 4 : i.has(dot::v2) ? 2 : 1; }

std::string check_place(const Instruction& i, const Operand& place) {
  const size_t coordinates = i.has_any({dot::d1})                        ? 1
                             : i.has_any({dot::d2, dot::a1d})            ? 2
                             : i.has_any({dot::d3, dot::a2d, dot::cube}) ? 3
                             : i.has(dot::acube)                         ? 4
                                                                         : 0;
  if (coordinates == 0) return "it does not say how many dimensions there are";
  if (place.kind != Kind::address || !place.has_base || place.bits != 0)
    return "a texture or surface is missing";
  if (place.elements.empty()) return "coordinates are missing";
  if (place.elements.size() > 1) return "samplers of their own are not implemented";
  if (length_of(place.elements[0]) < coordinates) return "a coordinate is missing";
  return {};
}

std::string check_texture(const Instruction& i, const Operands& operands) {
  if (i.types.size() != 2 || !is_list(i.operands[0])) return "there is no such form of it";
  const Type result = i.types[0], coordinate = i.types[1];
  const bool halves = result == Type::f16x2;
  if ((coordinate != Type::f32 && coordinate != Type::s32) ||
      (!halves && result != Type::f32 && result != Type::u32 && result != Type::s32) ||
      vector_length(i) != (halves ? 2u : 4u) || length_of(i.operands[0]) != vector_length(i))
    return "there is no such form of it";
  if (i.opcode == Opcode::tld4 && count_of(i, {dot::r, dot::g, dot::b, dot::a}) != 1)
    return "it does not say which component";
  if (std::string wrong = check_place(i, i.operands[1]); !wrong.empty()) return wrong;
  const size_t next = 2 + (i.has(dot::level) ? 1 : i.has(dot::grad) ? 2 : 0);
  if (i.operands.size() < next) return "an operand is missing";
  if (i.operands.size() > next + 1) return "comparing depths is not implemented";
  const auto are_words = [&](const Operand& list) {
    const auto one = [&](const Operand& operand) {
      return operand.kind == Kind::immediate || operands.reads(operand, 4);
    };
    return is_list(list) ? std::all_of(list.elements.begin(), list.elements.end(), one) : one(list);
  };
  if (!operands.is_list(0, 4, true) || !are_words(i.operands[1].elements[0])) return wrong_operands;
  for (size_t n = 2; n < i.operands.size(); ++n)
    if (!are_words(i.operands[n])) return wrong_operands;
  return {};
}

std::string check_surface(const Instruction& i) {
  const bool loads = i.opcode == Opcode::suld, reduces = i.opcode == Opcode::sured;
  if (i.types.size() != 1 || i.has(dot::b) == i.has(dot::p)) return "there is no such form of it";
  const Type type = i.types[0];
  const size_t bytes = size_of(type), count = vector_length(i);
  if (reduces) {
    const bool bitwise = i.has_any({dot::and_, dot::or_});
    if (count_of(i, {dot::add, dot::min, dot::max, dot::and_, dot::or_}) != 1 || bytes < 4 ||
        (bitwise ? type != Type::b32 : kind_of(type) == TypeKind::bits))
      return "there is no such form of it";
  } else if (kind_of(type) != TypeKind::bits || bytes * count > 16 ||
             (i.has(dot::p) && type != Type::b32)) {
    return "there is no such form of it";
  }
  if (length_of(i.operands[loads ? 0 : 1]) < count) return "an operand is missing";
  return check_place(i, i.operands[loads ? 1 : 0]);
}

std::string check_query(const Instruction& i) {
  if (i.has(dot::level) && i.operands.size() < 3) return "an operand is missing";
  const size_t asked = i.modifiers.size() - i.has(dot::level);
  return asked == 1 ? "" : "it does not say what it queries";
}

}  // namespace

std::string check_form(const Instruction& i, const Body& body) {
  const Operands operands(i, body);
  const Opcode op = i.opcode;
  if (op == Opcode::cvt) return check_cvt(i, body);
  if (op == Opcode::set || op == Opcode::setp) return check_comparison(i);
  if (op == Opcode::lop3) return check_lop3(i);
  if (op == Opcode::dp4a || op == Opcode::dp2a)
    return i.types.size() == 2 ? "" : "two types are required";
  if (op == Opcode::ld || op == Opcode::ldu || op == Opcode::st) return check_access(i);
  if (op == Opcode::atom || op == Opcode::red) return check_atomic(i);
  if (op == Opcode::cp) return check_copy(i, operands);
  if (op == Opcode::mbarrier) return check_mbarrier(i, operands);
  if (op == Opcode::bar || op == Opcode::barrier) return check_barrier(i, operands);
  if (op == Opcode::vote) return check_vote(i, operands);
  if (op == Opcode::mma || (op == Opcode::wmma && i.has(dot::mma)))
    return check_product(i, operands);
  if (op == Opcode::wmma) return check_fragment(i, operands);
  if (op == Opcode::ldmatrix || op == Opcode::stmatrix) return check_rows(i, operands);
  if (op == Opcode::movmatrix) return i.type() == Type::b16 ? "" : "its elements have 16 bits";
  if (op == Opcode::tex || op == Opcode::tld4) return check_texture(i, operands);
  if (op == Opcode::suld || op == Opcode::sust || op == Opcode::sured) return check_surface(i);
  if (op == Opcode::txq || op == Opcode::suq) return check_query(i);
  if (op == Opcode::redux) return is_floating(i.type()) ? "this is for newer devices" : "";
  if (op == Opcode::add || op == Opcode::sub || op == Opcode::mul || op == Opcode::fma ||
      op == Opcode::min || op == Opcode::max)
    return check_small(i);
  if (is(op, Trait::video)) return check_video(i);
  return {};
}

}  // namespace cuvette::ptx
