// SPDX-License-Identifier: Apache-2.0
// The kernel runs on device 1, which may not use the sums of device 0.
void add_from_other(int* sums, const int* numbers, int count) {
  CHECK(cudaSetDevice(1));
  add<<<(count + 127) / 128, 128>>>(sums, numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
