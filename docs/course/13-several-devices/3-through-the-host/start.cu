// SPDX-License-Identifier: Apache-2.0
// Brings an array from device 0 to device 1.
void hand_over(int* to, const int* from, int count, cudaStream_t stream) {
  std::vector<int> host(count);
  CHECK(cudaMemcpy(host.data(), from, count * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyAsync(to, host.data(), count * sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
}
