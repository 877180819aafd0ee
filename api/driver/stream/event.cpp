// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/event.hpp"

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/requester.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/check/order/early_waits.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/pools/memory_pool.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::Capture;

namespace {

Result<> record_event(CUevent hEvent, CUstream hStream, unsigned flags) {
  const auto stream = TRY(find_usable(hStream));
  const auto event = TRY(find(hEvent));
  if (flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL))
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_EVENT_RECORD_EXTERNAL.",
                  flags);
  const bool external = flags & CU_EVENT_RECORD_EXTERNAL, captured = TRY(Capture::takes(*stream));
  // Measured: without a capture this is an illegal state.
  if (external && !captured)
    return refuse(Error::illegal_state,
                  "CU_EVENT_RECORD_EXTERNAL needs a stream that is being captured.");
  // "hEvent and hStream must be from the same context."
  if (&event->context() != &stream->context())
    return refuse(Error::invalid_handle, "The event and the stream belong to different contexts.");
  if (external)
    return Capture::add(*stream, device::NodeType::event_record, device::EventWork{event});
  if (captured) return Capture::record(*stream, *event);
  if (callsite::keeps_stacks())
    check::EarlyWaits::get().recorded(reinterpret_cast<uintptr_t>(hEvent), stream->id());
  return event->record(*stream, call_site());
}

Result<> elapsed(float* milliseconds, CUevent hStart, CUevent hEnd) {
  const auto start = TRY(find_usable(hStart)), end = TRY(find_usable(hEnd));
  TRY(Capture::refuse_captured(*start, false));
  TRY(Capture::refuse_captured(*end, false));
  const float time = TRY(device::Event::elapsed(*start, *end));
  if (auto error = end->context().tell_error()) return *error;
  // Measured: null gets the error of a bad event.
  if (!milliseconds)
    return refuse(Error::invalid_handle, "The output pointer for the time is null.");
  *milliseconds = time;
  return {};
}

}  // namespace

extern "C" {

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!phEvent) return Error::invalid_value;
    constexpr unsigned known =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (Flags & ~known)
      return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_EVENT_* (0x%x).", Flags,
                    known);
    const device::Event::Options options{!(Flags & CU_EVENT_DISABLE_TIMING),
                                         (Flags & CU_EVENT_BLOCKING_SYNC) != 0};
    const auto event = TRY(
        device::Event::create(context, options, (Flags & CU_EVENT_INTERPROCESS) != 0, call_site()));
    *phEvent = TRY(give_handle(*event));
    return {};
  });
}

// "An event may be destroyed before it is complete": commands that wait for it continue to wait.
CUresult cuEventDestroy_v2(CUevent hEvent) {
  return call<CUresult>([&]() -> Result<> {
    TRY(find_usable(hEvent));
    if (!forget_handle<device::Event>(hEvent))
      return refuse(Error::invalid_handle, "%p is not a live event.", static_cast<void*>(hEvent));
    return {};
  });
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return call<CUresult>([&] { return record_event(hEvent, hStream, 0); });
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return call<CUresult>([&] { return record_event(hEvent, hStream, flags); });
}

// Measured: host functions may ask.
CUresult cuEventQuery(CUevent hEvent) {
  return call_also_in_host_function<CUresult>([&]() -> Result<> {
    const auto event = TRY(find_usable(hEvent));
    TRY(Capture::refuse_captured(*event));
    TRY(Capture::refuse_unsafe_call());
    TRY(event->query(who_asks()));
    if (auto error = event->context().tell_error()) return *error;
    return {};
  });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return call<CUresult>([&]() -> Result<> {
    const auto event = TRY(find_usable(hEvent));
    device::Context& context = event->context();
    TRY(Capture::refuse_captured(*event));
    TRY(Capture::refuse_unsafe_call());
    const Ref<device::EventRecord> record = TRY(event->synchronise());
    if (record && !record->in_graph)
      device::MemoryPool::synchronised(
          record->known.get(), static_cast<device::Stream&>(*record->timeline), record->value);
    interop::GraphicsResource::give_back_frames(context.generation(), requester(context));
    if (auto error = context.tell_error()) return *error;
    return {};
  });
}

CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return call<CUresult>([&] { return elapsed(pMilliseconds, hStart, hEnd); });
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return call<CUresult>([&] { return elapsed(pMilliseconds, hStart, hEnd); });
}

// The same function under its name without a version; its signature never changed.
CUresult cuEventDestroy(CUevent) __attribute__((alias("cuEventDestroy_v2")));

}  // extern "C"
