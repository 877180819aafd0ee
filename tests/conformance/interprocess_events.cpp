// SPDX-License-Identifier: Apache-2.0
// Another process's events at the limits: which events have a handle, which handles can be opened,
// and what captures and graphs accept.
#include "harness.hpp"

namespace {

CUcontext context;
CUevent event, imported, second;
CUstream stream;
CUgraph graph;
CUgraphNode node;
CUipcEventHandle handle, again;
float time_between;
constexpr unsigned shared = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
  PREPARE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

// The process that has the event: it sends the handle and then obeys commands.
struct Exporter {
  Exporter() {
    int up[2], down[2];
    if (pipe(up) != 0 || pipe(down) != 0) _exit(4);
    child = fork();
    if (child == 0) {
      alarm(30);
      start();
      PREPARE(cuEventCreate(&event, shared));
      PREPARE(cuIpcGetEventHandle(&handle, event));
      if (write(up[1], &handle, sizeof handle) != sizeof handle) _exit(4);
      close(down[1]);
      for (char what; read(down[0], &what, 1) == 1;) {
        if (what == 'r') PREPARE(cuEventRecord(event, stream));
        if (what == 'd') PREPARE(cuEventDestroy(event));
        if (write(up[1], &what, 1) != 1) break;
      }
      _exit(0);
    }
    close(down[0]);
    if (read(up[0], &handle, sizeof handle) != sizeof handle) _exit(4);
    hear = up[0];
    say = down[1];
  }
  void tell(char what) {
    if (write(say, &what, 1) != 1 || read(hear, &what, 1) != 1) _exit(4);
  }
  void end() {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ~Exporter() { end(); }

  pid_t child;
  int hear, say;
};

CUresult open(CUevent* to) { return cuIpcOpenEventHandle(to, handle); }

void ask_captured(CUevent which) {
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuEventRecord(which, stream));
  ASK(cuStreamEndCapture(stream, &graph));
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuEventRecordWithFlags(which, stream, CU_EVENT_RECORD_EXTERNAL));
  ASK(cuStreamEndCapture(stream, &graph));
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuStreamWaitEvent(stream, which, 0));
  ASK(cuStreamEndCapture(stream, &graph));
  PREPARE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASK(cuStreamWaitEvent(stream, which, CU_EVENT_WAIT_EXTERNAL));
  ASK(cuStreamEndCapture(stream, &graph));
  PREPARE(cuGraphCreate(&graph, 0));
  ASK(cuGraphAddEventRecordNode(&node, graph, nullptr, 0, which));
  ASK(cuGraphAddEventWaitNode(&node, graph, nullptr, 0, which));
  CUgraphExec exec;
  ASK(cuGraphInstantiate(&exec, graph, 0));
  ASK(cuGraphLaunch(exec, stream));
  ASK(cuStreamSynchronize(stream));
  ASK(cuEventQuery(which));
}

CASE(ipc_event_arguments) {
  start();
  PREPARE(cuEventCreate(&event, shared));
  ASK(cuIpcGetEventHandle(nullptr, event));
  ASK(cuIpcGetEventHandle(&handle, nullptr));
  PREPARE(cuIpcGetEventHandle(&handle, event));
  PREPARE(cuIpcGetEventHandle(&again, event));
  ASK(memcmp(&handle, &again, sizeof handle) == 0);
  PREPARE(cuEventDestroy(event));
  ASK(cuIpcOpenEventHandle(&imported, handle));
}

CASE(ipc_event_garbage) {
  start();
  memset(&handle, 0, sizeof handle);
  ASK(open(&imported));
  memset(&handle, 0x5a, sizeof handle);
  ASK(open(&imported));
}

CASE(ipc_event_null_place) {
  Exporter exporter;
  start();
  ASK(open(nullptr));
}

CASE(ipc_event_imported) {
  Exporter exporter;
  start();
  ASK(open(&imported));
  ASK(open(&second));
  ASK(imported == second);
  ASK(cuEventQuery(second));
  ASK(cuEventSynchronize(second));
  ASK(cuIpcGetEventHandle(&again, second));
  ASK(cuEventRecord(second, stream));
  ASK(cuEventRecord(second, nullptr));
  ASK(cuEventRecordWithFlags(second, stream, CU_EVENT_RECORD_EXTERNAL));
  ASK(cuEventElapsedTime(&time_between, second, imported));
  ASK(cuEventSynchronize(imported));
  ASK(cuEventDestroy(imported));
  ASK(cuEventQuery(second));
  ASK(cuEventDestroy(second));
  ASK(open(&imported));
  ASK(cuEventQuery(imported));
}

CASE(ipc_event_own_captured) {
  start();
  PREPARE(cuEventCreate(&event, shared));
  ask_captured(event);
}
CASE(ipc_event_exported_captured) {
  start();
  PREPARE(cuEventCreate(&event, shared));
  PREPARE(cuIpcGetEventHandle(&handle, event));
  ask_captured(event);
}
CASE(ipc_event_imported_captured) {
  Exporter exporter;
  start();
  PREPARE(open(&imported));
  ask_captured(imported);
}
CASE(ipc_event_imported_recorded_captured) {
  Exporter exporter;
  start();
  PREPARE(open(&imported));
  exporter.tell('r');
  ask_captured(imported);
}

CASE(ipc_event_destroyed) {
  Exporter exporter;
  start();
  PREPARE(open(&second));
  exporter.tell('d');
  ASK(cuEventQuery(second));
  ASK(open(&imported));
}

CASE(ipc_event_destroyed_and_never_open) {
  Exporter exporter;
  start();
  exporter.tell('d');
  ASK(open(&imported));
}

CASE(ipc_event_exporter_ended) {
  Exporter exporter;
  start();
  PREPARE(open(&second));
  exporter.end();
  ASK(cuEventQuery(second));
  ASK(open(&imported));
  ASK(cuEventQuery(imported));
  ASK(cuEventRecord(imported, stream));
  ASK(cuEventSynchronize(imported));
}

CASE(ipc_event_exporter_ended_and_never_open) {
  Exporter exporter;
  start();
  exporter.end();
  ASK(open(&imported));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
