// SPDX-License-Identifier: Apache-2.0
// The join comes after the step that needs it.
cudaGraph_t capture(cudaStream_t first, cudaStream_t second, cudaEvent_t forked, cudaEvent_t done,
                    int* sums, int* a, int* b, int start) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(forked, first));
  CHECK(cudaStreamWaitEvent(second, forked, 0));
  fill<<<1, 64, 0, first>>>(a, start);
  fill<<<1, 64, 0, second>>>(b, 10 * start);
  add<<<1, 64, 0, first>>>(sums, a, b);
  CHECK(cudaEventRecord(done, second));
  CHECK(cudaStreamWaitEvent(first, done, 0));
  CHECK(cudaStreamEndCapture(first, &graph));
  return graph;
}
