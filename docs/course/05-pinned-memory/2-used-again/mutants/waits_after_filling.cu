// SPDX-License-Identifier: Apache-2.0
void upload(int* device, int pieces, int n, int* staging, cudaStream_t stream, cudaEvent_t copied) {
  for (int piece = 0; piece < pieces; ++piece) {
    for (int i = 0; i < n; ++i) staging[i] = next_number();
    CHECK(cudaEventSynchronize(copied));
    CHECK(cudaMemcpyAsync(device + piece * n, staging, n * sizeof(int), cudaMemcpyHostToDevice,
                          stream));
    CHECK(cudaEventRecord(copied, stream));
  }
}
