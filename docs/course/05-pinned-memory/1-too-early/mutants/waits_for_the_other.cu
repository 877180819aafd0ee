// SPDX-License-Identifier: Apache-2.0
long long sum_of_squares(const int* numbers, int* fetched, int* device, int n, cudaStream_t stream,
                         cudaStream_t other) {
  CHECK(cudaMemcpyAsync(device, numbers, n * sizeof(int), cudaMemcpyHostToDevice, stream));
  square<<<(n + 63) / 64, 64, 0, stream>>>(device, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(fetched, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(other));
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += fetched[i];
  return sum;
}
