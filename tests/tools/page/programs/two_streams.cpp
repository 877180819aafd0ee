// SPDX-License-Identifier: Apache-2.0
// A race: the copy in one stream does not wait for the kernel in another that writes what it reads.
#include <cstddef>

#include "tests/tools/page/programs/program.hpp"

int main() {
  constexpr size_t size = 256 << 10;
  begin();
  const CUfunction scale = kernel_of(new_module(kernel_text("scale", false)), "scale");
  const CUstream work = new_stream(), copies = new_stream();
  CUdeviceptr values, result;
  CUDA(cuMemAlloc(&values, size));
  CUDA(cuMemAlloc(&result, size));
  void* arguments[] = {&values};

  CUDA(cuMemsetD32Async(values, 1, size / 4, work));
  CUDA(cuStreamSynchronize(work));
  CUDA(cuLaunchKernel(scale, size / 4 / block, 1, 1, block, 1, 1, 0, work, arguments, nullptr));
  CUDA(cuMemcpyDtoDAsync(result + size / 4, values + size / 4, size / 2, copies));

  CUDA(cuStreamSynchronize(work));
  CUDA(cuStreamSynchronize(copies));
  CUDA(cuMemFree(result));
  CUDA(cuMemFree(values));
  return 0;
}
