// SPDX-License-Identifier: Apache-2.0
// Numbers from one format to another (formats.hpp).
#pragma once

#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

llvm::Type* like(WarpBuilder& w, V* value, llvm::Type* scalar);  // with as many elements
V* canonical(WarpBuilder& w, V* number);                         // NaN as a GPU makes it
V* narrow(WarpBuilder& w, V* number, const Format& to, Rounding rounding, bool finite);
V* widen(WarpBuilder& w, V* bits, const Format& from);
V* whole(WarpBuilder& w, V* x, Rounding rounding);
V* flushed_result(WarpBuilder& w, V* number, const Format& to, Rounding rounding);
V* nan_in(WarpBuilder& w, V* number, V* converted, const Format& to);
V* rectified(WarpBuilder& w, V* bits, const Format& format);  // .relu

}  // namespace cuvette::ptx
