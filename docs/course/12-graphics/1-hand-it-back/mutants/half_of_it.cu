// SPDX-License-Identifier: Apache-2.0
// Writes half of the numbers: the size that CUDA gives is in bytes, and an int has four.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t stream) {
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsMapResources(1, &resource, stream));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  fill<<<(count + 127) / 128, 128, 0, stream>>>(numbers, static_cast<int>(bytes / 8), first);
  CHECK(cudaGetLastError());
  CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
}
