// SPDX-License-Identifier: Apache-2.0
// Dynamic programming: edit distance by anti-diagonals, a knapsack, a prime sieve, string matching.
#include "../corpus.hpp"

__global__ void edit_distance(const char* a, int n, const char* b, int m, int* out) {
  __shared__ int rows[3][129];
  for (int d = 0; d <= n + m; ++d) {
    int* const now = rows[d % 3];
    const int* const last = rows[(d + 2) % 3];
    const int* const before = rows[(d + 1) % 3];
    for (int i = threadIdx.x; i <= n && i <= d; i += blockDim.x) {
      const int j = d - i;
      if (j > m) continue;
      now[i] = i == 0 ? j
               : j == 0
                   ? i
                   : min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = rows[(n + m) % 3][n];
}

__global__ void knapsack(const int* weights, const int* values, int items, int capacity,
                         int* best) {
  extern __shared__ int table[];
  int* from = table;
  int* to = table + capacity + 1;
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) from[c] = 0;
  __syncthreads();
  for (int i = 0; i < items; ++i) {
    for (int c = threadIdx.x; c <= capacity; c += blockDim.x)
      to[c] = c >= weights[i] ? max(from[c], from[c - weights[i]] + values[i]) : from[c];
    __syncthreads();
    int* const old = from;
    from = to, to = old;
  }
  for (int c = threadIdx.x; c <= capacity; c += blockDim.x) best[c] = from[c];
}

__global__ void sieve(unsigned* composite, int n) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (p * p > n) return;
  for (int k = p * p; k <= n; k += p) atomicOr(&composite[k / 32], 1u << k % 32);
}

__global__ void find(const char* text, int length, const char* word, int size, int* first,
                     int* count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + size <= length;
       i += gridDim.x * blockDim.x) {
    int k = 0;
    while (k < size && text[i + k] == word[k]) ++k;
    if (k == size) atomicMin(first, i), atomicAdd(count, 1);
  }
}

int main() {
  std::vector<char> a(120), b(110), text(5000);
  for (int i = 0; i < 120; ++i) a[i] = "acgt"[corpus::scramble(i) % 4];
  for (int i = 0; i < 110; ++i) b[i] = i % 5 ? a[i + 3] : 'g';
  for (int i = 0; i < 5000; ++i) text[i] = "ab"[corpus::scramble(i) % 2];
  Buffer<char> da(a), db(b), dt(text), word(std::vector<char>{'a', 'b', 'b', 'a', 'b', 'a'});
  Buffer<int> out(4), weights(corpus::numbers(30, 20, 1)), values(corpus::numbers(30, 100, 2)),
      best(201);
  RUN(edit_distance<<<1, 64>>>(da, 120, db, 110, out));
  printf("distance %d\n", out(0));
  RUN(knapsack<<<1, 100, 402 * 4>>>(weights, values, 30, 200, best));
  corpus::show("knapsack", best.read());
  Buffer<unsigned> composite(313);
  RUN(sieve<<<1, 128>>>(composite, 10000));
  int primes = 0;
  const auto bits = composite.read();
  for (int i = 2; i <= 10000; ++i) primes += !(bits[i / 32] >> i % 32 & 1);
  printf("%d primes\n", primes);
  out.write({100000, 0});
  RUN(find<<<4, 64>>>(dt, 5000, word, 6, out, out.get() + 1));
  printf("first %d of %d\n", out(0), out(1));
  return 0;
}
