// SPDX-License-Identifier: Apache-2.0
// Doubles the numbers of OpenGL's buffer.
void double_by_cuda(GLuint buffer, int count, cudaStream_t stream) {
  const size_t bytes = count * sizeof(int);
  std::vector<int> host = read_by_opengl(buffer, count);
  int* numbers;
  CHECK(cudaMalloc(&numbers, bytes));
  CHECK(cudaMemcpyAsync(numbers, host.data(), bytes, cudaMemcpyHostToDevice, stream));
  double_all<<<(count + 127) / 128, 128, 0, stream>>>(numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(host.data(), numbers, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(numbers));
  glNamedBufferSubData(buffer, 0, bytes, host.data());
}
