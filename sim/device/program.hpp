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
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/error.hpp"
#include "sim/mutex.hpp"
#include "sim/os/executable_memory.hpp"
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

// Classes of blocks by number, for arrays.
constexpr unsigned block_classes = 12;
constexpr unsigned number_of(ptx::BlockClass block) {
  return (static_cast<unsigned>(block.shape) * 2 + block.one_dimensional) * 2 + block.full_warps;
}

// A kernel's machine code for one class of blocks, ready to run.
struct MachineCode {
  os::ExecutableMemory memory;
  ptx::KernelEntry* entry = nullptr;
  ptx::CompiledKernel facts;  // without the code itself
};

class Program final : public Counted {
 public:
  // Below this many bytes of PTX every body is read when the program is loaded, so that its
  // mistakes are found then; above it the opcodes alone are looked at.
  static constexpr size_t read_all_below = 256 << 10;

  // Reads `text`. `newest_target` is the highest compute capability (90) whose PTX the device
  // takes. Errors: invalid_ptx, unsupported_ptx_version, no_binary_for_gpu; `diagnostic` says why.
  static Result<Ref<Program>> load(std::string text, uint32_t newest_target,
                                   ptx::Diagnostic& diagnostic);

  const ptx::Module& syntax() const { return *syntax_; }

  class Kernel {
   public:
    const ptx::Function& syntax() const { return *syntax_; }
    const ParameterLayout& parameters() const { return parameters_; }
    // Of each block: what the kernel and the functions that it calls declare.
    // Errors: invalid_ptx in a body that was not read before.
    Result<uint32_t> static_shared_bytes();
    // The code for blocks of this class: compiled, or taken from the cache, at the first call.
    // Errors: invalid_ptx, jit_compiler_not_found, out_of_memory; each is said on stderr.
    Result<const MachineCode*> code(ptx::BlockClass block) {
      const MachineCode* const known = codes_[number_of(block)].load(std::memory_order_acquire);
      if (known) [[likely]]
        return known;
      return make_code(block);
    }
    // The code that was made first, for facts that hardly depend on the class; made if there is
    // none.
    Result<const MachineCode*> any_code();
    bool compiled() const;

   private:
    friend class Program;
    Result<const MachineCode*> make_code(ptx::BlockClass block) EXCLUDES(mutex_);

    Program* program_ = nullptr;
    const ptx::Function* syntax_ = nullptr;
    ParameterLayout parameters_;
    std::array<std::atomic<const MachineCode*>, block_classes> codes_{};
    std::atomic<int64_t> shared_bytes_{-1};
    Mutex mutex_;
    std::vector<std::unique_ptr<MachineCode>> made_ GUARDED_BY(mutex_);
  };

  // In the order of the text.
  std::deque<Kernel>& kernels() { return kernels_; }
  Kernel* kernel(std::string_view name);

  // What the address of a function of the module is, for tables of functions in its memory and for
  // the launch's table. 0: it has no function of that name.
  uint64_t function_address(std::string_view name) const;

 private:
  Program() = default;

  std::unique_ptr<ptx::Module> syntax_;
  std::deque<Kernel> kernels_;
  std::unordered_map<std::string_view, Kernel*> by_name_;
};

}  // namespace cuvette::device
