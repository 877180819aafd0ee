// SPDX-License-Identifier: Apache-2.0
// Doubles and triples n numbers in two streams, and combines the results.
void total(const int* numbers, int* results, int n, int* device, int* a, int* b) {
  cudaStream_t left, right;
  // Blocking streams: the legacy stream waits for them, and they wait for it.
  CHECK(cudaStreamCreate(&left));
  CHECK(cudaStreamCreate(&right));
  CHECK(cudaMemcpy(device, numbers, n * sizeof(int), cudaMemcpyHostToDevice));
  multiply<<<(n + 63) / 64, 64, 0, left>>>(device, a, n, 2);
  multiply<<<(n + 63) / 64, 64, 0, right>>>(device, b, n, 3);
  combine<<<(n + 63) / 64, 64>>>(a, b, device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(results, device, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaStreamDestroy(left));
  CHECK(cudaStreamDestroy(right));
}
