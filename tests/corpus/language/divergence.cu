// SPDX-License-Identifier: Apache-2.0
// Lanes that diverge: nested loops, switches, early returns, breaks out of two loops, goto.
#include "../corpus.hpp"

__global__ void collatz(const int* in, int* out) {
  unsigned n = in[threadIdx.x] + 1;
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    if (++steps > 200) break;
  }
  out[threadIdx.x] = steps;
}

__global__ void choices(const int* in, int* out) {
  const int v = in[threadIdx.x];
  int r = 0;
  switch (v % 9) {
    case 0:
      r = 5;
      break;
    case 1:
      r += 7;
    case 2:
      r += v;
      break;
    case 3:
      for (int i = 0; i < v % 10; ++i) r += i * v;
      break;
    case 5:
      if (v % 2) return;
      r = -v;
      break;
    case 7:
      r = v * v;
      break;
    default:
      r = 1000 + v;
  }
  out[threadIdx.x] = r;
}

__global__ void nested(const int* in, int* out, int n) {
  int found = -1, steps = 0;
  for (int i = 0; i < n && found < 0; ++i) {
    if (in[i] % 7 == static_cast<int>(threadIdx.x % 7)) continue;
    for (int j = i + 1; j < n; ++j) {
      ++steps;
      if ((in[i] + in[j]) % 64 == static_cast<int>(threadIdx.x)) {
        found = i * n + j;
        goto done;
      }
      if (steps > 500) goto done;
    }
  }
done:
  out[threadIdx.x] = found * 1000 + steps;
}

__global__ void some_leave(int* out) {
  if (threadIdx.x % 5 == 0) return;
  int v = threadIdx.x;
  for (int i = 0; i < 10; ++i) {
    if (v % 3 == 0 && i > 4) return;
    v = v * 5 + 1;
    out[threadIdx.x] += v % 100;
    if (v > 100000) v %= 1000;
  }
}

int main() {
  Buffer<int> in(corpus::numbers(128, 1000)), out(128);
  RUN(collatz<<<1, 128>>>(in, out));
  corpus::show("collatz", out.read());
  RUN(choices<<<1, 128>>>(in, out));
  corpus::show("choices", out.read());
  RUN(nested<<<1, 64>>>(in, out, 64));
  corpus::show("nested", out.read());
  RUN(some_leave<<<1, 64>>>(out));
  corpus::show("leave", std::vector<int>(out.read()));
  return 0;
}
