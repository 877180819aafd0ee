// SPDX-License-Identifier: Apache-2.0
// Doubles the numbers of the segment fd. The window of the device and the host's own mapping are
// the same pages.
void double_all(int fd, int* seen_by_host, int count) {
  const size_t bytes = count * sizeof(int);
  const cudaExternalMemory_t memory = import(fd, bytes);  // takes the descriptor over
  int* const numbers = static_cast<int*>(map(memory, 0, bytes));
  double_numbers<<<(count + 127) / 128, 128>>>(numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());  // before the host looks
  CHECK(cudaFree(numbers));
  CHECK(cudaDestroyExternalMemory(memory));
}
