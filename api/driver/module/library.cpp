// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/module/jit_options.hpp"
#include "api/driver/module/module_handles.hpp"
#include "api/driver/module/parameter_info.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/file.hpp"
#include "sim/os/output.hpp"
#include "sim/ptx/program/image_program.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// CU_LIBRARY_BINARY_IS_PRESERVED saves a copy on a GPU's driver; here the copy is always made. A
// table of functions that host and device share has no use on devices that do not share functions.
Result<> check_options(unsigned count, const CUlibraryOption* options) {
  if (count > 0 && !options) return Error::invalid_value;
  for (unsigned i = 0; i < count; ++i)
    if (static_cast<unsigned>(options[i]) >= CU_LIBRARY_NUM_OPTIONS)
      return refuse(Error::invalid_value, "%d is not a CUlibraryOption.", options[i]);
  return {};
}

// Returns the device that decides which part of a fat binary is used: the current one, else the
// first.
device::Device& deciding_device() {
  const device::Context* const context = device::Thread::current().context();
  return context ? context->device() : *device::Machine::get().devices().front();
}

// The driver reports what is wrong with an image when its kernels are asked for, not now
// (measured); a program without a log would never see why.
Result<> load(CUlibrary* library, const void* image, size_t size, const JitOptions& options) {
  ptx::LoadRequest request;
  request.image = image;
  request.size = size;
  request.device = deciding_device().profile().compute_capability();
  request.target = options.target(request.device);
  request.most_registers = options.most_registers();
  request.needs = device::Machine::get().needs();
  Ref<ptx::Program> readable;
  const auto program = ptx::load_program(request, &readable);
  options.report(request.log);
  std::optional<Error> error;
  if (!program.ok()) {
    error = program.error();
    os::say("cannot use a library:\n%s",
            request.log.substr(0, request.log.find_last_not_of('\n') + 1).c_str());
  }
  *library = TRY(give_handle(*make_ref<device::Library>(std::move(readable), error)));
  return {};
}

Result<> tell(const device::Module::Symbol& symbol, CUdeviceptr* dptr, size_t* bytes) {
  if (dptr) *dptr = symbol.address;
  if (bytes) *bytes = symbol.size;
  return {};
}

}  // namespace

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                           void** jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption* libraryOptions, void** libraryOptionValues,
                           unsigned int numLibraryOptions) {
  return call<CUresult>([&]() -> Result<> {
    if (!library || !code) return Error::invalid_value;
    TRY(check_options(numLibraryOptions, libraryOptions));
    return load(library, code, SIZE_MAX,
                TRY(JitOptions::read(numJitOptions, jitOptions, jitOptionsValues)));
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption* libraryOptions, void** libraryOptionValues,
                               unsigned int numLibraryOptions) {
  return call<CUresult>([&]() -> Result<> {
    if (!library || no_name(fileName)) return Error::invalid_value;
    TRY(check_options(numLibraryOptions, libraryOptions));
    const JitOptions options = TRY(JitOptions::read(numJitOptions, jitOptions, jitOptionsValues));
    const std::string contents = TRY(os::read_file(fileName, most_file_bytes));
    return load(library, contents.data(), contents.size(), options);
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return call<CUresult>([&]() -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    const Ref<device::Library> object = TRY(find(library));
    if (!forget_handle<device::Library>(library))
      return Error::invalid_handle;  // another thread was quicker
    const device::Library::Remains remains = object->unload();
    for (const Ref<device::Module>& module : remains.modules) forget_handles_of(*module);
    for (const Ref<device::LibraryKernel>& kernel : remains.kernels) forget_handle_of(*kernel);
    return {};
  });
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if (!pKernel || no_name(name)) return Error::invalid_value;
    const Ref<device::LibraryKernel> kernel = TRY(TRY(find(library))->kernel(name));
    if (!kernel) return refuse(Error::not_found, "The library has no kernel '%s'.", name);
    *pKernel = TRY(give_handle(*kernel));
    return {};
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  return call<CUresult>([&]() -> Result<> {
    if (!count) return Error::invalid_value;
    *count = TRY(TRY(find(lib))->kernel_count());
    return {};
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  return call<CUresult>([&]() -> Result<> {
    if (!kernels) return Error::invalid_value;
    for (const Ref<device::LibraryKernel>& kernel : TRY(TRY(find(lib))->kernels(numKernels)))
      *kernels++ = TRY(give_handle(*kernel));
    return {};
  });
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  return call<CUresult>([&]() -> Result<> {
    if (!pMod) return Error::invalid_value;
    const Ref<device::Library> object = TRY(find(library));
    *pMod = TRY(give_handle(*TRY(object->module(*TRY(usable_context()), call_site()))));
    return {};
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if ((!dptr && !bytes) || no_name(name)) return Error::invalid_value;
    const Ref<device::Library> object = TRY(find(library));
    const auto module = TRY(object->module(*TRY(usable_context()), call_site()));
    const auto variable = module->variable(name);
    if (!variable) return refuse(Error::not_found, "The library has no variable '%s'.", name);
    return tell(*variable, dptr, bytes);
  });
}

// "Managed memory for library is shared across devices": it needs no context (measured).
CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                             const char* name) {
  return call<CUresult>([&]() -> Result<> {
    if ((!dptr && !bytes) || no_name(name)) return Error::invalid_value;
    return tell(TRY(TRY(find(library))->managed(name, call_site())), dptr, bytes);
  });
}

CUresult cuLibraryGetUnifiedFunction(void** fptr, CUlibrary library, const char* symbol) {
  return call<CUresult>([&]() -> Result<> {
    // Measured on a device without CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS.
    if (!fptr || no_name(symbol)) return Error::invalid_value;
    TRY(find(library));
    return refuse(Error::invalid_value, "Functions do not have addresses that the host could use.");
  });
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  return call<CUresult>([&]() -> Result<> {
    if (!pFunc) return Error::invalid_value;
    const Ref<device::LibraryKernel> object = TRY(find(kernel));
    *pFunc = TRY(give_handle(*TRY(object->function(*TRY(usable_context()), call_site()))));
    return {};
  });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  return call<CUresult>([&]() -> Result<> {
    if (!pLib) return Error::invalid_value;
    *pLib = TRY(give_handle(TRY(find(kernel))->library()));
    return {};
  });
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
  return call<CUresult>([&]() -> Result<> {
    if (!name || !hfunc) return Error::invalid_value;
    *name = TRY(find(hfunc))->name().c_str();
    return {};
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset,
                              size_t* paramSize) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!kernel || !paramOffset) return Error::invalid_value;
    return tell_parameter(TRY(find(kernel))->parameters(), paramIndex, paramOffset, paramSize);
  });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (!pi) return Error::invalid_value;
    const Ref<device::LibraryKernel> object = TRY(find(kernel));
    *pi = TRY(
        object->attribute(static_cast<device::FunctionAttribute>(attrib), *TRY(find_device(dev))));
    return {};
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<device::LibraryKernel> object = TRY(find(kernel));
    return object->set_attribute(static_cast<device::FunctionAttribute>(attrib), val,
                                 *TRY(find_device(dev)));
  });
}

// A preference, which changes nothing here and need not change anything on a GPU.
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    TRY(find(kernel));
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return refuse(Error::invalid_value, "%d is not a CUfunc_cache.", config);
    TRY(find_device(dev));
    return {};
  });
}

}  // extern "C"
