// SPDX-License-Identifier: Apache-2.0
// One stream makes what another one uses, and the order between them is missing or misplaced.
#include "tests/ordering/ordering.hpp"

namespace {

// A maker and a user; neither is ordered with the legacy stream.
struct Pair {
  const CUstream maker = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);

  void make(uint8_t value) const { NEED(cuMemsetD8Async(made, value, size, maker)); }
  void use() const { NEED(cuMemcpyDtoDAsync(used, made, size, user)); }
};

}  // namespace

int uses_without_waiting(Form form) {
  const Program program;
  const Pair pair;
  pair.make(7);
  if (form == Form::right) order(pair.maker, pair.user);
  pair.use();
  return finds("the copy", pair.used, 7);
}

// The event is right, but the wrong stream waits for it.
int lets_the_maker_wait(Form form) {
  const Program program;
  const Pair pair;
  const CUevent done = new_event();
  pair.make(7);
  NEED(cuEventRecord(done, pair.maker));
  NEED(cuStreamWaitEvent(form == Form::right ? pair.user : pair.maker, done, 0));
  pair.use();
  return finds("the copy", pair.used, 7);
}

int records_before_the_last_write(Form form) {
  const Program program;
  const Pair pair;
  const CUevent done = new_event();
  pair.make(6);
  if (form == Form::wrong) NEED(cuEventRecord(done, pair.maker));
  pair.make(7);
  if (form == Form::right) NEED(cuEventRecord(done, pair.maker));
  NEED(cuStreamWaitEvent(pair.user, done, 0));
  pair.use();
  return finds("the copy", pair.used, 7);
}

// Waiting for an event that was never recorded waits for nothing.
int waits_before_the_event_is_recorded(Form form) {
  const Program program;
  const Pair pair;
  const CUevent done = new_event();
  if (form == Form::wrong) NEED(cuStreamWaitEvent(pair.user, done, 0));
  pair.make(7);
  NEED(cuEventRecord(done, pair.maker));
  if (form == Form::right) NEED(cuStreamWaitEvent(pair.user, done, 0));
  pair.use();
  return finds("the copy", pair.used, 7);
}

int records_in_the_using_stream(Form form) {
  const Program program;
  const Pair pair;
  const CUevent done = new_event();
  pair.make(7);
  NEED(cuEventRecord(done, form == Form::right ? pair.maker : pair.user));
  NEED(cuStreamWaitEvent(pair.user, done, 0));
  pair.use();
  return finds("the copy", pair.used, 7);
}

// In this loop the wait comes before the record, so each turn waits only for the previous turn.
int waits_for_the_turn_before(Form form) {
  const Program program;
  const Pair pair;
  const CUevent done = new_event();
  const CUdeviceptr out = new_memory(0, 3 * size);
  for (uint8_t turn = 0; turn < 3; ++turn) {
    if (form == Form::wrong) NEED(cuStreamWaitEvent(pair.user, done, 0));
    pair.make(turn + 1);
    NEED(cuEventRecord(done, pair.maker));
    if (form == Form::right) NEED(cuStreamWaitEvent(pair.user, done, 0));
    NEED(cuMemcpyDtoDAsync(out + turn * size, pair.made, size, pair.user));
    order(pair.user, pair.maker);
  }
  for (uint8_t turn = 0; turn < 3; ++turn)
    if (finds("a turn", out + turn * size, turn + 1)) return 1;
  return 0;
}

// Recording an event again replaces its earlier record.
int has_one_event_for_two_makers(Form form) {
  const Program program;
  const CUstream left = new_stream(), right = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  const CUevent first = new_event(), second = form == Form::right ? new_event() : first;
  NEED(cuMemsetD8Async(made, 7, size / 2, left));
  NEED(cuEventRecord(first, left));
  NEED(cuMemsetD8Async(made + size / 2, 7, size / 2, right));
  NEED(cuEventRecord(second, right));
  NEED(cuStreamWaitEvent(user, first, 0));
  NEED(cuStreamWaitEvent(user, second, 0));
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

int waits_for_one_of_two_makers(Form form) {
  const Program program;
  const CUstream left = new_stream(), right = new_stream(), user = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuMemsetD8Async(made, 7, size / 2, left));
  NEED(cuMemsetD8Async(made + size / 2, 7, size / 2, right));
  order(left, user);
  if (form == Form::right) order(right, user);
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

// The user waits for the maker, but the maker's next turn does not wait for the user.
int overwrites_what_is_still_read(Form form) {
  const Program program;
  const Pair pair;
  pair.make(1);
  order(pair.maker, pair.user);
  pair.use();
  if (form == Form::right) order(pair.user, pair.maker);
  pair.make(2);
  return finds("the copy", pair.used, 1);
}

// Two buffers in turn: nothing holds the maker up, and it laps the user.
int laps_a_double_buffer(Form form) {
  const Program program;
  const CUstream maker = new_stream(), user = new_stream();
  const CUdeviceptr buffers = new_memory(0, 2 * size), out = new_memory(0, 6 * size);
  const CUevent full[] = {new_event(), new_event()}, empty[] = {new_event(), new_event()};
  for (unsigned frame = 0; frame < 6; ++frame) {
    const unsigned slot = frame % 2;
    if (form == Form::right) NEED(cuStreamWaitEvent(maker, empty[slot], 0));
    NEED(cuMemsetD8Async(buffers + slot * size, static_cast<uint8_t>(1 + frame), size, maker));
    NEED(cuEventRecord(full[slot], maker));
    NEED(cuStreamWaitEvent(user, full[slot], 0));
    NEED(cuMemcpyDtoDAsync(out + frame * size, buffers + slot * size, size, user));
    NEED(cuEventRecord(empty[slot], user));
  }
  for (unsigned frame = 0; frame < 6; ++frame)
    if (finds("a frame", out + frame * size, static_cast<uint8_t>(1 + frame))) return 1;
  return 0;
}

// Two halves of a picture exchange their edges, but only one direction is ordered.
int exchanges_edges_with_one_wait(Form form) {
  const Program program;
  const CUstream left = new_stream(), right = new_stream();
  const CUdeviceptr left_half = new_memory(0), right_half = new_memory(0);
  const CUdeviceptr left_edge = new_memory(0), right_edge = new_memory(0);
  NEED(cuMemsetD8Async(left_half, 1, size, left));
  NEED(cuMemsetD8Async(right_half, 2, size, right));
  const CUevent left_done = new_event(), right_done = new_event();
  NEED(cuEventRecord(left_done, left));
  NEED(cuEventRecord(right_done, right));
  NEED(cuStreamWaitEvent(left, right_done, 0));
  if (form == Form::right) NEED(cuStreamWaitEvent(right, left_done, 0));
  NEED(cuMemcpyDtoDAsync(left_edge, right_half, size, left));
  NEED(cuMemcpyDtoDAsync(right_edge, left_half, size, right));
  return finds("the left one's edge", left_edge, 2) | finds("the right one's edge", right_edge, 1);
}

// Of three stages, the last one waits only for the first.
int skips_a_link_of_the_chain(Form form) {
  const Program program;
  const CUstream stages[] = {new_stream(), new_stream(), new_stream()};
  const CUdeviceptr a = new_memory(0), b = new_memory(0), c = new_memory(0);
  NEED(cuMemsetD8Async(a, 7, size, stages[0]));
  const CUevent first = new_event(), second = new_event();
  NEED(cuEventRecord(first, stages[0]));
  NEED(cuStreamWaitEvent(stages[1], first, 0));
  NEED(cuMemcpyDtoDAsync(b, a, size, stages[1]));
  NEED(cuEventRecord(second, stages[1]));
  NEED(cuStreamWaitEvent(stages[2], form == Form::right ? second : first, 0));
  NEED(cuMemcpyDtoDAsync(c, b, size, stages[2]));
  return finds("the last stage", c, 7);
}

// A cuCtxSynchronize() afterwards does not order the download after the fill.
int fills_and_downloads_in_two_streams(Form form) {
  const Program program;
  const CUstream compute = new_stream(), download = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemsetD8Async(device, 7, size, compute));
  if (form == Form::right) order(compute, download);
  NEED(cuMemcpyDtoHAsync(host, device, size, download));
  NEED(cuCtxSynchronize());
  return sees("the download", host, 7);
}

// A priority is a hint; it orders nothing.
int takes_a_priority_for_an_order(Form form) {
  const Program program;
  int least = 0, greatest = 0;
  NEED(cuCtxGetStreamPriorityRange(&least, &greatest));
  CUstream maker = nullptr, user = nullptr;
  NEED(cuStreamCreateWithPriority(&maker, CU_STREAM_NON_BLOCKING, greatest));
  NEED(cuStreamCreateWithPriority(&user, CU_STREAM_NON_BLOCKING, least));
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuMemsetD8Async(made, 7, size, maker));
  if (form == Form::right) order(maker, user);
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

// A host function in one stream makes what a copy in another one uploads.
int uploads_what_a_host_function_makes(Form form) {
  const Program program;
  const CUstream maker = new_stream(), user = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const staging = new_pinned(0);
  NEED(cuLaunchHostFunc(
      maker, [](void* data) { write(static_cast<uint8_t*>(data), 7); }, staging));
  if (form == Form::right) order(maker, user);
  NEED(cuMemcpyHtoDAsync(device, staging, size, user));
  return finds("the upload", device, 7);
}

// The other way round: a host function reads a download of another stream.
int looks_at_a_download_in_another_stream(Form form) {
  const Program program;
  const CUstream download = new_stream(), looker = new_stream();
  const CUdeviceptr device = new_memory(7);
  struct Look {
    uint8_t* host;
    uint8_t seen;
  };
  static Look look{new_pinned(0), 0};
  NEED(cuMemcpyDtoHAsync(look.host, device, size, download));
  if (form == Form::right) order(download, looker);
  NEED(cuLaunchHostFunc(
      looker,
      [](void* data) {
        auto* it = static_cast<Look*>(data);
        it->seen = it->host[size - 1];
      },
      &look));
  NEED(cuStreamSynchronize(looker));
  return verdict("the download", look.seen, 7);
}

// Streams of two contexts are not ordered with each other; events work across contexts.
int copies_to_another_context_without_waiting(Form form) {
  const Program program;
  const CUstream maker = new_stream();
  const CUdeviceptr made = new_memory(0);
  CUcontext other = nullptr;
  NEED(cuCtxCreate(&other, nullptr, 0, 0));
  const CUstream user = new_stream();
  const CUdeviceptr used = new_memory(0);
  NEED(cuCtxSetCurrent(program.context));
  NEED(cuMemsetD8Async(made, 7, size, maker));
  const CUevent done = new_event();
  NEED(cuEventRecord(done, maker));
  NEED(cuCtxSetCurrent(other));
  if (form == Form::right) NEED(cuStreamWaitEvent(user, done, 0));
  NEED(cuMemcpyPeerAsync(used, other, made, program.context, size, user));
  const int status = finds("the copy", used, 7);
  NEED(cuCtxDestroy(other));
  return status;
}

int reads_an_array_that_is_still_written(Form form) {
  const Program program;
  const CUstream maker = new_stream(), user = new_stream();
  CUDA_ARRAY_DESCRIPTOR shape{};
  shape.Width = 8;
  shape.Height = 8;
  shape.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  shape.NumChannels = 1;
  CUarray array = nullptr;
  NEED(cuArrayCreate(&array, &shape));
  const CUdeviceptr zeros = new_memory(0), sevens = new_memory(7), out = new_memory(1);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = zeros;
  copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = copy.Height = 8;
  NEED(cuMemcpy2D(&copy));
  NEED(cuCtxSynchronize());
  copy.srcDevice = sevens;
  NEED(cuMemcpy2DAsync(&copy, maker));
  if (form == Form::right) order(maker, user);
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = array;
  back.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  back.dstDevice = out;
  back.dstPitch = 8;
  back.WidthInBytes = back.Height = 8;
  NEED(cuMemcpy2DAsync(&back, user));
  return finds("what was in the array", out, 7);
}
