// SPDX-License-Identifier: Apache-2.0
// Streams that are not ordered as their names suggest.
#include <vector>

#include "tests/wrong/races/race.hpp"

void trusts_the_legacy_stream(Twin twin) {
  Program p;
  if (twin == Twin::repaired) p.b = new_stream("b", CU_STREAM_DEFAULT);
  fill(p.x, CU_STREAM_LEGACY);
  fill(p.x, p.b);
}

void trusts_the_per_thread_stream(Twin twin) {
  const Program p;
  print_number(CU_STREAM_PER_THREAD, "own");
  fill(p.x, CU_STREAM_PER_THREAD);
  if (twin == Twin::repaired) link(CU_STREAM_PER_THREAD, p.b);
  copy(p.y, p.x, p.b);
}

// cuCtxSynchronize waits for only one context.
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
  NEED(cuCtxSetCurrent(other));
  NEED(cuCtxSynchronize());
  NEED(cuCtxDestroy(other));
  NEED(cuCtxSetCurrent(p.context));
}

// Each stream has its own bytes, in two rounds with a synchronisation in between.
void shares_a_byte_among_ten_thousand_streams(Twin twin) {
  const Program p;
  std::vector<CUstream> streams(10'000);
  for (size_t i = 0; i < streams.size(); ++i) {
    if (i == 5000 || i == 5001) {
      streams[i] = new_stream(i == 5000 ? "first" : "second");
    } else {
      NEED(cuStreamCreate(&streams[i], i % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
    }
  }
  const CUdeviceptr memory = p.device_memory(64 * streams.size());
  for (const size_t shift : {0, 1}) {
    for (size_t i = 0; i < streams.size(); ++i) {
      const size_t longer = twin == Twin::wrong && shift == 1 && i == 5000 ? 1 : 0;
      const CUdeviceptr own = memory + 64 * ((i + shift) % streams.size());
      NEED(cuMemsetD8Async(own, 1, 64 + longer, streams[i]));
    }
    if (shift == 0) NEED(cuCtxSynchronize());
  }
}
