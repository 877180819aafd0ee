// SPDX-License-Identifier: Apache-2.0
// Doubles the numbers of the segment fd, which the host sees at seen_by_host.
void double_all(int fd, int* seen_by_host, int count) {
  const size_t bytes = count * sizeof(int);
  int* numbers;
  CHECK(cudaMalloc(&numbers, bytes));
  CHECK(cudaMemcpy(numbers, seen_by_host, bytes, cudaMemcpyHostToDevice));
  double_numbers<<<(count + 127) / 128, 128>>>(numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(seen_by_host, numbers, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(numbers));
  close(fd);
}
