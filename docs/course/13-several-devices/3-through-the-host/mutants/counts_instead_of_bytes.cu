// SPDX-License-Identifier: Apache-2.0
// Sizes of copies are bytes.
void hand_over(int* to, const int* from, int count, cudaStream_t stream) {
  CHECK(cudaMemcpyPeerAsync(to, 1, from, 0, count, stream));
}
