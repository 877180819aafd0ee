// SPDX-License-Identifier: Apache-2.0
// The special function unit: ex2, lg2, rcp, rsqrt, sqrt, sin, cos and tanh as a GPU's `.approx`
// instructions compute them, bit for bit.
//
// A GPU takes three numbers from a table by the upper bits of the argument, and with the lower
// ones, x, computes c0 + c1 x + c2 x^2 in whole numbers, where x^2 lacks the columns that a full
// product would carry into it. The tables (special_functions.def) and the unit's steps were found
// from an H100's results; all 2^32 arguments of each instruction gave the same bits
// (tests/sim/ptx/emit/special_functions_test.cpp).
#pragma once

#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

// The functions of f32 arguments as with .ftz: subnormal arguments and results are zeros. NaN
// becomes the one NaN of a GPU.
namespace special {

V* exponential(WarpBuilder& w, V* x);      // 2^x
V* logarithm(WarpBuilder& w, V* x);        // of base 2
V* reciprocal(WarpBuilder& w, V* x);       // 1 / x
V* reciprocal_root(WarpBuilder& w, V* x);  // 1 / sqrt(x)
V* root(WarpBuilder& w, V* x);             // sqrt(x)
V* sine(WarpBuilder& w, V* turns, bool cosine);
V* hyperbolic_tangent(WarpBuilder& w, V* x);  // subnormal numbers are their own result

}  // namespace special

// The instruction's function as ptxas makes it of the unit's: subnormal numbers are scaled there
// and back without .ftz.
V* special_function(WarpBuilder& w, const Instruction& i, V* x);

// a / b of div.approx.f32 and div.full.f32.
V* special_quotient(WarpBuilder& w, const Instruction& i, V* a, V* b);

}  // namespace cuvette::ptx
