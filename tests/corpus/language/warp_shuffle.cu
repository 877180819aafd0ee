// SPDX-License-Identifier: Apache-2.0
// Shuffles of all kinds, widths and types, also among only some lanes.
#include "../corpus.hpp"

template <typename T>
__global__ void shuffles(T* out) {
  const int lane = threadIdx.x;
  const T v = static_cast<T>(lane * 3 + 1);
  T* to = out + lane;
  *to = __shfl_sync(~0u, v, 5), to += 32;
  *to = __shfl_sync(~0u, v, lane * 7, 16), to += 32;
  *to = __shfl_up_sync(~0u, v, 3), to += 32;
  *to = __shfl_up_sync(~0u, v, 1, 8), to += 32;
  *to = __shfl_down_sync(~0u, v, 4), to += 32;
  *to = __shfl_down_sync(~0u, v, 2, 4), to += 32;
  *to = __shfl_xor_sync(~0u, v, 17), to += 32;
  *to = __shfl_xor_sync(~0u, v, 6, 8), to += 32;
  if (lane % 2)
    *to = __shfl_sync(0xaaaaaaaa, v, lane ^ 2);
  else
    *to = __shfl_xor_sync(0x55555555, v, 4);
}

template <typename T>
void run(const char* name) {
  Buffer<T> out(9 * 32);
  RUN(shuffles<<<1, 32>>>(out.get()));
  corpus::show(name, out.read(), 40);
}

int main() {
  run<int>("int");
  run<unsigned>("unsigned");
  run<long long>("long long");
  run<unsigned long>("unsigned long");
  run<float>("float");
  run<double>("double");
  return 0;
}
