// SPDX-License-Identifier: Apache-2.0
// Without a fork, the second stream is not part of the capture: its kernel runs at once, and never
// again.
cudaGraph_t capture(cudaStream_t first, cudaStream_t second, cudaEvent_t forked, cudaEvent_t done,
                    int* sums, int* a, int* b, int start) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  fill<<<1, 64, 0, first>>>(a, start);
  fill<<<1, 64, 0, second>>>(b, 10 * start);
  add<<<1, 64, 0, first>>>(sums, a, b);
  CHECK(cudaStreamEndCapture(first, &graph));
  return graph;
}
