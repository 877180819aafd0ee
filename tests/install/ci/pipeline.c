// SPDX-License-Identifier: Apache-2.0
// A program for tests of CI services: `green` makes no mistake; `racy` leaves out the order between
// two streams; `lucky` does so, too, and fails if the result is wrong; `leaky` allocates memory in
// twelve places and never frees it; `red` fails by itself.
#include <cuda.h>
#include <stdio.h>
#include <string.h>

enum { count = 1 << 12 };

static int need(CUresult result, int line) {
  if (result != CUDA_SUCCESS) fprintf(stderr, "line %d: a call gives %d\n", line, result);
  return result != CUDA_SUCCESS;
}
#define NEED(call) \
  if (need((call), __LINE__)) return 1

static int pipeline(int is_ordered, int is_compared) {
  CUstream writer, reader;
  CUevent written;
  CUdeviceptr from, to;
  NEED(cuStreamCreate(&writer, CU_STREAM_NON_BLOCKING));
  NEED(cuStreamCreate(&reader, CU_STREAM_NON_BLOCKING));
  NEED(cuEventCreate(&written, CU_EVENT_DISABLE_TIMING));
  NEED(cuMemAlloc(&from, count));
  NEED(cuMemAlloc(&to, count));
  NEED(cuMemsetD8Async(from, 42, count, writer));
  NEED(cuEventRecord(written, writer));
  if (is_ordered) NEED(cuStreamWaitEvent(reader, written, 0));
  NEED(cuMemcpyDtoDAsync(to, from, count, reader));  // the place of the report
  NEED(cuCtxSynchronize());
  unsigned char last;
  NEED(cuMemcpyDtoH(&last, to + count - 1, 1));
  if (is_compared && last != 42) return 4;
  NEED(cuMemFree(to));
  NEED(cuMemFree(from));
  NEED(cuEventDestroy(written));
  NEED(cuStreamDestroy(reader));
  NEED(cuStreamDestroy(writer));
  return 0;
}

// A place is known by its function, since lines move.
#define LEAK(place)                   \
  static int leak_##place(void) {     \
    CUdeviceptr memory;               \
    NEED(cuMemAlloc(&memory, count)); \
    return 0;                         \
  }
LEAK(1)
LEAK(2)
LEAK(3)
LEAK(4)
LEAK(5)
LEAK(6)
LEAK(7)
LEAK(8)
LEAK(9)
LEAK(10)
LEAK(11)
LEAK(12)

static int leaks(void) {
  return leak_1() || leak_2() || leak_3() || leak_4() || leak_5() || leak_6() || leak_7() ||
         leak_8() || leak_9() || leak_10() || leak_11() || leak_12();
}

int main(int argument_count, char** arguments) {
  const char* const what = argument_count > 1 ? arguments[1] : "green";
  CUdevice device;
  CUcontext context;
  NEED(cuInit(0));
  NEED(cuDeviceGet(&device, 0));
  NEED(cuDevicePrimaryCtxRetain(&context, device));
  NEED(cuCtxSetCurrent(context));
  if (strcmp(what, "red") == 0) return 3;
  const int status = strcmp(what, "leaky") == 0  ? leaks()
                     : strcmp(what, "racy") == 0 ? pipeline(0, 0)
                                                 : pipeline(strcmp(what, "lucky") != 0, 1);
  NEED(cuDevicePrimaryCtxRelease(device));
  return status;
}
