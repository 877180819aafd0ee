// SPDX-License-Identifier: Apache-2.0
// A graph's launch is one piece of work in its stream; inside it, nodes without an edge between
// them may run in any order.
#include "tests/ordering/ordering.hpp"

namespace {

CUgraph new_graph() {
  CUgraph graph = nullptr;
  NEED(cuGraphCreate(&graph, 0));
  return graph;
}
CUgraphExec executable(CUgraph graph) {
  CUgraphExec made = nullptr;
  NEED(cuGraphInstantiateWithFlags(&made, graph, 0));
  return made;
}

// Adds a node; `after` may be null.
CUgraphNode add_fill(CUgraph graph, CUdeviceptr memory, uint8_t value, CUgraphNode after) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = memory;
  fill.value = value;
  fill.elementSize = 1;
  fill.width = size;
  fill.height = 1;
  CUcontext context = nullptr;
  NEED(cuCtxGetCurrent(&context));
  CUgraphNode node = nullptr;
  NEED(cuGraphAddMemsetNode(&node, graph, &after, after ? 1 : 0, &fill, context));
  return node;
}
CUgraphNode add_copy(CUgraph graph, CUdeviceptr to, CUdeviceptr from, CUgraphNode after) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.WidthInBytes = size;
  copy.Height = copy.Depth = 1;
  CUcontext context = nullptr;
  NEED(cuCtxGetCurrent(&context));
  CUgraphNode node = nullptr;
  NEED(cuGraphAddMemcpyNode(&node, graph, &after, after ? 1 : 0, &copy, context));
  return node;
}

CUdeviceptr address(const uint8_t* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

}  // namespace

int launches_beside_the_maker(Form form) {
  const Program program;
  const CUstream maker = new_stream(), launching = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUgraph graph = new_graph();
  add_copy(graph, used, made, nullptr);
  const CUgraphExec copy = executable(graph);
  NEED(cuMemsetD8Async(made, 7, size, maker));
  NEED(cuGraphLaunch(copy, form == Form::right ? maker : launching));
  return finds("the copy", used, 7);
}

int uses_what_a_launch_makes_elsewhere(Form form) {
  const Program program;
  const CUstream launching = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUgraph graph = new_graph();
  add_fill(graph, made, 7, nullptr);
  const CUgraphExec fill = executable(graph);
  NEED(cuGraphLaunch(fill, launching));
  if (form == Form::right) order(launching, user);
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

// A graph that uploads is launched for each frame, and the host fills its buffer between the
// launches.
int overwrites_what_a_launch_reads(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr input = new_memory(0), frames = new_memory(0, 3 * size);
  uint8_t* const staging = new_pinned(0);
  const CUgraph graph = new_graph();
  add_copy(graph, input, address(staging), nullptr);
  const CUgraphExec upload = executable(graph);
  for (uint8_t frame = 0; frame < 3; ++frame) {
    if (form == Form::right) NEED(cuStreamSynchronize(stream));
    write(staging, frame + 1);
    NEED(cuGraphLaunch(upload, stream));
    NEED(cuMemcpyDtoDAsync(frames + frame * size, input, size, stream));
  }
  for (uint8_t frame = 0; frame < 3; ++frame)
    if (finds("a frame", frames + frame * size, frame + 1)) return 1;
  return 0;
}

int reads_what_a_host_node_writes_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  uint8_t* const host = new_pinned(0);
  const CUgraph graph = new_graph();
  CUDA_HOST_NODE_PARAMS call{};
  call.fn = [](void* data) { write(static_cast<uint8_t*>(data), 7); };
  call.userData = host;
  CUgraphNode node = nullptr;
  NEED(cuGraphAddHostNode(&node, graph, nullptr, 0, &call));
  const CUgraphExec writer = executable(graph);
  NEED(cuGraphLaunch(writer, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("what the host node writes", host, 7);
}

// Two graphs in two streams use the same scratch memory.
int shares_scratch_memory_between_launches(Form form) {
  const Program program;
  const CUstream streams[] = {new_stream(), new_stream()};
  const CUdeviceptr scratch = new_memory(0), out[] = {new_memory(0), new_memory(0)};
  CUgraphExec executables[2];
  for (uint8_t i = 0; i < 2; ++i) {
    const CUgraph graph = new_graph();
    add_copy(graph, out[i], scratch, add_fill(graph, scratch, i + 1, nullptr));
    executables[i] = executable(graph);
  }
  // The first graph's scratch memory is read again after its launch.
  NEED(cuGraphLaunch(executables[0], streams[0]));
  NEED(cuMemcpyDtoDAsync(out[0], scratch, size, streams[0]));
  if (form == Form::right) order(streams[0], streams[1]);
  NEED(cuGraphLaunch(executables[1], streams[1]));
  return finds("the first one's result", out[0], 1) | finds("the second one's result", out[1], 2);
}

// A graph records an event in its last node; the host waits for it before the next launch instead
// of after it.
int waits_for_the_launch_before(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  const CUevent done = new_event();
  const CUgraph graph = new_graph();
  const CUgraphNode last = add_copy(graph, address(host), device, nullptr);
  CUgraphNode record = nullptr;
  NEED(cuGraphAddEventRecordNode(&record, graph, &last, 1, done));
  const CUgraphExec download = executable(graph);
  NEED(cuGraphLaunch(download, stream));
  NEED(cuEventSynchronize(done));
  write(host, 0);
  if (form == Form::wrong) NEED(cuEventSynchronize(done));
  NEED(cuGraphLaunch(download, stream));
  if (form == Form::right) NEED(cuEventSynchronize(done));
  return sees("the download", host, 7);
}

// A graph waits for the event's most recent record at the time of the launch.
int records_after_the_launch(Form form) {
  const Program program;
  const CUstream maker = new_stream(), launching = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUevent ready = new_event();
  const CUgraph graph = new_graph();
  CUgraphNode wait = nullptr;
  NEED(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, ready));
  add_copy(graph, used, made, wait);
  const CUgraphExec copy = executable(graph);
  NEED(cuMemsetD8Async(made, 7, size, maker));
  if (form == Form::right) NEED(cuEventRecord(ready, maker));
  NEED(cuGraphLaunch(copy, launching));
  if (form == Form::wrong) NEED(cuEventRecord(ready, maker));
  return finds("the copy", used, 7);
}

// In the graph the captured streams are ordered, but its launch is in only one of them.
int takes_a_captured_stream_for_a_launching_one(Form form) {
  const Program program;
  const CUstream origin = new_stream(), fork = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
  order(origin, fork);
  NEED(cuMemsetD8Async(made, 7, size, fork));
  order(fork, origin);
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(origin, &graph));
  const CUgraphExec fill = executable(graph);
  NEED(cuGraphLaunch(fill, origin));
  NEED(cuMemcpyDtoDAsync(used, made, size, form == Form::right ? origin : fork));
  return finds("the copy", used, 7);
}

// Captured work does not run: an event recorded before the launch does not cover it.
int copies_before_the_launch(Form form) {
  const Program program;
  const CUstream stream = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUevent captured = new_event();
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  NEED(cuMemsetD8Async(made, 7, size, stream));
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(stream, &graph));
  const CUgraphExec fill = executable(graph);
  if (form == Form::wrong) NEED(cuEventRecord(captured, stream));
  NEED(cuGraphLaunch(fill, stream));
  if (form == Form::right) NEED(cuEventRecord(captured, stream));
  NEED(cuStreamWaitEvent(user, captured, 0));
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

// The edge between two branches of a graph is missing.
int forgets_an_edge(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUgraph graph = new_graph();
  const CUgraphNode fill = add_fill(graph, made, 7, nullptr);
  add_copy(graph, used, made, form == Form::right ? fill : nullptr);
  NEED(cuGraphLaunch(executable(graph), stream));
  return finds("the copy", used, 7);
}

// A capture's second stream joins it before the work that it needs.
int forks_too_early(Form form) {
  const Program program;
  const CUstream origin = new_stream(), fork = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
  if (form == Form::wrong) order(origin, fork);
  NEED(cuMemsetD8Async(made, 7, size, origin));
  if (form == Form::right) order(origin, fork);
  NEED(cuMemcpyDtoDAsync(used, made, size, fork));
  order(fork, origin);
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(origin, &graph));
  NEED(cuGraphLaunch(executable(graph), origin));
  return finds("the copy", used, 7);
}

// Two branches use the same scratch memory, and the edge that makes the second one wait is missing.
int shares_scratch_memory_between_branches(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr scratch = new_memory(0), out[] = {new_memory(0), new_memory(0)};
  const CUgraph graph = new_graph();
  CUgraphNode last = nullptr;
  for (uint8_t i = 0; i < 2; ++i) {
    const CUgraphNode fill = add_fill(graph, scratch, i + 1, form == Form::right ? last : nullptr);
    last = add_copy(graph, out[i], scratch, fill);
  }
  NEED(cuGraphLaunch(executable(graph), stream));
  return finds("the first one's result", out[0], 1) | finds("the second one's result", out[1], 2);
}

// Three branches make parts of what the last node copies, but it comes after only two of them.
int joins_two_of_three_branches(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr parts = new_memory(0, 3 * size), whole = new_memory(0, 3 * size);
  const CUgraph graph = new_graph();
  CUgraphNode makers[3];
  for (uint8_t i = 0; i < 3; ++i)
    makers[i] = add_fill(graph, parts + i * size, 7, add_fill(graph, parts + i * size, 1, nullptr));
  const CUgraphNode last = add_copy(graph, whole + size, parts + size, makers[0]);
  if (form == Form::right) NEED(cuGraphAddDependencies(graph, &makers[1], &last, nullptr, 1));
  NEED(cuGraphAddDependencies(graph, &makers[2], &last, nullptr, 1));
  NEED(cuGraphLaunch(executable(graph), stream));
  return finds("the whole", whole + size, 7);
}

// The event should say that the download is done, but its node comes after nothing.
int records_beside_the_download(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  const CUevent done = new_event();
  const CUgraph graph = new_graph();
  const CUgraphNode download = add_copy(graph, address(host), device, nullptr);
  CUgraphNode record = nullptr;
  NEED(cuGraphAddEventRecordNode(&record, graph, &download, form == Form::right ? 1 : 0, done));
  NEED(cuGraphLaunch(executable(graph), stream));
  NEED(cuEventSynchronize(done));
  return sees("the download", host, 7);
}

// A launch is one command, yet other work may come in between: another stream overwrites what its
// first node has filled, before its second node copies it.
int fills_between_the_nodes_of_a_launch(Form form) {
  const Program program;
  const CUstream launching = new_stream(), other = new_stream();
  const CUdeviceptr scratch = new_memory(0), out = new_memory(0);
  const CUgraph graph = new_graph();
  add_copy(graph, out, scratch, add_fill(graph, scratch, 7, nullptr));
  const CUgraphExec fills_and_copies = executable(graph);
  NEED(cuGraphLaunch(fills_and_copies, launching));
  if (form == Form::right) order(launching, other);
  NEED(cuMemsetD8Async(scratch, 3, size, other));
  return finds("the copy", out, 7);
}
