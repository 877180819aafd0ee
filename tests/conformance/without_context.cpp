// SPDX-License-Identifier: Apache-2.0
// Which calls need a current context; those that name a stream, an event or a graph do not.
#include <cudaProfiler.h>

#include "survive.hpp"

namespace {

const char* const code =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 variable;\n"
    ".visible .entry nothing() { ret; }\n";

CUcontext context;
CUstream s, t;
CUevent e, f, shared;
CUdeviceptr p, m, from_pool;
void* h;
CUarray a;
CUmipmappedArray mipmapped;
CUmodule module;
CUfunction nothing;
CUlibrary library;
CUkernel kernel;
CUgraph graph, other_graph;
CUgraphNode node;
CUgraphExec exec;
CUmemoryPool pool;
char pageable[4096];

void called(void*) {}
void called_back(CUstream, CUresult, void*) {}

CUDA_MEMSET_NODE_PARAMS set_parameters() {
  CUDA_MEMSET_NODE_PARAMS q{};
  q.dst = p;
  q.elementSize = 1;
  q.width = 16;
  q.height = 1;
  return q;
}

CUDA_KERNEL_NODE_PARAMS kernel_parameters() {
  CUDA_KERNEL_NODE_PARAMS q{};
  q.func = nothing;
  q.gridDimX = q.gridDimY = q.gridDimZ = q.blockDimX = q.blockDimY = q.blockDimZ = 1;
  return q;
}

CUDA_MEMCPY3D box() {
  CUDA_MEMCPY3D q{};
  q.srcMemoryType = q.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  q.srcDevice = p;
  q.dstDevice = p + 256;
  q.WidthInBytes = 16;
  q.Height = q.Depth = 1;
  return q;
}

// Makes everything that the calls name, and then leaves the thread without a context.
void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&s, 0));
  PREPARE(cuStreamCreate(&t, 0));
  PREPARE(cuEventCreate(&e, 0));
  PREPARE(cuEventCreate(&f, 0));
  PREPARE(cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  PREPARE(cuEventRecord(e, s));
  PREPARE(cuEventRecord(f, s));
  PREPARE(cuMemAlloc(&p, 4096));
  PREPARE(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
  PREPARE(cuMemAllocHost(&h, 4096));
  CUDA_ARRAY_DESCRIPTOR flat{64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  PREPARE(cuArrayCreate(&a, &flat));
  CUDA_ARRAY3D_DESCRIPTOR levels{};
  levels.Width = levels.Height = 16;
  levels.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  levels.NumChannels = 1;
  PREPARE(cuMipmappedArrayCreate(&mipmapped, &levels, 2));
  PREPARE(cuModuleLoadData(&module, code));
  PREPARE(cuModuleGetFunction(&nothing, module, "nothing"));
  PREPARE(cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  PREPARE(cuLibraryGetKernel(&kernel, library, "nothing"));
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(cuGraphCreate(&other_graph, 0));
  PREPARE(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  PREPARE(cuMemPoolCreate(&pool, &properties));
  PREPARE(cuMemAllocFromPoolAsync(&from_pool, 64, pool, s));
  PREPARE(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr));
  PREPARE(cuCtxSynchronize());
  PREPARE(cuCtxSetCurrent(nullptr));
}

// The same calls for each kind of stream.
#define OF(call) conformance::answer((std::string(which) + ": " #call).c_str(), (call))

void questions(const char* which, CUstream x) {
  int i = 0;
  unsigned u = 0;
  unsigned long long id = 0;
  CUcontext c = nullptr;
  CUdevice d = 0;
  CUstreamCaptureStatus status;
  CUstreamAttrValue value{};
  OF(cuStreamGetPriority(x, &i));
  OF(cuStreamGetFlags(x, &u));
  OF(cuStreamGetId(x, &id));
  OF(cuStreamGetCtx(x, &c));
  OF(cuStreamGetDevice(x, &d));
  OF(cuStreamIsCapturing(x, &status));
  OF(cuStreamGetCaptureInfo(x, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
  OF(cuStreamGetAttribute(x, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  value.syncPolicy = CU_SYNC_POLICY_SPIN;
  OF(cuStreamSetAttribute(x, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  OF(cuStreamCopyAttributes(x, s));
  OF(cuStreamCopyAttributes(s, x));
  OF(cuStreamQuery(x));
  OF(cuStreamSynchronize(x));
}

void work(const char* which, CUstream x) {
  CUdeviceptr q = 0;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = x;
  CUDA_MEMCPY2D flat{};
  flat.srcMemoryType = flat.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  flat.srcDevice = p;
  flat.dstDevice = p + 256;
  flat.WidthInBytes = 16;
  flat.Height = 1;
  const CUDA_MEMCPY3D volume = box();
  CUDA_MEMCPY3D_PEER between{};
  between.srcMemoryType = between.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  between.srcDevice = p;
  between.dstDevice = p + 256;
  between.srcContext = between.dstContext = context;
  between.WidthInBytes = 16;
  between.Height = between.Depth = 1;
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operation.writeValue.address = p;
  CUdeviceptr targets[] = {p}, sources[] = {p + 64}, ranges[] = {m};
  size_t sizes[] = {16}, whole[] = {4096}, zero[] = {0};
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  OF(cuEventRecord(e, x));
  OF(cuEventRecordWithFlags(e, x, 0));
  OF(cuStreamWaitEvent(x, e, 0));
  OF(cuStreamAddCallback(x, called_back, nullptr, 0));
  OF(cuLaunchHostFunc(x, called, nullptr));
  OF(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, x, nullptr, nullptr));
  OF(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, x, nullptr, nullptr));
  OF(cuLaunchKernelEx(&config, nothing, nullptr, nullptr));
  OF(cuLaunchCooperativeKernel(nothing, 1, 1, 1, 1, 1, 1, 0, x, nullptr));
  OF(cuMemcpyAsync(p, p + 64, 16, x));
  OF(cuMemcpyHtoDAsync(p, h, 16, x));
  OF(cuMemcpyHtoDAsync(p, pageable, 16, x));
  OF(cuMemcpyDtoHAsync(h, p, 16, x));
  OF(cuMemcpyDtoHAsync(pageable, p, 16, x));
  OF(cuMemcpyDtoDAsync(p, p + 64, 16, x));
  OF(cuMemcpy2DAsync(&flat, x));
  OF(cuMemcpy3DAsync(&volume, x));
  OF(cuMemcpyPeerAsync(p, context, p + 64, context, 16, x));
  OF(cuMemcpyPeerAsync(p, nullptr, p + 64, nullptr, 16, x));
  OF(cuMemcpy3DPeerAsync(&between, x));
  OF(cuMemcpyHtoAAsync(a, 0, h, 16, x));
  OF(cuMemcpyAtoHAsync(h, a, 0, 16, x));
  OF(cuMemsetD8Async(p, 1, 16, x));
  OF(cuMemsetD16Async(p, 1, 16, x));
  OF(cuMemsetD32Async(p, 1, 16, x));
  OF(cuMemsetD2D8Async(p, 16, 1, 16, 2, x));
  OF(cuMemsetD2D32Async(p, 64, 1, 16, 2, x));
  OF(cuMemAllocAsync(&q, 64, x));
  OF(cuMemFreeAsync(q, x));
  q = 0;
  OF(cuMemAllocFromPoolAsync(&q, 64, pool, x));
  OF(cuMemFreeAsync(q, x));
  OF(cuMemPrefetchAsync(m, 4096, here, 0, x));
  OF(cuStreamAttachMemAsync(x, m, 0, CU_MEM_ATTACH_GLOBAL));
  OF(cuStreamWriteValue32(x, p, 1, 0));
  OF(cuStreamWaitValue32(x, p, 0, CU_STREAM_WAIT_VALUE_GEQ));
  OF(cuStreamBatchMemOp(x, 1, &operation, 0));
  OF(cuGraphLaunch(exec, x));
  OF(cuGraphUpload(exec, x));
  OF(cuMemcpyBatchAsync(targets, sources, sizes, 1, &attributes, zero, 1, x));
  OF(cuMemPrefetchBatchAsync(ranges, whole, 1, &here, zero, 1, 0, x));
  OF(cuMemDiscardBatchAsync(ranges, whole, 1, 0, x));
}

void captures(const char* which, CUstream x) {
  CUgraph made = nullptr;
  OF(cuStreamBeginCapture(x, CU_STREAM_CAPTURE_MODE_RELAXED));
  OF(cuStreamUpdateCaptureDependencies(x, nullptr, nullptr, 0, 0));
  OF(cuStreamEndCapture(x, &made));
  OF(cuStreamBeginCaptureToGraph(x, other_graph, nullptr, nullptr, 0,
                                 CU_STREAM_CAPTURE_MODE_RELAXED));
  OF(cuStreamEndCapture(x, &made));
}

CASE(questions_without_a_context) {
  start();
  questions("a stream", s);
  questions("null", nullptr);
  questions("CU_STREAM_LEGACY", CU_STREAM_LEGACY);
  questions("CU_STREAM_PER_THREAD", CU_STREAM_PER_THREAD);
}
CASE(work_without_a_context) {
  start();
  work("a stream", s);
  ASK(cuStreamSynchronize(s));
}
CASE(work_in_null_without_a_context) {
  start();
  work("null", nullptr);
}
CASE(work_in_legacy_without_a_context) {
  start();
  work("CU_STREAM_LEGACY", CU_STREAM_LEGACY);
}
CASE(work_per_thread_without_a_context) {
  start();
  work("CU_STREAM_PER_THREAD", CU_STREAM_PER_THREAD);
}
CASE(captures_without_a_context) {
  start();
  captures("a stream", s);
  captures("null", nullptr);
  captures("CU_STREAM_PER_THREAD", CU_STREAM_PER_THREAD);
}
CASE(captured_work_without_a_context) {
  start();
  CUgraph made = nullptr;
  CUgraphExec executable = nullptr;
  size_t count = 0;
  const CUDA_MEMCPY3D volume = box();
  ASK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuMemsetD8Async(p, 1, 16, s));
  ASK(cuMemcpyHtoDAsync(p, h, 16, s));
  ASK(cuMemcpy3DAsync(&volume, s));
  ASK(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr));
  ASK(cuLaunchHostFunc(s, called, nullptr));
  ASK(cuEventRecord(e, s));
  ASK(cuStreamWaitEvent(t, e, 0));
  ASK(cuMemsetD8Async(p + 64, 1, 16, t));
  ASK(cuEventRecord(f, t));
  ASK(cuStreamWaitEvent(s, f, 0));
  ASK(cuStreamEndCapture(s, &made));
  ASK(cuGraphGetNodes(made, nullptr, &count));
  ASK(count);
  ASK(cuGraphInstantiate(&executable, made, 0));
  ASK(cuGraphLaunch(executable, s));
  ASK(cuStreamSynchronize(s));
  ASK(cuGraphExecDestroy(executable));
  ASK(cuGraphDestroy(made));
}
CASE(events_without_a_context) {
  start();
  float ms = 0;
  CUevent g = nullptr;
  CUipcEventHandle handle;
  ASK(cuEventQuery(e));
  ASK(cuEventSynchronize(e));
  ASK(cuEventElapsedTime(&ms, e, f));
  ASK(cuIpcGetEventHandle(&handle, shared));
  ASK(cuIpcOpenEventHandle(&g, handle));
  ASK(cuEventCreate(&g, 0));
  ASK(cuEventDestroy(e));
  ASK(cuStreamDestroy(s));
  CUstream unmade = s;
  ASK(cuStreamCreate(&unmade, 0));
  ASK(unmade == s);
  ASK(unmade == nullptr);
  ASK(cuStreamQuery(unmade));
}
CASE(null_handles_without_a_context) {
  start();
  SURVIVE(cuEventDestroy(nullptr));
  SURVIVE(cuEventQuery(nullptr));
  SURVIVE(cuEventSynchronize(nullptr));
  SURVIVE(cuEventRecord(nullptr, s));
  SURVIVE(cuStreamWaitEvent(s, nullptr, 0));
  SURVIVE(cuStreamDestroy(nullptr));
  SURVIVE(cuStreamDestroy(CU_STREAM_LEGACY));
  SURVIVE(cuStreamDestroy(CU_STREAM_PER_THREAD));
}
// Does a failed call leave the stream's variable as it was?
CASE(a_stream_that_was_not_made) {
  start();
  CUstream unmade = nullptr;
  ASK(cuStreamCreate(&unmade, 0));
  ASK(unmade == nullptr);
  ASK(reinterpret_cast<uintptr_t>(unmade) < 4096);
  ASK(cuStreamBeginCapture(unmade, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuStreamQuery(unmade));
  ASK(cuStreamDestroy(unmade));
}
CASE(batches_with_a_context) {
  start();
  PREPARE(cuCtxSetCurrent(context));
  CUdeviceptr targets[] = {p}, sources[] = {p + 64};
  size_t sizes[] = {16}, zero[] = {0};
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  ASK(cuMemcpyBatchAsync(targets, sources, sizes, 1, &attributes, zero, 1, s));
  ASK(cuStreamSynchronize(s));
}
CASE(memory_without_a_context) {
  start();
  CUdeviceptr q = 0;
  void* host = nullptr;
  size_t size = 0, pitch = 0, total = 0;
  unsigned u = 0;
  CUipcMemHandle handle;
  CUDA_ARRAY_DESCRIPTOR flat{64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUDA_ARRAY3D_DESCRIPTOR solid{};
  CUarray array = nullptr, level = nullptr;
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  int range = 0;
  CUtexObject texture = 0;
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = a;
  CUDA_TEXTURE_DESC reading{};
  ASK(cuMemAllocPitch(&q, &pitch, 64, 4, 4));
  ASK(cuMemAllocManaged(&q, 4096, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemAllocHost(&host, 4096));
  ASK(cuMemHostAlloc(&host, 4096, 0));
  ASK(cuMemHostRegister(pageable, sizeof pageable, 0));
  ASK(cuMemHostUnregister(pageable));
  ASK(cuMemHostGetDevicePointer(&q, h, 0));
  ASK(cuMemHostGetFlags(&u, h));
  ASK(cuMemGetInfo(&size, &total));
  ASK(cuMemGetAddressRange(&q, &size, p));
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(cuPointerSetAttribute(&(u = 0), CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(cuMemcpy(p, p + 64, 16));
  ASK(cuMemcpyDtoH(h, p, 16));
  ASK(cuMemcpyDtoD(p, p + 64, 16));
  ASK(cuMemcpyPeer(p, context, p + 64, context, 16));
  ASK(cuMemsetD8(p, 1, 16));
  ASK(cuMemAdvise(m, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  ASK(cuMemRangeGetAttribute(&range, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, 4096));
  ASK(cuIpcGetMemHandle(&handle, p));
  ASK(cuIpcOpenMemHandle(&q, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  ASK(cuIpcCloseMemHandle(p));
  ASK(cuArrayCreate(&array, &flat));
  ASK(cuArrayGetDescriptor(&flat, a));
  ASK(cuArray3DGetDescriptor(&solid, a));
  ASK(cuMipmappedArrayGetLevel(&level, mipmapped, 0));
  ASK(cuTexObjectCreate(&texture, &resource, &reading, nullptr));
  ASK(cuMipmappedArrayDestroy(mipmapped));
  ASK(cuArrayDestroy(a));
  ASK(cuMemPoolTrimTo(pool, 0));
  ASK(cuMemFree(m));
  ASK(cuMemFree(from_pool));
  ASK(cuMemFree(p));
  ASK(cuMemFree(0));
  ASK(cuMemFreeHost(h));
  ASK(cuMemPoolDestroy(pool));
}
CASE(kernels_without_a_context) {
  start();
  CUmodule loaded = nullptr;
  CUfunction function = nullptr;
  CUlibrary second = nullptr;
  CUdeviceptr q = 0;
  size_t size = 0;
  int i = 0, j = 0;
  unsigned n = 0;
  const char* name = nullptr;
  CUlinkState link = nullptr;
  ASK(cuModuleLoadData(&loaded, code));
  ASK(cuModuleGetGlobal(&q, &size, module, "variable"));
  ASK(cuModuleGetFunctionCount(&n, module));
  ASK(cuModuleGetFunction(&function, module, "nothing"));
  ASK(cuFuncGetName(&name, nothing));
  ASK(cuFuncGetModule(&loaded, nothing));
  ASK(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
  ASK(cuFuncLoad(nothing));
  ASK(cuFuncSetCacheConfig(nothing, CU_FUNC_CACHE_PREFER_L1));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, nothing, 32, 0));
  ASK(cuOccupancyMaxPotentialBlockSize(&i, &j, nothing, nullptr, 0, 0));
  ASK(cuOccupancyAvailableDynamicSMemPerBlock(&size, nothing, 1, 32));
  ASK(cuLibraryLoadData(&second, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASK(cuLibraryGetModule(&loaded, library));
  ASK(cuLibraryGetGlobal(&q, &size, library, "variable"));
  ASK(cuKernelGetFunction(&function, kernel));
  ASK(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
  ASK(cuLinkCreate(0, nullptr, nullptr, &link));
  ASK(cuLibraryUnload(library));
  ASK(cuModuleUnload(module));
  ASK(cuProfilerStart());
  ASK(cuProfilerStop());
}
CASE(graphs_without_a_context) {
  start();
  CUgraph made = nullptr, clone = nullptr;
  CUgraphNode n = nullptr, set = nullptr, copy = nullptr;
  CUgraphExec executable = nullptr;
  CUDA_MEMSET_NODE_PARAMS fill = set_parameters();
  CUDA_MEMCPY3D volume = box();
  CUDA_HOST_NODE_PARAMS call{[](void*) {}, nullptr};
  CUDA_MEM_ALLOC_NODE_PARAMS allocation{};
  allocation.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  allocation.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  allocation.bytesize = 4096;
  CUgraphExecUpdateResultInfo result{};
  ASK(cuGraphCreate(&made, 0));
  ASK(cuGraphAddEmptyNode(&n, made, nullptr, 0));
  ASK(cuGraphAddMemsetNode(&set, made, nullptr, 0, &fill, context));
  ASK(cuGraphAddMemcpyNode(&copy, made, nullptr, 0, &volume, context));
  ASK(cuGraphAddHostNode(&n, made, nullptr, 0, &call));
  ASK(cuGraphAddEventRecordNode(&n, made, nullptr, 0, e));
  ASK(cuGraphAddEventWaitNode(&n, made, nullptr, 0, e));
  ASK(cuGraphAddChildGraphNode(&n, made, nullptr, 0, graph));
  ASK(cuGraphClone(&clone, made));
  ASK(cuGraphInstantiate(&executable, made, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuGraphInstantiate(&executable, made, 0));
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(cuGraphExecMemsetNodeSetParams(executable, set, &fill, context));
  ASK(cuGraphExecMemcpyNodeSetParams(executable, copy, &volume, context));
  ASK(cuGraphMemsetNodeSetParams(set, &fill));
  ASK(cuGraphMemcpyNodeSetParams(copy, &volume));
  ASK(cuGraphExecUpdate(executable, made, &result));
  ASK(cuGraphLaunch(executable, s));
  ASK(cuStreamSynchronize(s));
  ASK(cuGraphExecDestroy(executable));
  ASK(cuGraphAddMemAllocNode(&n, made, nullptr, 0, &allocation));
  ASK(cuGraphDestroy(made));
}
CASE(kernel_nodes_without_a_context) {
  start();
  CUgraphNode run = nullptr;
  CUDA_KERNEL_NODE_PARAMS launch = kernel_parameters();
  launch.ctx = context;
  SURVIVE(cuGraphAddKernelNode(&run, other_graph, nullptr, 0, &launch));
  SURVIVE(cuGraphKernelNodeSetParams(run, &launch));
  launch.func = nullptr;
  launch.kern = kernel;
  SURVIVE(cuGraphAddKernelNode(&run, other_graph, nullptr, 0, &launch));
}
CASE(kernel_node_of_a_function_without_a_context) {
  start();
  CUgraphNode run = nullptr;
  CUDA_KERNEL_NODE_PARAMS launch = kernel_parameters();
  SURVIVE(cuGraphAddKernelNode(&run, other_graph, nullptr, 0, &launch));
}
// Nodes with a null context while there is no current one. Each call has a case of its own, since a
// driver may crash.
CASE(memset_node_of_no_context) {
  start();
  CUgraphNode n = nullptr;
  CUDA_MEMSET_NODE_PARAMS fill = set_parameters();
  SURVIVE(cuGraphAddMemsetNode(&n, graph, nullptr, 0, &fill, nullptr));
}
CASE(memset_node_params_of_no_context) {
  start();
  CUgraphNode n = nullptr;
  CUDA_MEMSET_NODE_PARAMS fill = set_parameters();
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_MEMSET;
  any.memset.dst = p;
  any.memset.elementSize = 1;
  any.memset.width = 16;
  any.memset.height = 1;
  SURVIVE(cuGraphAddNode(&n, graph, nullptr, nullptr, 0, &any));
  PREPARE(cuGraphAddMemsetNode(&n, graph, nullptr, 0, &fill, context));
  SURVIVE(cuGraphNodeSetParams(n, &any));
  CUgraphExec executable = nullptr;
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuGraphInstantiate(&executable, graph, 0));
  PREPARE(cuCtxSetCurrent(nullptr));
  SURVIVE(cuGraphExecMemsetNodeSetParams(executable, n, &fill, nullptr));
  SURVIVE(cuGraphExecNodeSetParams(executable, n, &any));
  SURVIVE(cuGraphLaunch(executable, s));
  SURVIVE(cuStreamSynchronize(s));
}
CASE(memcpy_node_of_no_context) {
  start();
  CUgraphNode n = nullptr;
  CUDA_MEMCPY3D volume = box();
  SURVIVE(cuGraphAddMemcpyNode(&n, graph, nullptr, 0, &volume, nullptr));
  CUgraphExec executable = nullptr;
  PREPARE(cuGraphAddMemcpyNode(&n, graph, nullptr, 0, &volume, context));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuGraphInstantiate(&executable, graph, 0));
  PREPARE(cuCtxSetCurrent(nullptr));
  SURVIVE(cuGraphExecMemcpyNodeSetParams(executable, n, &volume, nullptr));
  SURVIVE(cuGraphLaunch(executable, s));
}
CASE(kernel_node_of_no_context) {
  start();
  CUgraphNode n = nullptr;
  CUDA_KERNEL_NODE_PARAMS launch = kernel_parameters();
  launch.func = nullptr;
  launch.kern = kernel;
  SURVIVE(cuGraphAddKernelNode(&n, graph, nullptr, 0, &launch));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
