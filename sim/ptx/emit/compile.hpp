// SPDX-License-Identifier: Apache-2.0
// From PTX to position-independent machine code.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/ptx/abi/jit.hpp"

namespace cuvette::ptx {

// LLVM's compiler for a kind of processor, lent to one thread at a time: making one takes a tenth
// of compiling a small kernel.
class TargetMachineLease {
 public:
  explicit TargetMachineLease(Vectors vectors);
  ~TargetMachineLease();
  TargetMachineLease(const TargetMachineLease&) = delete;
  TargetMachineLease& operator=(const TargetMachineLease&) = delete;

  llvm::TargetMachine* get() const { return machine_.get(); }  // null: there is none

 private:
  const Vectors vectors_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

// Optimises `module`, unless it is to be done quickly, makes machine code of it, and puts that with
// its constants into one piece. `entries`: where the functions named "entry..." begin. Empty: it
// worked.
std::string machine_code(llvm::Module& module, llvm::TargetMachine& machine, bool quickly,
                         std::vector<uint8_t>& code, std::map<std::string, uint32_t>& entries);

}  // namespace cuvette::ptx
