// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/context/context_flags.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/requester.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/pools/memory_pool.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

device::Thread& thread() { return device::Thread::current(); }

// Returns the current context, destroyed or not. Errors: invalid_context.
Result<device::Context*> current() {
  if (device::Context* context = thread().context()) return context;
  return refuse(Error::invalid_context, "No context is current in this thread.");
}

Result<> create(CUcontext* pctx, unsigned flags, CUdevice dev) {
  device::Device* device = TRY(find_device(dev));
  if (!pctx) return Error::invalid_value;
  TRY(check_context_flags(flags));
  if (auto error = device->poisoned()) return *error;
  auto context = make_ref<device::Context>(*device, flags, false);
  *pctx = TRY(give_handle(*context));
  thread().push(std::move(context));
  return {};
}

Result<> destroy(CUcontext ctx) {
  Ref<device::Context> context = TRY(find(ctx));
  if (context->primary())
    return refuse(Error::invalid_context,
                  "A primary context cannot be destroyed: call cuDevicePrimaryCtxRelease.");
  forget_handle<device::Context>(ctx);
  // "If ctx is current to the calling thread then ctx will also be popped from the current thread's
  // context stack": once, measured.
  if (thread().context() == context.get()) thread().pop();
  const uint64_t generation = context->generation();
  context->tear_down();
  forget_handles_of(*context, generation);
  return {};
}

// Finds a context; null means the current one, as for most functions that take a context. Errors:
// context_is_destroyed, also for a primary context without references.
Result<Ref<device::Context>> find_or_current(CUcontext ctx) {
  if (!ctx) return Ref<device::Context>(TRY(usable_context()));
  Ref<device::Context> context = TRY(find(ctx));
  if (!context->alive()) return Error::context_is_destroyed;
  return context;
}

// Errors: invalid_context, also for null; context_is_destroyed; its sticky error.
Result<Ref<device::Context>> find_usable_context(CUcontext ctx) {
  Ref<device::Context> context = TRY(find(ctx));
  if (!context->alive()) return Error::context_is_destroyed;
  if (const auto error = context->returned_error()) return *error;
  return context;
}

Result<> synchronise(device::Context& context) {
  TRY(device::Capture::refuse_in_context(context));
  context.synchronise();
  device::MemoryPool::synchronised(context);
  interop::GraphicsResource::give_back_frames(context.generation(), requester(context));
  if (auto error = context.tell_error()) return *error;
  return {};
}

}  // namespace

extern "C" {

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return call<CUresult>([&] { return create(pctx, flags, dev); });
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
  return call<CUresult>([&]() -> Result<> {
    if (ctxCreateParams && (ctxCreateParams->execAffinityParams || ctxCreateParams->cigParams))
      return refuse(Error::not_supported,
                    "Contexts with an execution affinity, or shared with a "
                    "graphics queue, are not implemented.");
    return create(pctx, flags, dev);
  });
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  // Measured: a null context is an invalid value, even before cuInit.
  if (!ctx) return CUDA_ERROR_INVALID_VALUE;
  return call<CUresult>([&] { return destroy(ctx); });
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  return call<CUresult>([&]() -> Result<> {
    if (!ctx) return refuse(Error::invalid_value, "The context to push is a null handle.");
    thread().push(TRY(find(ctx)));
    return {};
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* pctx) {
  return call<CUresult>([&]() -> Result<> {
    TRY(current());
    const Ref<device::Context> context = thread().pop();
    if (pctx) *pctx = handle_of(*context);
    return {};
  });
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  return call<CUresult>([&]() -> Result<> {
    thread().set(ctx ? TRY(find(ctx)) : nullptr);
    return {};
  });
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  return call<CUresult>([&]() -> Result<> {
    if (!pctx) return Error::invalid_value;
    const device::Context* context = thread().context();
    *pctx = context ? handle_of(*context) : nullptr;
    return {};
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return call<CUresult>([&]() -> Result<> {
    if (!device) return Error::invalid_value;
    const device::Context* context = TRY(current());
    *device = static_cast<CUdevice>(context->device().ordinal());
    return {};
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  return call<CUresult>([&]() -> Result<> {
    if (!device) return Error::invalid_value;
    // Measured: a context that was torn down still knows its device.
    const Ref<device::Context> context =
        ctx ? TRY(find(ctx)) : Ref<device::Context>(TRY(current()));
    *device = static_cast<CUdevice>(context->device().ordinal());
    return {};
  });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return call<CUresult>([&]() -> Result<> {
    if (!flags) return Error::invalid_value;
    const device::Context* context = TRY(current());
    // Measured: a primary context can always map host memory, and says so.
    *flags = context->flags() | (context->primary() ? unsigned{CU_CTX_MAP_HOST} : 0u);
    return {};
  });
}

CUresult cuCtxSetFlags(unsigned int flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    TRY(check_context_flags(flags));
    // Measured: the other flags are accepted, but only count when the context is created.
    context.set_flags(flags & (CU_CTX_SCHED_MASK | CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_SYNC_MEMOPS));
    return {};
  });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<device::Context> context = TRY(find_or_current(ctx));
    if (!ctxId) return Error::invalid_value;
    *ctxId = context->generation();
    return {};
  });
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  return call<CUresult>([&]() -> Result<> {
    const auto context = find_or_current(ctx);
    // Measured: a destroyed context counts as none here.
    if (!context.ok()) return ctx ? Error::invalid_context : context.error();
    if (!version) return Error::invalid_value;
    *version = 3020;  // the context's interface has not changed since CUDA 3.2; measured
    return {};
  });
}

CUresult cuCtxSynchronize(void) {
  return call_in_context<CUresult>([&](device::Context& context) { return synchronise(context); });
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  return call<CUresult>([&]() -> Result<> { return synchronise(*TRY(find_or_current(ctx))); });
}

// Measured for both: no context needs to be current.
CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<device::Context> context = TRY(find_usable_context(hCtx));
    const auto event = TRY(find(hEvent));
    TRY(device::Capture::refuse_in_context(*context));
    // "hEvent and hCtx must be from the same CUDA context".
    if (&event->context() != context.get())
      return refuse(Error::invalid_handle, "The event belongs to another context.");
    return event->record_all(*context, call_site());
  });
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<device::Context> context = TRY(find_usable_context(hCtx));
    const auto event = TRY(find(hEvent));
    TRY(device::Capture::refuse_in_context(*context));
    TRY(device::Capture::refuse_captured(*event));
    return event->wait_in_all(*context);
  });
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pvalue) return Error::invalid_value;
    *pvalue = TRY(context.limit(static_cast<device::Limit>(limit)));
    return {};
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    return context.set_limit(static_cast<device::Limit>(limit), value);
  });
}

// "This setting does nothing on devices where the size of the L1 cache and shared memory are
// fixed": it is kept and given back.
CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pconfig) return Error::invalid_value;
    *pconfig = static_cast<CUfunc_cache>(context.cache_config.load(std::memory_order_relaxed));
    return {};
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return refuse(Error::invalid_value, "%d is not a cache configuration.",
                    static_cast<int>(config));
    context.cache_config.store(config, std::memory_order_relaxed);
    return {};
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!pConfig) return Error::invalid_value;
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return {};
  });
}

// "On devices with fixed shared memory bank size this function will do nothing."
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
        config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
      return refuse(Error::invalid_value, "%d is not a bank size.", static_cast<int>(config));
    return {};
  });
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (leastPriority) *leastPriority = context.device().profile().priority_least;
    if (greatestPriority) *greatestPriority = context.device().profile().priority_greatest;
    return {};
  });
}

// The simulator has no second-level cache and therefore no persisting lines.
CUresult cuCtxResetPersistingL2Cache(void) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> { return {}; });
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pExecAffinity) return Error::invalid_value;
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return Error::unsupported_exec_affinity;
    pExecAffinity->type = type;
    pExecAffinity->param.smCount.val = static_cast<unsigned>(
        context.device().profile().value(device::Attribute::MULTIPROCESSOR_COUNT));
    return {};
  });
}

// The usage count of contexts in old programs; "the context is destroyed when its usage count goes
// to 0".
CUresult cuCtxAttach(CUcontext* pctx, unsigned int flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pctx || flags != 0) return Error::invalid_value;
    context.usage.fetch_add(1, std::memory_order_relaxed);
    *pctx = handle_of(context);
    return {};
  });
}

CUresult cuCtxDetach(CUcontext ctx) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    // "The context handle ... must be a context that is current to the calling thread."
    if (TRY(find(ctx)).get() != &context) return Error::invalid_context;
    // A primary context has cuDevicePrimaryCtxRelease to end it.
    if (context.usage.fetch_sub(1, std::memory_order_relaxed) > 1 || context.primary()) return {};
    return destroy(ctx);
  });
}

// The same function under its name without a version; its signature never changed.
CUresult cuCtxCreate(CUcontext*, unsigned int, CUdevice) __attribute__((alias("cuCtxCreate_v2")));

CUresult cuCtxDestroy(CUcontext) __attribute__((alias("cuCtxDestroy_v2")));

CUresult cuCtxPushCurrent(CUcontext) __attribute__((alias("cuCtxPushCurrent_v2")));

CUresult cuCtxPopCurrent(CUcontext*) __attribute__((alias("cuCtxPopCurrent_v2")));

}  // extern "C"
