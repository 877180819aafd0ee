// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: lambdas as kernels' parameters, variadic templates, constant
// expressions.
#include "../corpus.hpp"

template <typename F>
__global__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

template <typename T, int... values>
__global__ void sum(T* out) {
  constexpr T total = (T(values) + ...);
  const T table[] = {T(values)...};
  out[threadIdx.x] = total * table[threadIdx.x % sizeof...(values)];
}

template <typename... Fs>
__device__ int compose(int x, Fs... fs) {
  ((x = fs(x)), ...);
  return x;
}

template <int n>
struct Power {
  __device__ static constexpr long long of(long long x) {
    if constexpr (n == 0)
      return 1;
    else
      return x * Power<n - 1>::of(x);
  }
};

__global__ void composed(long long* out) {
  const int t = threadIdx.x;
  const auto twice = [](int x) { return x * 2; };
  const auto plus = [t](int x) { return x + t; };
  out[t] = compose(t, twice, plus, twice, [&](int x) { return x % 37; }) + Power<5>::of(t);
}

int main() {
  const int n = 1000;
  Buffer<float> a(corpus::floats(n)), b(n);
  float* const x = a;
  float* const y = b;
  const float factor = 2.5f;
  RUN(each<<<4, 128>>>(n, [=] __device__(int i) { y[i] = x[n - 1 - i] * factor; }));
  corpus::show("lambda", b.read());
  RUN(each<<<1, 64>>>(n, [=] __host__ __device__(int i) { y[i] += i; }));
  corpus::show("again", b.read());
  Buffer<double> d(8);
  RUN(sum<double, 1, 2, 3, 4><<<1, 8>>>(d.get()));
  corpus::show("sum", d.read());
  Buffer<long long> l(32);
  RUN(composed<<<1, 32>>>(l));
  corpus::show("composed", l.read());
  return 0;
}
