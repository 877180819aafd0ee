// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/module/module_handles.hpp"
#include "api/driver/module/parameter_info.hpp"

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return call<CUresult>([&]() -> Result<> {
    if (!pi) return Error::invalid_value;
    *pi = TRY(TRY(find(hfunc))->attribute(static_cast<device::FunctionAttribute>(attrib)));
    return {};
  });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return call<CUresult>([&]() -> Result<> {
    return TRY(find(hfunc))->set_attribute(static_cast<device::FunctionAttribute>(attrib), value);
  });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  return call<CUresult>([&]() -> Result<> {
    if (!hmod || !hfunc) return Error::invalid_value;
    *hmod = TRY(give_handle(*TRY(find(hfunc))->module()));
    return {};
  });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return call<CUresult>([&]() -> Result<> {
    if (!name || !hfunc) return Error::invalid_value;
    *name = TRY(find(hfunc))->name().c_str();
    return {};
  });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset,
                            size_t* paramSize) {
  return call<CUresult>([&]() -> Result<> {
    if (!func || !paramOffset) return Error::invalid_value;
    return tell_parameter(TRY(find(func))->parameters(), paramIndex, paramOffset, paramSize);
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return call<CUresult>([&]() -> Result<> {
    if (!state) return Error::invalid_value;
    *state = TRY(find(function))->loaded() ? CU_FUNCTION_LOADING_STATE_LOADED
                                           : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return {};
  });
}

// "Finalizes function loading": does what would otherwise be done at the first launch. "Calling
// this API with a fully loaded function has no effect."
CUresult cuFuncLoad(CUfunction function) {
  return call<CUresult>([&]() -> Result<> { return TRY(find(function))->load(); });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<device::Function> function = TRY(find(hfunc));
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return refuse(Error::invalid_value, "%d is not a CUfunc_cache.", config);
    function->settings().cache_config.store(config, std::memory_order_relaxed);
    return {};
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<device::Function> function = TRY(find(hfunc));
    if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
        config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
      return refuse(Error::invalid_value, "%d is not a CUsharedconfig.", config);
    function->settings().shared_config.store(config, std::memory_order_relaxed);
    return {};
  });
}

}  // extern "C"
