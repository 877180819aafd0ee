// SPDX-License-Identifier: Apache-2.0
// Lets the library work in its non-blocking stream, and uses the result in the legacy stream.
void collect(int* numbers, int n, int* result, cudaStream_t stream, cudaEvent_t ready) {
  cumulate_in_library(numbers, n, stream);
  weigh<<<1, 1>>>(numbers, n, result);
  CHECK(cudaGetLastError());
}
