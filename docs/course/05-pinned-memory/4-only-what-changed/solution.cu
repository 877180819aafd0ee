// SPDX-License-Identifier: Apache-2.0
// Brings the host's numbers up to date: pages p with changed[p] differ on the device.
void fetch(int* host, const int* device, const bool* changed, cudaStream_t stream) {
  for (int p = 0; p < pages; ++p) {
    if (!changed[p]) continue;
    const int first = p * page_size;
    CHECK(cudaMemcpyAsync(host + first, device + first, page_size * sizeof(int),
                          cudaMemcpyDeviceToHost, stream));
  }
  // One wait for all of the copies: they are in one queue.
  CHECK(cudaStreamSynchronize(stream));
}
