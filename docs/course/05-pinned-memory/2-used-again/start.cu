// SPDX-License-Identifier: Apache-2.0
// Sends pieces of n numbers to the device, by way of a pinned buffer for one piece.
void upload(int* device, int pieces, int n, int* staging, cudaStream_t stream, cudaEvent_t copied) {
  for (int piece = 0; piece < pieces; ++piece) {
    for (int i = 0; i < n; ++i) staging[i] = next_number();
    CHECK(cudaMemcpyAsync(device + piece * n, staging, n * sizeof(int), cudaMemcpyHostToDevice,
                          stream));
  }
}
