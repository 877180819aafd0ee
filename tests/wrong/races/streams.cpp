// SPDX-License-Identifier: Apache-2.0
// Streams that are not ordered as their names suggest.
#include "tests/wrong/races/race.hpp"

void trusts_the_legacy_stream(Twin twin) {
  Program p;
  if (twin == Twin::repaired) p.b = new_stream("b", CU_STREAM_DEFAULT);
  fill(p.x, CU_STREAM_LEGACY);
  fill(p.x, p.b);
}

void trusts_the_per_thread_stream(Twin twin) {
  const Program p;
  unsigned long long id = 0;
  NEED(cuStreamGetId(CU_STREAM_PER_THREAD, &id));
  printf("stream %llu own\n", id);
  fill(p.x, CU_STREAM_PER_THREAD);
  if (twin == Twin::repaired) link(CU_STREAM_PER_THREAD, p.b);
  copy(p.y, p.x, p.b);
}

// cuCtxSynchronize waits for one context.
void uses_two_contexts(Twin twin) {
  const Program p;
  CUcontext other = nullptr;
  NEED(cuCtxCreate(&other, nullptr, 0, 0));
  const CUstream a = new_stream("a");
  fill(p.x, a);
  if (twin == Twin::repaired) NEED(cuCtxSynchronize());
  NEED(cuCtxSetCurrent(p.context));
  if (twin == Twin::wrong) NEED(cuCtxSynchronize());
  copy(p.y, p.x, p.b);
  NEED(cuCtxSynchronize());
  NEED(cuCtxDestroy(other));
  NEED(cuCtxSetCurrent(p.context));
}
