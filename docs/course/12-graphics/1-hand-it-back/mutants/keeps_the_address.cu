// SPDX-License-Identifier: Apache-2.0
// Keeps the address of the first call, which is good until the buffer is unmapped.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t stream) {
  static int* numbers = nullptr;
  size_t bytes;
  if (!numbers) {
    CHECK(cudaGraphicsMapResources(1, &resource, stream));
    CHECK(
        cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
    CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
  }
  fill<<<(count + 127) / 128, 128, 0, stream>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
}
