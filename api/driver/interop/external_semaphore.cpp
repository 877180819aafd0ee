// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/external_types.hpp"
#include "api/driver/interop/semaphore_operations.hpp"
#include "sim/check/api/taken_descriptors.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/graph/submission.hpp"
#include "sim/interop/external/external_semaphore.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// Checks which kinds of handle can be imported at all. Measured: a kind of another system gives
// invalid_value if the handle is null, and not_supported with anything else in the union.
Result<device::SemaphoreKind> kind_of(const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC& description) {
  switch (description.type) {
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD:
      return device::SemaphoreKind::binary;
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD:
      // Measured, for this type only.
      if (description.handle.fd < 0)
        return refuse(Error::invalid_value, "%d is not a file descriptor.", description.handle.fd);
      return device::SemaphoreKind::timeline;
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32:
      if (!description.handle.win32.handle && !description.handle.win32.name)
        return refuse(Error::invalid_value, "The handle to import is null.");
      return refuse(Error::not_supported, "Semaphores of type %d do not exist on this system.",
                    static_cast<int>(description.type));
  }
  return refuse(Error::invalid_value, "%d is not a type of external semaphore.",
                static_cast<int>(description.type));
}

template <typename Parameters>
Result<> check_parameters(const Parameters& parameters) {
  // CUDA_EXTERNAL_SEMAPHORE_*_SKIP_NVSCIBUF_MEMSYNC is for semaphores of NvSci.
  if (parameters.flags != 0)
    return refuse(Error::invalid_value, "Flags 0x%x of a semaphore's parameters must be 0.",
                  parameters.flags);
  TRY(check_reserved(parameters));
  return check_reserved(parameters.params);
}

template <typename Parameters>
[[gnu::always_inline]] inline CUresult submit(const CUexternalSemaphore* semaphores,
                                              const Parameters* parameters, unsigned count,
                                              CUstream handle, bool signals) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(handle));
    // Measured: an invalidated capture is reported before the arguments are checked.
    TRY(device::Capture::takes(*stream));
    if (count == 0) return refuse(Error::invalid_value, "The list of semaphores is empty.");
    for (unsigned i = 0; parameters && i < count; ++i) TRY(check_parameters(parameters[i]));
    const auto operations = TRY(semaphore_operations(semaphores, parameters, count));
    return device::submit_semaphores(*stream, operations, signals, call_site());
  });
}

}  // namespace

extern "C" {

CUresult cuImportExternalSemaphore(CUexternalSemaphore* extSem_out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* semHandleDesc) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    if (!extSem_out || !semHandleDesc) return Error::invalid_value;
    if (semHandleDesc->flags != 0)
      return refuse(Error::invalid_value, "Flags 0x%x of a semaphore must be 0.",
                    semHandleDesc->flags);
    const auto kind = TRY(kind_of(*semHandleDesc));
    TRY(check_reserved(*semHandleDesc));
    auto* const descriptors = check::TakenDescriptors::get();
    if (descriptors) descriptors->given(semHandleDesc->handle.fd);
    auto semaphore = TRY(interop::import_semaphore(semHandleDesc->handle.fd, kind));
    if (descriptors) descriptors->taken(semHandleDesc->handle.fd);
    *extSem_out = TRY(give_handle(*semaphore));
    return {};
  });
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* paramsArray,
                                         unsigned int numExtSems, CUstream stream) {
  return submit(extSemArray, paramsArray, numExtSems, stream, true);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* paramsArray,
                                       unsigned int numExtSems, CUstream stream) {
  return submit(extSemArray, paramsArray, numExtSems, stream, false);
}

// Streams that still wait for it, or have yet to signal it, keep the semaphore.
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
  return call<CUresult>([&]() -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    if (auto* const descriptors = check::TakenDescriptors::get()) descriptors->look();
    if (!extSem) return refuse(Error::invalid_value, "The external semaphore is a null handle.");
    // Measured: other calls return another error for a handle that is not a live semaphore.
    if (!forget_handle<device::ExternalSemaphore>(extSem))
      return refuse(Error::invalid_handle, "%p is not a live external semaphore.",
                    static_cast<void*>(extSem));
    return {};
  });
}

}  // extern "C"
