// SPDX-License-Identifier: Apache-2.0
void process(int* numbers, int* device, int n, const cudaStream_t* streams) {
  for (int p = 0; p < pieces; ++p) {
    int* const here = numbers + p * n;
    int* const there = device + p * n;
    CHECK(cudaMemcpyAsync(there, here, n * sizeof(int), cudaMemcpyHostToDevice, streams[p]));
    cube<<<(n + 63) / 64, 64, 0, streams[p]>>>(there, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(here, there, n * sizeof(int), cudaMemcpyDeviceToHost, streams[p]));
  }
  CHECK(cudaStreamSynchronize(streams[pieces - 1]));
}
