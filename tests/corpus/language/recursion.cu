// SPDX-License-Identifier: Apache-2.0
// Recursive functions: factorial, Fibonacci, Ackermann, two that call each other, a walk over a
// tree.
#include "../corpus.hpp"

__device__ __noinline__ unsigned long long factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ bool odd(int n);
__device__ __noinline__ bool even(int n) { return n == 0 || odd(n - 1); }
__device__ __noinline__ bool odd(int n) { return n != 0 && even(n - 1); }

__device__ void quick_sort(int* data, int left, int right) {
  int i = left, j = right;
  const int pivot = data[(left + right) / 2];
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i <= j) {
      const int old = data[i];
      data[i++] = data[j], data[j--] = old;
    }
  }
  if (left < j) quick_sort(data, left, j);
  if (i < right) quick_sort(data, i, right);
}

__device__ __noinline__ int hanoi(int n, int from, int to, int by, int* moves) {
  if (n == 0) return 0;
  const int before = hanoi(n - 1, from, by, to, moves);
  moves[before % 8] += from * 10 + to;
  return before + 1 + hanoi(n - 1, by, to, from, moves);
}

__global__ void numbers(unsigned long long* out) {
  const int t = threadIdx.x;
  out[t] = factorial(t % 20) + fibonacci(t % 13) * 1000003ull + ackermann(t % 3, t % 4) * 7 +
           even(t) * 100 + odd(t % 9);
}

__global__ void sort(int* data, int each) { quick_sort(data + threadIdx.x * each, 0, each - 1); }

__global__ void towers(int* out) {
  int moves[8] = {};
  const int n = hanoi(threadIdx.x % 7, 1, 2, 3, moves);
  int sum = n * 1000;
  for (int i = 0; i < 8; ++i) sum += moves[i] * (i + 1);
  out[threadIdx.x] = sum;
}

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
  Buffer<unsigned long long> out(64);
  RUN(numbers<<<1, 64>>>(out));
  corpus::show("numbers", out.read());
  Buffer<int> data(corpus::numbers(64 * 40, 1000));
  RUN(sort<<<1, 64>>>(data, 40));
  corpus::show("sorted", data.read());
  Buffer<int> moves(64);
  RUN(towers<<<1, 64>>>(moves));
  corpus::show("towers", moves.read());
  return 0;
}
