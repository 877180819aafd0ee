// SPDX-License-Identifier: Apache-2.0
// Writes the numbers from `first` on into the buffer of OpenGL, by a kernel in the stream `work`.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t frames,
                  cudaStream_t work, cudaEvent_t event) {
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsMapResources(1, &resource, frames));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  fill<<<(count + 127) / 128, 128, 0, work>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  CHECK(cudaGraphicsUnmapResources(1, &resource, frames));
}
