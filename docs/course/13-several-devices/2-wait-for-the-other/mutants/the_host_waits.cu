// SPDX-License-Identifier: Apache-2.0
// Right, but the host stands still.
void pipeline(int* a, int* b, int count, cudaStream_t stream_0, cudaStream_t stream_1,
              cudaEvent_t event) {
  CHECK(cudaSetDevice(0));
  square<<<(count + 127) / 128, 128, 0, stream_0>>>(a, count);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream_0));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMemcpyPeerAsync(b, 1, a, 0, count * sizeof(int), stream_1));
  add_one<<<(count + 127) / 128, 128, 0, stream_1>>>(b, count);
  CHECK(cudaGetLastError());
}
