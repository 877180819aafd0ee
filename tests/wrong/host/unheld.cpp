// SPDX-License-Identifier: Apache-2.0
// Host memory whose pages cannot be held while commands read it: parts of pages, and pageable
// memory. What is found is that its bytes have changed.
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tests/wrong/host/host.hpp"

namespace {

constexpr size_t page = 4096;

// The page's other half is the host's.
volatile char* half_a_page(const Program& p) { return p.pinned(page) + page / 2; }

}  // namespace

void writes_a_part_of_a_page_that_a_copy_reads(Twin twin) {
  const Program p;
  volatile char* const half = half_a_page(p);
  p.to_device(half, p.a);
  half[-1] = 1;  // nobody else's
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  half[3] = 1;
  NEED(cuStreamSynchronize(p.a));
}

// The system writes for the program.
void receives_into_a_part_of_a_page_that_a_copy_reads(Twin twin) {
  const Program p;
  volatile char* const half = half_a_page(p);
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], "0123456789", 10) != 10) _Exit(4);
  p.to_device(half, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  if (read(ends[0], const_cast<char*>(half + 5), 10) != 10) _Exit(4);
  NEED(cuCtxSynchronize());
  close(ends[0]);
  close(ends[1]);
}

void writes_the_edge_of_registered_memory(Twin twin) {
  const Program p;
  char* const around = static_cast<char*>(aligned_alloc(page, 4 * page));
  memset(around, 0, 4 * page);
  char* const memory = around + page - 100;
  NEED(cuMemHostRegister(memory, page, 0));
  p.at_end([around, memory] {
    NEED(cuMemHostUnregister(memory));
    free(around);
  });
  const CUdeviceptr large = p.device_memory(page);
  const CUevent event = new_event();
  NEED(cuMemcpyHtoDAsync(large, memory, page, p.a));
  NEED(cuEventRecord(event, p.a));
  if (twin == Twin::repaired) NEED(cuEventSynchronize(event));
  memory[7] = 1;
  while (cuStreamQuery(p.a) != CUDA_SUCCESS) {
  }
}

// A copy from pageable memory "might be synchronous".
void writes_pageable_memory_that_a_copy_reads(Twin twin) {
  const Program p;
  static char memory[size];
  p.to_device(memory, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  memory[3] = 1;
  NEED(cuStreamSynchronize(p.a));
}

namespace {
[[gnu::noinline]] void copy_a_variable(const Program& p, bool wait) {
  char variable[size];
  memset(variable, 1, sizeof variable);
  p.to_device(variable, p.a);
  if (wait) NEED(cuStreamSynchronize(p.a));
}
[[gnu::noinline]] void use_the_stack() {
  char variables[4 * size];
  memset(variables, 2, sizeof variables);
  asm volatile("" : : "r"(variables) : "memory");
}
}  // namespace

void leaves_the_function_whose_variable_is_copied(Twin twin) {
  const Program p;
  copy_a_variable(p, twin == Twin::repaired);
  use_the_stack();
  NEED(cuStreamSynchronize(p.a));
}

// A synchronous copy promises that it has read pageable memory when it returns.
void takes_an_asynchronous_copy_for_a_synchronous_one(Twin twin) {
  const Program p;
  static char memory[size];
  if (twin == Twin::wrong)
    NEED(cuMemcpyHtoDAsync(p.x, memory, size, nullptr));
  else
    NEED(cuMemcpyHtoD(p.x, memory, size));
  memory[size - 1] = 1;
  NEED(cuCtxSynchronize());
}

void writes_pageable_memory_that_a_graph_copies(Twin twin) {
  const Program p;
  static char memory[size];
  NEED(cuStreamBeginCapture(p.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  p.to_device(memory, p.a);
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(p.a, &graph));
  CUgraphExec launchable = nullptr;
  NEED(cuGraphInstantiate(&launchable, graph, 0));
  NEED(cuGraphDestroy(graph));
  p.at_end([launchable] { NEED(cuGraphExecDestroy(launchable)); });
  memory[0] = 1;  // nothing runs yet
  NEED(cuGraphLaunch(launchable, p.a));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  memory[0] = 2;
  NEED(cuStreamSynchronize(p.a));
}

// Not before its own copy, but before that of the other stream. In the repaired twin a copy writes
// there, in the order of the stream.
void changes_what_another_stream_reads(Twin twin) {
  const Program p;
  volatile char* const half = half_a_page(p);
  NEED(cuMemsetD8(p.x, 5, size));
  NEED(cuCtxSynchronize());
  p.to_device(half, p.a);
  if (twin == Twin::wrong)
    half[9] = 5;
  else
    p.from_device(half, p.a);
  p.to_device(half, p.a);
  NEED(cuStreamSynchronize(p.a));
}

namespace {
// Host memory that a host function fills once the work after it is submitted.
struct Filling {
  volatile char* memory;
  std::atomic<bool> submitted{false};
  static void fill(void* filling) {
    auto& self = *static_cast<Filling*>(filling);
    while (!self.submitted) {
    }
    for (size_t i = 0; i < size; ++i) self.memory[i] = 5;
  }
};
}  // namespace

void fills_what_a_copy_reads_in_a_host_function(Twin twin) {
  const Program p;
  Filling filling{half_a_page(p)};
  NEED(cuLaunchHostFunc(p.b, Filling::fill, &filling));
  if (twin == Twin::repaired) {
    const CUevent event = new_event();
    NEED(cuEventRecord(event, p.b));
    NEED(cuStreamWaitEvent(p.a, event, 0));
  }
  p.to_device(filling.memory, p.a);
  filling.submitted = true;
  NEED(cuCtxSynchronize());
}

// A graph reads pageable memory when it runs.
void fills_what_a_graph_reads_in_a_host_function(Twin twin) {
  const Program p;
  static char memory[size];
  NEED(cuStreamBeginCapture(p.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  p.to_device(memory, p.a);
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(p.a, &graph));
  CUgraphExec launchable = nullptr;
  NEED(cuGraphInstantiate(&launchable, graph, 0));
  NEED(cuGraphDestroy(graph));
  p.at_end([launchable] { NEED(cuGraphExecDestroy(launchable)); });
  Filling filling{memory};
  NEED(cuLaunchHostFunc(twin == Twin::wrong ? p.b : p.a, Filling::fill, &filling));
  NEED(cuGraphLaunch(launchable, p.a));
  filling.submitted = true;
  NEED(cuCtxSynchronize());
}
