// SPDX-License-Identifier: Apache-2.0
// Cooperative groups' own reductions and prefix sums.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

template <typename T, int size>
__global__ void all(const int* in, T* out) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const int t = threadIdx.x;
  const T v = static_cast<T>(in[t]);
  out[t] = cg::reduce(tile, v, cg::plus<T>());
  out[t + 64] = cg::reduce(tile, v, cg::less<T>());
  out[t + 128] = cg::reduce(tile, v, cg::greater<T>());
  out[t + 192] = cg::inclusive_scan(tile, v);
  out[t + 256] = cg::exclusive_scan(tile, v, cg::plus<T>());
  out[t + 320] = cg::inclusive_scan(tile, v, [](T a, T b) { return a > b ? a : b; });
}

__global__ void bits(const int* in, unsigned* out) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned v = in[threadIdx.x] | 1u << threadIdx.x % 32;
  out[threadIdx.x] = cg::reduce(tile, v, cg::bit_and<unsigned>()) ^
                     cg::reduce(tile, v, cg::bit_or<unsigned>()) << 1 ^
                     cg::reduce(tile, v, cg::bit_xor<unsigned>()) << 2;
}

__global__ void update(const int* in, int* total) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::reduce_update_async(tile,
                          *reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(total),
                          in[threadIdx.x], cg::plus<int>());
}

int main() {
  Buffer<int> in(corpus::numbers(64, 1000));
  Buffer<int> a(384);
  RUN(all<int, 32><<<1, 64>>>(in.get(), a.get()));
  corpus::show("int", a.read());
  Buffer<float> b(384);
  RUN(all<float, 16><<<1, 64>>>(in.get(), b.get()));
  corpus::show("float", b.read());
  Buffer<double> c(384);
  RUN(all<double, 8><<<1, 64>>>(in.get(), c.get()));
  corpus::show("double", c.read());
  Buffer<long long> d(384);
  RUN(all<long long, 4><<<1, 64>>>(in.get(), d.get()));
  corpus::show("long", d.read());
  Buffer<unsigned> e(64);
  RUN(bits<<<1, 64>>>(in, e));
  corpus::show("bits", e.read());
  Buffer<int> total(1);
  RUN(update<<<1, 64>>>(in, total));
  printf("total %d\n", total(0));
  return 0;
}
