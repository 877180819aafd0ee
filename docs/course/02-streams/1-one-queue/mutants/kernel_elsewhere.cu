// SPDX-License-Identifier: Apache-2.0
void refresh(const int* from, int* to, int* device, int n, int addend, cudaStream_t first,
             cudaStream_t second) {
  CHECK(cudaMemcpyAsync(device, from, n * sizeof(int), cudaMemcpyHostToDevice, first));
  negate_and_add<<<(n + 127) / 128, 128, 0, second>>>(device, n, addend);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(to, device, n * sizeof(int), cudaMemcpyDeviceToHost, first));
}
