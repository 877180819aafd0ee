// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/primary_context.hpp"
#include "api/driver/call.hpp"
#include "api/driver/context/context_flags.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// Runs `end`, which may tear down the primary context, then ends the handles of its objects.
template <typename End>
Result<> ending_primary(device::Device& device, End end) {
  const Ref<device::Context> context = device::PrimaryContext::of(device).context();
  const uint64_t generation = context ? context->generation() : 0;
  TRY(end());
  if (context && !context->alive()) forget_handles_of(*context, generation);
  return {};
}

}  // namespace

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    device::Device* device = TRY(find_device(dev));
    if (!pctx) return Error::invalid_value;
    Ref<device::Context> context = TRY(device::PrimaryContext::of(*device).retain());
    *pctx = TRY(give_handle(*context));
    return {};
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    device::Device* device = TRY(find_device(dev));
    return ending_primary(*device, [&] { return device::PrimaryContext::of(*device).release(); });
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    device::Device* device = TRY(find_device(dev));
    return ending_primary(*device, [&]() -> Result<> {
      device::PrimaryContext::of(*device).reset();
      return {};
    });
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    device::Device* device = TRY(find_device(dev));
    TRY(check_context_flags(flags));
    device::PrimaryContext::of(*device).set_flags(flags);
    return {};
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  return call<CUresult>([&]() -> Result<> {
    device::Device* device = TRY(find_device(dev));
    if (!flags || !active) return Error::invalid_value;
    const auto state = device::PrimaryContext::of(*device).state();
    *flags = state.flags;
    *active = state.active;
    return {};
  });
}

// The same function under its name without a version; its signature never changed.
CUresult cuDevicePrimaryCtxRelease(CUdevice) __attribute__((alias("cuDevicePrimaryCtxRelease_v2")));

CUresult cuDevicePrimaryCtxReset(CUdevice) __attribute__((alias("cuDevicePrimaryCtxReset_v2")));

CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned int)
    __attribute__((alias("cuDevicePrimaryCtxSetFlags_v2")));

}  // extern "C"
