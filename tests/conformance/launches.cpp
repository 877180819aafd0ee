// SPDX-License-Identifier: Apache-2.0
// Launches: which shapes, parameters and attributes are refused, and how; the state after faults;
// kernels in graphs; occupancy.
#include "harness.hpp"

namespace {

const char* const text =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry none() { ret; }\n"
    ".visible .entry three(.param .u64 a, .param .u32 b, .param .u8 c) { ret; }\n"
    ".visible .entry most() .maxntid 64, 2, 1 { ret; }\n"
    ".visible .entry exactly() .reqntid 32, 2, 1 { ret; }\n"
    ".visible .entry some_shared() { .shared .b8 s[10000]; .reg .b32 %r;\n"
    "  mov.u32 %r, s; st.shared.u32 [%r], 1; ret; }\n"
    ".visible .entry breaks() { brkpt; ret; }\n"
    ".visible .entry shared_at(.param .u32 a) { .reg .b32 %r; ld.param.u32 %r, [a];\n"
    "  st.shared.u32 [%r], 1; ret; }\n"
    ".visible .entry load_at(.param .u64 a) { .reg .b64 %d; .reg .b32 %r;\n"
    "  ld.param.u64 %d, [a]; ld.global.v4.u32 {%r, _, _, _}, [%d]; st.global.u32 [%d], %r; ret; "
    "}\n";

CUcontext context, second;
CUmodule module;
CUfunction none, three, most, exactly, some_shared, breaks, shared_at, load_at;
CUstream stream;
CUdeviceptr memory;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuModuleLoadData(&module, text));
  PREPARE(cuModuleGetFunction(&none, module, "none"));
  PREPARE(cuModuleGetFunction(&three, module, "three"));
  PREPARE(cuModuleGetFunction(&most, module, "most"));
  PREPARE(cuModuleGetFunction(&exactly, module, "exactly"));
  PREPARE(cuModuleGetFunction(&some_shared, module, "some_shared"));
  PREPARE(cuModuleGetFunction(&breaks, module, "breaks"));
  PREPARE(cuModuleGetFunction(&shared_at, module, "shared_at"));
  PREPARE(cuModuleGetFunction(&load_at, module, "load_at"));
  PREPARE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  PREPARE(cuMemAlloc(&memory, 4096));
}
CUresult launch(CUfunction f, unsigned x, unsigned y, unsigned shared, void** values = nullptr,
                void** extra = nullptr) {
  return cuLaunchKernel(f, 1, 1, 1, x, y, 1, shared, stream, values, extra);
}
CUresult launch_ex(CUlaunchAttributeID id, int x, int y, int z, unsigned blocks = 4) {
  CUlaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = id;
  const int numbers[3] = {x, y, z};
  memcpy(&attribute.value, numbers, sizeof numbers);
  const CUlaunchConfig config = {blocks, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
  return cuLaunchKernelEx(&config, none, nullptr, nullptr);
}
template <typename T>
CUresult fault(CUfunction f, T value) {
  void* values[] = {&value};
  PREPARE(launch(f, 1, 1, 0, values));
  return cuStreamSynchronize(stream);
}

CASE(launch_shapes) {
  start();
  ASK(launch(most, 64, 2, 0));
  ASK(launch(most, 128, 1, 0));
  ASK(launch(most, 129, 1, 0));
  ASK(launch(exactly, 32, 2, 0));
  ASK(launch(exactly, 64, 1, 0));
  ASK(launch(exactly, 32, 1, 0));
  ASK(launch(some_shared, 32, 1, 49152 - 10000));
  ASK(launch(some_shared, 32, 1, 49152 - 9999));
  ASK(cuFuncSetAttribute(some_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000));
  ASK(launch(some_shared, 32, 1, 1001));
  ASK(cuFuncSetAttribute(some_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 222448));
  ASK(cuFuncSetAttribute(some_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 222449));
  ASK(launch(some_shared, 32, 1, 222448));
  ASK(cuStreamSynchronize(stream));
}

CASE(launch_parameters) {
  start();
  CUdeviceptr a = 0;
  unsigned b = 0;
  char c = 0;
  void* values[] = {&a, &b, &c};
  char block[32] = {};
  size_t size = 13;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  void* no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_END};
  void* no_pointer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  void* unknown[] = {reinterpret_cast<void*>(7), block, CU_LAUNCH_PARAM_END};
  void* empty[] = {CU_LAUNCH_PARAM_END};
  ASK(launch(three, 1, 1, 0, values));
  ASK(launch(none, 1, 1, 0, values));
  ASK(launch(none, 1, 1, 0, values, extra));
  ASK(launch(three, 1, 1, 0, nullptr, extra));
  for (size = 0; size < 20; size += 3) ASK(launch(three, 1, 1, 0, nullptr, extra));
  ASK(launch(three, 1, 1, 0, nullptr, no_size));
  ASK(launch(three, 1, 1, 0, nullptr, no_pointer));
  ASK(launch(three, 1, 1, 0, nullptr, unknown));
  ASK(launch(three, 1, 1, 0, nullptr, empty));
  ASK(launch(three, 1, 1, 0, values, empty));
  ASK(launch(none, 1, 1, 0, nullptr, empty));
  ASK(cuStreamSynchronize(stream));
}

CASE(launch_contexts) {
  start();
#if CUDA_VERSION >= 13000
  PREPARE(cuCtxCreate(&second, nullptr, 0, 0));
#else
  PREPARE(cuCtxCreate(&second, 0, 0));
#endif
  ASK(launch(none, 1, 1, 0));
  ASK(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CUstream own;
  PREPARE(cuStreamCreate(&own, 0));
  ASK(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, own, nullptr, nullptr));
  PREPARE(cuCtxSetCurrent(context));
  ASK(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, own, nullptr, nullptr));
}

CASE(launch_attributes) {
  start();
  for (int id = 0; id < 19; ++id) ASK(launch_ex(static_cast<CUlaunchAttributeID>(id), 0, 0, 0));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 1, 0, 0));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 1, 0, 0, 1000000));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 1, 1, 1));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 3, 1, 1));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 16, 1, 1, 16));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_PRIORITY, -5, 0, 0));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_PRIORITY, -99, 0, 0));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1, 0, 0));
  ASK(launch_ex(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101, 0, 0));
  ASK(cuLaunchKernelEx(nullptr, none, nullptr, nullptr));
  CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, stream, nullptr, 1};
  ASK(cuLaunchKernelEx(&config, none, nullptr, nullptr));
  ASK(cuStreamSynchronize(stream));
}

CASE(fault_breakpoint) {
  start();
  ASK(fault(breaks, 0));
}
CASE(fault_shared_beyond) {
  start();
  ASK(fault(shared_at, 300000));
}
CASE(fault_shared_misaligned) {
  start();
  ASK(fault(shared_at, 2));
}
CASE(fault_vector_misaligned) {
  start();
  ASK(fault(load_at, memory));
  ASK(fault(load_at, memory + 8));
}
CASE(fault_past_the_end) {
  start();
  ASK(fault(load_at, memory + 4096));
}
CASE(fault_ends_others) {
  start();
  ASK(fault(load_at, CUdeviceptr{16}));
  ASK(cuMemFree(memory));
  ASK(launch(none, 1, 1, 0));
  ASK(cuStreamQuery(nullptr));
}

CASE(occupancy) {
  start();
  int blocks = -1, grid = -1, size = -1;
  size_t bytes = 0;
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, none, 0, 0));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, none, -1, 0));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, none, 32, 0));
  for (const int threads : {1, 32, 33, 96, 100, 192, 512, 768, 1000, 1025}) {
    ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, none, threads, 0));
    ASK(blocks);
  }
  for (const size_t shared : {1, 1000, 7168, 7169, 16384, 49152, 49153, 300000}) {
    ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, none, 32, shared));
    ASK(blocks);
    ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, some_shared, 128, shared));
    ASK(blocks);
  }
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, most, 256, 0));
  ASK(blocks);
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, none, 128, 0, 1));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, none, 128, 0, 2));
  for (const int limit : {0, 100, 512, 2000, -1}) {
    ASK(cuOccupancyMaxPotentialBlockSize(&grid, &size, none, nullptr, 0, limit));
    ASK(grid);
    ASK(size);
  }
  ASK(cuOccupancyMaxPotentialBlockSize(&grid, &size, none, nullptr, 40000, 0));
  ASK(grid);
  ASK(size);
  ASK(cuOccupancyMaxPotentialBlockSize(
      &grid, &size, none, [](int threads) { return size_t(threads) * 100; }, 0, 0));
  ASK(grid);
  ASK(size);
  ASK(cuOccupancyMaxPotentialBlockSize(&grid, &size, most, nullptr, 0, 0));
  ASK(grid);
  ASK(size);
  for (const int number : {0, 1, 2, 3, 7, 16, 32, 33}) {
    ASK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, none, number, 32));
    ASK(bytes);
    ASK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, some_shared, number, 256));
    ASK(bytes);
  }
}

CASE(kernel_nodes) {
  start();
  CUgraph graph;
  PREPARE(cuGraphCreate(&graph, 0));
  CUgraphNode node;
  CUdeviceptr a = 5;
  unsigned b = 6;
  char c = 7;
  void* values[] = {&a, &b, &c};
  CUDA_KERNEL_NODE_PARAMS p;
  memset(&p, 0, sizeof p);
  ASK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  p.func = three;
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  ASK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  p.kernelParams = values;
  p.blockDimX = 0;
  ASK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  p.blockDimX = 2000;
  ASK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  p.blockDimX = 64;
  p.sharedMemBytes = 49153;
  ASK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  p.sharedMemBytes = 16;
  ASK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  CUDA_KERNEL_NODE_PARAMS q;
  memset(&q, 0, sizeof q);
  ASK(cuGraphKernelNodeGetParams(node, &q));
  ASK(q.func == three);
  ASK(q.kern == nullptr);
  ASK(q.ctx == context);
  ASK(q.extra == nullptr);
  ASK(q.kernelParams == nullptr);
  if (q.kernelParams) ASK(*static_cast<unsigned*>(q.kernelParams[1]));
  ASK(q.sharedMemBytes);
  CUkernelNodeAttrValue value;
  memset(&value, 0, sizeof value);
  for (int id = 0; id < 19; ++id)
    ASK(cuGraphKernelNodeGetAttribute(node, static_cast<CUkernelNodeAttrID>(id), &value));
  value.cooperative = 1;
  for (int id = 0; id < 19; ++id) {
    memset(&value, 0, sizeof value);
    ASK(cuGraphKernelNodeSetAttribute(node, static_cast<CUkernelNodeAttrID>(id), &value));
  }
  CUgraphExec exec;
  PREPARE(cuGraphInstantiateWithFlags(&exec, graph, 0));
  p.func = none;
  p.kernelParams = nullptr;
  ASK(cuGraphExecKernelNodeSetParams(exec, node, &p));
  p.gridDimX = 0;
  ASK(cuGraphExecKernelNodeSetParams(exec, node, &p));
  p.gridDimX = 5;
  ASK(cuGraphKernelNodeSetParams(node, &p));
  ASK(cuGraphLaunch(exec, stream));
  ASK(cuStreamSynchronize(stream));
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(launch(none, 0, 1, 0));
  ASK(launch(none, 32, 1, 0));
  ASK(cuStreamEndCapture(stream, &graph));
}

CASE(legacy_launches) {
  start();
  ASK(cuLaunch(none));
  ASK(cuFuncSetBlockShape(none, 0, 1, 1));
  ASK(cuFuncSetBlockShape(none, 2000, 1, 1));
  ASK(cuFuncSetBlockShape(none, 32, 1, 1));
  ASK(cuFuncSetSharedSize(none, 1 << 20));
  ASK(cuLaunch(none));
  ASK(cuFuncSetSharedSize(none, 100));
  ASK(cuLaunch(none));
  ASK(cuLaunchGrid(none, 0, 1));
  ASK(cuLaunchGrid(none, 2, 1));
  ASK(cuLaunchGridAsync(none, 2, 1, stream));
  ASK(cuParamSetSize(none, 5000));
  ASK(cuParamSetSize(three, 13));
  ASK(cuParamSeti(three, 8, 1));
  ASK(cuParamSeti(three, 5000, 1));
  ASK(cuParamSetf(three, 2, 1));
  ASK(cuParamSetv(three, 0, &memory, 8));
  ASK(cuParamSetv(three, 0, nullptr, 8));
  ASK(cuFuncSetBlockShape(three, 32, 1, 1));
  ASK(cuLaunchGrid(three, 1, 1));
  ASK(cuLaunchGrid(load_at, 1, 1));
  ASK(cuCtxSynchronize());
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
