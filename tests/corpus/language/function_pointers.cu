// SPDX-License-Identifier: Apache-2.0
// Functions called by address: from tables, parameters, members and device variables.
#include "../corpus.hpp"

using Operation = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int mix(int a, int b) {
  int result = a;
  for (int i = 0; i < b % 5; ++i) result = result * 3 + b;
  return result;
}

__device__ Operation table[4] = {add, subtract, multiply, mix};
__constant__ Operation fixed[2] = {multiply, add};
__device__ Operation chosen = subtract;

struct Wide {
  double x, y, z;
};
using Maker = Wide (*)(Wide, float);
__device__ __noinline__ Wide stretch(Wide w, float f) { return {w.x * f, w.y * f, w.z * f}; }
__device__ __noinline__ Wide shift(Wide w, float f) { return {w.x + f, w.y + f, w.z - f}; }

__global__ void by_table(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = table[in[t] % 4](in[t], t) + fixed[t % 2](t, 3) + chosen(t, 1);
}

__global__ void by_parameter(Operation operation, int* out) {
  out[threadIdx.x] += operation(threadIdx.x, 5);
}

__global__ void structures(const int* in, double* out) {
  const int t = threadIdx.x;
  const Maker maker = in[t] % 2 ? stretch : shift;
  const Wide w = maker({1.0 * t, 2.0, 3.0}, 0.5f);
  out[t] = w.x + w.y * 10 + w.z * 100;
}

int main() {
  Buffer<int> in(corpus::numbers(64, 100)), out(64);
  RUN(by_table<<<1, 64>>>(in, out));
  corpus::show("table", out.read());
  Operation operation;
  CHECK(cudaMemcpyFromSymbol(&operation, table, sizeof operation, 2 * sizeof operation));
  RUN(by_parameter<<<1, 64>>>(operation, out));
  corpus::show("parameter", out.read());
  Buffer<double> wide(64);
  RUN(structures<<<1, 64>>>(in, wide));
  corpus::show("structures", wide.read());
  return 0;
}
