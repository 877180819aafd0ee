// SPDX-License-Identifier: Apache-2.0
void fetch(int* host, const int* device, const bool* changed, cudaStream_t stream) {
  for (int p = 0; p < pages; ++p) {
    if (!changed[p]) continue;
    const int first = p * page_size;
    CHECK(cudaMemcpyAsync(host + first, device + first, page_size * sizeof(int),
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
}
