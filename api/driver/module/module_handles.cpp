// SPDX-License-Identifier: Apache-2.0
#include "api/driver/module/module_handles.hpp"

#include <vector>

#include "api/driver/call.hpp"

namespace cuvette::driver {

Result<Ref<device::Function>> find_launchable(CUfunction handle, device::Context& context) {
  const auto as_kernel = reinterpret_cast<CUkernel>(handle);
  Ref<device::Function> known;
  const bool is_kernel = visit<device::LibraryKernel>(
      as_kernel, [&](device::LibraryKernel& kernel) { known = kernel.known_function(context); });
  if (known) return known;
  if (is_kernel) return TRY(find(as_kernel))->function(context, call_site());
  return find(handle);
}

namespace {

void forget_reference_handles_of(const device::Module& module) {
  for (const auto& reference : module.texture_references()) forget_handle_of(*reference);
  for (const auto& reference : module.surface_references()) forget_handle_of(*reference);
}

}  // namespace

void forget_handles_of(device::Module& module) {
  forget_reference_handles_of(module);
  forget_handles_if<device::Function>(
      [&](const device::Function& function) { return function.module().get() == &module; },
      Ending::alone);
  forget_handle_of(module);
}

void forget_module_handles_of(uint64_t generation) {
  forget_handles_if<device::Function>([&](const device::Function& function) {
    return function.module()->context_generation() == generation;
  });
  std::vector<Ref<device::Module>> modules;
  forget_handles_if<device::Module>([&](const device::Module& module) {
    if (module.context_generation() != generation) return false;
    modules.emplace_back(const_cast<device::Module*>(&module));
    return true;
  });
  for (const Ref<device::Module>& module : modules) {
    forget_reference_handles_of(*module);
    module->unload();
  }
}

}  // namespace cuvette::driver
