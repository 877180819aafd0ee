// SPDX-License-Identifier: Apache-2.0
// Events that are missing, or recorded or waited for in the wrong place.
#include "tests/wrong/races/race.hpp"

void reads_without_a_wait(Twin twin) {
  const Program p;
  fill(p.x, p.a);
  if (twin == Twin::repaired) link(p.a, p.b);
  copy(p.y, p.x, p.b);
}

void overwrites_what_is_read(Twin twin) {
  const Program p;
  fill(p.x, p.a);
  NEED(cuStreamSynchronize(p.a));
  copy(p.y, p.x, p.a);
  if (twin == Twin::repaired) link(p.a, p.b);
  fill(p.x, p.b);
}

void writes_twice(Twin twin) {
  const Program p;
  fill(p.x, p.a);
  if (twin == Twin::repaired) link(p.a, p.b);
  NEED(cuMemsetD32Async(p.x + size / 2, 7, size / 8, p.b));
}

void records_too_early(Twin twin) {
  const Program p;
  const CUevent event = new_event();
  if (twin == Twin::wrong) record(event, p.a);
  fill(p.x, p.a);
  if (twin == Twin::repaired) record(event, p.a);
  wait(p.b, event);
  copy(p.y, p.x, p.b);
}

void waits_for_the_record_before(Twin twin) {
  const Program p;
  const CUevent event = new_event();
  record(event, p.a);
  if (twin == Twin::wrong) wait(p.b, event);
  fill(p.x, p.a);
  record(event, p.a);
  if (twin == Twin::repaired) wait(p.b, event);
  copy(p.y, p.x, p.b);
}

void waits_for_an_event_that_is_not_recorded(Twin twin) {
  const Program p;
  const CUevent event = new_event();
  fill(p.x, p.a);
  if (twin == Twin::repaired) record(event, p.a);
  wait(p.b, event);
  copy(p.y, p.x, p.b);
}

void waits_in_another_stream(Twin twin) {
  const Program p;
  const CUstream c = new_stream("c");
  const CUevent event = new_event();
  fill(p.x, p.a);
  record(event, p.a);
  wait(twin == Twin::wrong ? c : p.b, event);
  copy(p.y, p.x, p.b);
}

void waits_too_late(Twin twin) {
  const Program p;
  const CUevent event = new_event();
  fill(p.x, p.a);
  record(event, p.a);
  if (twin == Twin::repaired) wait(p.b, event);
  copy(p.y, p.x, p.b);
  if (twin == Twin::wrong) wait(p.b, event);
}

// The consumer waits for the producer, but not the other way round.
void swaps_buffers_one_way(Twin twin) {
  const Program p;
  for (int round = 0; round < 3; ++round) {
    fill(p.x, p.a);
    link(p.a, p.b);
    copy(p.y, p.x, p.b);
    if (twin == Twin::repaired) link(p.b, p.a);
  }
}

// c waits for an event of b, but b waits for a only after that event.
void knows_only_what_was_known_at_the_record(Twin twin) {
  const Program p;
  const CUstream c = new_stream("c");
  const CUevent event = new_event();
  fill(p.x, p.a);
  if (twin == Twin::wrong) record(event, p.b);
  link(p.a, p.b);
  if (twin == Twin::repaired) record(event, p.b);
  wait(c, event);
  copy(p.y, p.x, c);
}

// A context's event covers all the work that its streams had when it was recorded.
void records_a_context_too_early(Twin twin) {
  const Program p;
  const CUevent event = new_event();
  if (twin == Twin::wrong) NEED(cuCtxRecordEvent(p.context, event));
  fill(p.x, p.a);
  if (twin == Twin::repaired) NEED(cuCtxRecordEvent(p.context, event));
  NEED(cuStreamWaitEvent(p.b, event, 0));
  copy(p.y, p.x, p.b);
}

void lets_a_context_wait_too_late(Twin twin) {
  const Program p;
  const CUevent event = new_event();
  fill(p.x, p.a);
  NEED(cuEventRecord(event, p.a));
  if (twin == Twin::repaired) NEED(cuCtxWaitEvent(p.context, event));
  copy(p.y, p.x, p.b);
  if (twin == Twin::wrong) NEED(cuCtxWaitEvent(p.context, event));
}
