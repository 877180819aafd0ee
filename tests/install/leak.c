// SPDX-License-Identifier: Apache-2.0
// A correct program of the driver API, except that it never frees its memory.
#include <cuda.h>
#include <stdio.h>

int main(void) {
  CUdevice device;
  CUcontext context;
  CUdeviceptr memory = 0;
  unsigned value = 0;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context) || cuMemAlloc(&memory, 4096) || cuMemsetD32(memory, 0x1234, 1024) ||
      cuMemcpyDtoH(&value, memory, sizeof value))
    return 1;
  printf("value %#x\n", value);
  return value != 0x1234;
}
