// SPDX-License-Identifier: Apache-2.0
// Allows device 1 to use memory of device 0.
void add_from_other(int* sums, const int* numbers, int count) {
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaSetDevice(0));
  add<<<(count + 127) / 128, 128>>>(sums, numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceDisablePeerAccess(0));
}
