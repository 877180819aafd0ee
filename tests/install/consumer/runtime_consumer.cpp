// SPDX-License-Identifier: Apache-2.0
// `runtime_consumer N` exits with 0 if there are N devices and the first one can be used.
// `runtime_consumer misuse` fills the same memory in two unordered streams, and exits with 0.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int* number = nullptr;
  if (cudaMalloc(&number, sizeof *number) != cudaSuccess) return 1;
  if (!std::strcmp(arguments[1], "misuse")) {
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams)
      if (cudaStreamCreate(&stream) != cudaSuccess ||
          cudaMemsetAsync(number, 1, sizeof *number, stream) != cudaSuccess)
        return 1;
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  int host = 7, back = 0, devices = 0;
  if (cudaMemcpy(number, &host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemcpy(&back, number, sizeof back, cudaMemcpyDeviceToHost) != cudaSuccess || back != host)
    return 1;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices != std::atoi(arguments[1]);
}
