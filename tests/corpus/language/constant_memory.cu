// SPDX-License-Identifier: Apache-2.0
// Constants and device variables: tables, structures, arrays by symbol, addresses of symbols.
#include "../corpus.hpp"

struct Settings {
  float scale;
  int offsets[4];
  const char* name;
};

__constant__ Settings settings = {0.5f, {1, 2, 3, 4}, "built in"};
__constant__ unsigned char table[256];
__device__ int counters[8] = {1, 2, 3};
__device__ float matrix[4][4];
__device__ const double pi_powers[] = {1, 3.14159265358979, 9.86960440108936};
static __device__ int* pointer = &counters[2];

__global__ void use(const int* in, float* out) {
  const int t = threadIdx.x;
  atomicAdd(&counters[t % 8], t);
  atomicAdd(pointer, 1);
  int letters = 0;
  for (const char* p = settings.name; *p; ++p) letters += *p;
  out[t] = table[in[t] % 256] * settings.scale + settings.offsets[t % 4] +
           matrix[t % 4][t / 4 % 4] + static_cast<float>(pi_powers[t % 3]) + letters;
}

int main() {
  unsigned char bytes[256];
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(255 - i);
  CHECK(cudaMemcpyToSymbol(table, bytes, sizeof bytes));
  const float row[4] = {10, 20, 30, 40};
  CHECK(cudaMemcpyToSymbol(matrix, row, sizeof row, 2 * sizeof row));
  Buffer<int> in(corpus::numbers(64, 1000));
  Buffer<float> out(64);
  RUN(use<<<1, 64>>>(in, out));
  corpus::show("out", out.read());
  int left[8];
  CHECK(cudaMemcpyFromSymbol(left, counters, sizeof left));
  for (int v : left) printf("%d ", v);
  void* address = nullptr;
  size_t bytes_of_matrix = 0;
  CHECK(cudaGetSymbolAddress(&address, matrix));
  CHECK(cudaGetSymbolSize(&bytes_of_matrix, matrix));
  float back[4];
  CHECK(cudaMemcpy(back, static_cast<char*>(address) + 32, 16, cudaMemcpyDeviceToHost));
  printf("| %zu %g %g\n", bytes_of_matrix, back[0], back[3]);
  return 0;
}
