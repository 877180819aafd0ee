// SPDX-License-Identifier: Apache-2.0
// Library: a program that belongs to no context; it is loaded into a context when somebody needs it
// there.
//
// Threads: any. Lock order: a library's lock, then a kernel's, then a module's.
// Invariants: there is at most one module of it for each living context; managed variables are the
// library's own, one for all contexts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/api_object.hpp"
#include "sim/error.hpp"
#include "sim/kernel/module.hpp"
#include "sim/mutex.hpp"
#include "sim/program/program.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

class Library;

// A kernel of a library: what cuLibraryGetKernel gives.
class LibraryKernel final : public Counted, public ApiObject {
 public:
  LibraryKernel(Ref<Library> library, Program::Kernel& kernel);

  Library& library() const { return *library_; }
  const std::string& name() const { return kernel_.name(); }
  const ParameterLayout& parameters() const { return kernel_.parameters(); }
  // Its function in `context`, where the library is loaded if it is not. Errors: as of
  // Library::module().
  Result<Ref<Function>> function(Context& context, const void* call_site);

  // Attributes, for each device. What is set holds for functions
  // on that device, made or to be made, of which the same was not set. Errors: as of the
  // function's.
  Result<int> attribute(FunctionAttribute attribute, Device& device) EXCLUDES(mutex_);
  Result<> set_attribute(FunctionAttribute attribute, int value, Device& device) EXCLUDES(mutex_);

 private:
  ~LibraryKernel() override;
  Result<FunctionSettings*> settings(unsigned ordinal) REQUIRES(mutex_);

  const Ref<Library> library_;
  Program::Kernel& kernel_;
  Mutex mutex_;
  std::unordered_map<unsigned, std::unique_ptr<FunctionSettings>> settings_ GUARDED_BY(mutex_);
};

class Library final : public Counted, public ApiObject {
 public:
  // `error`: why it cannot be used, if it cannot; the driver says so when the library is needed for
  // the first time, not when it is loaded. `program` may be null then.
  Library(Ref<Program> program, std::optional<Error> error)
      : program_(std::move(program)), error_(error) {}

  // Errors: why it cannot be used.
  Result<Program*> program() const;
  // Errors: why even that is not known.
  Result<unsigned> kernel_count() const;
  // Its module in `context`, loaded at the first call. Errors: as of program() and Module::load();
  // invalid_handle once it is unloaded.
  Result<Ref<Module>> module(Context& context, const void* call_site) EXCLUDES(mutex_);
  // The kernel of this name; a null reference if there is none. Errors: as of program();
  // invalid_handle once it is unloaded.
  Result<Ref<LibraryKernel>> kernel(std::string_view name) EXCLUDES(mutex_);
  // The first kernels, `most` of them, in the order of the text.
  Result<std::vector<Ref<LibraryKernel>>> kernels(size_t most);
  // A managed variable, which needs no context. Errors: not_found, as of program().
  Result<Module::Symbol> managed(std::string_view name, const void* call_site) EXCLUDES(mutex_);
  // The functions of `kernel` on the device that were asked for.
  std::vector<Ref<Function>> functions_of(std::string_view kernel, const Device& device)
      EXCLUDES(mutex_);

  // Its modules are unloaded and handed over with its kernels.
  struct Remains {
    std::vector<Ref<Module>> modules;
    std::vector<Ref<LibraryKernel>> kernels;
  };
  Remains unload() EXCLUDES(mutex_);

 private:
  ~Library() override;
  Result<> place_managed(const void* call_site) REQUIRES(mutex_);

  const Ref<Program> program_;
  const std::optional<Error> error_;
  Mutex mutex_;
  bool unloaded_ GUARDED_BY(mutex_) = false;
  std::optional<VariableMemory> managed_ GUARDED_BY(mutex_);
  std::vector<Ref<Module>> modules_ GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, Ref<LibraryKernel>> kernels_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
