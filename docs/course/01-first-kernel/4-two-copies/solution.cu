// SPDX-License-Identifier: Apache-2.0
// Replaces each of the n numbers in the host's memory by 3 * x + 1.
void grow_all(int* x, int n) {
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMemcpy(device, x, n * sizeof(int), cudaMemcpyHostToDevice));
  grow<<<(n + 127) / 128, 128>>>(device, n);
  CHECK(cudaGetLastError());
  // This copy comes after the kernel, and the host waits for it: the numbers are there when it
  // returns.
  CHECK(cudaMemcpy(x, device, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
}
