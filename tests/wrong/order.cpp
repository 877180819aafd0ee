// SPDX-License-Identifier: Apache-2.0
// Work that mapping and unmapping do not order, since it is in another stream.
#include <unistd.h>

#include <atomic>

#include "tests/wrong/misuse.hpp"

namespace {

std::atomic<bool> unmaps{false};

// The work behind this must still be pending when the program unmaps, which waits for it. The pause
// allows for a busy machine, on which some time may pass between the call and its check.
void wait_for_unmapping(void*) {
  while (!unmaps) usleep(1000);
  usleep(2'000'000);
}
void wait_a_moment(void*) { usleep(100'000); }

void hold_up(CUstream stream, Twin twin) {
  NEED(cuLaunchHostFunc(stream, twin == Twin::wrong ? wait_for_unmapping : wait_a_moment, nullptr));
}

CUresult unmap_at_last(CUgraphicsResource resource, CUstream stream) {
  unmaps = true;
  return unmap(resource, stream);
}

// Submits work to `other`; the twin orders it between the earlier and the later work in the
// program's stream.
template <typename Work>
void work_in(CUstream other, Program& program, Twin twin, const Work& work) {
  if (twin == Twin::repaired) link(program.stream, other);
  hold_up(other, twin);
  work();
  if (twin == Twin::repaired) link(other, program.stream);
}

}  // namespace

CUresult unmaps_while_another_stream_writes(Twin twin) {
  Program program;
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, program.stream));
  work_in(other, program, twin,
          [&] { NEED(cuMemsetD8Async(pointer_of(resource), 1, 256, other)); });
  const CUresult answer = unmap_at_last(resource, program.stream);
  NEED(cuStreamSynchronize(other));
  NEED(cuStreamDestroy(other));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

CUresult unmaps_a_texture_while_another_stream_writes(Twin twin) {
  Program program;
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  const CUgraphicsResource resource = register_texture(new_texture());
  void* pixels = nullptr;
  NEED(cuMemAllocHost(&pixels, 1024));
  NEED(map(resource, program.stream));
  work_in(other, program, twin, [&] {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = pixels;
    copy.srcPitch = copy.WidthInBytes = 64;
    copy.Height = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array_of(resource);
    NEED(cuMemcpy2DAsync(&copy, other));
  });
  const CUresult answer = unmap_at_last(resource, program.stream);
  NEED(cuStreamSynchronize(other));
  NEED(cuStreamDestroy(other));
  NEED(cuGraphicsUnregisterResource(resource));
  NEED(cuMemFreeHost(pixels));
  return answer;
}

// Stream 0 waits only for blocking streams.
CUresult unmaps_in_the_legacy_stream(Twin twin) {
  Program program;
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, twin == Twin::wrong ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  NEED(map(resource, nullptr));
  hold_up(other, twin);
  NEED(cuMemsetD8Async(pointer_of(resource), 1, 256, other));
  const CUresult answer = unmap_at_last(resource, nullptr);
  NEED(cuStreamSynchronize(other));
  NEED(cuStreamDestroy(other));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}

// A graph cannot contain a mapping: map around its launch instead.
CUresult maps_in_a_captured_stream(Twin twin) {
  Program program;
  const CUgraphicsResource resource = register_buffer(new_buffer(256), 0);
  if (twin == Twin::wrong) {
    NEED(cuStreamBeginCapture(program.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    const CUresult answer = map(resource, program.stream);
    CUgraph graph = nullptr;
    // The capture is invalid by now.
    if (cuStreamEndCapture(program.stream, &graph) != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
      _Exit(4);
    NEED(cuGraphicsUnregisterResource(resource));
    return answer;
  }
  const CUresult answer = map(resource, program.stream);
  NEED(unmap(resource, program.stream));
  NEED(cuGraphicsUnregisterResource(resource));
  return answer;
}
