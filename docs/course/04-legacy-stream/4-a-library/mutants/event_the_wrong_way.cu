// SPDX-License-Identifier: Apache-2.0
void collect(int* numbers, int n, int* result, cudaStream_t stream, cudaEvent_t ready) {
  cumulate_in_library(numbers, n, stream);
  CHECK(cudaEventRecord(ready, cudaStreamLegacy));
  CHECK(cudaStreamWaitEvent(stream, ready, 0));
  weigh<<<1, 1>>>(numbers, n, result);
  CHECK(cudaGetLastError());
}
