// SPDX-License-Identifier: Apache-2.0
// One copy is still there, and one more piece of memory.
void double_by_cuda(GLuint buffer, int count, cudaStream_t stream) {
  cudaGraphicsResource_t resource;
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
  CHECK(cudaGraphicsMapResources(1, &resource, stream));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  int* copy;
  CHECK(cudaMalloc(&copy, bytes));
  CHECK(cudaMemcpyAsync(copy, numbers, bytes, cudaMemcpyDeviceToDevice, stream));
  double_all<<<(count + 127) / 128, 128, 0, stream>>>(copy, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(numbers, copy, bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(copy));
  CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
  CHECK(cudaGraphicsUnregisterResource(resource));
}
