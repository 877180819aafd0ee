// SPDX-License-Identifier: Apache-2.0
// From PTX to position-independent machine code.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "sim/ptx/jit.hpp"

namespace cuvette::ptx {

// The compiler for a kind of processor.
std::unique_ptr<llvm::TargetMachine> target_machine(Vectors vectors);

// Optimises `module`, makes machine code of it, and puts that with its constants into one piece
// that begins with function "entry". Empty: it worked.
std::string machine_code(llvm::Module& module, llvm::TargetMachine& machine,
                         std::vector<uint8_t>& code, uint32_t& entry_offset);

}  // namespace cuvette::ptx
