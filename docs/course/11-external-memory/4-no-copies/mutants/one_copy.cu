// SPDX-License-Identifier: Apache-2.0
// Reads by a window, but writes back by a copy.
void double_all(int fd, int* seen_by_host, int count) {
  const size_t bytes = count * sizeof(int);
  const cudaExternalMemory_t memory = import(fd, bytes);
  int* const numbers = static_cast<int*>(map(memory, 0, bytes));
  double_numbers<<<(count + 127) / 128, 128>>>(numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(seen_by_host, numbers, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(numbers));
  CHECK(cudaDestroyExternalMemory(memory));
}
