// SPDX-License-Identifier: Apache-2.0
// Products of half fragments: tiles of a larger matrix, each layout, half and float accumulators.
#include <cuda_fp16.h>
#include <mma.h>

#include "../corpus.hpp"
using namespace nvcuda;

__global__ void product(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.5f);
  const int row = blockIdx.y * 16, column = (blockIdx.x * 2 + threadIdx.x / 32) * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + column * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

template <int m, int n, int k>
__global__ void shapes(const half* a, const half* b, half* c) {
  __shared__ half result[m * n];
  wmma::fragment<wmma::matrix_a, m, n, k, half, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, m, n, k, half> fc;
  wmma::load_matrix_sync(fa, a, m);
  wmma::load_matrix_sync(fb, b, n);
  wmma::load_matrix_sync(fc, b, m, wmma::mem_col_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(result, fc, n, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < m * n; i += 32) c[i] = result[i];
}

int main() {
  const int n = 64;
  std::vector<half> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i)
    a[i] = __float2half(static_cast<int>(corpus::scramble(i) % 9) - 4),
    b[i] = __float2half(static_cast<int>(corpus::scramble(i + 7777) % 5) - 2);
  Buffer<half> da(a), db(b), dh(512);
  Buffer<float> c(n * n);
  RUN(product<<<dim3(2, 4), 64>>>(da, db, c, n));
  corpus::show("float", c.read());
  const auto print = [&](const char* name) {
    std::vector<float> f;
    for (half h : dh.read()) f.push_back(__half2float(h));
    corpus::show(name, f);
  };
  RUN(shapes<16, 16, 16><<<1, 32>>>(da, db, dh));
  print("16 16 16");
  RUN(shapes<32, 8, 16><<<1, 32>>>(da, db, dh));
  print("32 8 16");
  RUN(shapes<8, 32, 16><<<1, 32>>>(da, db, dh));
  print("8 32 16");
  return 0;
}
