// SPDX-License-Identifier: Apache-2.0
void pass_on(int pieces, int n, int* const* slots, int* results, cudaStream_t maker,
             cudaStream_t user, const cudaEvent_t* full, const cudaEvent_t* empty) {
  for (int piece = 0; piece < pieces; ++piece) {
    const int s = piece % 2;
    CHECK(cudaStreamWaitEvent(maker, empty[s], 0));
    make<<<(n + 63) / 64, 64, 0, maker>>>(slots[s], n, piece);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(full[s], maker));
    CHECK(cudaStreamWaitEvent(user, full[s], 0));
    CHECK(cudaEventRecord(empty[s], user));
    use<<<(n + 63) / 64, 64, 0, user>>>(slots[s], n, results + piece * n);
    CHECK(cudaGetLastError());
  }
}
