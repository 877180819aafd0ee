// SPDX-License-Identifier: Apache-2.0
// External semaphores that are missing, signalled too early, or waited for in the wrong place.
#include <cuvetteSemaphore.h>

#include "tests/wrong/races/race.hpp"

namespace {

CUexternalSemaphore import(const Program& p,
                           const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC& description) {
  CUexternalSemaphore semaphore = nullptr;
  NEED(cuImportExternalSemaphore(&semaphore, &description));
  p.at_end([semaphore] { NEED(cuDestroyExternalSemaphore(semaphore)); });
  return semaphore;
}
CUexternalSemaphore semaphore(const Program& p, cuvetteSemaphoreKind kind) {
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = kind == CUVETTE_SEMAPHORE_BINARY
                         ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
                         : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  description.handle.fd = cuvetteSemaphoreCreate(kind, 0);
  return import(p, description);
}
CUexternalSemaphore binary(const Program& p) { return semaphore(p, CUVETTE_SEMAPHORE_BINARY); }
CUexternalSemaphore timeline(const Program& p) { return semaphore(p, CUVETTE_SEMAPHORE_TIMELINE); }

void signal(CUexternalSemaphore semaphore, CUstream stream, unsigned long long value = 0) {
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters{};
  parameters.params.fence.value = value;
  NEED(cuSignalExternalSemaphoresAsync(&semaphore, &parameters, 1, stream));
}
void await(CUexternalSemaphore semaphore, CUstream stream, unsigned long long value = 0) {
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS parameters{};
  parameters.params.fence.value = value;
  NEED(cuWaitExternalSemaphoresAsync(&semaphore, &parameters, 1, stream));
}

// What has been captured from a stream, into it.
void launch_captured(const Program& p, CUstream stream) {
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  NEED(cuStreamEndCapture(stream, &graph));
  NEED(cuGraphInstantiate(&exec, graph, 0));
  NEED(cuGraphDestroy(graph));
  p.at_end([exec] { NEED(cuGraphExecDestroy(exec)); });
  NEED(cuGraphLaunch(exec, stream));
}

}  // namespace

void forgets_the_semaphore(Twin twin) {
  const Program p;
  const CUexternalSemaphore s = binary(p);
  fill(p.x, p.a);
  if (twin == Twin::repaired) {
    signal(s, p.a);
    await(s, p.b);
  }
  copy(p.y, p.x, p.b);
}

void signals_too_early(Twin twin) {
  const Program p;
  const CUexternalSemaphore s = binary(p);
  if (twin == Twin::wrong) signal(s, p.a);
  fill(p.x, p.a);
  if (twin == Twin::repaired) signal(s, p.a);
  await(s, p.b);
  copy(p.y, p.x, p.b);
}

void waits_for_the_value_before(Twin twin) {
  const Program p;
  const CUexternalSemaphore s = timeline(p);
  signal(s, p.a, 1);
  fill(p.x, p.a);
  signal(s, p.a, 2);
  await(s, p.b, twin == Twin::wrong ? 1 : 2);
  copy(p.y, p.x, p.b);
}

// The wait is submitted before the signal that ends it.
void signals_too_early_for_a_wait_that_is_there(Twin twin) {
  const Program p;
  const CUexternalSemaphore s = timeline(p);
  await(s, p.b, 1);
  copy(p.y, p.x, p.b);
  if (twin == Twin::wrong) signal(s, p.a, 1);
  fill(p.x, p.a);
  if (twin == Twin::repaired) signal(s, p.a, 1);
}

// Through a third stream, and with all waits first.
void breaks_a_chain_of_semaphores(Twin twin) {
  const Program p;
  const CUstream c = new_stream("c");
  const CUexternalSemaphore first = timeline(p), second = binary(p);
  await(second, c);
  copy(p.y, p.x, c);
  await(first, p.b, 5);
  if (twin == Twin::wrong) signal(first, p.a, 5);
  signal(second, p.b);
  fill(p.x, p.a);
  if (twin == Twin::repaired) signal(first, p.a, 7);
}

// The copy should come after a stream that has waited.
void forgets_what_another_stream_waited_for(Twin twin) {
  const Program p;
  const CUstream c = new_stream("c");
  const CUexternalSemaphore s = timeline(p);
  await(s, p.b, 1);
  if (twin == Twin::repaired) link(p.b, c);
  fill(p.x, p.a);
  signal(s, p.a, 1);
  copy(p.y, p.x, c);
}

// The host's signal does not order the stream's work.
void has_the_host_signal(Twin twin) {
  const Program p;
  const int fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 0);
  cuvetteSemaphore* const mine = cuvetteSemaphoreMap(fd);
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  description.handle.fd = fd;
  const CUexternalSemaphore s = import(p, description);
  await(s, p.b, 1);
  cuvetteSemaphoreSignal(mine, 1);
  cuvetteSemaphoreUnmap(mine);
  NEED(cuStreamSynchronize(p.b));
  fill(p.x, p.a);
  if (twin == Twin::repaired) signal(s, p.a, 2);
  if (twin == Twin::repaired) await(s, p.b, 2);
  copy(p.y, p.x, p.b);
}

// A launch writes and signals, and the wait is submitted first.
void fills_behind_a_graph_that_signals(Twin twin) {
  const Program p;
  const CUexternalSemaphore s = binary(p);
  await(s, p.b);
  copy(p.y, p.x, p.b);
  NEED(cuStreamBeginCapture(p.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  if (twin == Twin::repaired) fill(p.x, p.a);
  signal(s, p.a);
  launch_captured(p, p.a);
  if (twin == Twin::wrong) fill(p.x, p.a);
}

void launches_a_graph_that_does_not_signal(Twin twin) {
  const Program p;
  const CUexternalSemaphore s = binary(p);
  NEED(cuStreamBeginCapture(p.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  fill(p.x, p.a);
  if (twin == Twin::repaired) signal(s, p.a);
  launch_captured(p, p.a);
  if (twin == Twin::repaired) await(s, p.b);
  copy(p.y, p.x, p.b);
}
