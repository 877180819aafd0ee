// SPDX-License-Identifier: Apache-2.0
// Module: a program in a context: its variables have addresses, its kernels can be launched.
//
// Threads: any. Lock order: a module's lock is taken with none of the context's held.
// Invariants: a Function keeps its Module, a Module its Program; unload() ends the circle of a
// module and its functions. A running kernel holds a Ref of its Function.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/kernel/legacy_launch.hpp"
#include "sim/device/kernel/texture_reference.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/ptx/program/program.hpp"

namespace cuvette::device {

class Module;

// The parts of a kernel's code that a launch needs; lives as long as the Function that returned it.
struct CompiledCode {
  ptx::KernelEntry* entry = nullptr;
  const uint64_t* symbols = nullptr;  // BlockContext::symbols
  uint32_t frame_bytes = 0;           // of each warp; 0: the kernel never stops on the way
  uint32_t local_bytes = 0;           // of each thread
  uint32_t memory_alignment = 16;     // of each thread's local memory, and of shared memory
  uint32_t shared_bytes = 0;          // static
  uint32_t shared_reserved = 0;       // before them
  bool uses_barriers = false;
  const ptx::MachineCode* machine = nullptr;  // for reports: maps addresses to code
};

// CUfunction_attribute's numbers.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size = 1,
  const_size = 2,
  local_size = 3,
  num_regs = 4,
  ptx_version = 5,
  binary_version = 6,
  cache_mode_ca = 7,
  max_dynamic_shared_size = 8,
  preferred_carveout = 9,
  cluster_size_must_be_set = 10,
  required_cluster_width = 11,
  required_cluster_height = 12,
  required_cluster_depth = 13,
  non_portable_cluster_allowed = 14,
  cluster_policy_preference = 15,
};

// The attributes of a function that an application may set.
struct FunctionSettings {
  // The attribute's bit in `own`; it can be set.
  static uint32_t bit_of(FunctionAttribute attribute) { return 1u << static_cast<int>(attribute); }

  // The values that a kernel's PTX gives.
  FunctionSettings(const ptx::Function& syntax, uint32_t static_shared);

  std::atomic<int> max_dynamic_shared{0};  // bytes, for a launch
  std::atomic<int> carveout{-1};           // CU_SHAREDMEM_CARVEOUT_DEFAULT
  std::atomic<int> cache_config{0};        // CU_FUNC_CACHE_PREFER_NONE
  std::atomic<int> shared_config{0};
  std::atomic<int> cluster_width{0}, cluster_height{0}, cluster_depth{0};
  std::atomic<int> non_portable_cluster{0};
  std::atomic<int> policy{0};    // of clusters
  std::atomic<uint32_t> own{0};  // a bit for each attribute that was set for the function itself

  // The bytes that a launch may use besides the static ones.
  size_t most_dynamic_shared() const {
    return static_cast<size_t>(max_dynamic_shared.load(std::memory_order_relaxed));
  }
  // Writes how many blocks a launch's clusters must have in each direction: zeros, if any will do.
  // Errors: invalid_cluster_size.
  Result<> required_cluster(uint32_t (&blocks)[3]) const;
  // The field of an attribute; null for one that cannot be set.
  std::atomic<int>* place(FunctionAttribute attribute);
};

// Returns the value that setting an attribute to `value` gives. Errors: invalid_value if it cannot
// be set, or not to this value.
Result<int> settled_attribute(FunctionAttribute attribute, int value, ptx::Program::Kernel& kernel,
                              const Profile& profile);
// Returns an attribute's value according to the PTX; compiles nothing. Errors: invalid_value;
// invalid_ptx in a body that was not read before.
Result<int> kernel_attribute(FunctionAttribute attribute, FunctionSettings& settings,
                             ptx::Program& program, ptx::Program::Kernel& kernel,
                             const Profile& profile);

class Function final : public Counted, public ApiObject {
 public:
  Function(Ref<Module> module, ptx::Program::Kernel& kernel);

  const ptx::Function& syntax() const { return kernel_.syntax(); }
  const ptx::Module& module_text() const;
  const std::string& name() const { return kernel_.name(); }
  // The name, in memory that is never freed.
  const char* kept_name() const { return kept_name_; }
  const Ref<Module>& module() const { return module_; }
  const Ref<Context>& context() const;
  const ptx::ParameterLayout& parameters() const { return kernel_.parameters(); }
  // Errors: invalid_ptx.
  Result<uint32_t> static_shared_bytes() const { return TRY(kernel_.memory()).shared; }
  FunctionSettings& settings() { return settings_; }
  const FunctionSettings& settings() const { return settings_; }

  // Errors: as kernel_attribute().
  Result<int> attribute(FunctionAttribute attribute);
  // Errors: invalid_value for what cannot be set, or not to this.
  Result<> set_attribute(FunctionAttribute attribute, int value);
  // Takes over an attribute of the library's kernel, unless the function's own was set.
  void follow(FunctionAttribute attribute, int value);

  // Returns the address of a variable or function of the module, as compiled code uses it.
  // Errors: not_found.
  Result<uint64_t> symbol_address(std::string_view name) const;

  // Returns the kernel's code for blocks of this class; made once. Errors: invalid_ptx,
  // jit_compiler_not_found, out_of_memory; each is also reported on stderr.
  Result<const CompiledCode*> compiled(ptx::BlockClass block) {
    const CompiledCode* const known = codes_[block.number()].load(std::memory_order_acquire);
    if (known) [[likely]]
      return known;
    return make_compiled(block);
  }
  // Makes code for the usual class of blocks, unless there is code. Errors: as compiled().
  Result<> load();
  // Whether its body has been read without an error.
  bool loaded() const { return kernel_.read(); }

  LegacyLaunch legacy;                // what cuParamSet* and the like have set
  std::atomic<uint32_t> block_ns{0};  // how long a block took in the last launch: see exec::Grid

 private:
  ~Function() override;

  static uint32_t shared_of(ptx::Program::Kernel& kernel);

  struct Code {
    CompiledCode code;
    std::vector<uint64_t> symbols;
  };
  Result<const CompiledCode*> make_compiled(ptx::BlockClass block) EXCLUDES(mutex_);

  const Ref<Module> module_;
  ptx::Program::Kernel& kernel_;
  const char* const kept_name_;
  FunctionSettings settings_;
  std::array<std::atomic<const CompiledCode*>, ptx::BlockClass::count> codes_{};
  Mutex mutex_;
  std::vector<std::unique_ptr<Code>> made_ GUARDED_BY(mutex_);
};

// Managed variables of a library: one memory for all contexts. They end with the object.
class VariableMemory {
 public:
  // Errors: out_of_memory.
  static Result<VariableMemory> allocate_managed(const ptx::Program& program,
                                                 const void* call_site);

  VariableMemory() = default;
  VariableMemory(VariableMemory&& other) noexcept { *this = std::move(other); }
  VariableMemory& operator=(VariableMemory&& other) noexcept;
  ~VariableMemory();

  // Returns the variable of this name; a null reference if there is none.
  Ref<memory::Allocation> find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, Ref<memory::Allocation>> allocations_;
};

class Module final : public Counted, public ApiObject {
 public:
  // Makes a module without its variables: see load().
  Module(Context& context, Ref<ptx::Program> program, bool of_library);

  // Puts the program's variables into `context`, with their values. `of_library`: the managed
  // variables of the library that this module belongs to, which alone may unload it; else null.
  // Errors: out_of_memory, not_found for an initialiser with a name that has no address.
  static Result<Ref<Module>> load(Context& context, Ref<ptx::Program> program,
                                  const VariableMemory* of_library, const void* call_site);

  const Ref<Context>& context() const { return context_; }
  uint64_t context_generation() const { return generation_; }
  ptx::Program& program() const { return *program_; }
  bool of_library() const { return of_library_; }

  // Returns the kernel of this name; a null reference if there is none. Errors: invalid_handle once
  // it is unloaded; those of Program::Kernel::memory().
  Result<Ref<Function>> function(std::string_view name) EXCLUDES(mutex_);
  // Returns the first kernels, at most `most`, in the order of the text.
  // Kernels that cannot be used are among them.
  Result<std::vector<Ref<Function>>> functions(size_t most) EXCLUDES(mutex_);
  // Returns the functions that exist so far.
  std::vector<Ref<Function>> known_functions() EXCLUDES(mutex_);

  struct Symbol {
    uint64_t address;
    size_t size;
    bool managed;
  };
  // Returns a .global or .const variable, visible from outside or not (measured); none for other
  // names, including references.
  std::optional<Symbol> variable(std::string_view name) const;
  // Returns the name's address, as compiled code uses it. Errors: not_found.
  Result<uint64_t> symbol_address(std::string_view name) const;

  // Returns the .texref, or .surfref, of this name; a null reference if there is none.
  Ref<TextureReference> texture_reference(std::string_view name) const;
  Ref<SurfaceReference> surface_reference(std::string_view name) const;
  std::vector<Ref<TextureReference>> texture_references() const;
  std::vector<Ref<SurfaceReference>> surface_references() const;
  bool has_references() const { return !textures_.empty() || !surfaces_.empty(); }
  // Returns what the references are bound to now. Errors: invalid_value if that makes no texture.
  Result<BoundReferences> bind_references() const;

  // Ends the module: waits for the context's work, frees the variables and forgets the functions,
  // which live on while others hold them.
  void unload() EXCLUDES(mutex_);

 private:
  ~Module() override;
  Result<Ref<Function>> function(ptx::Program::Kernel& kernel) EXCLUDES(mutex_);

  const Ref<Context> context_;
  const uint64_t generation_;
  const Ref<ptx::Program> program_;
  const bool of_library_;
  struct Placed {
    const ptx::Variable* variable;
    Ref<memory::Allocation> allocation;
    bool owned;  // the allocation is the module's
  };
  Result<> place_variables(const VariableMemory* of_library, const void* call_site);
  Result<> initialise(const Placed& placed);

  std::unordered_map<std::string_view, Placed> variables_;  // set by load(), then constant
  std::unordered_map<std::string_view, Ref<TextureReference>> textures_;  // likewise
  std::unordered_map<std::string_view, Ref<SurfaceReference>> surfaces_;

  Mutex mutex_;
  bool unloaded_ GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string_view, Ref<Function>> functions_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
