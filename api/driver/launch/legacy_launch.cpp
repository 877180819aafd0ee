// SPDX-License-Identifier: Apache-2.0
// Launches as they were before CUDA 4.0.
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/module/module_handles.hpp"
#include "sim/device/graph/submission.hpp"
#include "sim/device/kernel/kernel_launch.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

Result<> launch(CUfunction f, int width, int height, CUstream hStream) {
  const auto stream = TRY(find_usable(hStream));
  auto function = TRY(find(f));
  if (width <= 0 || height <= 0)
    return refuse(Error::invalid_value, "A grid of %d by %d blocks is empty.", width, height);
  const device::LegacyLaunch::Settings settings = function->legacy.settings();
  const device::LaunchShape shape{{static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1},
                                  {settings.block[0], settings.block[1], settings.block[2]},
                                  settings.shared};
  // Parameters that were not set are zero.
  std::vector<std::byte> parameters = settings.parameters;
  parameters.resize(function->parameters().bytes);
  device::ParameterValues values;
  values.block = parameters.empty() ? nullptr : parameters.data();
  values.block_bytes = parameters.size();
  return device::submit_kernel(
      *stream, TRY(device::KernelCall::make(std::move(function), shape, values)), call_site());
}

[[gnu::always_inline]] inline CUresult set_parameter(CUfunction hfunc, int offset,
                                                     const void* value, size_t bytes) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    const auto function = TRY(find(hfunc));
    if (offset < 0 || !value)
      return refuse(Error::invalid_value,
                    "The parameter is not valid: offset %d, value pointer %p.", offset, value);
    return function->legacy.set_parameter(static_cast<size_t>(offset), value, bytes);
  });
}

}  // namespace

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto function = TRY(find(hfunc));
    const int most = context.device().profile().value(device::Attribute::MAX_THREADS_PER_BLOCK);
    if (x <= 0 || y <= 0 || z <= 0 || int64_t{x} * y > most || int64_t{x} * y * z > most)
      return refuse(Error::invalid_value,
                    "A block of %d by %d by %d threads is not valid: it can have 1 to %d threads.",
                    x, y, z, most);
    function->legacy.set_block(static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                               static_cast<uint32_t>(z));
    return {};
  });
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto function = TRY(find(hfunc));
    const auto most = static_cast<unsigned>(
        context.device().profile().value(device::Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    if (bytes > most)
      return refuse(Error::invalid_value,
                    "%u bytes of shared memory are more than a block can have (%u).", bytes, most);
    function->legacy.set_shared(bytes);
    return {};
  });
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    return TRY(find(hfunc))->legacy.set_parameter_bytes(numbytes);
  });
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}
// "texture references ... must be set via cuModuleGetTexRef": the driver takes none (measured).
CUresult cuParamSetTexRef(CUfunction hfunc, int, CUtexref hTexRef) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    TRY(find(hfunc));
    TRY(find(hTexRef));
    return refuse(Error::invalid_value, "A texture reference is a variable, not a parameter.");
  });
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  return set_parameter(hfunc, offset, ptr, numbytes);
}

CUresult cuLaunch(CUfunction f) {
  return call<CUresult>([&] { return launch(f, 1, 1, nullptr); });
}
CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return call<CUresult>([&] { return launch(f, grid_width, grid_height, nullptr); });
}
CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return call<CUresult>([&] { return launch(f, grid_width, grid_height, hStream); });
}

}  // extern "C"
