// SPDX-License-Identifier: Apache-2.0
// Host memory that kernels use.
#include <cstdlib>

#include "tests/wrong/host/host.hpp"

namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64

// memory[i] = 7 for the threads of one block.
.visible .entry fill(.param .u64 memory) {
  .reg .u64 %p, %i;
  .reg .u32 %t;
  mov.u32 %t, %tid.x;
  ld.param.u64 %p, [memory];
  cvt.u64.u32 %i, %t;
  add.u64 %p, %p, %i;
  st.global.u8 [%p], 7;
  ret;
}

// to[i] = from[i]
.visible .entry copy(.param .u64 to, .param .u64 from) {
  .reg .u64 %p, %q, %i;
  .reg .u32 %t;
  .reg .u16 %v;
  mov.u32 %t, %tid.x;
  ld.param.u64 %p, [to];
  ld.param.u64 %q, [from];
  cvt.u64.u32 %i, %t;
  add.u64 %p, %p, %i;
  add.u64 %q, %q, %i;
  ld.global.u8 %v, [%q];
  st.global.u8 [%p], %v;
  ret;
}

// Fills as above, and then says so in the four bytes behind.
.visible .entry fill_and_tell(.param .u64 memory) {
  .reg .u64 %p, %q, %i;
  .reg .u32 %t;
  .reg .pred %first;
  mov.u32 %t, %tid.x;
  ld.param.u64 %q, [memory];
  cvt.u64.u32 %i, %t;
  add.u64 %p, %q, %i;
  st.global.u8 [%p], 7;
  bar.sync 0;
  fence.acq_rel.sys;
  setp.eq.u32 %first, %t, 0;
  @%first st.volatile.global.u32 [%q+256], 1;
  ret;
}

// Waits until the host writes to the flag.
.visible .entry wait_for(.param .u64 flag) {
  .reg .u64 %p;
  .reg .u32 %v;
  .reg .pred %again;
  ld.param.u64 %p, [flag];
look:
  ld.volatile.global.u32 %v, [%p];
  setp.eq.u32 %again, %v, 0;
  @%again bra look;
  ret;
}
)";

void launch(const char* name, CUstream stream, void** parameters) {
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module, text));
  CUfunction function = nullptr;
  NEED(cuModuleGetFunction(&function, module, name));
  NEED(cuLaunchKernel(function, 1, 1, 1, size, 1, 1, 0, stream, parameters, nullptr));
}

void launch_fill(volatile char* memory, CUstream stream, const char* name = "fill") {
  void* parameters[] = {&memory};
  launch(name, stream, parameters);
}

}  // namespace

void reads_mapped_memory_too_early(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  launch_fill(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  if (const char value = buffer[9]; twin == Twin::repaired && value != 7) _Exit(4);
}

void reads_managed_memory_too_early(Twin twin) {
  const Program p;
  volatile char* const buffer = p.managed();
  buffer[9] = 0;
  launch_fill(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  if (const char value = buffer[9]; twin == Twin::repaired && value != 7) _Exit(4);
}

// Freeing waits for the kernel, but that is after the read.
void frees_managed_memory_read_too_early(Twin twin) {
  const Program p;
  CUdeviceptr memory = 0;
  NEED(cuMemAllocManaged(&memory, size, CU_MEM_ATTACH_GLOBAL));
  volatile char* const bytes = reinterpret_cast<volatile char*>(memory);
  launch_fill(bytes, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  static_cast<void>(bytes[5]);
  NEED(cuMemFree(memory));
}

void writes_managed_memory_that_a_kernel_reads(Twin twin) {
  const Program p;
  volatile char* buffer = p.managed();
  for (size_t i = 0; i < size; ++i) buffer[i] = 2;
  CUdeviceptr x = p.x;
  void* parameters[] = {&x, &buffer};
  launch("copy", p.a, parameters);
  static_cast<void>(buffer[9]);  // both may read
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  buffer[9] = 3;
}

// On a device without concurrent access all managed memory is the kernel's.
void touches_managed_memory_that_no_kernel_uses(Twin twin) {
  setenv("CUVETTE_DEVICE", "orin", 0);
  const Program p;
  volatile char *const used = p.managed(), *const other = p.managed();
  other[0] = 0;
  launch_fill(used, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  other[0] = 1;
}

// What is attached to another stream is not.
void attaches_no_managed_memory(Twin twin) {
  setenv("CUVETTE_DEVICE", "orin", 0);
  const Program p;
  volatile char *const used = p.managed(), *const other = p.managed();
  other[0] = 0;
  if (twin == Twin::repaired) {
    NEED(
        cuStreamAttachMemAsync(p.b, reinterpret_cast<CUdeviceptr>(other), 0, CU_MEM_ATTACH_SINGLE));
    NEED(cuStreamSynchronize(p.b));
  }
  launch_fill(used, p.a);
  static_cast<void>(other[0]);
}

// The page's other half is the host's, or, in the repaired twin, another kernel's that writes where
// the first one has read.
void writes_a_part_of_a_page_that_a_kernel_reads(Twin twin) {
  const Program p;
  volatile char* half = p.pinned(4096) + 2048;
  CUdeviceptr x = p.x;
  void* parameters[] = {&x, &half};
  launch("copy", p.a, parameters);
  if (twin == Twin::wrong)
    half[9] = 3;
  else
    launch_fill(half, p.a);
  NEED(cuStreamSynchronize(p.a));
}

void reads_registered_memory_too_early(Twin twin) {
  const Program p;
  constexpr size_t bytes = 4096;
  void* const memory = aligned_alloc(4096, bytes);
  NEED(cuMemHostRegister(memory, bytes, CU_MEMHOSTREGISTER_DEVICEMAP));
  p.at_end([memory] {
    NEED(cuMemHostUnregister(memory));
    free(memory);
  });
  auto* const buffer = static_cast<volatile char*>(memory);
  for (size_t i = 0; i < bytes / size; ++i) launch_fill(buffer + i * size, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  static_cast<void>(buffer[9]);
}

// That some command runs gives host threads no right to memory that it does not use.
void reads_device_memory_while_a_kernel_runs(Twin twin) {
  const Program p;
  const CUdeviceptr large = p.device_memory(1 << 20);
  NEED(cuMemsetD8(large, 3, 1 << 20));
  NEED(cuCtxSynchronize());
  auto* flag = reinterpret_cast<volatile uint32_t*>(p.pinned());
  *flag = 0;
  void* parameters[] = {&flag};
  launch("wait_for", p.a, parameters);
  char value = 0;
  if (twin == Twin::wrong) {
    value = reinterpret_cast<volatile char*>(large)[1 << 19];
  } else {
    NEED(cuMemcpyDtoHAsync(&value, large + (1 << 19), 1, p.b));
    NEED(cuStreamSynchronize(p.b));
  }
  *flag = 1;
  NEED(cuStreamSynchronize(p.a));
  if (value != 3) _Exit(4);
}

// A kernel that writes to a flag lets the host know without a synchronisation.
void waits_for_no_flag(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned(twin == Twin::wrong ? size : 2 * size);
  if (twin == Twin::wrong) {
    launch_fill(buffer, p.a);
  } else {
    auto* const flag = reinterpret_cast<volatile uint32_t*>(buffer + size);
    *flag = 0;
    launch_fill(buffer, p.a, "fill_and_tell");
    while (*flag == 0) {
    }
  }
  static_cast<void>(buffer[9]);
}

namespace {
// Launches a graph of a copy to the device, a kernel, or both.
void launch_graph(const Program& p, volatile char* from) {
  void* parameters[] = {const_cast<CUdeviceptr*>(&p.x)};
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module, text));
  CUfunction function = nullptr;
  NEED(cuModuleGetFunction(&function, module, "fill"));
  NEED(cuStreamBeginCapture(p.a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  if (from) p.to_device(from, p.a);
  NEED(cuLaunchKernel(function, 1, 1, 1, size, 1, 1, 0, p.a, parameters, nullptr));
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(p.a, &graph));
  CUgraphExec launchable = nullptr;
  NEED(cuGraphInstantiate(&launchable, graph, 0));
  NEED(cuGraphDestroy(graph));
  p.at_end([launchable] { NEED(cuGraphExecDestroy(launchable)); });
  NEED(cuGraphLaunch(launchable, p.a));
}
}  // namespace

void reads_too_early_after_a_graph_of_kernels(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  launch_graph(p, nullptr);
  NEED(cuStreamSynchronize(p.a));
  p.from_device(buffer, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  static_cast<void>(buffer[0]);
}

void writes_what_a_graph_with_a_kernel_copies(Twin twin) {
  const Program p;
  volatile char* const buffer = p.pinned();
  launch_graph(p, buffer);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  buffer[0] = 1;
}
