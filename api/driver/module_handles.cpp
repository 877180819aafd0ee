// SPDX-License-Identifier: Apache-2.0
#include "api/driver/module_handles.hpp"

#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/kept_handles.hpp"
#include "api/driver/reference_handles.hpp"

namespace cuvette::driver {

constinit HandleTable<device::Module> module_handles(16);
constinit HandleTable<device::Function> function_handles(17);
constinit HandleTable<device::Library> library_handles(18);
constinit HandleTable<device::LibraryKernel> kernel_handles(19);

Result<Ref<device::Module>> find(CUmodule handle) {
  return find_in(module_handles, handle, "module");
}
Result<Ref<device::Function>> find(CUfunction handle) {
  return find_in(function_handles, handle, "function");
}
Result<Ref<device::Library>> find(CUlibrary handle) {
  return find_in(library_handles, handle, "library");
}
Result<Ref<device::LibraryKernel>> find(CUkernel handle) {
  return find_in(kernel_handles, handle, "kernel");
}

Result<Ref<device::Function>> find_launchable(CUfunction handle, device::Context& context) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (auto kernel = kernel_handles.find(number)) return kernel->function(context, call_site());
  return find(handle);
}

Result<CUmodule> give_handle(device::Module& module) {
  return keep_handle<CUmodule>(module_handles, module);
}
Result<CUfunction> give_handle(device::Function& function) {
  return keep_handle<CUfunction>(function_handles, function);
}
Result<CUlibrary> give_handle(device::Library& library) {
  return keep_handle<CUlibrary>(library_handles, library);
}
Result<CUkernel> give_handle(device::LibraryKernel& kernel) {
  return keep_handle<CUkernel>(kernel_handles, kernel);
}

void forget_handles_of(device::Module& module) {
  forget_reference_handles_of(module);
  function_handles.remove_if(
      [&](const device::Function& function) { return function.module().get() == &module; });
  module_handles.remove_if([&](const device::Module& one) { return &one == &module; });
}

void forget_module_handles_of(uint64_t generation) {
  function_handles.remove_if([&](const device::Function& function) {
    return function.module()->context_generation() == generation;
  });
  std::vector<Ref<device::Module>> modules;
  module_handles.remove_if([&](const device::Module& module) {
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
