// SPDX-License-Identifier: Apache-2.0
// Writes the numbers from `first` on into the buffer of OpenGL, by a kernel in the stream `work`.
// An event can be recorded again: a wait is for the record that came last before it.
void fill_by_cuda(cudaGraphicsResource_t resource, int count, int first, cudaStream_t frames,
                  cudaStream_t work, cudaEvent_t event) {
  int* numbers;
  size_t bytes;
  CHECK(cudaGraphicsMapResources(1, &resource, frames));
  CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&numbers), &bytes, resource));
  // The kernel comes after the handover to CUDA ...
  CHECK(cudaEventRecord(event, frames));
  CHECK(cudaStreamWaitEvent(work, event, 0));
  fill<<<(count + 127) / 128, 128, 0, work>>>(numbers, count, first);
  CHECK(cudaGetLastError());
  // ... and before the handover to OpenGL.
  CHECK(cudaEventRecord(event, work));
  CHECK(cudaStreamWaitEvent(frames, event, 0));
  CHECK(cudaGraphicsUnmapResources(1, &resource, frames));
}
