// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/requester.hpp"
#include "sim/check/order/external_uses.hpp"
#include "sim/interop/external/shared_events.hpp"
#include "sim/interop/external/shared_memory.hpp"

using namespace cuvette;
using namespace cuvette::driver;
namespace shared_events = interop::shared_events;
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
    // Measured: flags of 0 are refused, too.
    if (Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
      return refuse(Error::invalid_value,
                    "Flags 0x%x: they must be CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.", Flags);
    interop::MemoryName name;
    std::memcpy(name.data(), handle.reserved, sizeof name);
    *pdptr = TRY(shared_memory::open(name, requester(context)));
    if (auto* const uses = check::ExternalUses::get()) uses->opened(*pdptr);
    return {};
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return call_in_context<CUresult>(
      [&](device::Context&) -> Result<> { return shared_memory::close(dptr); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    // Measured: the error for a null event.
    if (!pHandle || !event) return Error::invalid_value;
    const interop::EventName name = TRY(shared_events::name_of(*TRY(find(event))));
    static_assert(sizeof pHandle->reserved == sizeof name);
    std::memcpy(pHandle->reserved, name.data(), sizeof name);
    return {};
  });
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!phEvent) return Error::invalid_value;
    interop::EventName name;
    std::memcpy(name.data(), handle.reserved, sizeof name);
    // "behaves like a locally created event with the CU_EVENT_DISABLE_TIMING flag specified"
    *phEvent = TRY(give_handle(*make_ref<device::Event>(
        Ref<device::Context>(&context), device::Event::Options{false, false}, call_site(),
        TRY(shared_events::open(name)))));
    return {};
  });
}

// The same function under its name without a version; its signature never changed.
CUresult cuIpcOpenMemHandle(CUdeviceptr*, CUipcMemHandle, unsigned int)
    __attribute__((alias("cuIpcOpenMemHandle_v2")));

}  // extern "C"
