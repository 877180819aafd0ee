// SPDX-License-Identifier: Apache-2.0
// Host memory that copies, fills and graphs use.
#include <cstdlib>
#include <cstring>

#include "tests/wrong/host/host.hpp"

void writes_what_a_copy_reads(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.to_device(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  buffer[3] = 1;
}

void reads_what_a_copy_writes(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  p.from_device(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuCtxSynchronize());
  const char value = buffer[3];
  if (twin == Twin::repaired && value != 1) _Exit(4);
}

void writes_what_a_copy_writes(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned(1 << 20);
  const CUdeviceptr large = p.device_memory(1 << 20);
  NEED(cuMemcpyDtoHAsync(const_cast<char*>(buffer), large, 1 << 20, p.a));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  buffer[700'000] = 1;
}

// The C library does it for the program. Reading is no mistake.
void copies_into_what_a_copy_reads(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  char here[size] = {1};
  p.to_device(buffer, p.a);
  if (twin == Twin::wrong)
    memmove(const_cast<char*>(buffer), here, strlen("0123456789"));
  else
    memmove(here, const_cast<char*>(buffer), size);
  asm volatile("" : : "r"(here) : "memory");
}

void reads_what_a_fill_writes(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  NEED(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(buffer), 5, size, p.a));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  static_cast<void>(buffer[size - 1]);
}

void writes_managed_memory_that_a_copy_reads(Twin twin) {
  const Program p;
  volatile char* const buffer = p.managed();
  buffer[0] = 1;
  p.to_device(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  buffer[0] = 2;
}

// The bytes around it on its first and last page are the program's own.
void writes_registered_memory_that_a_copy_reads(Twin twin) {
  const Program p;
  constexpr size_t bytes = 16384;
  const CUdeviceptr large = p.device_memory(bytes);
  char* const around = static_cast<char*>(aligned_alloc(4096, bytes + 8192));
  memset(around, 1, bytes + 8192);
  volatile char* const buffer = around + 100;
  NEED(cuMemHostRegister(around + 100, bytes, 0));
  NEED(cuMemcpyHtoDAsync(large, around + 100, bytes, p.a));
  static_cast<volatile char&>(around[50]) = 2;
  static_cast<volatile char&>(around[bytes + 200]) = 2;
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  buffer[8000] = 2;
  NEED(cuStreamSynchronize(p.a));
  NEED(cuMemHostUnregister(around + 100));
  static_cast<volatile char&>(around[8000]) = 3;
  free(around);
}

// Rows of whole pages, with gaps between them, which the copy leaves alone.
void reads_what_a_box_is_copied_to(Twin twin) {
  const Program p;
  constexpr size_t row = 4096, pitch = 8192, rows = 4;
  const CUdeviceptr large = p.device_memory(row * rows);
  volatile char* const buffer = p.pinned(pitch * rows);
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = large;
  box.srcPitch = row;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = const_cast<char*>(buffer);
  box.dstPitch = pitch;
  box.WidthInBytes = row;
  box.Height = rows;
  NEED(cuMemcpy2DAsync(&box, p.a));
  buffer[2 * pitch + row + 1] = 1;
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  static_cast<void>(buffer[2 * pitch + 1]);
}

void reads_what_a_graph_copies(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  NEED(cuStreamBeginCapture(p.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  p.from_device(buffer, p.a);
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(p.a, &graph));
  CUgraphExec launchable = nullptr;
  NEED(cuGraphInstantiate(&launchable, graph, 0));
  NEED(cuGraphDestroy(graph));
  p.at_end([launchable] { NEED(cuGraphExecDestroy(launchable)); });
  buffer[0] = 9;  // nothing runs yet
  NEED(cuGraphLaunch(launchable, p.a));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  static_cast<void>(buffer[0]);
}

// While one half is copied the other is filled, and each half is waited for before it is filled
// again.
void swaps_halves_too_early(Twin twin) {
  const Program p;
  constexpr size_t half = 4096;
  const CUdeviceptr large = p.device_memory(2 * half);
  volatile char* const buffer = p.pinned(2 * half);
  const CUevent copied[2] = {new_event(), new_event()};
  for (size_t i = 0; i < 6; ++i) {
    const size_t which = i % 2;
    if (i >= 2 && !(twin == Twin::wrong && i == 4)) NEED(cuEventSynchronize(copied[which]));
    for (size_t at = 0; at < half; at += 64) buffer[which * half + at] = static_cast<char>(i);
    NEED(cuMemcpyHtoDAsync(large + which * half, const_cast<char*>(buffer + which * half), half,
                           p.a));
    NEED(cuEventRecord(copied[which], p.a));
  }
}

// Each piece has a place of its own, or each copy is waited for.
void uses_one_staging_buffer_for_all(Twin twin) {
  const Program p;
  volatile char* const staging = p.pinned(4 * 64);
  for (size_t i = 0; i < 4; ++i) {
    volatile char* const piece = staging + (twin == Twin::wrong ? 0 : i * 64);
    for (size_t at = 0; at < 64; ++at) piece[at] = static_cast<char>(i);
    const size_t bytes = twin == Twin::wrong ? 256 : 64;
    NEED(cuMemcpyHtoDAsync(p.x, const_cast<char*>(piece), bytes, p.a));
  }
}
