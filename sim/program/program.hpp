// SPDX-License-Identifier: Apache-2.0
// Program: a module's PTX once it is read, and the machine code of its kernels. It belongs to no
// context: a library's contexts share one.
//
// Threads: any. Invariants: the syntax tree does not change once load() has returned; machine code
// that was given out stays where it is for as long as the program lives.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/error.hpp"
#include "sim/mutex.hpp"
#include "sim/program/machine_code.hpp"
#include "sim/ptx/abi.hpp"
#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/jit.hpp"
#include "sim/ptx/syntax.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

// What may be told of a kernel's parameters: where each lies in the block of all of them.
struct ParameterLayout {
  struct Parameter {
    uint32_t offset, bytes;
  };
  std::vector<Parameter> parameters;
  uint32_t bytes = 0;  // of the block
};

class Program final : public Counted {
 public:
  // Reads `text`: below a size all of it, so that mistakes in bodies are found, above it what is
  // declared, and the opcodes. `newest_target` is the highest compute capability (90) whose PTX the
  // device takes. Errors: invalid_ptx, unsupported_ptx_version, no_binary_for_gpu; `diagnostic`
  // says why.
  static Result<Ref<Program>> load(std::string text, uint32_t newest_target,
                                   ptx::Diagnostic& diagnostic);

  // The two halves of load(): what is declared, and the bodies.
  static Result<Ref<Program>> read(std::string text, uint32_t newest_target,
                                   ptx::Diagnostic& diagnostic);
  Result<> check(ptx::Diagnostic& diagnostic);

  const ptx::Module& syntax() const { return *syntax_; }

  class Kernel {
   public:
    Kernel(Program& program, const ptx::Function& syntax);

    const ptx::Function& syntax() const { return syntax_; }
    const std::string& name() const { return name_; }
    const ParameterLayout& parameters() const { return parameters_; }

    // What the kernel and the functions that it calls declare: of each block, and of each thread.
    struct Memory {
      uint32_t shared = 0, local = 0;  // bytes
    };
    // Errors: invalid_ptx in a body that was not read before.
    Result<Memory> memory() EXCLUDES(mutex_);
    // Registers of 32 bits that a thread uses, as its PTX has it; nothing is compiled for that.
    // Errors: invalid_ptx in a body that was not read before.
    Result<uint32_t> registers() EXCLUDES(mutex_);
    // Whether its body is known to be good.
    bool read() EXCLUDES(mutex_);

    // The code for blocks of this class: compiled, or taken from the cache, at the first call.
    // Errors: invalid_ptx, jit_compiler_not_found, out_of_memory; each is said on stderr.
    Result<const MachineCode*> code(ptx::BlockClass block) {
      const MachineCode* const known = codes_[block.number()].load(std::memory_order_acquire);
      if (known) [[likely]]
        return known;
      return make_code(block);
    }
    // The class of its blocks as far as it says which those are, else the usual one.
    ptx::BlockClass usual_blocks() const;

   private:
    friend class Program;
    Result<const MachineCode*> make_code(ptx::BlockClass block) EXCLUDES(mutex_);

    Program& program_;
    const ptx::Function& syntax_;
    const std::string name_;
    ParameterLayout parameters_;
    std::array<std::atomic<const MachineCode*>, ptx::BlockClass::count> codes_{};
    Mutex mutex_;
    std::vector<std::unique_ptr<MachineCode>> made_ GUARDED_BY(mutex_);
    std::optional<Memory> memory_ GUARDED_BY(mutex_);
    std::optional<uint32_t> registers_ GUARDED_BY(mutex_);
  };

  // In the order of the text.
  std::deque<Kernel>& kernels() { return kernels_; }
  Kernel* kernel(std::string_view name);

  // Of the constants that the program declares, in bytes.
  uint32_t constant_bytes() const { return constant_bytes_; }

  // What the address of a function of the module is, for tables of functions in its memory and for
  // the launch's table. 0: it has no function of that name.
  uint64_t function_address(std::string_view name) const;

 private:
  Program() = default;
  // Gives kernels what was compiled together with another one, unless they have code already.
  void hand_out(const MachineCode& made, ptx::BlockClass block) EXCLUDES(mutex_);

  std::unique_ptr<ptx::Module> syntax_;
  std::deque<Kernel> kernels_;
  std::unordered_map<std::string_view, Kernel*> by_name_;
  uint32_t constant_bytes_ = 0;
  bool all_read_ = false;  // every body, when it was loaded
  Mutex mutex_;            // nothing else is locked inside
  std::vector<std::unique_ptr<MachineCode>> handed_out_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
