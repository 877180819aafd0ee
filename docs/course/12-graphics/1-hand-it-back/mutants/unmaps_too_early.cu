// SPDX-License-Identifier: Apache-2.0
// Hands the buffer back before the kernel writes into it.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t stream) {
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsMapResources(1, &resource, stream));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
  fill<<<(count + 127) / 128, 128, 0, stream>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
}
