// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM's selection of instructions from going round in a circle.
#pragma once

#include <llvm/IR/Module.h>

namespace cuvette::ptx {

// Before version 20 the code generator for AVX-512 turns a logic operation of masks that are made
// of bits into the operation of their bits, and that back, for ever (LLVM issue 123333). It sees
// one block at a time, and with one such mask in it no two can be turned. Of a block's masks this
// hides where all but the first come from, at the cost of no instruction.
void keep_mask_casts_apart(llvm::Module& module);

}  // namespace cuvette::ptx
