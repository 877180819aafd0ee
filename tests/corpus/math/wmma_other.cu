// SPDX-License-Identifier: Apache-2.0
// Products of fragments of other types: bytes, bfloat16, tf32, double.
#include <cuda_bf16.h>
#include <mma.h>

#include "../corpus.hpp"
using namespace nvcuda;

template <typename A, typename C, int m, int n, int k, typename Stored>
__global__ void product(const Stored* a, const Stored* b, C* c) {
  wmma::fragment<wmma::matrix_a, m, n, k, A, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, A, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, m, n, k, C> fc;
  wmma::fill_fragment(fc, C(1));
  wmma::load_matrix_sync(fa, a, k);
  wmma::load_matrix_sync(fb, b, k);
  if constexpr (std::is_same_v<A, wmma::precision::tf32>) {
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  }
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}

template <typename A, typename C, int m, int n, int k, typename Stored>
void run(const char* name) {
  std::vector<Stored> a(m * k), b(k * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = static_cast<Stored>(static_cast<float>(corpus::scramble(i) % 7));
  for (int i = 0; i < n * k; ++i)
    b[i] = static_cast<Stored>(static_cast<float>(corpus::scramble(i + 555) % 5));
  Buffer<Stored> da(a), db(b);
  Buffer<C> c(m * n);
  RUN(product<A, C, m, n, k><<<1, 32>>>(da.get(), db.get(), c.get()));
  corpus::show(name, c.read());
}

int main() {
  run<signed char, int, 16, 16, 16, signed char>("bytes");
  run<unsigned char, int, 32, 8, 16, unsigned char>("unsigned bytes");
  run<__nv_bfloat16, float, 16, 16, 16, __nv_bfloat16>("bf16");
  run<wmma::precision::tf32, float, 16, 16, 8, float>("tf32");
  run<double, double, 8, 8, 4, double>("double");
  return 0;
}
