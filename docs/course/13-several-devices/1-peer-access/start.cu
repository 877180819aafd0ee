// SPDX-License-Identifier: Apache-2.0
// Adds numbers of device 1 to sums of device 0, by a kernel on device 0.
void add_from_other(int* sums, const int* numbers, int count) {
  CHECK(cudaSetDevice(0));
  add<<<(count + 127) / 128, 128>>>(sums, numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
