// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "api/driver/asker.hpp"
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/interop/shared_memory.hpp"

using namespace cuvette;
using namespace cuvette::driver;
namespace shared_memory = interop::shared_memory;

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!pHandle) return Error::invalid_value;
    const auto allocation = device::Machine::get().memory().find(dptr);
    if (!allocation)
      return refuse(Error::invalid_value, "0x%llx is not inside a live allocation.", dptr);
    const interop::MemoryName name = TRY(shared_memory::name_of(allocation));
    static_assert(sizeof pHandle->reserved == sizeof name);
    std::memcpy(pHandle->reserved, name.data(), sizeof name);
    return {};
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pdptr) return Error::invalid_value;
    // Measured: 0 is refused, too.
    if (Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
      return refuse(Error::invalid_value,
                    "Flags 0x%x: they must be CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.", Flags);
    interop::MemoryName name;
    std::memcpy(name.data(), handle.reserved, sizeof name);
    *pdptr = TRY(shared_memory::open(name, asker(context)));
    return {};
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return call_in_context<CUresult>(
      [&](device::Context&) -> Result<> { return shared_memory::close(dptr); });
}

}  // extern "C"
