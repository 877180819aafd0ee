// SPDX-License-Identifier: Apache-2.0
// Trees of objects whose virtual functions call those of others, and recursion through a table of
// functions.
#include "../corpus.hpp"

struct Node {
  __device__ virtual int value(int x) const = 0;
};
struct Number : Node {
  int n;
  __device__ explicit Number(int v) : n(v) {}
  __device__ int value(int) const override { return n; }
};
struct Variable : Node {
  __device__ int value(int x) const override { return x; }
};
struct Pair : Node {
  const Node *left, *right;
  char operation;
  __device__ Pair(const Node* a, char o, const Node* b) : left(a), right(b), operation(o) {}
  __device__ int value(int x) const override {
    const int a = left->value(x);
    const int b = right->value(x + 1);
    return operation == '+' ? a + b : operation == '-' ? a - b : a * b;
  }
};

__device__ const Node* tree;

__device__ const Node* grow(int depth, int seed) {
  if (depth == 0)
    return seed % 2 ? static_cast<const Node*>(new Number(seed % 10)) : new Variable();
  return new Pair(grow(depth - 1, seed * 3 + 1), "+-*"[seed % 3], grow(depth - 1, seed * 5 + 2));
}
__global__ void plant() { tree = grow(4, 1); }
__global__ void evaluate(int* out) { out[threadIdx.x] = tree->value(threadIdx.x % 5); }

using Step = int (*)(int, int);
__device__ int down(int n, int sum);
__device__ int twice(int n, int sum);
__device__ Step steps[2] = {down, twice};
__device__ __noinline__ int down(int n, int sum) {
  return n <= 0 ? sum : steps[n % 2](n - 1, sum + n);
}
__device__ __noinline__ int twice(int n, int sum) {
  return n <= 0 ? sum * 2 : steps[(n / 2) % 2](n - 2, sum * 3 % 1009) + n;
}
__global__ void walk(int* out) { out[threadIdx.x] = steps[threadIdx.x % 2](threadIdx.x % 17, 1); }

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  Buffer<int> out(64);
  RUN(plant<<<1, 1>>>());
  RUN(evaluate<<<1, 64>>>(out));
  corpus::show("values", out.read());
  RUN(walk<<<1, 64>>>(out));
  corpus::show("walk", out.read(), 20);
  return 0;
}
