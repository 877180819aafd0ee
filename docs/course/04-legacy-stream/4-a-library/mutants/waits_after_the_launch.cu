// SPDX-License-Identifier: Apache-2.0
void collect(int* numbers, int n, int* result, cudaStream_t stream, cudaEvent_t ready) {
  cumulate_in_library(numbers, n, stream);
  CHECK(cudaEventRecord(ready, stream));
  weigh<<<1, 1>>>(numbers, n, result);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamWaitEvent(cudaStreamLegacy, ready, 0));
}
