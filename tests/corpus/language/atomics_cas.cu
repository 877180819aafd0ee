// SPDX-License-Identifier: Apache-2.0
// Compare-and-swap loops: maximum of doubles, saturating sums, 16 and 128 bits.
#include "../corpus.hpp"

__device__ double max_of(double* place, double value) {
  auto* const bits = reinterpret_cast<unsigned long long*>(place);
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    if (__longlong_as_double(seen) >= value) break;
    old = atomicCAS(bits, seen, __double_as_longlong(value));
  } while (old != seen);
  return __longlong_as_double(old);
}

__device__ void saturating_add(int* place, int value, int limit) {
  int old = *place, seen;
  do {
    seen = old;
    old = atomicCAS(place, seen, min(seen + value, limit));
  } while (old != seen);
}

__global__ void loops(double* most, int* sums, unsigned short* small) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  max_of(&most[t % 3], corpus::scramble(t) % 10000 / 16.0);
  saturating_add(&sums[t % 4], t % 7, t % 4 == 0 ? 100 : 1000000);
  unsigned short old = small[t % 2], seen;
  do {
    seen = old;
    old = atomicCAS(&small[t % 2], seen, static_cast<unsigned short>(seen + 3));
  } while (old != seen);
}

struct alignas(16) Pair {
  unsigned long long count, sum;
};

__global__ void pairs(Pair* place) {
  const unsigned t = threadIdx.x;
  Pair seen, old = {0, 0};
  do {
    seen = old;
    old = atomicCAS(place, seen, Pair{seen.count + 1, seen.sum + t});
  } while (old.count != seen.count || old.sum != seen.sum);
}

__global__ void exchange(Pair* place, Pair* olds) {
  if (threadIdx.x == 0) *olds = atomicExch(place, Pair{12, 34});
}

int main() {
  Buffer<double> most(3);
  Buffer<int> sums(4);
  Buffer<unsigned short> small(2);
  RUN(loops<<<5, 96>>>(most, sums, small));
  corpus::show("most", most.read());
  corpus::show("sums", sums.read());
  corpus::show("small", small.read());
  Buffer<Pair> pair(2);
  RUN(pairs<<<3, 70>>>(pair));
  Pair p = pair(0);
  printf("pair %llu %llu\n", p.count, p.sum);
  RUN(exchange<<<1, 32>>>(pair, pair.get() + 1));
  p = pair(1);
  printf("old %llu %llu new %llu %llu\n", p.count, p.sum, pair(0).count, pair(0).sum);
  return 0;
}
