// SPDX-License-Identifier: Apache-2.0
// mma.m8n8k4 of f16: four products at a time, each held by eight lanes, 4 q to 4 q + 3 and the same
// of the warp's second half. Which lane has which element is what the PTX manual says.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/lanes.hpp"
#include "sim/ptx/emit/matrices.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t rows = 8, depth = 4;

struct Held {
  uint32_t lane, element;
};

// The lanes of a product with second index `index` of eight.
uint32_t lane_of(uint32_t product, uint32_t index) {
  return (index < 4 ? 0 : 16) + 4 * product + index % 4;
}

// Where an element of A (row `outer`, column k) or B (column `outer`, row k) is. `along`: a lane
// has one outer index and all of k.
Held factor_at(uint32_t product, uint32_t outer, uint32_t k, bool along) {
  if (along) return {lane_of(product, outer), k};
  return {(outer < 4 ? 0 : 16) + 4 * product + k, outer % 4};
}

// Where an element of C or D is: f16 by rows, f32 in pairs.
Held sum_at(uint32_t product, uint32_t row, uint32_t column, bool halves) {
  if (halves) return {lane_of(product, row), column};
  return {(row < 4 ? 0 : 16) + 4 * product + (row & 1) + (column & 2),
          (row & 2) + (column & 4) + (column & 1)};
}

}  // namespace

void emit_quad_product(WarpBuilder& w, const Instruction& i) {
  const bool c_halves = i.types[3] == Type::f16, d_halves = i.types[0] == Type::f16;
  // A is named first: mma...row.col.
  std::vector<Modifier> layouts;
  for (const Modifier modifier : i.modifiers)
    if (modifier == dot::row || modifier == dot::col) layouts.push_back(modifier);
  const auto is_list = [&](size_t n, size_t size) {
    return i.operands[n].kind == Operand::Kind::vector && i.operands[n].elements.size() == size;
  };
  if (layouts.size() != 2 || !is_list(0, d_halves ? 4 : 8) || !is_list(1, 2) || !is_list(2, 2) ||
      !is_list(3, c_halves ? 4 : 8))
    return w.unsupported(i);
  // All elements of an operand side by side: element e of lane l at 32 e + l.
  const auto numbers = [&](const Operand& list, bool halves) {
    std::vector<V*> elements;
    for (const Operand& one : list.elements) {
      if (!halves) {
        elements.push_back(w.read_vector(one, Type::f32));
        continue;
      }
      V* const bits = w.read_vector(one, Type::b32);
      for (uint32_t half = 0; half < 2; ++half)
        elements.push_back(widen(w,
                                 w.CreateTrunc(w.CreateLShr(bits, w.splat(w.i32(16 * half))),
                                               w.vector_type(w.getInt16Ty())),
                                 f16_format));
    }
    while (elements.size() > 1) {
      std::vector<V*> pairs;
      for (size_t n = 0; n < elements.size(); n += 2)
        pairs.push_back(concatenate(w, elements[n], elements[n + 1]));
      elements = std::move(pairs);
    }
    return elements[0];
  };
  V* const a = numbers(i.operands[1], true);
  V* const b = numbers(i.operands[2], true);
  V* const c = numbers(i.operands[3], c_halves);
  // For each lane, the elements that one of its sums needs.
  const auto brought = [&](V* all, const std::function<Held(uint32_t, uint32_t, uint32_t)>& at,
                           uint32_t element) {
    int order[warp_size];
    for (uint32_t product = 0; product < 4; ++product)
      for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t column = 0; column < rows; ++column) {
          const Held place = sum_at(product, row, column, d_halves);
          if (place.element != element) continue;
          const Held from = at(product, row, column);
          order[place.lane] = static_cast<int>(warp_size * from.element + from.lane);
        }
    return w.CreateShuffleVector(all, order);
  };
  std::vector<V*> sums;
  for (uint32_t element = 0; element < 8; ++element) {
    V* sum = brought(
        c,
        [&](uint32_t product, uint32_t row, uint32_t column) {
          return sum_at(product, row, column, c_halves);
        },
        element);
    for (uint32_t k = 0; k < depth; ++k) {
      V* const x = brought(
          a,
          [&](uint32_t product, uint32_t row, uint32_t) {
            return factor_at(product, row, k, layouts[0] == dot::row);
          },
          element);
      V* const y = brought(
          b,
          [&](uint32_t product, uint32_t, uint32_t column) {
            return factor_at(product, column, k, layouts[1] == dot::col);
          },
          element);
      sum = w.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum->getType()}, {x, y, sum});
    }
    sums.push_back(sum);
  }
  for (uint32_t n = 0; n < i.operands[0].elements.size(); ++n) {
    if (!d_halves) {
      w.write(i.operands[0].elements[n], varying(sums[n]), Type::f32);
      continue;
    }
    const auto half = [&](V* sum) {
      return w.CreateZExt(narrow(w, sum, f16_format, Rounding::nearest, i.has(dot::satfinite)),
                          w.vector_type(w.getInt32Ty()));
    };
    w.write(i.operands[0].elements[n],
            varying(w.CreateOr(half(sums[2 * n]),
                               w.CreateShl(half(sums[2 * n + 1]), w.splat(w.i32(16))))),
            Type::b32);
  }
}

}  // namespace cuvette::ptx
