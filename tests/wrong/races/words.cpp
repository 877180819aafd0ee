// SPDX-License-Identifier: Apache-2.0
// Words in memory that streams wait for, written too early or by nobody.
#include "tests/wrong/races/race.hpp"

namespace {

CUdeviceptr new_word(const Program& p, unsigned value) {
  const CUdeviceptr word = p.device_memory(4);
  NEED(cuMemsetD32(word, value, 1));
  NEED(cuCtxSynchronize());
  return word;
}
void write(CUdeviceptr word, CUstream stream) {
  NEED(cuStreamWriteValue32(stream, word, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
}
void await(CUdeviceptr word, CUstream stream) {
  NEED(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
}

}  // namespace

void writes_the_word_too_early(Twin twin) {
  const Program p;
  const CUdeviceptr word = new_word(p, 0);
  if (twin == Twin::wrong) write(word, p.a);
  fill(p.x, p.a);
  if (twin == Twin::repaired) write(word, p.a);
  await(word, p.b);
  copy(p.y, p.x, p.b);
}

void writes_the_word_too_early_for_a_wait_that_is_there(Twin twin) {
  const Program p;
  const CUdeviceptr word = new_word(p, 0);
  await(word, p.b);
  copy(p.y, p.x, p.b);
  if (twin == Twin::wrong) write(word, p.a);
  fill(p.x, p.a);
  if (twin == Twin::repaired) write(word, p.a);
}

// Nobody writes it, so the wait says nothing of what is submitted after its end.
void finds_the_word_as_it_was(Twin twin) {
  const Program p;
  const CUdeviceptr word = new_word(p, 1);
  await(word, p.b);
  NEED(cuStreamSynchronize(p.b));
  fill(p.x, p.a);
  if (twin == Twin::repaired) link(p.a, p.b);
  copy(p.y, p.x, p.b);
}
