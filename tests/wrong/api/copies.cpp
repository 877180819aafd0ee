// SPDX-License-Identifier: Apache-2.0
// Programs that copy memory over a part of itself.
#include "tests/wrong/api/api.hpp"

void moves_bytes_up(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  NEED(cuMemsetD8(memory, 0, size));
  const size_t bytes = twin == Twin::wrong ? 513 : 512;
  NEED(MISTAKE(cuMemcpyDtoD(memory + 512, memory, bytes)));
  NEED(cuMemFree(memory));
}

// Columns of an image move to the right: by fewer than they are wide, or by as many.
void copies_rows_over_rows(Twin twin) {
  const Program program;
  const CUdeviceptr image = new_memory(65536);
  NEED(cuMemsetD8(image, 0, 65536));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = copy.dstDevice = image;
  copy.srcPitch = copy.dstPitch = 256;
  copy.WidthInBytes = 64;
  copy.Height = 100;
  copy.dstXInBytes = twin == Twin::wrong ? 63 : 64;
  NEED(MISTAKE(cuMemcpy2D(&copy)));
  NEED(cuMemFree(image));
}

void copies_over_an_alias(Twin twin) {
  const Program program;
  Aliases aliases;
  NEED(cuMemsetD8(aliases.at, 0, Aliases::granule));
  const CUdeviceptr to = aliases.at + Aliases::granule + (twin == Twin::wrong ? 1024 : 4096);
  NEED(MISTAKE(cuMemcpyDtoD(to, aliases.at, 4096)));
  NEED(cuCtxSynchronize());
  aliases.end();
}

void copies_over_itself_in_a_graph(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  NEED(cuMemsetD8(memory, 0, size));
  CUgraph graph = nullptr;
  NEED(cuGraphCreate(&graph, 0));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.dstDevice = memory + 1024;
  copy.WidthInBytes = twin == Twin::wrong ? 2048 : 1024;
  copy.Height = copy.Depth = 1;
  CUgraphNode node = nullptr;
  NEED(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, program.context));
  CUgraphExec exec = nullptr;
  NEED(cuGraphInstantiate(&exec, graph, 0));
  NEED(MISTAKE(cuGraphLaunch(exec, nullptr)));
  NEED(cuCtxSynchronize());
  NEED(cuGraphExecDestroy(exec));
  NEED(cuGraphDestroy(graph));
  NEED(cuMemFree(memory));
}
