// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/module.hpp"

#include <algorithm>
#include <cstring>

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::device {
namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 48;  // of a variable

bool in_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant ||
         variable.space == ptx::Space::tex;
}

// Allocates memory for a variable, at a multiple of its alignment.
Result<Ref<memory::Allocation>> allocate(const ptx::Variable& variable,
                                         const memory::Requester& requester) {
  const uint64_t bytes = std::max<uint64_t>(variable.bytes(), 1);
  if (variable.elements > most_bytes || bytes > most_bytes)
    return refuse(Error::out_of_memory, "Variable '%s' is larger than any memory.",
                  std::string(variable.name).c_str());
  return address_space().allocate_variable(
      {variable.name, bytes, variable.alignment, variable.managed}, requester);
}

// Writes an initialiser's values into memory that is zero. `addresses_alone`: the numbers are there
// already. `resolve` finds the addresses of names.
template <typename Resolve>
Result<> write_values(const ptx::Variable& variable, const memory::Allocation& allocation,
                      bool addresses_alone, const Resolve& resolve) {
  const size_t element = size_of(variable.type);
  std::vector<char> bytes(std::min<uint64_t>(variable.values.size() * element, variable.bytes()));
  bool any = false;
  for (size_t i = 0; i < variable.values.size() && (i + 1) * element <= bytes.size(); ++i) {
    const ptx::Initialiser& value = variable.values[i];
    uint64_t bits = value.bits;
    if (!value.symbol.empty()) bits = (bits + TRY(resolve(value.symbol))) >> value.shift;
    any |= !addresses_alone || !value.symbol.empty();
    std::memcpy(bytes.data() + i * element, &bits, std::min(element, sizeof bits));
  }
  if (!any) return {};
  const os::DeviceAccess access;
  os::copy_bytes(memory::host_pointer(allocation.address), bytes.data(), bytes.size());
  return {};
}

}  // namespace

Result<VariableMemory> VariableMemory::allocate_managed(const ptx::Program& program,
                                                        const void* call_site) {
  VariableMemory memory;
  // Addresses come with the first context.
  const auto nowhere = [](std::string_view) -> Result<uint64_t> { return uint64_t{0}; };
  for (const ptx::Variable& variable : program.syntax().variables) {
    if (!variable.managed || variable.is_extern) continue;
    const Ref<memory::Allocation> allocation = TRY(allocate(variable, {0, 0, call_site}));
    memory.allocations_.emplace(variable.name, allocation);
    TRY(write_values(variable, *allocation, false, nowhere));
  }
  return memory;
}

VariableMemory& VariableMemory::operator=(VariableMemory&& other) noexcept {
  std::swap(allocations_, other.allocations_);
  return *this;
}

VariableMemory::~VariableMemory() {
  for (const auto& [name, allocation] : allocations_)
    static_cast<void>(address_space().free(allocation));
}

Ref<memory::Allocation> VariableMemory::find(std::string_view name) const {
  const auto found = allocations_.find(name);
  return found == allocations_.end() ? nullptr : found->second;
}

Module::Module(Context& context, Ref<ptx::Program> program, bool of_library)
    : context_(&context),
      generation_(context.generation()),
      program_(std::move(program)),
      of_library_(of_library) {}

Module::~Module() = default;

Result<Ref<Module>> Module::load(Context& context, Ref<ptx::Program> program,
                                 const VariableMemory* of_library, const void* call_site) {
  auto module = make_ref<Module>(context, std::move(program), of_library != nullptr);
  const Result<> placed = module->place_variables(of_library, call_site);
  if (placed.ok()) return module;
  module->unload();
  return placed.error();
}

Result<> Module::place_variables(const VariableMemory* of_library, const void* call_site) {
  const memory::Requester requester{generation_, static_cast<uint8_t>(context_->device().ordinal()),
                                    call_site};
  for (const ptx::Variable& variable : program_->syntax().variables) {
    if (!in_memory(variable) || variable.is_extern) continue;
    Ref<memory::Allocation> shared = of_library ? of_library->find(variable.name) : nullptr;
    const bool owned = !shared;
    if (owned) shared = TRY(allocate(variable, requester));
    variables_.emplace(variable.name, Placed{&variable, std::move(shared), owned});
    if (variable.type == ptx::Type::texref)
      textures_.emplace(variable.name, make_ref<TextureReference>());
    if (variable.type == ptx::Type::surfref)
      surfaces_.emplace(variable.name, make_ref<SurfaceReference>());
  }
  for (const auto& [name, placed] : variables_) TRY(initialise(placed));
  return {};
}

Result<> Module::initialise(const Placed& placed) {
  const auto resolve = [this](std::string_view name) { return symbol_address(name); };
  return write_values(*placed.variable, *placed.allocation, !placed.owned, resolve);
}

Result<Ref<Function>> Module::function(std::string_view name) {
  ptx::Program::Kernel* const kernel = program_->kernel(name);
  if (!kernel) return Ref<Function>();
  TRY(kernel->memory());
  return function(*kernel);
}

Result<Ref<Function>> Module::function(ptx::Program::Kernel& kernel) {
  MutexLock lock(mutex_);
  if (unloaded_) return refuse(Error::invalid_handle, "The module has been unloaded.");
  Ref<Function>& function = functions_[kernel.syntax().name];
  if (!function) function = make_ref<Function>(Ref<Module>(this), kernel);
  return function;
}

Result<std::vector<Ref<Function>>> Module::functions(size_t most) {
  std::vector<Ref<Function>> functions;
  for (ptx::Program::Kernel& kernel : program_->kernels()) {
    if (functions.size() == most) break;
    functions.push_back(TRY(function(kernel)));
  }
  return functions;
}

std::vector<Ref<Function>> Module::known_functions() {
  MutexLock lock(mutex_);
  std::vector<Ref<Function>> functions;
  for (const auto& [name, function] : functions_)
    if (function) functions.push_back(function);
  return functions;
}

std::optional<Module::Symbol> Module::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return {};
  const Placed& placed = found->second;
  if (kind_of(placed.variable->type) == ptx::TypeKind::opaque) return {};
  return Symbol{placed.allocation->address, placed.variable->bytes(), placed.variable->managed};
}

Ref<TextureReference> Module::texture_reference(std::string_view name) const {
  const auto found = textures_.find(name);
  return found == textures_.end() ? nullptr : found->second;
}

Ref<SurfaceReference> Module::surface_reference(std::string_view name) const {
  const auto found = surfaces_.find(name);
  return found == surfaces_.end() ? nullptr : found->second;
}

std::vector<Ref<TextureReference>> Module::texture_references() const {
  std::vector<Ref<TextureReference>> all;
  for (const auto& [name, reference] : textures_) all.push_back(reference);
  return all;
}

std::vector<Ref<SurfaceReference>> Module::surface_references() const {
  std::vector<Ref<SurfaceReference>> all;
  for (const auto& [name, reference] : surfaces_) all.push_back(reference);
  return all;
}

Result<BoundReferences> Module::bind_references() const {
  BoundReferences bound;
  const auto address_of = [&](std::string_view name) {
    return variables_.find(name)->second.allocation->address;
  };
  for (const auto& [name, reference] : textures_)
    bound.textures.emplace_back(address_of(name), TRY(reference->bound(*context_)));
  for (const auto& [name, reference] : surfaces_)
    bound.surfaces.emplace_back(address_of(name), TRY(reference->bound(*context_)));
  return bound;
}

Result<uint64_t> Module::symbol_address(std::string_view name) const {
  if (const auto found = variables_.find(name); found != variables_.end())
    return found->second.allocation->address;
  if (const uint64_t address = program_->function_address(name)) return address;
  const ptx::Variable* const variable = program_->syntax().variable(name);
  // The driver loads a module that uses an undefined variable, and gives it address 0.
  if (variable && variable->is_extern) return uint64_t{0};
  return refuse(Error::not_found, "'%s' has no address in the module.", std::string(name).c_str());
}

void Module::unload() {
  std::unordered_map<std::string_view, Ref<Function>> functions;
  {
    MutexLock lock(mutex_);
    if (unloaded_) return;
    unloaded_ = true;
    functions.swap(functions_);
  }
  // Its memory ended with the context.
  if (!context_->alive() || context_->generation() != generation_) return;
  context_->wait_for_submitted();
  // The output of kernels appears when a module is loaded or unloaded, at the latest.
  context_->prints().flush();
  for (const auto& [name, placed] : variables_) {
    if (!placed.owned) continue;
    Context::wait_for_users(*placed.allocation);
    static_cast<void>(address_space().free(placed.allocation));
  }
}

}  // namespace cuvette::device
