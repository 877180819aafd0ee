// SPDX-License-Identifier: Apache-2.0
// Library: a program that belongs to no context; it is loaded into a context when somebody needs it
// there.
//
// Threads: any. Lock order: a library's lock is taken with no module's held.
// Invariant: there is at most one module of it for each living context.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/device/module.hpp"
#include "sim/device/program.hpp"
#include "sim/error.hpp"
#include "sim/mutex.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

class Library;

// A kernel of a library: what cuLibraryGetKernel gives.
class LibraryKernel final : public Counted {
 public:
  LibraryKernel(Library& library, Program::Kernel& kernel) : library_(&library), kernel_(kernel) {}

  Library& library() const { return *library_; }
  const Ref<Library>& library_reference() const { return library_; }
  std::string_view name() const { return kernel_.syntax().name; }
  Program::Kernel& kernel() const { return kernel_; }
  // Its function in `context`, where the library is loaded if it is not. Errors: as of
  // Library::module().
  Result<Ref<Function>> function(Context& context, const void* call_site);

  std::atomic<uintptr_t> handle{0};

 private:
  const Ref<Library> library_;
  Program::Kernel& kernel_;
};

class Library final : public Counted {
 public:
  explicit Library(Ref<Program> program) : program_(std::move(program)) {}

  Program& program() const { return *program_; }
  // Its module in `context`, loaded at the first call. Errors: as of Module::load(); invalid_handle
  // once it is unloaded.
  Result<Ref<Module>> module(Context& context, const void* call_site) EXCLUDES(mutex_);
  // The kernel of this name; a null reference if there is none. Errors: invalid_handle once it is
  // unloaded.
  Result<Ref<LibraryKernel>> kernel(std::string_view name) EXCLUDES(mutex_);
  Result<std::vector<Ref<LibraryKernel>>> kernels() EXCLUDES(mutex_);

  // Its modules are unloaded and handed over, its kernels forgotten.
  struct Remains {
    std::vector<Ref<Module>> modules;
    std::vector<Ref<LibraryKernel>> kernels;
  };
  Remains unload() EXCLUDES(mutex_);
  // A context is gone, and its module with it.
  void forget(uint64_t context_generation) EXCLUDES(mutex_);

  std::atomic<uintptr_t> handle{0};

 private:
  const Ref<Program> program_;
  Mutex mutex_;
  bool unloaded_ GUARDED_BY(mutex_) = false;
  std::vector<Ref<Module>> modules_ GUARDED_BY(mutex_);
  std::vector<Ref<LibraryKernel>> kernels_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
