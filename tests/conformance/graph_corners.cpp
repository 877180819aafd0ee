// SPDX-License-Identifier: Apache-2.0
// Captured events, streams that leave a capture, memory that graphs allocate, and objects named
// twice.
#include "survive.hpp"

namespace {

const char* const code =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n";

CUcontext context;
CUstream s, t;
CUevent e, f;
CUdeviceptr p;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&s, 0));
  PREPARE(cuStreamCreate(&t, 0));
  PREPARE(cuEventCreate(&e, 0));
  PREPARE(cuEventCreate(&f, 0));
  PREPARE(cuMemAlloc(&p, 4096));
  PREPARE(cuCtxSynchronize());
}

void begin() { PREPARE(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED)); }
void end() {
  CUgraph graph = nullptr;
  size_t count = 0;
  ASK(cuStreamEndCapture(s, &graph));
  if (!graph) return;
  PREPARE(cuGraphGetNodes(graph, nullptr, &count));
  conformance::answer("nodes", count);
  PREPARE(cuGraphDestroy(graph));
}

CASE(captured_event_asked) {
  start();
  float ms = 0;
  begin();
  ASK(cuEventRecord(e, s));
  ASK(cuEventQuery(e));
  end();
  begin();
  ASK(cuEventRecord(e, s));
  ASK(cuEventSynchronize(e));
  end();
  begin();
  ASK(cuEventRecord(e, s));
  ASK(cuEventElapsedTime(&ms, e, e));
  end();
  begin();
  ASK(cuEventRecord(e, s));
  ASK(cuEventRecord(e, t));
  ASK(cuEventSynchronize(e));
  end();
  ASK(cuEventQuery(e));
  begin();
  ASK(cuEventRecord(e, s));
  end();
  ASK(cuEventQuery(e));
  ASK(cuEventSynchronize(e));
  ASK(cuEventElapsedTime(&ms, e, e));
  ASK(cuStreamWaitEvent(t, e, 0));
  ASK(cuEventRecord(e, t));
  ASK(cuEventSynchronize(e));
  begin();
  ASK(cuEventRecord(e, s));
  ASK(cuEventDestroy(e));
  end();
}

void fork() {
  PREPARE(cuStreamCreate(&t, 0));
  begin();
  PREPARE(cuEventRecord(e, s));
  PREPARE(cuStreamWaitEvent(t, e, 0));
}
void join() {
  PREPARE(cuEventRecord(f, t));
  PREPARE(cuStreamWaitEvent(s, f, 0));
}

CASE(forked_stream_destroyed) {
  start();
  fork();
  PREPARE(cuMemsetD8Async(p, 1, 16, t));
  join();
  ASK(cuStreamDestroy(t));
  ASK(cuMemsetD8Async(p, 1, 16, s));
  end();

  fork();
  ASK(cuStreamDestroy(t));
  ASK(cuMemsetD8Async(p, 1, 16, s));
  end();

  fork();
  PREPARE(cuMemsetD8Async(p, 1, 16, t));
  ASK(cuStreamDestroy(t));
  CUstreamCaptureStatus status;
  ASK(cuStreamIsCapturing(s, &status));
  ASK(static_cast<int>(status));
  ASK(cuMemsetD8Async(p, 1, 16, s));
  end();

  fork();
  PREPARE(cuMemsetD8Async(p, 1, 16, t));
  join();
  PREPARE(cuMemsetD8Async(p, 1, 16, t));
  ASK(cuStreamDestroy(t));
  end();

  // Joins a stream's work after the stream has been destroyed.
  fork();
  PREPARE(cuMemsetD8Async(p, 1, 16, t));
  PREPARE(cuEventRecord(f, t));
  ASK(cuStreamDestroy(t));
  ASK(cuStreamWaitEvent(s, f, 0));
  end();

  // Destroys the stream that began the capture.
  fork();
  ASK(cuStreamDestroy(s));
  CUgraph graph = nullptr;
  ASK(cuStreamIsCapturing(t, &status));
  ASK(static_cast<int>(status));
  ASK(cuMemsetD8Async(p, 1, 16, t));
  ASK(cuStreamEndCapture(t, &graph));
  ASK(cuStreamSynchronize(t));
}

void tell_memory(const char* when) {
  cuuint64_t value = 0;
  const auto tell = [&](const char* what, CUgraphMem_attribute attribute) {
    value = 0;
    PREPARE(cuDeviceGetGraphMemAttribute(0, attribute, &value));
    conformance::answer((std::string(when) + ": " + what).c_str(), value);
  };
  tell("used", CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
  tell("most used", CU_GRAPH_MEM_ATTR_USED_MEM_HIGH);
  tell("reserved", CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  tell("most reserved", CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
}

void ask_memory(size_t size, int allocations) {
  start();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  parameters.bytesize = size;
  std::vector<CUdeviceptr> made;
  tell_memory("at first");
  PREPARE(cuGraphCreate(&graph, 0));
  for (int i = 0; i < allocations; ++i) {
    CUgraphNode node = nullptr;
    PREPARE(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters));
    made.push_back(parameters.dptr);
  }
  tell_memory("with the nodes");
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  tell_memory("instantiated");
  PREPARE(cuGraphUpload(exec, s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("uploaded");
  PREPARE(cuGraphLaunch(exec, s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("launched");
  PREPARE(cuMemFreeAsync(made[0], s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("one freed");
  for (size_t i = 1; i < made.size(); ++i) PREPARE(cuMemFreeAsync(made[i], s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("all freed");
  ASK(cuDeviceGraphMemTrim(0));
  tell_memory("trimmed");
  PREPARE(cuGraphLaunch(exec, s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("launched again");
  ASK(cuGraphExecDestroy(exec));
  tell_memory("executable destroyed");
  ASK(cuGraphDestroy(graph));
  tell_memory("graph destroyed");
  for (CUdeviceptr one : made) ASK(cuMemFree(one));
  tell_memory("freed");
  ASK(cuDeviceGraphMemTrim(0));
  tell_memory("trimmed at last");
  cuuint64_t zero = 0;
  ASK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
  ASK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
  tell_memory("high marks reset");
}

CASE(graph_memory_of_a_byte) { ask_memory(1, 1); }
CASE(graph_memory_of_a_page) { ask_memory(4096, 2); }
CASE(graph_memory_of_2_mib_and_1) { ask_memory((2 << 20) + 1, 1); }
CASE(graph_memory_of_20_mib) { ask_memory(20 << 20, 3); }
CASE(graph_memory_of_33_mib) { ask_memory(33 << 20, 1); }
CASE(graph_memory_of_100_mib) { ask_memory(100 << 20, 2); }

// Allocates and frees twice in one graph.
CASE(graph_memory_freed_inside) {
  start();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode allocated = nullptr, freed = nullptr, again = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  parameters.bytesize = 4096;
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(cuGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &parameters));
  PREPARE(cuGraphAddMemFreeNode(&freed, graph, &allocated, 1, parameters.dptr));
  const CUdeviceptr first = parameters.dptr;
  PREPARE(cuGraphAddMemAllocNode(&again, graph, &freed, 1, &parameters));
  conformance::answer("the same address", first == parameters.dptr);
  PREPARE(cuGraphAddMemFreeNode(&freed, graph, &again, 1, parameters.dptr));
  tell_memory("with the nodes");
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  tell_memory("instantiated");
  PREPARE(cuGraphLaunch(exec, s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("launched");
  PREPARE(cuGraphLaunch(exec, s));
  PREPARE(cuStreamSynchronize(s));
  tell_memory("launched again");
  ASK(cuGraphExecDestroy(exec));
  tell_memory("executable destroyed");
  ASK(cuGraphDestroy(graph));
  ASK(cuDeviceGraphMemTrim(0));
  tell_memory("trimmed");
}

CASE(graph_memory_of_other_kinds) {
  start();
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  PREPARE(cuGraphCreate(&graph, 0));
  parameters.bytesize = 4096;
  const auto place = [&](CUmemAllocationType type, CUmemLocationType where, int id) {
    parameters.poolProps.allocType = type;
    parameters.poolProps.location.type = where;
    parameters.poolProps.location.id = id;
    return cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters);
  };
  ASK(place(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_NONE, 0));
  ASK(place(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, 99));
}

CASE(kernel_node_and_itself) {
  start();
  CUmodule module = nullptr;
  CUfunction nothing = nullptr;
  PREPARE(cuModuleLoadData(&module, code));
  PREPARE(cuModuleGetFunction(&nothing, module, "nothing"));
  CUgraph graph = nullptr, other = nullptr;
  CUgraphNode a = nullptr, b = nullptr;
  CUDA_KERNEL_NODE_PARAMS q{};
  q.func = nothing;
  q.gridDimX = q.gridDimY = q.gridDimZ = q.blockDimX = q.blockDimY = q.blockDimZ = 1;
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(cuGraphCreate(&other, 0));
  PREPARE(cuGraphAddKernelNode(&a, graph, nullptr, 0, &q));
  PREPARE(cuGraphAddKernelNode(&b, graph, nullptr, 0, &q));
  CUkernelNodeAttrValue value{};
  value.priority = -1;
  PREPARE(cuGraphKernelNodeSetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  SURVIVE(cuGraphKernelNodeCopyAttributes(a, a));
  value = {};
  ASK(cuGraphKernelNodeGetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  ASK(value.priority);
  SURVIVE(cuGraphKernelNodeCopyAttributes(b, a));
  SURVIVE(cuGraphAddDependencies(graph, &a, &a, nullptr, 1));
  SURVIVE(cuGraphAddDependencies(graph, &a, &b, nullptr, 1));
  SURVIVE(cuGraphAddDependencies(graph, &b, &a, nullptr, 1));
  CUgraphExec exec = nullptr;
  SURVIVE(cuGraphInstantiate(&exec, graph, 0));
  SURVIVE(cuGraphRemoveDependencies(graph, &b, &a, nullptr, 1));
  SURVIVE(cuGraphInstantiate(&exec, graph, 0));
  CUgraphExecUpdateResultInfo result{};
  SURVIVE(cuGraphExecUpdate(exec, graph, &result));
}
// How deeply graphs can be nested.
CASE(graphs_in_graphs) {
  start();
  CUgraph graph = nullptr;
  PREPARE(cuGraphCreate(&graph, 0));
  int depth = 1;
  CUresult result = CUDA_SUCCESS;
  while (result == CUDA_SUCCESS && depth < 300) {
    CUgraph outer = nullptr;
    CUgraphNode node = nullptr;
    PREPARE(cuGraphCreate(&outer, 0));
    CUgraphNodeParams any{};
    any.type = CU_GRAPH_NODE_TYPE_GRAPH;
    any.graph.graph = graph;
    any.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    result = cuGraphAddNode(&node, outer, nullptr, nullptr, 0, &any);
    graph = outer;
    ++depth;
    if (depth == 30 || depth == 100 || depth == 240)
      conformance::answer(std::to_string(depth).c_str(), result);
  }
  CUgraphExec exec = nullptr;
  SURVIVE(cuGraphInstantiate(&exec, graph, 0));
}
CASE(graph_lists_of_nothing) {
  start();
  CUgraph graph = nullptr;
  CUgraphNode n = nullptr;
  PREPARE(cuGraphCreate(&graph, 0));
  SURVIVE(cuGraphAddEmptyNode(&n, graph, nullptr, 1));
}
CASE(graph_edges_of_nothing) {
  start();
  CUgraph graph = nullptr;
  PREPARE(cuGraphCreate(&graph, 0));
  SURVIVE(cuGraphAddDependencies(graph, nullptr, nullptr, nullptr, 0));
  SURVIVE(cuGraphAddDependencies(graph, nullptr, nullptr, nullptr, 1));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
