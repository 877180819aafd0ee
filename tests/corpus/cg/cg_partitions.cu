// SPDX-License-Identifier: Apache-2.0
// Cooperative groups that are made at run time: by label, by a condition, of the threads that are
// converged; in loops, and inside other groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__global__ void labels(const int* in, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x;
  const auto same = cg::labeled_partition(warp, in[t] % 5);
  int r = same.size() * 100 + same.thread_rank();
  r += cg::reduce(same, in[t], cg::plus<int>()) * 1000;
  r += same.shfl(in[t], 0) % 7;
  const auto tile = cg::tiled_partition<8>(warp);
  const auto inner = cg::labeled_partition(tile, in[t] % 2);
  r += inner.size() * 3 + inner.thread_rank();
  out[t] = r;
}

__global__ void conditions(const int* in, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x;
  const auto half = cg::binary_partition(warp, in[t] > 50);
  int r = cg::reduce(half, in[t], cg::greater<int>()) * 100 + half.size();
  if (in[t] > 50)
    r += half.shfl_up(in[t], 1) + half.any(in[t] > 90) * 1000000;
  else
    r -= cg::inclusive_scan(half, 1);
  const auto quarter = cg::binary_partition(cg::tiled_partition<16>(warp), t % 3 == 0);
  r += quarter.num_threads() * 7 + quarter.ballot(in[t] % 2) % 5;
  out[t] = r;
}

__global__ void coalesced(const int* in, int* out, int* counter) {
  const int t = threadIdx.x;
  int r = 0;
  for (int i = 0; i < in[t] % 10; ++i) {
    const auto here = cg::coalesced_threads();
    if (here.thread_rank() == 0) atomicAdd(counter, here.size());
    r += i;
  }
  if (t % 3 != 1) {
    const auto here = cg::coalesced_threads();
    r += here.size() * 1000 + here.thread_rank() * 10 + here.shfl(t, here.size() - 1);
    r += cg::reduce(here, t, cg::plus<int>());
    r += here.shfl_down(t, 2) + here.shfl_up(t, 3) + here.match_any(t % 2) % 11;
    const auto tiles = cg::tiled_partition(here, 4);
    r += tiles.size() * 3 + tiles.meta_group_rank() * 5 + tiles.shfl(t, 0);
    r += cg::exclusive_scan(here, t % 4, cg::plus<int>());
  }
  out[t] = r;
}

__device__ int claim(int* counter) {
  const auto here = cg::coalesced_threads();
  int first = 0;
  if (here.thread_rank() == 0) first = atomicAdd(counter, here.size());
  return here.shfl(first, 0) + here.thread_rank();
}
__global__ void filter(const int* in, int n, int* counter, int* out) {
  const auto grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) {
    if (in[i] % 4 == 3) out[claim(counter)] = in[i];
  }
}

template <int Size>
__global__ void tiles(const int* in, long long* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<Size>(block);
  const int t = block.thread_rank();
  long long r = tile.thread_rank() + tile.meta_group_rank() * 100 + tile.meta_group_size() * 10000;
  r += cg::reduce(tile, in[t], cg::less<int>()) +
       cg::reduce(tile, in[t] * 1.5, cg::plus<double>()) * 2;
  r += cg::inclusive_scan(tile, in[t], cg::plus<int>()) * 100000ll;
  r += cg::reduce(tile, static_cast<unsigned>(in[t]), cg::bit_xor<unsigned>());
  r += tile.shfl_xor(in[t], 1) + tile.all(in[t] < 99) + tile.match_any(in[t] % 2);
  cg::invoke_one(tile, [&] { atomicAdd(reinterpret_cast<unsigned long long*>(&out[256]), 1); });
  r += cg::invoke_one_broadcast(tile, [&] { return in[t] * 3; });
  out[t] = r;
}

struct Complex {
  float re, im;
};
__global__ void structures(Complex* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const Complex mine{threadIdx.x * 1.0f, 1.0f};
  const Complex sum = cg::reduce(tile, mine, [](Complex a, Complex b) {
    return Complex{a.re + b.re, a.im + b.im};
  });
  const Complex other = tile.shfl(mine, 5);
  out[threadIdx.x] = {sum.re + other.re, sum.im};
}

int main() {
  Buffer<int> in(corpus::numbers(1000, 100)), out(1000), counter(2);
  RUN(labels<<<1, 64>>>(in, out));
  corpus::show("labels", out.read());
  RUN(conditions<<<1, 64>>>(in, out));
  corpus::show("conditions", out.read());
  RUN(coalesced<<<1, 64>>>(in, out, counter));
  corpus::show("coalesced", out.read());
  printf("additions %d\n", counter(0));
  counter.write({0, 0});
  RUN(filter<<<3, 96>>>(in, 1000, counter, out));
  int sum = 0;
  const auto all = out.read();
  for (int i = 0; i < counter(0); ++i) sum += all[i];
  printf("filter %d %d\n", counter(0), sum);
  Buffer<long long> wide(257);
  RUN(tiles<1><<<1, 256>>>(in, wide));
  corpus::show("1", wide.read());
  RUN(tiles<4><<<1, 256>>>(in, wide));
  corpus::show("4", wide.read());
  RUN(tiles<32><<<1, 256>>>(in, wide));
  corpus::show("32", wide.read());
  Buffer<Complex> complex(64);
  RUN(structures<<<1, 64>>>(complex));
  printf("structures %016llx\n", corpus::digest(complex.read()));
  return 0;
}
