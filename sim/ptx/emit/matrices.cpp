// SPDX-License-Identifier: Apache-2.0
// Products of small matrices that a warp holds together.
//
// All fragments are cut alike. With `each` elements in a register, a register of A holds a tile of
// 8 rows and 4 * each columns, one of B the same turned round; lane 4 g + t has elements t * each
// ... of row (of B: column) g. Tiles are counted along the rows of A and the rows of B first. C and
// D are cut into tiles of 8 by 8, of which lane 4 g + t has row g, columns 2 t and 2 t + 1. That is
// what the PTX manual says of mma; the fragments of wmma, whose layout is unspecified, are the same
// for larger matrices.
//
// For a register of D and an index k each lane needs one element of A and one of B, which a fixed
// shuffle brings: a product is a series of shuffles and multiplications of whole vectors. Each
// shape is one function of the kernel's module, since it is long and may be needed in many places.
#include "sim/ptx/emit/matrices.hpp"

#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {
namespace {

struct Product {
  Extent x;
  Type a, b, c, d;
  bool saturates;
  bool by_and;  // of bits: a AND b, else a XOR b
  std::string name;
};

void emit_product(WarpBuilder& w, const Instruction& i);
llvm::Function* product_function(WarpBuilder& w, const Product& product);

}  // namespace

using llvm::ConstantFP;
using llvm::ConstantInt;

namespace {

// Bits are counted in words of 32.
uint32_t elements_in_register(Type type) {
  if (type == Type::f64 || type == Type::b1) return 1;
  return type == Type::s4 || type == Type::u4 ? 8 : 4 / size_of(type);
}

bool is_eighth(Type type) { return type == Type::e4m3 || type == Type::e5m2; }

bool is_whole(Type type) {
  return (is_integer(type) && !is_eighth(type)) || type == Type::s4 || type == Type::u4 ||
         type == Type::b1;
}

bool is_accumulator_pair(Type type) { return type == Type::f16; }

// How many registers hold A, B, C or D.
uint32_t registers_of(char matrix, const Extent& x, Type type) {
  const uint32_t each = elements_in_register(type);
  if (matrix == 'a') return x.m / 8 * (x.k / (4 * each));
  if (matrix == 'b') return x.n / 8 * (x.k / (4 * each));
  return x.m / 8 * (x.n / 8) * (is_accumulator_pair(type) ? 1 : 2);
}

}  // namespace

void emit_matrix(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (i.opcode == Opcode::ldmatrix || i.opcode == Opcode::stmatrix)
    return emit_matrix_rows(memory, i);
  if (i.opcode == Opcode::movmatrix) return emit_matrix_transposed(w, i);
  if (i.opcode == Opcode::mma || i.has(dot::mma)) return emit_product(w, i);
  emit_fragment(memory, i);
}

// --- Products ---

namespace {

void emit_product(WarpBuilder& w, const Instruction& i) {
  std::optional<Extent> x = extent_of(i);
  const bool wmma = i.opcode == Opcode::wmma;
  if (!x || i.operands.size() < 4) return w.unsupported(i);
  // wmma names D and C alone where both others are f16.
  const auto& types = i.types;
  Product product{
      *x, Type::f16, Type::f16, Type::f32, Type::f32, i.has(dot::satfinite), i.has(dot::and_), {}};
  if (types.size() == 4) {
    product.d = types[0], product.a = types[1], product.b = types[2], product.c = types[3];
  } else if (wmma && types.size() == 2) {
    product.d = types[0], product.c = types[1];
  } else {
    return w.unsupported(i);
  }
  const auto known = [](Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::tf32 || type == Type::f64 ||
           type == Type::s8 || type == Type::u8 || type == Type::s4 || type == Type::u4 ||
           type == Type::b1 || is_eighth(type);
  };
  const auto sums = [](Type type) {
    return type == Type::f16 || type == Type::f32 || type == Type::f64 || type == Type::s32;
  };
  const bool whole = is_whole(product.a);
  if (!wmma && x->m == 8 && x->k == 4 && product.a == Type::f16) return emit_quad_product(w, i);
  if (!known(product.a) || !known(product.b) || !sums(product.c) || !sums(product.d) ||
      whole != is_whole(product.b) || whole != (product.d == Type::s32) ||
      (product.a == Type::f64) != (product.d == Type::f64) ||
      elements_in_register(product.a) != elements_in_register(product.b) ||
      (product.a == Type::b1) != (i.has(dot::xor_) || i.has(dot::and_)) ||
      (product.a == Type::b1) != (product.b == Type::b1) ||
      (!wmma && (!i.has(dot::row) || !i.has(dot::col))))
    return w.unsupported(i);
  if (product.a == Type::b1) product.x.k = x->k /= 32;
  product.name = "product." + std::to_string(x->m) + "." + std::to_string(x->n) + "." +
                 std::to_string(x->k) + (product.saturates ? ".sat" : "") +
                 (product.by_and ? ".and" : "");
  for (const Type type : {product.a, product.b, product.c, product.d})
    product.name += "." + std::string(cuvette::ptx::name_of(type));
  // Fragments of wmma may have more registers than they need: copies of the others.
  std::vector<V*> arguments;
  const char names[] = {'a', 'b', 'c'};
  const Type operands[] = {product.a, product.b, product.c};
  for (int o = 0; o < 3; ++o) {
    const Operand& operand = i.operands[static_cast<size_t>(o) + 1];
    const bool list = operand.kind == Operand::Kind::vector;
    const uint32_t count = registers_of(names[o], *x, operands[o]);
    if (count == 0 || (list ? operand.elements.size() : 1) < count) return w.unsupported(i);
    const Type type = operands[o] == Type::f64   ? Type::f64
                      : operands[o] == Type::f32 ? Type::f32
                                                 : Type::b32;
    for (uint32_t r = 0; r < count; ++r)
      arguments.push_back(w.read_vector(list ? operand.elements[r] : operand, type));
  }
  const Operand& to = i.operands[0];
  const bool list = to.kind == Operand::Kind::vector;
  const uint32_t count = registers_of('d', *x, product.d);
  if ((list ? to.elements.size() : 1) != count) return w.unsupported(i);
  llvm::Function* const function = product_function(w, product);
  V* const results = w.CreateCall(function, arguments);
  const Type type = product.d == Type::f64   ? Type::f64
                    : product.d == Type::f32 ? Type::f32
                                             : Type::b32;
  for (uint32_t r = 0; r < count; ++r)
    w.write(list ? to.elements[r] : to, varying(w.CreateExtractValue(results, r)), type);
}

llvm::Function* product_function(WarpBuilder& w, const Product& product) {
  if (llvm::Function* const known = w.module().getFunction(product.name)) return known;
  const Extent& x = product.x;
  const auto held_as = [&](Type type) {
    return w.vector_type(type == Type::f64   ? w.getDoubleTy()
                         : type == Type::f32 ? w.getFloatTy()
                                             : static_cast<llvm::Type*>(w.getInt32Ty()));
  };
  const uint32_t a_count = registers_of('a', x, product.a);
  const uint32_t b_count = registers_of('b', x, product.b);
  const uint32_t c_count = registers_of('c', x, product.c);
  const uint32_t d_count = registers_of('d', x, product.d);
  std::vector<llvm::Type*> parameters(a_count, held_as(product.a));
  parameters.insert(parameters.end(), b_count, held_as(product.b));
  parameters.insert(parameters.end(), c_count, held_as(product.c));
  llvm::Type* const result =
      llvm::StructType::get(w.getContext(), std::vector<llvm::Type*>(d_count, held_as(product.d)));
  llvm::Function* const function =
      llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                             llvm::Function::InternalLinkage, product.name, w.module());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NoInline);
  const llvm::IRBuilder<>::InsertPointGuard guard(w);
  w.SetInsertPoint(llvm::BasicBlock::Create(w.getContext(), "", function));

  // Elements of a register as numbers to calculate with.
  const uint32_t each = elements_in_register(product.a);
  const auto elements = [&](V* bits, Type type) {
    std::vector<V*> parts;
    for (uint32_t e = 0; e < each; ++e) {
      if (type == Type::f64 || type == Type::b1) {
        parts.push_back(bits);
      } else if (type == Type::s4 || type == Type::u4) {
        V* const high = w.CreateShl(bits, w.splat(w.i32(28 - 4 * e)));
        parts.push_back(type == Type::s4 ? w.CreateAShr(high, w.splat(w.i32(28)))
                                         : w.CreateLShr(high, w.splat(w.i32(28))));
      } else if (type == Type::tf32) {
        // Only the upper 10 bits of the mantissa are used.
        V* const cut = w.CreateAnd(bits, w.splat(w.i32(0xffffe000)));
        parts.push_back(w.bits_as(cut, w.getFloatTy()));
      } else if (is_eighth(type)) {
        V* const eighth =
            w.CreateTrunc(w.CreateLShr(bits, w.splat(w.i32(8 * e))), w.vector_type(w.getInt8Ty()));
        parts.push_back(widen(w, eighth, format_of(type)));
      } else if (is_integer(type)) {
        V* const high = w.CreateShl(bits, w.splat(w.i32(24 - 8 * e)));
        parts.push_back(is_signed(type) ? w.CreateAShr(high, w.splat(w.i32(24)))
                                        : w.CreateLShr(high, w.splat(w.i32(24))));
      } else {
        V* const half = w.CreateTrunc(w.CreateLShr(bits, w.splat(w.i32(16 * e))),
                                      w.vector_type(w.getInt16Ty()));
        parts.push_back(widen(w, half, format_of(type)));
      }
    }
    return parts;
  };
  std::vector<std::vector<V*>> a, b;
  for (uint32_t r = 0; r < a_count; ++r) a.push_back(elements(function->getArg(r), product.a));
  for (uint32_t r = 0; r < b_count; ++r)
    b.push_back(elements(function->getArg(a_count + r), product.b));

  // The values that the lanes need of element `k`: of row `g` of a tile of A; of columns 2 t + j of
  // B.
  std::map<std::tuple<char, uint32_t, uint32_t, uint32_t>, V*> brought;
  const uint32_t width = 4 * each;
  const auto row = [&](uint32_t tile, uint32_t k) {
    V*& value = brought[{'a', tile, k, 0}];
    if (value) return value;
    int order[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      order[lane] = static_cast<int>(lane / 4 * 4 + k % width / each);
    return value = w.CreateShuffleVector(a[tile + x.m / 8 * (k / width)][k % each], order);
  };
  const auto column = [&](uint32_t tile, uint32_t k, uint32_t j) {
    V*& value = brought[{'b', tile, k, j}];
    if (value) return value;
    int order[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      order[lane] = static_cast<int>((2 * (lane % 4) + j) * 4 + k % width / each);
    return value = w.CreateShuffleVector(b[k / width + x.k / width * tile][k % each], order);
  };
  const bool whole = product.d == Type::s32;
  const auto number = [&](uint32_t r, uint32_t j) -> V* {  // of C
    const bool pair = is_accumulator_pair(product.c);
    V* const bits = function->getArg(a_count + b_count + (pair ? r : 2 * r + j));
    if (!pair) return bits;
    return widen(
        w, w.CreateTrunc(w.CreateLShr(bits, w.splat(w.i32(16 * j))), w.vector_type(w.getInt16Ty())),
        f16_format);
  };
  // The order decides what has to be kept: with many registers all sums, element after element;
  // with few one sum after the other, and what the lanes need of A and B in memory.
  const uint32_t tiles = x.m / 8 * (x.n / 8);
  std::vector<V*> sums(2 * tiles);
  const auto add = [&](uint32_t s, uint32_t k) {
    V* const from_a = row(s / 2 % (x.m / 8), k);
    V* const from_b = column(s / 2 / (x.m / 8), k, s % 2);
    if (!whole) {
      sums[s] = w.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sums[s]->getType()},
                                  {from_a, from_b, sums[s]});
      return;
    }
    V* one = nullptr;
    if (product.a == Type::b1)
      one = w.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, product.by_and
                                                               ? w.CreateAnd(from_a, from_b)
                                                               : w.CreateXor(from_a, from_b));
    else
      one = w.CreateMul(from_a, from_b);
    sums[s] = sums[s] ? w.CreateAdd(sums[s], one) : one;
  };
  if (!whole)
    for (uint32_t s = 0; s < sums.size(); ++s) sums[s] = number(s / 2, s % 2);
  if (w.input().request.vectors == Vectors::avx512) {
    for (uint32_t k = 0; k < x.k; ++k)
      for (uint32_t s = 0; s < sums.size(); ++s) add(s, k);
  } else {
    for (uint32_t s = 0; s < sums.size(); ++s)
      for (uint32_t k = 0; k < x.k; ++k) add(s, k);
  }
  if (whole)
    for (uint32_t s = 0; s < sums.size(); ++s) {
      V* const c = number(s / 2, s % 2);
      sums[s] = product.saturates ? w.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, c, sums[s])
                                  : w.CreateAdd(c, sums[s]);
    }
  V* results = llvm::PoisonValue::get(result);
  for (uint32_t s = 0; s < sums.size(); ++s) {
    if (!is_accumulator_pair(product.d)) {
      results = w.CreateInsertValue(results, sums[s], s);
      continue;
    }
    if (s % 2 == 0) continue;
    llvm::Type* const word = w.vector_type(w.getInt32Ty());
    V* const low = w.CreateZExt(narrow(w, sums[s - 1], f16_format, Rounding::nearest, false), word);
    V* const high = w.CreateZExt(narrow(w, sums[s], f16_format, Rounding::nearest, false), word);
    results =
        w.CreateInsertValue(results, w.CreateOr(low, w.CreateShl(high, w.splat(w.i32(16)))), s / 2);
  }
  w.CreateRet(results);
  return function;
}

}  // namespace

}  // namespace cuvette::ptx
