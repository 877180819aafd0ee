// SPDX-License-Identifier: Apache-2.0
// Exits with 0 if the library that it was linked with starts and has a device.
#include <cuda.h>

int main(void) {
  int count = 0;
  return cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS || count < 1;
}
