// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/library.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sim/device/machine/device.hpp"

namespace cuvette::device {
namespace {

Error gone() { return refuse(Error::invalid_handle, "The library has been unloaded."); }

}  // namespace

LibraryKernel::LibraryKernel(Ref<Library> library, ptx::Program::Kernel& kernel)
    : library_(std::move(library)), kernel_(kernel) {}

LibraryKernel::~LibraryKernel() = default;

Result<FunctionSettings*> LibraryKernel::settings(unsigned ordinal) {
  std::unique_ptr<FunctionSettings>& settings = settings_[ordinal];
  if (!settings)
    settings = std::make_unique<FunctionSettings>(kernel_.syntax(), TRY(kernel_.memory()).shared);
  return settings.get();
}

Ref<Function> LibraryKernel::known_function(const Context& context) {
  const uint64_t generation = context.generation();
  const std::shared_lock lock(functions_lock_);
  for (const InContext& known : functions_)
    if (known.generation == generation) return known.function;
  return nullptr;
}

Result<Ref<Function>> LibraryKernel::function(Context& context, const void* call_site) {
  if (Ref<Function> known = known_function(context)) return known;
  const Ref<Module> module = TRY(library_->module(context, call_site));
  Ref<Function> function = TRY(module->function(name()));
  take_over_settings(*function, context.device());
  std::vector<InContext> ended;  // outlives the lock
  const std::unique_lock lock(functions_lock_);
  if (unloaded_) return gone();
  std::erase_if(functions_, [&](InContext& known) {
    const Context& other = *known.function->context();
    if (other.alive() && other.generation() == known.generation) return false;
    ended.push_back(std::move(known));
    return true;
  });
  const uint64_t generation = module->context_generation();
  // Another thread may have been quicker.
  if (std::ranges::none_of(functions_,
                           [&](const InContext& known) { return known.generation == generation; }))
    functions_.push_back({generation, function});
  return function;
}

void LibraryKernel::unload() {
  std::vector<InContext> ended;  // outlives the lock
  const std::unique_lock lock(functions_lock_);
  unloaded_ = true;
  ended.swap(functions_);
}

void LibraryKernel::take_over_settings(Function& function, const Device& device) {
  MutexLock lock(mutex_);
  const auto found = settings_.find(device.ordinal());
  if (found == settings_.end()) return;
  FunctionSettings& settings = *found->second;
  const uint32_t own = settings.own.load(std::memory_order_relaxed);
  for (int number = 0; number < 32; ++number) {
    const auto attribute = static_cast<FunctionAttribute>(number);
    if (own & FunctionSettings::bit_of(attribute))
      function.follow(attribute, settings.place(attribute)->load());
  }
}

Result<int> LibraryKernel::attribute(FunctionAttribute attribute, Device& device) {
  ptx::Program& program = *TRY(library_->program());
  MutexLock lock(mutex_);
  FunctionSettings& settings = *TRY(this->settings(device.ordinal()));
  return kernel_attribute(attribute, settings, program, kernel_, device.profile());
}

Result<> LibraryKernel::set_attribute(FunctionAttribute attribute, int value, Device& device) {
  const int settled = TRY(settled_attribute(attribute, value, kernel_, device.profile()));
  {
    MutexLock lock(mutex_);
    FunctionSettings& settings = *TRY(this->settings(device.ordinal()));
    settings.place(attribute)->store(settled, std::memory_order_relaxed);
    settings.own.fetch_or(FunctionSettings::bit_of(attribute), std::memory_order_relaxed);
  }
  for (const Ref<Function>& function : library_->functions_of(name(), device))
    function->follow(attribute, settled);
  return {};
}

Library::~Library() = default;

Result<ptx::Program*> Library::program() const {
  if (error_) return *error_;
  return program_.get();
}

Result<unsigned> Library::kernel_count() const {
  if (!program_) return *error_;
  return static_cast<unsigned>(program_->kernels().size());
}

Result<> Library::place_managed(const void* call_site) {
  if (unloaded_) return gone();
  if (!managed_) managed_ = TRY(VariableMemory::allocate_managed(*TRY(program()), call_site));
  return {};
}

Result<Ref<Module>> Library::module(Context& context, const void* call_site) {
  TRY(program());
  MutexLock lock(mutex_);
  TRY(place_managed(call_site));
  // Modules of contexts that are gone.
  std::vector<Ref<Module>> ended;
  std::erase_if(modules_, [&](const Ref<Module>& module) {
    if (module->context()->alive() &&
        module->context()->generation() == module->context_generation())
      return false;
    ended.push_back(module);
    return true;
  });
  for (const Ref<Module>& module : ended) module->unload();
  for (const Ref<Module>& module : modules_)
    if (module->context().get() == &context) return module;
  Ref<Module> module = TRY(Module::load(context, program_, &*managed_, call_site));
  modules_.push_back(module);
  return module;
}

Result<Ref<LibraryKernel>> Library::kernel(std::string_view name) {
  ptx::Program::Kernel* const kernel = TRY(program())->kernel(name);
  if (!kernel) return Ref<LibraryKernel>();
  TRY(kernel->memory());
  return this->kernel(*kernel);
}

Result<Ref<LibraryKernel>> Library::kernel(ptx::Program::Kernel& kernel) {
  MutexLock lock(mutex_);
  if (unloaded_) return gone();
  Ref<LibraryKernel>& known = kernels_[kernel.syntax().name];
  if (!known) known = make_ref<LibraryKernel>(Ref<Library>(this), kernel);
  return known;
}

Result<std::vector<Ref<LibraryKernel>>> Library::kernels(size_t most) {
  std::vector<Ref<LibraryKernel>> kernels;
  for (ptx::Program::Kernel& one : TRY(program())->kernels()) {
    if (kernels.size() == most) break;
    kernels.push_back(TRY(kernel(one)));
  }
  return kernels;
}

Result<Module::Symbol> Library::managed(std::string_view name, const void* call_site) {
  const ptx::Variable* const variable = TRY(program())->syntax().variable(name);
  MutexLock lock(mutex_);
  TRY(place_managed(call_site));
  const Ref<memory::Allocation> allocation = managed_->find(name);
  if (!allocation)
    return refuse(Error::not_found, "The library has no managed variable '%s'.",
                  std::string(name).c_str());
  return Module::Symbol{allocation->address, variable->bytes(), true};
}

std::vector<Ref<Function>> Library::functions_of(std::string_view kernel, const Device& device) {
  std::vector<Ref<Function>> functions;
  MutexLock lock(mutex_);
  for (const Ref<Module>& module : modules_) {
    if (&module->context()->device() != &device) continue;
    for (Ref<Function>& function : module->known_functions())
      if (function->name() == kernel) functions.push_back(std::move(function));
  }
  return functions;
}

Library::Remains Library::unload() {
  Remains remains;
  std::optional<VariableMemory> managed;
  {
    MutexLock lock(mutex_);
    unloaded_ = true;
    remains.modules.swap(modules_);
    for (auto& [name, kernel] : kernels_) remains.kernels.push_back(std::move(kernel));
    kernels_.clear();
    managed.swap(managed_);
  }
  for (const Ref<LibraryKernel>& kernel : remains.kernels) kernel->unload();
  for (const Ref<Module>& module : remains.modules) module->unload();
  return remains;
}

}  // namespace cuvette::device
