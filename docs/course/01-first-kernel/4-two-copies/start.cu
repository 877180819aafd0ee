// SPDX-License-Identifier: Apache-2.0
// Replaces each of the n numbers in the host's memory by 3 * x + 1.
void grow_all(int* x, int n) {
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  for (int i = 0; i < n; ++i) {
    CHECK(cudaMemcpy(device + i, x + i, sizeof(int), cudaMemcpyHostToDevice));
  }
  grow<<<(n + 127) / 128, 128>>>(device, n);
  CHECK(cudaGetLastError());
  for (int i = 0; i < n; ++i) {
    CHECK(cudaMemcpy(x + i, device + i, sizeof(int), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(device));
}
