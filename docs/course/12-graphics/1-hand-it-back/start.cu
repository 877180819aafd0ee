// SPDX-License-Identifier: Apache-2.0
// Writes the numbers from `first` on into the buffer of OpenGL.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t stream) {
  static int* numbers = nullptr;
  if (!numbers) {
    size_t bytes;
    CHECK(cudaGraphicsMapResources(1, &resource, stream));
    CHECK(
        cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  }
  fill<<<(count + 127) / 128, 128, 0, stream>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
}
