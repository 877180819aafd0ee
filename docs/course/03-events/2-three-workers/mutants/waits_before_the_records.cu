// SPDX-License-Identifier: Apache-2.0
void work(int* numbers, int n, int first, long long* result, cudaStream_t main,
          const cudaStream_t* workers, cudaEvent_t prepared, const cudaEvent_t* done) {
  prepare<<<(parts * n + 63) / 64, 64, 0, main>>>(numbers, parts * n, first);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(prepared, main));
  for (int w = 0; w < parts; ++w) {
    CHECK(cudaStreamWaitEvent(main, done[w], 0));
  }
  for (int w = 0; w < parts; ++w) {
    CHECK(cudaStreamWaitEvent(workers[w], prepared, 0));
    improve<<<(n + 63) / 64, 64, 0, workers[w]>>>(numbers + w * n, n, w + 2);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done[w], workers[w]));
  }
  collect<<<1, 1, 0, main>>>(numbers, parts * n, result);
  CHECK(cudaGetLastError());
}
