// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/module/jit_options.hpp"
#include "api/driver/module/module_handles.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/file.hpp"
#include "sim/ptx/program/image_program.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

Result<> load(CUmodule* module, const void* image, size_t size, const JitOptions& options,
              device::Context& context, const char* file = "") {
  ptx::LoadRequest request;
  request.name = file;
  request.image = image;
  request.size = size;
  request.device = context.device().profile().compute_capability();
  request.target = options.target(request.device);
  request.most_registers = options.most_registers();
  request.needs = device::Machine::get().needs();
  auto program = ptx::load_program(request, nullptr);
  options.report(request.log);
  if (!program.ok()) {
    ptx::report_unloadable(program.error(), request.log);
    return program.error();
  }
  const auto loaded =
      TRY(device::Module::load(context, std::move(program).value(), nullptr, call_site()));
  // Measured on an H200: loading a module, but not a library, waits for all work of the context.
  context.wait_for_submitted();
  *module = TRY(give_handle(*loaded));
  return {};
}

Result<> load(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
              void** values, device::Context& context) {
  if (!module || !image) return refuse(Error::invalid_value, "The module or the image is null.");
  return load(module, image, SIZE_MAX, TRY(JitOptions::read(count, options, values)), context);
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!module || no_name(fname)) return Error::invalid_value;
    const std::string contents = TRY(os::read_file(fname, most_file_bytes));
    return load(module, contents.data(), contents.size(), JitOptions(), context, fname);
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return call_in_context<CUresult>(
      [&](device::Context& context) { return load(module, image, 0u, nullptr, nullptr, context); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions,
                            CUjit_option* options, void** optionValues) {
  return call_in_context<CUresult>([&](device::Context& context) {
    return load(module, image, numOptions, options, optionValues, context);
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return call_in_context<CUresult>([&](device::Context& context) {
    return load(module, fatCubin, 0u, nullptr, nullptr, context);
  });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return call<CUresult>([&]() -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    const Ref<device::Module> module = TRY(find(hmod));
    // "Attempting to unload a module which was obtained from the Library Management API such as
    // cuLibraryGetModule will return CUDA_ERROR_NOT_PERMITTED."
    if (module->of_library())
      return refuse(Error::not_permitted,
                    "The module belongs to a library: unload it with cuLibraryUnload.");
    // A context with an error refuses this, like everything else; the module then ends with the
    // context.
    if (module->context()->alive())
      if (const auto error = module->context()->returned_error()) return *error;
    forget_handles_of(*module);
    module->unload();
    return {};
  });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if (!hfunc || no_name(name)) return Error::invalid_value;
    const Ref<device::Module> module = TRY(find(hmod));
    const Ref<device::Function> function = TRY(module->function(name));
    if (!function) return refuse(Error::not_found, "The module has no kernel '%s'.", name);
    *hfunc = TRY(give_handle(*function));
    return {};
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  return call<CUresult>([&]() -> Result<> {
    if (!count) return Error::invalid_value;
    *count = static_cast<unsigned>(TRY(find(mod))->program().kernels().size());
    return {};
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions,
                                    CUmodule mod) {
  return call<CUresult>([&]() -> Result<> {
    if (!functions) return Error::invalid_value;
    const Ref<device::Module> module = TRY(find(mod));
    for (const Ref<device::Function>& function : TRY(module->functions(numFunctions)))
      *functions++ = TRY(give_handle(*function));
    return {};
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if ((!dptr && !bytes) || no_name(name)) return Error::invalid_value;
    const Ref<device::Module> module = TRY(find(hmod));
    if (dptr) *dptr = 0;
    if (bytes) *bytes = 0;
    if (module->program().kernel(name))  // measured
      return refuse(Error::invalid_value, "'%s' is a kernel, not a variable.", name);
    if (module->texture_reference(name) || module->surface_reference(name))  // likewise
      return refuse(Error::invalid_value, "'%s' is a reference, not a variable.", name);
    const auto variable = module->variable(name);
    if (!variable) return refuse(Error::not_found, "The module has no variable '%s'.", name);
    if (dptr) *dptr = variable->address;
    if (bytes) *bytes = variable->size;
    return {};
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return call<CUresult>([&]() -> Result<> {
    if (!mode) return Error::invalid_value;
    // Kernels are compiled when they are launched for the first time, regardless of
    // CUDA_MODULE_LOADING.
    *mode = CU_MODULE_LAZY_LOADING;
    return {};
  });
}

CUresult cuModuleGetTexRef(CUtexref* pTexRef, CUmodule hmod, const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if (!pTexRef || no_name(name)) return Error::invalid_value;
    const auto reference = TRY(find(hmod))->texture_reference(name);
    if (!reference)
      return refuse(Error::not_found, "The module has no texture reference '%s'.", name);
    *pTexRef = TRY(give_handle(*reference));
    return {};
  });
}

CUresult cuModuleGetSurfRef(CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if (!pSurfRef || no_name(name)) return Error::invalid_value;
    const auto reference = TRY(find(hmod))->surface_reference(name);
    if (!reference)
      return refuse(Error::not_found, "The module has no surface reference '%s'.", name);
    *pSurfRef = TRY(give_handle(*reference));
    return {};
  });
}

}  // extern "C"
