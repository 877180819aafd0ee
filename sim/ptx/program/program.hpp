// SPDX-License-Identifier: Apache-2.0
// Program: a module's parsed PTX and the machine code of its kernels. It belongs to no context:
// the contexts that load a library share one.
//
// Threads: any. Invariants: the syntax tree does not change once load() has returned; machine code
// stays where it is as long as the program lives.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/needs.hpp"
#include "sim/base/ref.hpp"
#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/abi/jit.hpp"
#include "sim/ptx/program/machine_code.hpp"
#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// The layout of a kernel's parameters: where each one lies in the parameter block.
struct ParameterLayout {
  struct Parameter {
    uint32_t offset, bytes;
  };
  std::vector<Parameter> parameters;
  uint32_t bytes = 0;  // size of the block
};

class Program final : public Counted {
 public:
  // Reads `text`. A short text is read as a whole, so that mistakes in bodies are found; of a long
  // one, only the declarations and the opcodes. A body that asks for what is not implemented here
  // is not a mistake: its kernels' memory() and code() are refused. The device takes PTX for
  // compute capabilities up to `newest_target` (90). Errors: invalid_ptx, unsupported_ptx_version,
  // no_binary_for_gpu; `diagnostic` says why. Kernels are compiled in the form that `needs` asks
  // for.
  static Result<Ref<Program>> load(std::string text, uint32_t newest_target, Diagnostic& diagnostic,
                                   Needs needs = {});

  // The two halves of load(): the declarations, and the bodies.
  static Result<Ref<Program>> read(std::string text, uint32_t newest_target, Diagnostic& diagnostic,
                                   Needs needs);
  Result<> check(Diagnostic& diagnostic);

  const Module& syntax() const { return *syntax_; }

  class Kernel {
   public:
    Kernel(Program& program, const Function& syntax);

    const Function& syntax() const { return syntax_; }
    const std::string& name() const { return name_; }
    const ParameterLayout& parameters() const { return parameters_; }

    // The memory that the kernel and the functions that it calls declare, for each block and
    // thread.
    struct Memory {
      uint32_t shared = 0, local = 0;  // bytes
    };
    // Errors: invalid_ptx or unsupported_ptx_version, for what is wrong, or not implemented, in its
    // body or in one that it calls.
    Result<Memory> memory() EXCLUDES(mutex_);
    // Returns the number of 32-bit registers of a thread, counted in the PTX; compiles nothing.
    // Errors: as memory().
    Result<uint32_t> registers() EXCLUDES(mutex_);
    // Whether its body has been read and has no error.
    bool read() EXCLUDES(mutex_);

    // Returns the code for blocks of this class. The first call compiles it or takes it from the
    // cache. Errors: invalid_ptx, jit_compiler_not_found, out_of_memory; each is also reported on
    // stderr.
    Result<const MachineCode*> code(BlockClass block) {
      const MachineCode* const known = codes_[block.number()].load(std::memory_order_acquire);
      if (known) [[likely]]
        return known;
      return make_code(block);
    }
    // Returns the class of its blocks if the PTX declares their shape, else the class of 256
    // threads.
    BlockClass usual_blocks() const;

   private:
    friend class Program;
    Result<const MachineCode*> make_code(BlockClass block) EXCLUDES(mutex_);

    Program& program_;
    const Function& syntax_;
    const std::string name_;
    ParameterLayout parameters_;
    std::array<std::atomic<const MachineCode*>, BlockClass::count> codes_{};
    Mutex mutex_;
    std::vector<std::unique_ptr<MachineCode>> made_ GUARDED_BY(mutex_);
    std::optional<Memory> memory_ GUARDED_BY(mutex_);
    std::optional<uint32_t> registers_ GUARDED_BY(mutex_);
  };

  // In the order of the text.
  std::deque<Kernel>& kernels() { return kernels_; }
  Kernel* kernel(std::string_view name);

  // Returns the size of the constants that the program declares, in bytes.
  uint32_t constant_bytes() const { return constant_bytes_; }

  // How many registers a thread of each kernel takes on the GPU, as far as the program's image
  // says: set once, before the program is used.
  void set_gpu_registers(std::map<std::string, uint32_t> registers) {
    gpu_registers_ = std::move(registers);
  }
  const std::map<std::string, uint32_t>& gpu_registers() const { return gpu_registers_; }

  // Returns the address of a function, as variables of the module and the launch's table of
  // functions hold it; 0 if no function has that name.
  uint64_t function_address(std::string_view name) const;

 private:
  explicit Program(Needs needs) : needs_(needs) {}
  // Gives code to the kernels that were compiled together with another one, unless they already
  // have some.
  void hand_out(const MachineCode& made, BlockClass block) EXCLUDES(mutex_);

  const Needs needs_;
  std::unique_ptr<Module> syntax_;
  std::deque<Kernel> kernels_;
  std::unordered_map<std::string_view, Kernel*> by_name_;
  uint32_t constant_bytes_ = 0;
  std::map<std::string, uint32_t> gpu_registers_;
  bool all_read_ = false;  // load() has read every body
  Mutex mutex_;            // nothing else is locked inside
  std::vector<std::unique_ptr<MachineCode>> handed_out_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::ptx
