// SPDX-License-Identifier: Apache-2.0
// Exits with 0 if the library that it is linked with starts and has a device.
#include <cuda.h>
// The runtime's headers are installed, too, and agree with the driver's.
#include <cuda_runtime.h>

typedef char same_version[CUDART_VERSION == CUDA_VERSION ? 1 : -1];

int main(void) {
  int count = 0;
  return cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS || count < 1;
}
