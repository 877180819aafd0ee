// SPDX-License-Identifier: Apache-2.0
// External semaphores at the limits: what can be imported, what calls and graph nodes refuse, and
// what becomes of waits that are never satisfied.
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "semaphore_maker.hpp"
#include "survive.hpp"

namespace {

using conformance::answer;
using conformance::Semaphore;

CUcontext context;
CUstream stream, other;

using Description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
using Signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
using Wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

void start() {
  alarm(15);
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
}

Description described(int type, int fd) {
  Description description;
  memset(&description, 0, sizeof description);
  description.type = static_cast<CUexternalSemaphoreHandleType>(type);
  description.handle.fd = fd;
  return description;
}
constexpr int opaque = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
constexpr int timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

CUexternalSemaphore imported(const Semaphore& semaphore, int type) {
  const Description description = described(type, semaphore.descriptor());
  CUexternalSemaphore handle;
  PREPARE(cuImportExternalSemaphore(&handle, &description));
  return handle;
}

Signal signal_of(unsigned long long value, unsigned flags = 0) {
  Signal parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.params.fence.value = value;
  parameters.flags = flags;
  return parameters;
}
Wait wait_of(unsigned long long value, unsigned flags = 0) {
  Wait parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.params.fence.value = value;
  parameters.flags = flags;
  return parameters;
}

CUresult signal(CUexternalSemaphore semaphore, unsigned long long value, CUstream in = stream,
                unsigned flags = 0) {
  const Signal parameters = signal_of(value, flags);
  return cuSignalExternalSemaphoresAsync(&semaphore, &parameters, 1, in);
}
CUresult wait(CUexternalSemaphore semaphore, unsigned long long value, CUstream in = stream,
              unsigned flags = 0) {
  const Wait parameters = wait_of(value, flags);
  return cuWaitExternalSemaphoresAsync(&semaphore, &parameters, 1, in);
}

// The stream's status after enough time.
CUresult later(CUstream which) {
  for (int i = 0; i < 300 && cuStreamQuery(which) == CUDA_ERROR_NOT_READY; ++i) usleep(1000);
  return cuStreamQuery(which);
}

// Prints what `call` answers, or ends the case if it does not return within seconds.
template <typename Call>
void in_time(const char* question, Call call) {
  static sigjmp_buf before;
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(before, 1); };
  sigaction(SIGALRM, &action, nullptr);
  if (sigsetjmp(before, 1) != 0) {
    conformance::say(question, "does not come back");
    _exit(0);
  }
  alarm(4);
  const CUresult result = call();
  alarm(15);
  answer(question, result);
}
#define IN_TIME(call) in_time(#call, [&] { return call; })

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

CUresult import_as(int type, int fd, bool* open_afterwards = nullptr) {
  const Description description = described(type, fd);
  CUexternalSemaphore handle;
  const CUresult result = cuImportExternalSemaphore(&handle, &description);
  if (open_afterwards) *open_afterwards = is_open(fd);
  return result;
}

// --- Importing -----------------------------------------------------------------------------------

CASE(semaphore_types) {
  start();
  for (const int type : {-1, 0, 2, 3, 4, 5, 6, 7, 8, 10, 11}) {
    Description description = described(type, 0);
    CUexternalSemaphore handle;
    answer(("null, type " + std::to_string(type)).c_str(),
           cuImportExternalSemaphore(&handle, &description));
    if (type == 6) continue;  // the driver takes any pointer for an object
    static int something;
    description.handle.win32.handle = &something;
    answer(("not null, type " + std::to_string(type)).c_str(),
           cuImportExternalSemaphore(&handle, &description));
  }
}

CASE(semaphore_descriptors) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  bool open_afterwards;
  ASK(import_as(timeline, binary.descriptor(), &open_afterwards));
  ASK(open_afterwards);
  ASK(import_as(opaque, counter.descriptor(), &open_afterwards));
  ASK(open_afterwards);
  ASK(import_as(opaque, conformance::memory_descriptor(), &open_afterwards));
  ASK(open_afterwards);
  ASK(import_as(timeline, conformance::memory_descriptor(), &open_afterwards));
  ASK(open_afterwards);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory;
  memset(&memory, 0, sizeof memory);
  memory.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  memory.handle.fd = binary.descriptor();
  memory.size = 4096;
  CUexternalMemory object;
  ASK(cuImportExternalMemory(&object, &memory));
  int ends[2];
  if (pipe(ends) != 0) _exit(4);
  ASK(import_as(opaque, ends[0], &open_afterwards));
  ASK(open_afterwards);
  ASK(import_as(opaque, open("/", O_RDONLY | O_DIRECTORY), &open_afterwards));
  ASK(open_afterwards);
  ASK(import_as(timeline, ends[1], &open_afterwards));
  ASK(open_afterwards);
  ASK(import_as(timeline, -1));
  ASK(import_as(timeline, 999));
  Description description = described(opaque, binary.descriptor());
  description.reserved[3] = 1;
  CUexternalSemaphore handle;
  ASK(cuImportExternalSemaphore(&handle, &description));
  description.reserved[3] = 0;
  for (const unsigned flags : {1u, 2u, 0x80000000u}) {
    description.flags = flags;
    ASK(cuImportExternalSemaphore(&handle, &description));
  }
  ASK(import_as(opaque, binary.descriptor()));
  ASK(import_as(opaque, binary.descriptor()));
}

CASE(semaphore_errors) {
  start();
  const Semaphore binary(false, 0);
  Description d = described(opaque, binary.descriptor());
  CUexternalSemaphore x;
  ASK(cuImportExternalSemaphore(nullptr, &d));
  ASK(cuImportExternalSemaphore(&x, nullptr));
  d.flags = 4;
  ASK(cuImportExternalSemaphore(&x, &d));
  d.flags = 0;
  const int keep = d.handle.fd;
  d.handle.fd = -1;
  ASK(cuImportExternalSemaphore(&x, &d));
  d.handle.fd = open("/dev/null", O_RDWR);
  ASK(cuImportExternalSemaphore(&x, &d));
  d.handle.fd = keep;
  d.type = static_cast<CUexternalSemaphoreHandleType>(55);
  ASK(cuImportExternalSemaphore(&x, &d));
  d.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  ASK(cuImportExternalSemaphore(&x, &d));
  ASK(is_open(keep));
  Signal sent = signal_of(0);
  const Wait awaited = wait_of(0);
  ASK(cuSignalExternalSemaphoresAsync(nullptr, &sent, 1, nullptr));
  ASK(cuSignalExternalSemaphoresAsync(&x, nullptr, 1, nullptr));
  ASK(cuSignalExternalSemaphoresAsync(&x, &sent, 0, nullptr));
  sent.flags = 0x80;
  ASK(cuSignalExternalSemaphoresAsync(&x, &sent, 1, nullptr));
  sent.flags = 0;
  ASK(cuSignalExternalSemaphoresAsync(&x, &sent, 1, nullptr));
  ASK(cuWaitExternalSemaphoresAsync(&x, &awaited, 1, nullptr));
  ASK(cuCtxSynchronize());
  ASK(cuDestroyExternalSemaphore(x));
  ASK(cuDestroyExternalSemaphore(nullptr));
}

CASE(semaphore_without_context) {
  start();
  const Semaphore binary(false, 0);
  const CUexternalSemaphore x = imported(binary, opaque);
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(import_as(opaque, binary.descriptor()));
  ASK(signal(x, 0, nullptr));
  ASK(signal(x, 0));
  ASK(wait(x, 0));
  ASK(cuDestroyExternalSemaphore(x));
  PREPARE(cuCtxSetCurrent(context));
  ASK(later(stream));
}

CASE(semaphore_destroyed_twice) {
  start();
  const Semaphore binary(false, 0);
  const CUexternalSemaphore x = imported(binary, opaque);
  ASK(cuDestroyExternalSemaphore(x));
  SURVIVE(cuDestroyExternalSemaphore(x));
}
CASE(semaphore_destroyed_signalled) {
  start();
  const Semaphore binary(false, 0);
  const CUexternalSemaphore x = imported(binary, opaque);
  PREPARE(cuDestroyExternalSemaphore(x));
  SURVIVE(signal(x, 0));
}
CASE(semaphore_of_nothing) {
  start();
  SURVIVE(cuDestroyExternalSemaphore(reinterpret_cast<CUexternalSemaphore>(0x1230)));
}
CASE(semaphore_null_in_list) {
  start();
  const Semaphore binary(false, 0);
  SURVIVE(signal(nullptr, 0));
  SURVIVE(wait(nullptr, 0));
  const CUexternalSemaphore both[] = {imported(binary, opaque), nullptr};
  const Signal parameters[] = {signal_of(0), signal_of(0)};
  SURVIVE(cuSignalExternalSemaphoresAsync(both, parameters, 2, stream));
  ASK(wait(both[0], 0));
  ASK(later(stream));
}

// --- Signals and waits ---------------------------------------------------------------------------

CASE(semaphore_arguments) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  const CUexternalSemaphore b = imported(binary, opaque), t = imported(counter, timeline);
  for (const unsigned flags : {1u, 2u, 4u, 0x80000000u}) {
    ASK(signal(b, 0, stream, flags));
    ASK(signal(t, 1, stream, flags));
  }
  for (const unsigned flags : {1u, 2u, 4u, 0x80000000u}) {
    ASK(wait(b, 0, stream, flags));
    ASK(wait(t, 1, stream, flags));
  }
  ASK(later(stream));
  ASK(cuSignalExternalSemaphoresAsync(nullptr, nullptr, 0, stream));
  ASK(cuWaitExternalSemaphoresAsync(nullptr, nullptr, 0, stream));
  const Wait none = wait_of(0);
  ASK(cuWaitExternalSemaphoresAsync(&t, &none, 0, stream));
  ASK(cuWaitExternalSemaphoresAsync(nullptr, &none, 1, stream));
  ASK(cuWaitExternalSemaphoresAsync(&t, nullptr, 1, stream));
  Signal odd = signal_of(2);
  odd.reserved[15] = 7;
  ASK(cuSignalExternalSemaphoresAsync(&t, &odd, 1, stream));
  odd = signal_of(3);
  odd.params.reserved[0] = 7;
  ASK(cuSignalExternalSemaphoresAsync(&t, &odd, 1, stream));
  odd = signal_of(4);
  odd.params.keyedMutex.key = 9;
  ASK(cuSignalExternalSemaphoresAsync(&t, &odd, 1, stream));
  Wait strange = wait_of(1);
  strange.reserved[15] = 7;
  ASK(cuWaitExternalSemaphoresAsync(&t, &strange, 1, stream));
  strange = wait_of(1);
  strange.params.keyedMutex.timeoutMs = 9;
  ASK(cuWaitExternalSemaphoresAsync(&t, &strange, 1, stream));
  ASK(later(stream));
  ASK(counter.value());
  const CUexternalSemaphore twice[] = {t, t};
  const Signal values[] = {signal_of(8), signal_of(9)};
  ASK(cuSignalExternalSemaphoresAsync(twice, values, 2, stream));
  ASK(later(stream));
  ASK(counter.value());
  CUstream gone;
  PREPARE(cuStreamCreate(&gone, CU_STREAM_NON_BLOCKING));
  PREPARE(cuStreamDestroy(gone));
  SURVIVE(signal(t, 20, gone));
}

CASE(semaphore_timeline) {
  start();
  Semaphore counter(true, 5);
  const CUexternalSemaphore t = imported(counter, timeline);
  ASK(wait(t, 0));
  ASK(wait(t, 5));
  ASK(later(stream));
  ASK(wait(t, 6));
  ASK(later(stream));
  ASK(signal(t, 5, other));
  ASK(later(other));
  ASK(later(stream));
  ASK(signal(t, 7, other));
  ASK(later(other));
  ASK(later(stream));
  ASK(counter.value());
  ASK(wait(t, 100));
  ASK(wait(t, 101, other));
  counter.signal(100);
  ASK(later(stream));
  ASK(later(other));
  counter.signal(1000);
  ASK(later(other));
  ASK(signal(t, 1000));
  ASK(signal(t, ~0ull - 1));
  ASK(later(stream));
  ASK(counter.value());
  ASK(wait(t, ~0ull - 1));
  ASK(later(stream));
}

CASE(semaphore_timeline_lower) {
  start();
  Semaphore counter(true, 3);
  const CUexternalSemaphore t = imported(counter, timeline);
  ASK(counter.value());
  ASK(wait(t, 3));
  ASK(cuStreamSynchronize(stream));
  ASK(wait(t, 10));
  ASK(cuStreamQuery(stream));
  counter.signal(10);
  ASK(cuStreamSynchronize(stream));
  ASK(signal(t, 20));
  ASK(cuStreamSynchronize(stream));
  ASK(counter.value());
  ASK(signal(t, 15));
  ASK(cuStreamSynchronize(stream));
  ASK(counter.value());
  ASK(wait(t, 5));
  ASK(cuStreamSynchronize(stream));
}

CASE(semaphore_binary) {
  start();
  Semaphore binary(false, 0);
  const CUexternalSemaphore b = imported(binary, opaque), same = imported(binary, opaque);
  ASK(wait(b, 0));
  ASK(later(stream));
  ASK(signal(same, 0, other));
  ASK(later(stream));
  ASK(wait(b, 0));
  ASK(later(stream));
  binary.signal(0);
  ASK(later(stream));
  // Two signals in a row, which Vulkan forbids, and then two waits.
  ASK(signal(b, 0));
  ASK(signal(b, 0));
  ASK(wait(b, 0));
  ASK(later(stream));
  ASK(wait(b, 0));
  ASK(later(stream));
  ASK(signal(b, 17, other));
  ASK(later(stream));
}

CASE(semaphore_two_waits) {
  start();
  Semaphore binary(false, 0);
  const CUexternalSemaphore b = imported(binary, opaque);
  ASK(wait(b, 0));
  ASK(wait(b, 0, other));
  binary.signal(0);
  later(stream);
  later(other);
  ASK((cuStreamQuery(stream) == CUDA_SUCCESS) + (cuStreamQuery(other) == CUDA_SUCCESS));
  binary.signal(0);
  ASK(later(stream));
  ASK(later(other));
}

CASE(semaphore_legacy_stream) {
  start();
  Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  CUstream blocking;
  PREPARE(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  ASK(wait(t, 1, nullptr));
  ASK(signal(t, 1, blocking));
  ASK(later(blocking));
  ASK(counter.value());
  ASK(signal(t, 1, stream));
  ASK(later(blocking));
}

// --- The end of things ---------------------------------------------------------------------------

CASE(semaphore_destroyed_while_waited_for) {
  start();
  Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  ASK(wait(t, 1));
  IN_TIME(cuDestroyExternalSemaphore(t));
}

CASE(semaphore_stream_destroyed_while_waiting) {
  start();
  Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 4));
  PREPARE(cuMemsetD32(p, 1, 1));
  PREPARE(cuCtxSynchronize());
  ASK(wait(t, 1));
  ASK(cuMemsetD32Async(p, 2, 1, stream));
  ASK(cuStreamDestroy(stream));
  counter.signal(1);
  ASK(cuCtxSynchronize());
  unsigned value = 0;
  ASK(cuMemcpyDtoH(&value, p, 4));
  ASK(value);
}

CASE(semaphore_context_destroyed_while_waiting) {
  start();
  Semaphore counter(true, 0);
  CUcontext own;
  PREPARE(cuCtxCreate(&own, nullptr, 0, 0));
  const CUexternalSemaphore t = imported(counter, timeline);
  CUstream in;
  PREPARE(cuStreamCreate(&in, CU_STREAM_NON_BLOCKING));
  ASK(wait(t, 1, in));
  ASK(signal(t, 2, in));
  ASK(cuStreamQuery(in));
  IN_TIME(cuCtxDestroy(own));
}

CASE(semaphore_primary_reset_while_waiting) {
  start();
  Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  ASK(wait(t, 1));
  ASK(signal(t, 2));
  ASK(cuStreamQuery(stream));
  IN_TIME(cuDevicePrimaryCtxReset(0));
}

CASE(semaphore_process_ends_while_waiting) {
  Semaphore* shared = nullptr;
  const pid_t child = fork();
  if (child == 0) {
    start();
    shared = new Semaphore(true, 0);
    const CUexternalSemaphore t = imported(*shared, timeline);
    PREPARE(wait(t, 1));
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASK(WIFEXITED(status));
}

// --- Graphs --------------------------------------------------------------------------------------

CUgraph graph;
CUgraphNode node;
CUgraphExec exec;

struct SignalNode : CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
  explicit SignalNode(std::vector<CUexternalSemaphore> which, std::vector<Signal> how)
      : semaphores(std::move(which)), values(std::move(how)) {
    extSemArray = semaphores.data();
    paramsArray = values.data();
    numExtSems = static_cast<unsigned>(semaphores.size());
  }
  std::vector<CUexternalSemaphore> semaphores;
  std::vector<Signal> values;
};
struct WaitNode : CUDA_EXT_SEM_WAIT_NODE_PARAMS {
  explicit WaitNode(std::vector<CUexternalSemaphore> which, std::vector<Wait> how)
      : semaphores(std::move(which)), values(std::move(how)) {
    extSemArray = semaphores.data();
    paramsArray = values.data();
    numExtSems = static_cast<unsigned>(semaphores.size());
  }
  std::vector<CUexternalSemaphore> semaphores;
  std::vector<Wait> values;
};

CUresult add(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS& parameters) {
  return cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, &parameters);
}
CUresult add(const CUDA_EXT_SEM_WAIT_NODE_PARAMS& parameters) {
  return cuGraphAddExternalSemaphoresWaitNode(&node, graph, nullptr, 0, &parameters);
}

CASE(semaphore_node_arguments) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  const CUexternalSemaphore b = imported(binary, opaque), t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  SignalNode one({t}, {signal_of(1)});
  ASK(cuGraphAddExternalSemaphoresSignalNode(nullptr, graph, nullptr, 0, &one));
  ASK(cuGraphAddExternalSemaphoresSignalNode(&node, nullptr, nullptr, 0, &one));
  ASK(cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 1, &one));
  ASK(cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, nullptr));
  ASK(cuGraphAddExternalSemaphoresWaitNode(&node, graph, nullptr, 0, nullptr));
  one.numExtSems = 0;
  ASK(add(one));
  one.extSemArray = nullptr;
  ASK(add(one));
  for (const unsigned flags : {1u, 2u, 4u}) {
    ASK(add(SignalNode({b}, {signal_of(1, flags)})));
    ASK(add(SignalNode({t}, {signal_of(1, flags)})));
    ASK(add(WaitNode({b}, {wait_of(1, flags)})));
    ASK(add(WaitNode({t}, {wait_of(1, flags)})));
  }
  WaitNode none({t}, {wait_of(1)});
  none.numExtSems = 0;
  ASK(add(none));
  Signal odd = signal_of(2);
  odd.reserved[15] = 7;
  ASK(add(SignalNode({t}, {odd})));
  Wait strange = wait_of(1);
  strange.params.reserved[0] = 7;
  ASK(add(WaitNode({t}, {strange})));
}
CASE(semaphore_node_null_semaphores) {
  start();
  PREPARE(cuGraphCreate(&graph, 0));
  SignalNode one({nullptr}, {signal_of(1)});
  one.extSemArray = nullptr;
  SURVIVE(add(one));
}
CASE(semaphore_node_null_parameters) {
  start();
  const Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  WaitNode one({t}, {wait_of(1)});
  one.paramsArray = nullptr;
  SURVIVE(add(one));
}
CASE(semaphore_node_null_in_list) {
  start();
  PREPARE(cuGraphCreate(&graph, 0));
  SURVIVE(add(SignalNode({nullptr}, {signal_of(1)})));
}
CASE(semaphore_node_null_in_list_of_waits) {
  start();
  PREPARE(cuGraphCreate(&graph, 0));
  SURVIVE(add(WaitNode({nullptr}, {wait_of(1)})));
}

CASE(semaphore_node_parameters) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  const CUexternalSemaphore b = imported(binary, opaque), t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  CUgraphNode empty;
  PREPARE(cuGraphAddEmptyNode(&empty, graph, nullptr, 0));
  SignalNode two({b, t}, {signal_of(1), signal_of(2)});
  ASK(add(two));
  CUgraphNodeType type;
  PREPARE(cuGraphNodeGetType(node, &type));
  ASK(type);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told;
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &told));
  ASK(told.numExtSems);
  ASK(told.extSemArray[0] == b && told.extSemArray[1] == t);
  ASK(told.paramsArray[1].params.fence.value);
  ASK(told.extSemArray == two.extSemArray);
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(node, nullptr));
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(nullptr, &told));
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(empty, &told));
  CUDA_EXT_SEM_WAIT_NODE_PARAMS awaited;
  ASK(cuGraphExternalSemaphoresWaitNodeGetParams(node, &awaited));
  const SignalNode one({t}, {signal_of(5)});
  ASK(cuGraphExternalSemaphoresSignalNodeSetParams(node, nullptr));
  ASK(cuGraphExternalSemaphoresSignalNodeSetParams(empty, &one));
  ASK(cuGraphExternalSemaphoresSignalNodeSetParams(node, &one));
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &told));
  ASK(told.numExtSems);
  ASK(told.paramsArray[0].params.fence.value);
  // A different number of semaphores than at the instantiation.
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &two));
  const SignalNode another({t}, {signal_of(6)}), of_other({b}, {signal_of(7)});
  ASK(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &another));
  ASK(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, nullptr));
  ASK(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, empty, &another));
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &told));
  ASK(told.paramsArray[0].params.fence.value);
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  ASK(counter.value());
  ASK(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &of_other));
  ASK(cuGraphLaunch(exec, stream));
  ASK(wait(b, 0));
  ASK(later(stream));
  const WaitNode awaiting({b}, {wait_of(0)});
  ASK(cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, &awaiting));
  unsigned enabled = 7;
  ASK(cuGraphNodeGetEnabled(exec, node, &enabled));
  ASK(cuGraphNodeSetEnabled(exec, node, 0));
}

CASE(semaphore_node_of_any_type) {
  start();
  const Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  SignalNode sent({t}, {signal_of(3)});
  WaitNode awaited({t}, {wait_of(3)});
  CUgraphNodeParams any;
  memset(&any, 0, sizeof any);
  any.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
  any.extSemSignal.extSemArray = sent.extSemArray;
  any.extSemSignal.paramsArray = sent.paramsArray;
  any.extSemSignal.numExtSems = 1;
  CUgraphNode first, second;
  ASK(cuGraphAddNode(&first, graph, nullptr, nullptr, 0, &any));
  sent.values[0] = signal_of(4);
  ASK(cuGraphNodeSetParams(first, &any));
  CUgraphNodeParams other_type;
  memset(&other_type, 0, sizeof other_type);
  other_type.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
  other_type.extSemWait.extSemArray = awaited.extSemArray;
  other_type.extSemWait.paramsArray = awaited.paramsArray;
  other_type.extSemWait.numExtSems = 1;
  ASK(cuGraphNodeSetParams(first, &other_type));
  ASK(cuGraphAddNode(&second, graph, &first, nullptr, 1, &other_type));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  ASK(counter.value());
  sent.values[0] = signal_of(8);
  ASK(cuGraphExecNodeSetParams(exec, first, &any));
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  ASK(counter.value());
  any.extSemSignal.numExtSems = 0;
  ASK(cuGraphExecNodeSetParams(exec, first, &any));
  ASK(cuGraphNodeSetParams(first, &any));
}

CASE(semaphore_graph_update) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  const CUexternalSemaphore b = imported(binary, opaque), t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(SignalNode({t}, {signal_of(1)})));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  CUgraphExecUpdateResultInfo info;
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(SignalNode({t}, {signal_of(2)})));
  ASK(cuGraphExecUpdate(exec, graph, &info));
  ASK(info.result);
  PREPARE(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  ASK(counter.value());
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(SignalNode({b}, {signal_of(2)})));
  ASK(cuGraphExecUpdate(exec, graph, &info));
  ASK(info.result);
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(SignalNode({t, b}, {signal_of(5), signal_of(2)})));
  ASK(cuGraphExecUpdate(exec, graph, &info));
  ASK(info.result);
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(WaitNode({t}, {wait_of(5)})));
  ASK(cuGraphExecUpdate(exec, graph, &info));
  ASK(info.result);
}

CASE(semaphore_captured) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  const CUexternalSemaphore b = imported(binary, opaque), t = imported(counter, timeline);
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  const CUexternalSemaphore both[] = {t, b};
  const Signal values[] = {signal_of(4), signal_of(0)};
  ASK(cuSignalExternalSemaphoresAsync(both, values, 2, stream));
  ASK(wait(t, 4));
  ASK(signal(t, 1, stream, 1));
  ASK(cuSignalExternalSemaphoresAsync(both, values, 0, stream));
  ASK(cuStreamEndCapture(stream, &graph));
  size_t count = 9;
  ASK(cuGraphGetNodes(graph, nullptr, &count));
  ASK(count);
  CUgraphNode nodes[9];
  PREPARE(cuGraphGetNodes(graph, nodes, &count));
  CUgraphNodeType type;
  PREPARE(cuGraphNodeGetType(nodes[0], &type));
  ASK(type);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told;
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(nodes[0], &told));
  ASK(told.numExtSems);
  ASK(told.paramsArray[0].params.fence.value);
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuGraphLaunch(exec, other));
  ASK(later(other));
  ASK(counter.value());
}

CASE(semaphore_imported_while_capturing) {
  start();
  const Semaphore binary(false, 0), counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(import_as(opaque, binary.descriptor()));
  ASK(import_as(0, -1));
  ASK(signal(t, 1, stream, 1));
  ASK(signal(t, 1));
  ASK(cuDestroyExternalSemaphore(t));
  ASK(cuStreamEndCapture(stream, &graph));
}

CASE(semaphore_destroyed_while_capturing) {
  start();
  const Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASK(cuDestroyExternalSemaphore(t));
  ASK(cuStreamEndCapture(stream, &graph));
}

CASE(semaphore_graph_waits) {
  start();
  Semaphore counter(true, 0), binary(false, 0);
  const CUexternalSemaphore t = imported(counter, timeline), b = imported(binary, opaque);
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(WaitNode({t, b}, {wait_of(1), wait_of(0)})));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  counter.signal(1);
  ASK(later(stream));
  binary.signal(0);
  ASK(later(stream));
  // The same launch again: the binary semaphore's signal was consumed.
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  ASK(signal(b, 0, other));
  ASK(later(stream));
}

CASE(semaphore_graph_kinds) {
  start();
  Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(SignalNode({t}, {signal_of(1)})));
  CUgraph clone;
  ASK(cuGraphClone(&clone, graph));
  CUgraphNode same;
  ASK(cuGraphNodeFindInClone(&same, node, clone));
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told;
  ASK(cuGraphExternalSemaphoresSignalNodeGetParams(same, &told));
  ASK(told.numExtSems);
  ASK(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
  CUgraph outer;
  PREPARE(cuGraphCreate(&outer, 0));
  ASK(cuGraphAddChildGraphNode(&node, outer, nullptr, 0, graph));
  ASK(cuGraphInstantiate(&exec, outer, 0));
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  ASK(counter.value());
  CUgraph whole;
  PREPARE(cuGraphCreate(&whole, 0));
  CUgraphConditionalHandle condition;
  PREPARE(
      cuGraphConditionalHandleCreate(&condition, whole, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams any;
  memset(&any, 0, sizeof any);
  any.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  any.conditional.handle = condition;
  any.conditional.type = CU_GRAPH_COND_TYPE_IF;
  any.conditional.size = 1;
  any.conditional.ctx = context;
  PREPARE(cuGraphAddNode(&node, whole, nullptr, nullptr, 0, &any));
  graph = any.conditional.phGraph_out[0];
  ASK(add(SignalNode({t}, {signal_of(9)})));
  ASK(cuGraphInstantiate(&exec, whole, 0));
  ASK(cuGraphDebugDotPrint(clone, "/dev/null", 0x180));
}

CASE(semaphore_graph_semaphore_destroyed) {
  start();
  Semaphore counter(true, 0);
  const CUexternalSemaphore t = imported(counter, timeline);
  PREPARE(cuGraphCreate(&graph, 0));
  PREPARE(add(SignalNode({t}, {signal_of(1)})));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuDestroyExternalSemaphore(t));
  SURVIVE(cuGraphLaunch(exec, stream));
  ASK(later(stream));
}

CASE(semaphore_batch_by_any_node) {
  start();
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 8));
  PREPARE(cuMemsetD32(p, 0, 2));
  PREPARE(cuCtxSynchronize());
  CUstreamBatchMemOpParams operations[2];
  memset(operations, 0, sizeof operations);
  operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = p;
  operations[0].writeValue.value = 3;
  operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operations[1].waitValue.address = p;
  operations[1].waitValue.value = 3;
  PREPARE(cuGraphCreate(&graph, 0));
  CUgraphNodeParams any;
  memset(&any, 0, sizeof any);
  any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  any.memOp.ctx = context;
  any.memOp.count = 2;
  any.memOp.paramArray = operations;
  ASK(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &any));
  PREPARE(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuGraphLaunch(exec, stream));
  ASK(later(stream));
  unsigned value = 0;
  PREPARE(cuMemcpyDtoH(&value, p, 4));
  ASK(value);
  any.memOp.ctx = nullptr;
  ASK(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &any));
  any.memOp.ctx = context;
  any.memOp.flags = 1;
  ASK(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &any));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
