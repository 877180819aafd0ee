// SPDX-License-Identifier: Apache-2.0
// Brings the host's numbers up to date: pages p with changed[p] differ on the device.
void fetch(int* host, const int* device, const bool* changed, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(host, device, pages * page_size * sizeof(int), cudaMemcpyDeviceToHost,
                        stream));
  CHECK(cudaStreamSynchronize(stream));
}
