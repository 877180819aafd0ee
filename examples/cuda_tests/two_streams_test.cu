// SPDX-License-Identifier: Apache-2.0
// One stream writes, another reads behind an event. Without the two lines marked "order", the test still
// passes on most GPUs; here `--check=all` reports that nothing orders the copy behind the fill.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int count = 1 << 16;
  cudaStream_t writer, reader;
  cudaEvent_t written;
  unsigned char *from = nullptr, *to = nullptr;
  cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking);
  cudaEventCreate(&written);
  cudaMalloc(&from, count);
  cudaMalloc(&to, count);
  cudaMemsetAsync(from, 42, count, writer);
  cudaEventRecord(written, writer);         // order
  cudaStreamWaitEvent(reader, written, 0);  // order
  cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, reader);
  std::vector<unsigned char> host(count);
  cudaMemcpyAsync(host.data(), to, count, cudaMemcpyDeviceToHost, reader);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (const unsigned char byte : host)
    if (byte != 42) return 1;
  cudaFree(to);
  cudaFree(from);
  cudaEventDestroy(written);
  cudaStreamDestroy(reader);
  cudaStreamDestroy(writer);
}
