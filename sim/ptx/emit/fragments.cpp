// SPDX-License-Identifier: Apache-2.0
// Pieces of matrices between memory and the registers of a warp. How they are cut: matrices.cpp.
#include "sim/ptx/emit/matrices.hpp"
#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

template <typename F>
std::vector<int> order_of_lanes(const F& from) {
  std::vector<int> order;
  for (uint32_t lane = 0; lane < warp_size; ++lane) order.push_back(static_cast<int>(from(lane)));
  return order;
}

}  // namespace

// ldmatrix, stmatrix: matrices of 8 rows of 16 bytes; lane 8 n + r has the address of row r of
// matrix n, and lane 4 g + t gets or gives elements 2 t and 2 t + 1 of row g (.trans: of column g).
void emit_matrix_rows(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const bool loads = i.opcode == Opcode::ldmatrix;
  const Operand& list = i.operands[loads ? 0 : 1];
  const Operand& at = i.operands[loads ? 1 : 0];
  const uint32_t count =
      list.kind == Operand::Kind::vector ? static_cast<uint32_t>(list.elements.size()) : 1;
  if (i.type() != Type::b16 || (count != 1 && count != 2 && count != 4)) return w.unsupported(i);
  const auto operand = [&](uint32_t n) -> const Operand& {
    return list.kind == Operand::Kind::vector ? list.elements[n] : list;
  };
  const Space space = space_of(i, at);
  Address address = address_of(w, at, space);
  address.value = varying(w.vector_of(address.value));
  // The addresses of the first lanes alone are looked at.
  V* const saved = w.at.mask;
  if (count < 4)
    w.at.mask = w.CreateAnd(w.active_mask(), w.mask_of(w.i32((1u << (8 * count)) - 1)));
  memory.check(address, 16, kind_of_access(space) | (loads ? 0 : access_write));
  memory.count(address, 16, loads ? 0 : access_write);
  w.at.mask = saved;
  V* const rows = address.value.vector;
  llvm::Type* const own = llvm::cast<llvm::VectorType>(rows->getType())->getElementType();
  const auto numbers = [&](const std::function<uint32_t(uint32_t)>& of) {
    std::vector<llvm::Constant*> values;
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      values.push_back(ConstantInt::get(own, of(lane)));
    return llvm::ConstantVector::get(values);
  };
  const auto row = [&](const std::function<uint32_t(uint32_t)>& from, llvm::Constant* offset) {
    Address place = address;
    place.value = varying(w.CreateAdd(w.CreateShuffleVector(rows, order_of_lanes(from)), offset));
    return place;
  };
  llvm::Type* const word = w.getInt32Ty();
  llvm::Type* const small = w.getInt16Ty();
  for (uint32_t n = 0; n < count; ++n) {
    if (!i.has(dot::trans)) {
      const Address place = row([&](uint32_t lane) { return 8 * n + lane / 4; },
                                numbers([](uint32_t lane) { return lane % 4 * 4; }));
      if (loads)
        w.write(operand(n), varying(load_apart(w, place, word, 1)[0]), Type::b32);
      else
        store_apart(w, place, {w.read_vector(operand(n), Type::b32)}, word);
      continue;
    }
    V* whole = nullptr;
    for (uint32_t j = 0; j < 2; ++j) {
      const auto from = [&](uint32_t lane) { return 8 * n + lane % 4 * 2 + j; };
      if (!loads) {
        V* const half = w.CreateTrunc(
            w.CreateLShr(w.read_vector(operand(n), Type::b32), w.splat(w.i32(16 * j))),
            w.vector_type(small));
        store_apart(w, row(from, numbers([](uint32_t lane) { return lane / 4 * 2; })), {half},
                    small);
        continue;
      }
      // Gathers words, of which only one half is used.
      const Address place = row(from, numbers([](uint32_t lane) { return lane / 8 * 4; }));
      std::vector<llvm::Constant*> shifts;
      for (uint32_t lane = 0; lane < warp_size; ++lane)
        shifts.push_back(w.getInt32(lane / 4 % 2 * 16));
      V* half = w.CreateLShr(load_apart(w, place, word, 1)[0], llvm::ConstantVector::get(shifts));
      half = w.CreateAnd(half, w.splat(w.i32(0xffff)));
      whole = whole ? w.CreateOr(whole, w.CreateShl(half, w.splat(w.i32(16)))) : half;
    }
    if (loads) w.write(operand(n), varying(whole), Type::b32);
  }
}

// movmatrix: rows and columns of an 8 by 8 matrix change places.
void emit_matrix_transposed(WarpBuilder& w, const Instruction& i) {
  if (i.type() != Type::b16) return w.unsupported(i);
  V* const source = w.read_vector(i.operands[1], Type::b32);
  V* whole = nullptr;
  for (uint32_t j = 0; j < 2; ++j) {
    std::vector<llvm::Constant*> shifts;
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      shifts.push_back(w.getInt32(lane / 4 % 2 * 16));
    V* const from = w.CreateShuffleVector(
        source, order_of_lanes([&](uint32_t lane) { return (lane % 4 * 2 + j) * 4 + lane / 8; }));
    V* const half =
        w.CreateAnd(w.CreateLShr(from, llvm::ConstantVector::get(shifts)), w.splat(w.i32(0xffff)));
    whole = whole ? w.CreateOr(whole, w.CreateShl(half, w.splat(w.i32(16)))) : half;
  }
  w.write(i.operands[0], varying(whole), Type::b32);
}

// wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {...}, [p], stride;
// wmma.store.d.sync.aligned.col.m16n16k16.f32 [p], {...}, stride;
void emit_fragment(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const bool loads = i.has(dot::load);
  const Operand& list = i.operands[loads ? 0 : 1];
  const Operand& at = i.operands[loads ? 1 : 0];
  const Type type = i.type();
  // Bits are moved as words, of four bits eight at once: their matrices lie as fragments are cut.
  const bool fours = type == Type::s4 || type == Type::u4, ones = type == Type::b1;
  const uint32_t together = ones ? 32 : fours ? 8 : 1;
  const Extent extent = extent_of(i).value_or(Extent{});
  const uint32_t m = extent.m, n = extent.n, k = extent.k / together;
  const char matrix = i.has(dot::a) ? 'a' : i.has(dot::b) ? 'b' : 'c';
  const bool pairs = matrix == 'c' && type == Type::f16;
  const bool sums = type == Type::f32 || type == Type::f64 || type == Type::s32 || pairs;
  const bool factors = type == Type::f16 || type == Type::bf16 || type == Type::tf32 ||
                       type == Type::f64 || type == Type::s8 || type == Type::u8 || fours || ones;
  if (k == 0 || !(matrix == 'c' ? sums : factors) || (!i.has(dot::row) && !i.has(dot::col)))
    return w.unsupported(i);
  if ((fours || ones) && i.has(matrix == 'b' ? dot::row : dot::col)) return w.unsupported(i);
  const uint32_t bytes = fours || ones ? 4 : size_of(type);
  const uint32_t each = type == Type::f64 ? 1 : pairs ? 2 : 4 / bytes;
  const uint32_t rows = matrix == 'b' ? k : m, columns = matrix == 'a' ? k : n;
  const bool by_rows = i.has(dot::row);
  const auto operand = [&](size_t r) -> const Operand& {
    return list.kind == Operand::Kind::vector ? list.elements[r] : list;
  };
  const size_t given = list.kind == Operand::Kind::vector ? list.elements.size() : 1;
  const uint32_t needed = rows * columns / (warp_size * each);
  if (needed == 0 || given < needed) return w.unsupported(i);

  // The place of a lane's element `e` of register `r` in the matrix.
  struct Place {
    uint32_t row, column;
  };
  const auto place_of = [&](uint32_t r, uint32_t lane, uint32_t e) -> Place {
    const uint32_t g = lane / 4, t = lane % 4, width = 4 * each;
    if (matrix == 'a') return {r % (m / 8) * 8 + g, r / (m / 8) * width + t * each + e};
    if (matrix == 'b') return {r % (k / width) * width + t * each + e, r / (k / width) * 8 + g};
    const uint32_t tile = pairs ? r : r / 2, j = pairs ? e : r % 2;
    return {tile % (m / 8) * 8 + g, tile / (m / 8) * 8 + 2 * t + j};
  };
  const Space space = space_of(i, at);
  Address address = address_of(w, at, space);
  V* const base = w.first_active(address.value);
  llvm::Type* const own = base->getType();
  V* stride = ConstantInt::get(own, by_rows ? columns : rows);
  if (i.operands.size() > 2)
    stride = w.CreateUDiv(w.resize(w.read_scalar(i.operands[2], Type::u32), Type::u32, own),
                          ConstantInt::get(own, together));
  stride = w.CreateMul(stride, ConstantInt::get(own, bytes));
  const auto element_at = [&](uint32_t r, uint32_t e) {
    std::vector<llvm::Constant*> across, along;
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      const Place place = place_of(r, lane, e);
      across.push_back(ConstantInt::get(own, by_rows ? place.row : place.column));
      along.push_back(ConstantInt::get(own, bytes * (by_rows ? place.column : place.row)));
    }
    Address result = address;
    result.value = varying(w.CreateAdd(
        w.splat(base), w.CreateAdd(w.CreateMul(w.splat(stride), llvm::ConstantVector::get(across)),
                                   llvm::ConstantVector::get(along))));
    return result;
  };
  // A register's elements are neighbours where the matrix lies as the fragment is cut.
  const bool neighbours = each == 1 || (matrix == 'b' ? !by_rows : by_rows);
  const uint32_t access = kind_of_access(space) | (loads ? 0 : access_write);
  llvm::Type* const word = type == Type::f64 ? w.getInt64Ty() : w.getInt32Ty();
  const Type whole = type == Type::f64 ? Type::b64 : Type::b32;
  llvm::Type* const small = w.getIntNTy(8 * bytes);
  // Both ends of each line; all of it where the machine wants to know what is touched.
  const uint32_t lines = by_rows ? rows : columns, length = (by_rows ? columns : rows) * bytes;
  const uint32_t wide = type == Type::f64 ? 8 : 4;
  V* const saved = w.at.mask;
  if (lines < warp_size)
    w.at.mask = w.CreateAnd(w.active_mask(), w.mask_of(w.i32((1u << lines) - 1)));
  const bool all = w.input().request.watch || w.input().request.tracks;
  const uint32_t step = all ? wide : std::max(wide, length - wide);
  for (uint32_t at = 0; at < length; at += step) {
    Address line = address;
    line.value = varying(w.CreateAdd(w.splat(w.CreateAdd(base, ConstantInt::get(own, at))),
                                     w.CreateMul(w.splat(stride), w.lanes(1, own))));
    memory.check(line, wide, access);
  }
  w.at.mask = saved;
  std::vector<V*> values;
  for (uint32_t r = 0; r < needed; ++r) {
    if (neighbours) {
      const Address place = element_at(r, 0);
      if (loads)
        values.push_back(load_apart(w, place, word, 1)[0]);
      else
        store_apart(w, place, {w.read_vector(operand(r), whole)}, word);
      continue;
    }
    V* value = llvm::Constant::getNullValue(w.vector_type(word));
    for (uint32_t e = 0; e < each; ++e) {
      const Address place = element_at(r, e);
      V* const shift = w.splat(w.i32(8 * bytes * e));
      if (!loads) {
        V* const part = w.CreateLShr(w.read_vector(operand(r), whole), shift);
        store_apart(w, place, {w.CreateTrunc(part, w.vector_type(small))}, small);
        continue;
      }
      // The word that it lies in: lines of matrices begin and end at multiples of 16 bytes.
      Address around = place;
      V* const exact = place.value.vector;
      around.value =
          varying(w.CreateAnd(exact, ConstantInt::get(exact->getType(), ~uint64_t{3}, true)));
      V* const inside =
          w.CreateShl(w.CreateZExtOrTrunc(w.CreateAnd(exact, ConstantInt::get(exact->getType(), 3)),
                                          w.vector_type(word)),
                      w.splat(w.i32(3)));
      V* part = w.CreateLShr(load_apart(w, around, word, 1)[0], inside);
      part = w.CreateAnd(part, w.splat(w.i32((1u << (8 * bytes)) - 1)));
      value = w.CreateOr(value, w.CreateShl(part, shift));
    }
    values.push_back(value);
  }
  // Registers beyond what is needed are copies: programs change all of them alike.
  if (loads)
    for (size_t r = 0; r < given; ++r) w.write(operand(r), varying(values[r % needed]), whole);
}

}  // namespace cuvette::ptx
