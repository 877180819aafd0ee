// SPDX-License-Identifier: Apache-2.0
// A value that LLVM knows nothing of.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

namespace cuvette::ptx {

// The same as `value`, in a register of the kind that the constraints name. No pass knows its
// value.
inline llvm::Value* make_opaque(llvm::IRBuilderBase& builder, llvm::Value* value,
                                const char* constraints) {
  llvm::Type* const type = value->getType();
  auto* const same = llvm::FunctionType::get(type, {type}, false);
  return builder.CreateCall(same, llvm::InlineAsm::get(same, "", constraints, false), {value});
}

}  // namespace cuvette::ptx
