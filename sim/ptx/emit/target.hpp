// SPDX-License-Identifier: Apache-2.0
// Makes LLVM's x86 target known: for the compiler, and for reading machine code.
//
// Threads: any.
#pragma once

#include <llvm/Support/TargetSelect.h>

namespace cuvette::ptx {

// The registry of targets has no lock, so all who need one come here. Calls after the first do
// nothing.
inline void set_up_target() {
  static const bool ready = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86Disassembler();
    return true;
  }();
  static_cast<void>(ready);
}

}  // namespace cuvette::ptx
