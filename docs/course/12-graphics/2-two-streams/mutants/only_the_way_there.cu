// SPDX-License-Identifier: Apache-2.0
// The kernel comes after the mapping, but unmapping does not wait for the kernel.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t frames,
                  cudaStream_t work, cudaEvent_t event) {
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsMapResources(1, &resource, frames));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  CHECK(cudaEventRecord(event, frames));
  CHECK(cudaStreamWaitEvent(work, event, 0));
  fill<<<(count + 127) / 128, 128, 0, work>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  CHECK(cudaGraphicsUnmapResources(1, &resource, frames));
}
