// SPDX-License-Identifier: Apache-2.0
// Writes the numbers from `first` on into the buffer of OpenGL. Mapping waits for what OpenGL did
// with the buffer, unmapping makes OpenGL wait for the work in this stream: the handover is the
// synchronisation.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t stream) {
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsMapResources(1, &resource, stream));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  fill<<<(count + 127) / 128, 128, 0, stream>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
}
