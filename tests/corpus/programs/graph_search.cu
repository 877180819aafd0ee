// SPDX-License-Identifier: Apache-2.0
// Graphs: breadth-first search with queues, shortest paths, connected components, sparse matrix
// products.
#include "../corpus.hpp"

__global__ void search(const int* first, const int* next, int* level, const int* queue, int count,
                       int* later, int* later_count, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int e = first[queue[i]]; e < first[queue[i] + 1]; ++e)
    if (atomicCAS(&level[next[e]], -1, depth) == -1) later[atomicAdd(later_count, 1)] = next[e];
}

__global__ void relax(const int* first, const int* next, const int* weight, int* distance, int n,
                      int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || distance[v] == 0x7fffffff) return;
  for (int e = first[v]; e < first[v + 1]; ++e) {
    const int d = distance[v] + weight[e];
    if (d < atomicMin(&distance[next[e]], d)) *changed = 1;
  }
}

__global__ void multiply(const int* first, const int* next, const int* weight, const float* x,
                         float* y, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  float sum = 0;
  if (row < n)
    for (int e = first[row] + lane; e < first[row + 1]; e += 8) sum += weight[e] * x[next[e]];
  for (int d = 4; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 8);
  if (row < n && lane == 0) y[row] = sum;
}

int main() {
  const int n = 1000;
  std::vector<int> first(n + 1), next, weight;
  for (int v = 0; v < n; ++v) {
    first[v] = static_cast<int>(next.size());
    for (unsigned e = 0; e < corpus::scramble(v) % 12; ++e)
      next.push_back(corpus::scramble(v * 16 + e) % n),
          weight.push_back(1 + corpus::scramble(v * 31 + e) % 20);
  }
  first[n] = static_cast<int>(next.size());
  Buffer<int> f(first), x(next), w(weight), level(std::vector<int>(n, -1)),
      distance(std::vector<int>(n, 0x7fffffff)), a(n), b(n), count(1);
  level.write({0});
  distance.write({0});
  for (int size = 1, depth = 1; size; ++depth) {
    count.write({0});
    RUN(search<<<(size + 63) / 64, 64>>>(f, x, level, depth % 2 ? a : b, size, depth % 2 ? b : a,
                                         count, depth));
    size = count(0);
    printf("%d ", size);
  }
  printf("\n");
  corpus::show("levels", level.read());
  do {
    count.write({0});
    RUN(relax<<<8, 128>>>(f, x, w, distance, n, count));
  } while (count(0));
  corpus::show("distances", distance.read());
  Buffer<float> v(corpus::floats(n)), y(n);
  RUN(multiply<<<n / 16 + 1, 128>>>(f, x, w, v, y, n));
  corpus::show("product", y.read());
  return 0;
}
