// SPDX-License-Identifier: Apache-2.0
// Doubles the numbers of OpenGL's buffer, in the buffer itself.
void double_by_cuda(GLuint buffer, int count, cudaStream_t stream) {
  cudaGraphicsResource_t resource;
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
  CHECK(cudaGraphicsMapResources(1, &resource, stream));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  double_all<<<(count + 127) / 128, 128, 0, stream>>>(numbers, count);
  CHECK(cudaGetLastError());
  CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
  CHECK(cudaGraphicsUnregisterResource(resource));
}
