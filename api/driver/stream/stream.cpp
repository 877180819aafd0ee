// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/requester.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/check/order/early_waits.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/pools/managed_memory.hpp"
#include "sim/device/pools/memory_pool.hpp"
#include "sim/device/stream/host_call.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::StreamKind;

namespace {

// Returns the final answer of cuStreamQuery and cuStreamSynchronize: the error of the stream's
// context, if a command failed in it.
Result<> state_of(const device::Stream& stream) {
  if (auto error = stream.context().tell_error()) return *error;
  return {};
}

Result<> create(CUstream* phStream, unsigned flags, int priority, device::Context& context) {
  if (!phStream) return Error::invalid_value;
  if (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING))
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_STREAM_NON_BLOCKING.",
                  flags);
  // "If priority is specified outside the numerical range returned by cuCtxGetStreamPriorityRange,
  // it will automatically be clamped".
  const device::Profile& profile = context.device().profile();
  const Ref<device::Stream> stream = context.make_stream(
      flags & CU_STREAM_NON_BLOCKING ? StreamKind::non_blocking : StreamKind::blocking,
      std::clamp(priority, profile.priority_greatest, profile.priority_least));
  // Once it has a handle, a thread that destroys the context may release it.
  *phStream = TRY(give_handle(*stream));
  return {};
}

struct CallbackArguments {
  CUstreamCallback function;
  void* user_data;
};

// Passes a callback the stream's handle as the program knows it.
void call_back(uintptr_t stream, int status, void* data) {
  const std::unique_ptr<CallbackArguments> arguments(static_cast<CallbackArguments*>(data));
  arguments->function(reinterpret_cast<CUstream>(stream), static_cast<CUresult>(status),
                      arguments->user_data);
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  // Measured on an H200: if no context is current, this becomes an invalid handle, not
  // null, which would be the null stream.
  if (phStream && !device::Thread::current().context())
    *phStream = reinterpret_cast<CUstream>(UINTPTR_MAX);
  return call_in_context<CUresult>(
      [&](device::Context& context) { return create(phStream, Flags, 0, context); });
}

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return call_in_context<CUresult>(
      [&](device::Context& context) { return create(phStream, flags, priority, context); });
}

// "In case the device is still doing work in the stream hStream when cuStreamDestroy() is called,
// the function will return immediately and the resources associated with hStream will be released
// automatically once the device has completed all work in hStream."
CUresult cuStreamDestroy_v2(CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: null is not a stream to destroy, with a context or without one.
    if (hStream) TRY(find_usable(hStream));
    const auto stream = forget_handle<device::Stream>(hStream);
    if (!stream)
      return refuse(Error::invalid_handle, "%p is not a stream from cuStreamCreate.",
                    static_cast<void*>(hStream));
    device::Capture::abandon(*stream);
    return {};
  });
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!priority) return Error::invalid_value;
    *priority = stream.priority();
    return {};
  });
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!flags) return Error::invalid_value;
    // Measured: this and cuStreamGetDevice end a capture, unlike the other questions.
    TRY(device::Capture::refuse_in(stream));
    *flags = stream.kind() == StreamKind::non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
    return {};
  });
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!streamId) return Error::invalid_value;
    *streamId = stream.id() + 1;  // on a GPU no stream has 0, the legacy stream neither: measured
    return {};
  });
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!pctx) return Error::invalid_value;
    *pctx = handle_of(stream.context());
    return {};
  });
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (!device) return Error::invalid_value;
    TRY(device::Capture::refuse_in(stream));
    *device = static_cast<CUdevice>(stream.context().device().ordinal());
    return {};
  });
}

// Measured: host functions may ask.
CUresult cuStreamQuery(CUstream hStream) {
  return call_also_in_host_function<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    TRY(state_of(*stream));
    TRY(device::Capture::refuse_in(*stream));
    TRY(device::Capture::refuse_unsafe_call());
    if (!stream->answer_idle(who_asks())) return Error::not_ready;
    return state_of(*stream);
  });
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    TRY(device::Capture::refuse_in(stream));
    TRY(device::Capture::refuse_unsafe_call());
    const auto known = stream.order().known();
    const uint64_t last = stream.submitted();
    stream.context().synchronise(stream, last);
    device::MemoryPool::synchronised(known.get(), stream, last);
    interop::GraphicsResource::give_back_frames(stream.context().generation(),
                                                requester(stream.context()));
    return state_of(stream);
  });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    if (Flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL))
      return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_EVENT_WAIT_EXTERNAL.",
                    Flags);
    const auto event = TRY(find(hEvent));
    const bool external = Flags & CU_EVENT_WAIT_EXTERNAL;
    if (TRY(device::Capture::wait(stream, *event, external))) return {};
    // External waits are only for streams that are being captured, like external records
    // (measured).
    if (external)
      return refuse(Error::illegal_state,
                    "CU_EVENT_WAIT_EXTERNAL needs a stream that is being captured.");
    // Another process may have recorded an event that processes share.
    if (callsite::keeps_stacks() && !event->shared() && !event->recorded())
      check::EarlyWaits::get().note(stream.id(), reinterpret_cast<uintptr_t>(hEvent), call_site());
    return event->wait_in(stream, call_site());
  });
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    TRY(device::Capture::refuse_in(stream));
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
        flags != CU_MEM_ATTACH_SINGLE)
      return refuse(Error::invalid_value, "Flags 0x%x are not one of CU_MEM_ATTACH_*.", flags);
    return device::ManagedMemory::attach(stream, dptr, length, flags == CU_MEM_ATTACH_SINGLE);
  });
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData,
                             unsigned int flags) {
  return call_in_stream<CUresult>(hStream, [&](device::Stream& stream) -> Result<> {
    // "flags: Reserved for future use, must be 0".
    if (!callback || flags != 0) return Error::invalid_value;
    // A graph cannot hold it: cuLaunchHostFunc is its successor.
    TRY(device::Capture::refuse_in(stream));
    stream.context().submit(
        stream,
        device::HostCall(call_back, new CallbackArguments{callback, userData}, call_site()));
    return {};
  });
}

// The same function under its name without a version; its signature never changed.
CUresult cuStreamDestroy(CUstream) __attribute__((alias("cuStreamDestroy_v2")));

}  // extern "C"
