// SPDX-License-Identifier: Apache-2.0
void make_and_use(int* numbers, int n, int first, int* results, cudaStream_t maker,
                  cudaStream_t user, cudaEvent_t made) {
  make<<<(n + 63) / 64, 64, 0, maker>>>(numbers, n, first);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(maker));
  use<<<(n + 63) / 64, 64, 0, user>>>(numbers, n, results);
  CHECK(cudaGetLastError());
}
