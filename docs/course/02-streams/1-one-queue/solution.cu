// SPDX-License-Identifier: Apache-2.0
// Sends n numbers to the device, lets negate_and_add() work on them, and fetches them.
void refresh(const int* from, int* to, int* device, int n, int addend, cudaStream_t first,
             cudaStream_t second) {
  // Each step needs the result of the one before: they belong in one queue.
  CHECK(cudaMemcpyAsync(device, from, n * sizeof(int), cudaMemcpyHostToDevice, first));
  negate_and_add<<<(n + 127) / 128, 128, 0, first>>>(device, n, addend);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(to, device, n * sizeof(int), cudaMemcpyDeviceToHost, first));
}
