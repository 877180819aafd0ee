// SPDX-License-Identifier: Apache-2.0
// All in one stream: right, but the two kernels wait for each other.
cudaGraph_t capture(cudaStream_t first, cudaStream_t second, cudaEvent_t forked, cudaEvent_t done,
                    int* sums, int* a, int* b, int start) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  fill<<<1, 64, 0, first>>>(a, start);
  fill<<<1, 64, 0, first>>>(b, 10 * start);
  add<<<1, 64, 0, first>>>(sums, a, b);
  (void)second, (void)forked, (void)done;
  CHECK(cudaStreamEndCapture(first, &graph));
  return graph;
}
