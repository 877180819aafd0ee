// SPDX-License-Identifier: Apache-2.0
// Library: a program that belongs to no context; a context loads it when it is first needed there.
//
// Threads: any. Lock order: a library's lock, then a kernel's, then a module's; the lock of a
// kernel's functions is a leaf. Invariants: there is at most one module of it for each living
// context; the library owns the managed variables, which all contexts share.
#pragma once

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
#include "sim/device/kernel/module.hpp"
#include "sim/memory/shared_lock.hpp"
#include "sim/ptx/program/program.hpp"

namespace cuvette::device {

class Library;

// A kernel of a library, as cuLibraryGetKernel returns it.
class LibraryKernel final : public Counted, public ApiObject {
 public:
  LibraryKernel(Ref<Library> library, ptx::Program::Kernel& kernel);

  Library& library() const { return *library_; }
  const std::string& name() const { return kernel_.name(); }
  const ptx::ParameterLayout& parameters() const { return kernel_.parameters(); }
  // Returns its function in `context` and loads the library there if necessary. Errors: as
  // Library::module().
  Result<Ref<Function>> function(Context& context, const void* call_site) EXCLUDES(mutex_);
  // Returns the function that function() has returned for `context` before, else a null reference.
  Ref<Function> known_function(const Context& context);
  // Its library is being unloaded: forgets the functions, and returns none from now on.
  void unload();

  // Attributes, for each device. A value that is set here holds for all present and later functions
  // on that device, unless their own attribute was set. Errors: as the function's attributes.
  Result<int> attribute(FunctionAttribute attribute, Device& device) EXCLUDES(mutex_);
  Result<> set_attribute(FunctionAttribute attribute, int value, Device& device) EXCLUDES(mutex_);

 private:
  ~LibraryKernel() override;
  Result<FunctionSettings*> settings(unsigned ordinal) REQUIRES(mutex_);

  // Gives a function that was found for the first time the attributes that were set here.
  void take_over_settings(Function& function, const Device& device) EXCLUDES(mutex_);

  // Its function in a context. The context's generation tells it from an earlier life of the
  // context; functions of that life have ended.
  struct InContext {
    uint64_t generation;
    Ref<Function> function;
  };

  const Ref<Library> library_;
  ptx::Program::Kernel& kernel_;
  Mutex mutex_;
  std::unordered_map<unsigned, std::unique_ptr<FunctionSettings>> settings_ GUARDED_BY(mutex_);
  // Every launch looks here; threads that launch the same kernel do not wait for each other.
  memory::SharedLock functions_lock_;
  std::vector<InContext> functions_;  // both guarded by it
  bool unloaded_ = false;
};

class Library final : public Counted, public ApiObject {
 public:
  // `error`: the reason why it cannot be used, if it cannot; `program` may be null then. The driver
  // reports it when the library is first needed, not when it is loaded.
  Library(Ref<ptx::Program> program, std::optional<Error> error)
      : program_(std::move(program)), error_(error) {}

  // Errors: the reason why it cannot be used.
  Result<ptx::Program*> program() const;
  // Errors: the reason why even that is unknown.
  Result<unsigned> kernel_count() const;
  // Returns its module in `context`; the first call loads it. Errors: as program() and
  // Module::load(); invalid_handle once it is unloaded.
  Result<Ref<Module>> module(Context& context, const void* call_site) EXCLUDES(mutex_);
  // Returns the kernel of this name; a null reference if there is none. Errors: as program();
  // invalid_handle once it is unloaded; those of Program::Kernel::memory().
  Result<Ref<LibraryKernel>> kernel(std::string_view name) EXCLUDES(mutex_);
  // Returns the first kernels, at most `most`, in the order of the text.
  // Kernels that cannot be used are among them.
  Result<std::vector<Ref<LibraryKernel>>> kernels(size_t most);
  // Returns a managed variable, which needs no context. Errors: not_found, as program().
  Result<Module::Symbol> managed(std::string_view name, const void* call_site) EXCLUDES(mutex_);
  // Returns the functions of `kernel` on the device that exist so far.
  std::vector<Ref<Function>> functions_of(std::string_view kernel, const Device& device)
      EXCLUDES(mutex_);

  // Unloads its modules and hands them over together with its kernels.
  struct Remains {
    std::vector<Ref<Module>> modules;
    std::vector<Ref<LibraryKernel>> kernels;
  };
  Remains unload() EXCLUDES(mutex_);

 private:
  ~Library() override;
  Result<Ref<LibraryKernel>> kernel(ptx::Program::Kernel& kernel) EXCLUDES(mutex_);
  Result<> place_managed(const void* call_site) REQUIRES(mutex_);

  const Ref<ptx::Program> program_;
  const std::optional<Error> error_;
  Mutex mutex_;
  bool unloaded_ GUARDED_BY(mutex_) = false;
  std::optional<VariableMemory> managed_ GUARDED_BY(mutex_);
  std::vector<Ref<Module>> modules_ GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, Ref<LibraryKernel>> kernels_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
