// SPDX-License-Identifier: Apache-2.0
// printf in kernels: every conversion, flags, widths, strings, pointers, many arguments.
#include "../corpus.hpp"

__device__ const char* const names[] = {"zero", "one", "two"};

__global__ void formats(int i, double d, void* p) {
  printf("%d|%5d|%-5d|%05d|%+d|% d|%i\n", i, i, i, i, i, i, -i);
  printf("%u|%x|%X|%#x|%o|%#o|%c|%%\n", 4000000000u, 0xbeef, 0xbeef, 255, 8, 8, 'x');
  printf("%ld|%lld|%lu|%llu|%llx|%hd\n", -5l, -6000000000ll, 7ul, ~0ull, 0x123456789abcdefull,
         static_cast<short>(-3));
  printf("%f|%.2f|%10.3f|%-10.1f|%e|%.3E|%g|%G|%a\n", d, d, d, d, d, d, d, 1e-10, 1.5);
  printf("%f %f\n", 2.5f, static_cast<double>(1.0f / 3));
  printf("%s|%10s|%-10s|%.2s|%s\n", "text", "right", "left", "cut", names[i % 3]);
  printf("%p\n", p);
  printf("no arguments\n");
  printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  const int n = printf("%s %d\n", "returns", 3);
  printf("%d\n", n);
  printf("%f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, 0.0);
}

__global__ void in_order() {
  if (threadIdx.x % 2 == 0) printf("thread %d\n", threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 5) printf("behind the barrier\n");
}

__global__ void mixed(char c, short s, long long l, float f, bool b) {
  printf("%c %d %lld %.1f %d %s\n", c, s, l, f, b, b ? "true" : "false");
}

int main() {
  RUN(formats<<<1, 1>>>(42, 3.14159265, reinterpret_cast<void*>(0x7f0000001000)));
  RUN(in_order<<<1, 32>>>());
  RUN(mixed<<<1, 1>>>('q', -7, 1ll << 40, 0.5f, true));
  return 0;
}
