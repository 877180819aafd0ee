// SPDX-License-Identifier: Apache-2.0
// Products of matrices in every shape, type and layout of wmma, including four bits and one bit;
// fragments changed element by element.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../corpus.hpp"
using namespace nvcuda;

template <typename T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

template <typename T, typename Acc, int m, int n, int k, typename LayoutA, typename LayoutB>
__global__ void product(const typename Stored<T>::type* a, const typename Stored<T>::type* b,
                        const Acc* c, Acc* d, bool column) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Acc> fc;
  const auto layout = column ? wmma::mem_col_major : wmma::mem_row_major;
  wmma::load_matrix_sync(fa, a, (std::is_same_v<LayoutA, wmma::row_major> ? k : m) + 16);
  wmma::load_matrix_sync(fb, b, (std::is_same_v<LayoutB, wmma::row_major> ? n : k) + 16);
  wmma::load_matrix_sync(fc, c, column ? m : n, layout);
  if constexpr (std::is_same_v<T, wmma::precision::tf32>) {
    for (auto& x : fa.x) x = wmma::__float_to_tf32(x);
    for (auto& x : fb.x) x = wmma::__float_to_tf32(x);
  }
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] * static_cast<Acc>(2.0f);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, column ? m : n, layout);
}

template <typename T, typename Acc, int m, int n, int k, typename LayoutA, typename LayoutB>
void run(const char* name) {
  using S = typename Stored<T>::type;
  const int pitch_a = (std::is_same_v<LayoutA, wmma::row_major> ? k : m) + 16,
            rows_a = std::is_same_v<LayoutA, wmma::row_major> ? m : k;
  const int pitch_b = (std::is_same_v<LayoutB, wmma::row_major> ? n : k) + 16,
            rows_b = std::is_same_v<LayoutB, wmma::row_major> ? k : n;
  std::vector<S> a(pitch_a * rows_a), b(pitch_b * rows_b);
  std::vector<Acc> c(m * n);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<S>(static_cast<float>(corpus::scramble(i) % 9) -
                          (std::is_unsigned_v<S> ? 0 : 4));
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<S>(static_cast<float>(corpus::scramble(i + 99) % 7) -
                          (std::is_unsigned_v<S> ? 0 : 3));
  for (int i = 0; i < m * n; ++i) c[i] = static_cast<Acc>(static_cast<float>(i % 10));
  Buffer<S> da(a), db(b);
  Buffer<Acc> dc(c), out(m * n);
  unsigned long long sum = 0;
  for (bool column : {false, true}) {
    RUN(product<T, Acc, m, n, k, LayoutA, LayoutB>
        <<<1, 32>>>(da.get(), db.get(), dc.get(), out.get(), column));
    sum = sum * 3 + corpus::digest(out.read());
  }
  printf("%s %d %d %d: %016llx\n", name, m, n, k, sum);
}
template <typename T, typename Acc, int m, int n, int k>
void layouts(const char* name) {
  run<T, Acc, m, n, k, wmma::row_major, wmma::col_major>(name),
      run<T, Acc, m, n, k, wmma::row_major, wmma::row_major>(name);
  run<T, Acc, m, n, k, wmma::col_major, wmma::col_major>(name),
      run<T, Acc, m, n, k, wmma::col_major, wmma::row_major>(name);
}
template <typename T, typename Acc>
void shapes(const char* name) {
  layouts<T, Acc, 16, 16, 16>(name), layouts<T, Acc, 32, 8, 16>(name),
      layouts<T, Acc, 8, 32, 16>(name);
}

// Numbers of four bits and of one.
template <typename T>
__global__ void nibbles(const void* a, const void* b, int* d) {
  namespace e = wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
  wmma::fill_fragment(fc, 3);
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
template <bool And>
__global__ void single_bits(const void* a, const void* b, int* d) {
  namespace e = wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, e::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, e::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
  wmma::fill_fragment(fc, 5);
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::bmma_sync(fc, fa, fb, fc, And ? e::bmmaBitOpAND : e::bmmaBitOpXOR);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

int main() {
  shapes<__half, __half>("half"), shapes<__half, float>("half to float"),
      shapes<__nv_bfloat16, float>("bf16");
  shapes<signed char, int>("s8"), shapes<unsigned char, int>("u8");
  layouts<wmma::precision::tf32, float, 16, 16, 8>("tf32"),
      layouts<double, double, 8, 8, 4>("double");
  std::vector<unsigned> bits(64);
  for (int i = 0; i < 64; ++i) bits[i] = corpus::scramble(i);
  Buffer<unsigned> a(bits), b(std::vector<unsigned>(bits.rbegin(), bits.rend()));
  Buffer<int> d(64);
  RUN(nibbles<wmma::experimental::precision::s4><<<1, 32>>>(a.get(), b.get(), d));
  corpus::show("s4", d.read());
  RUN(nibbles<wmma::experimental::precision::u4><<<1, 32>>>(a.get(), b.get(), d));
  corpus::show("u4", d.read());
  RUN(single_bits<false><<<1, 32>>>(a.get(), b.get(), d));
  corpus::show("b1 xor", d.read());
  RUN(single_bits<true><<<1, 32>>>(a.get(), b.get(), d));
  corpus::show("b1 and", d.read());
  return 0;
}
