// SPDX-License-Identifier: Apache-2.0
// A graph of four steps, in which the last should depend on both kernels before it, and one
// dependency was forgotten.
#include <cstddef>
#include <initializer_list>

#include "tests/tools/page/programs/program.hpp"

int main() {
  constexpr size_t size = 256 << 10;
  begin();
  const CUmodule module = new_module(kernel_text("blur", true) + kernel_text("edges", true) +
                                     kernel_text("join", false));
  const CUstream stream = new_stream();
  CUcontext context;
  CUDA(cuCtxGetCurrent(&context));
  CUdeviceptr image, blurred, outlines;
  CUDA(cuMemAlloc(&image, size));
  CUDA(cuMemAlloc(&blurred, size));
  CUDA(cuMemAlloc(&outlines, size));
  CUgraph graph;
  CUDA(cuGraphCreate(&graph, 0));

  CUDA_MEMSET_NODE_PARAMS fill = {};
  fill.dst = image;
  fill.value = 1;
  fill.elementSize = 4;
  fill.width = size / 4;
  fill.height = 1;
  CUgraphNode filled, blur, edges, join;
  CUDA(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context));
  const auto add = [&](const char* name, void** arguments, CUgraphNode after) {
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    kernel.func = kernel_of(module, name);
    kernel.gridDimX = size / 4 / block;
    kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = block;
    kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments;
    CUgraphNode node;
    CUDA(cuGraphAddKernelNode(&node, graph, &after, 1, &kernel));
    return node;
  };
  void* to_blurred[] = {&blurred, &image};
  void* to_outlines[] = {&outlines, &image};
  void* joined[] = {&outlines};
  blur = add("blur", to_blurred, filled);
  edges = add("edges", to_outlines, filled);
  join = add("join", joined, blur);  // and not `edges`
  static_cast<void>(edges);
  static_cast<void>(join);

  CUgraphExec pipeline;
  CUDA(cuGraphInstantiate(&pipeline, graph, 0));
  CUDA(cuGraphLaunch(pipeline, stream));
  CUDA(cuStreamSynchronize(stream));
  for (const CUdeviceptr memory : {image, blurred, outlines}) CUDA(cuMemFree(memory));
  return 0;
}
