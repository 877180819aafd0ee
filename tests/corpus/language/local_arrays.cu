// SPDX-License-Identifier: Apache-2.0
// Local arrays of a thread: indexed by data, passed by address, of structures and bytes.
#include "../corpus.hpp"

struct Entry {
  char tag;
  double weight;
  short code[3];
};

__device__ __noinline__ void reverse(int* values, int n) {
  for (int i = 0; i < n / 2; ++i) {
    const int old = values[i];
    values[i] = values[n - 1 - i], values[n - 1 - i] = old;
  }
}

__global__ void stacks(const int* in, int* out) {
  int stack[32], depth = 0;
  for (int i = 0; i < 32; ++i) {
    const int v = in[(threadIdx.x + i * 5) % 64];
    if (v % 3 && depth < 32)
      stack[depth++] = v;
    else if (depth)
      --depth;
  }
  reverse(stack, depth);
  int sum = 0;
  for (int i = 0; i < depth; ++i) sum = sum * 3 + stack[i];
  out[threadIdx.x] = sum + depth;
}

__global__ void entries(const int* in, double* out) {
  Entry list[10];
  for (int i = 0; i < 10; ++i) {
    list[i].tag = static_cast<char>('a' + in[i] % 26), list[i].weight = i * 0.5;
    for (int k = 0; k < 3; ++k) list[i].code[k] = static_cast<short>(in[(i + k) % 64] * (k - 1));
  }
  Entry& one = list[in[threadIdx.x] % 10];
  one.weight *= 3;
  double sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += list[(i * in[threadIdx.x]) % 10].weight * i + list[i].tag +
           list[in[i] % 10].code[threadIdx.x % 3];
  out[threadIdx.x] = sum;
}

__global__ void counts(const int* in, unsigned char* out) {
  unsigned char bins[16] = {};
  for (int i = threadIdx.x; i < 64; ++i) ++bins[in[i] % 16];
  for (int i = 0; i < 16; ++i) out[threadIdx.x * 16 + i] = bins[i];
}

int main() {
  Buffer<int> in(corpus::numbers(64, 1000)), out(64);
  RUN(stacks<<<1, 64>>>(in, out));
  corpus::show("stacks", out.read());
  Buffer<double> sums(64);
  RUN(entries<<<1, 64>>>(in, sums));
  corpus::show("entries", sums.read());
  Buffer<unsigned char> bins(1024);
  RUN(counts<<<1, 64>>>(in, bins));
  corpus::show("counts", bins.read());
  return 0;
}
