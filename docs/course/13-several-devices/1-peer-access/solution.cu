// SPDX-License-Identifier: Apache-2.0
// Adds numbers of device 1 to sums of device 0, by a kernel on device 0. The permission is for one
// direction: the current device may use the memory of the named one.
void add_from_other(int* sums, const int* numbers, int count) {
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));  // the second 0 stands for no flags
  add<<<(count + 127) / 128, 128>>>(sums, numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceDisablePeerAccess(1));
}
