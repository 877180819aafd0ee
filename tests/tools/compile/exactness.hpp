// SPDX-License-Identifier: Apache-2.0
// Compares functions that kernels call with functions of long double, at extremes, at denormals, at
// huge arguments and at numbers of every size. A distance is in units of the last place.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

namespace {

bool failed = false;

void need(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  _Exit(2);
}

uint64_t next_bits() {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Numbers of every size, as bits would have it, and those that functions are most often wrong at.
template <typename T, typename Bits>
std::vector<T> places() {
  using Limits = std::numeric_limits<T>;
  const T pi = static_cast<T>(3.14159265358979323846L);
  std::vector<T> all{0,
                     T(0.5),
                     1,
                     T(1.5),
                     2,
                     3,
                     10,
                     T(0.1),
                     pi,
                     pi / 2,
                     pi / 4,
                     pi * 1000,
                     T(1e10),
                     T(1e22),
                     T(1e38),
                     T(0.99999),
                     T(1.0000001),
                     T(88.7),
                     T(709.7),
                     T(745),
                     T(26.5),
                     T(170.6),
                     T(5.5),
                     T(1e-5),
                     T(1e-10),
                     Limits::min(),
                     Limits::denorm_min(),
                     Limits::min() / 3,
                     Limits::max(),
                     Limits::epsilon(),
                     Limits::infinity(),
                     Limits::quiet_NaN()};
  for (size_t i = all.size(); i-- > 0;) all.push_back(-all[i]);
  for (int i = 0; i < 3000; ++i) {
    const Bits bits = static_cast<Bits>(next_bits());
    T number;
    memcpy(&number, &bits, sizeof number);
    all.push_back(number);
  }
  for (int i = 0; i < 3000; ++i)  // where most functions have their curves
    all.push_back(static_cast<T>((static_cast<double>(next_bits() >> 11) * 0x1p-53 - 0.5) * 40));
  for (int i = 0; i < 1000; ++i)
    all.push_back(static_cast<T>(static_cast<double>(next_bits() >> 11) * 0x1p-52 - 1));
  return all;
}

template <typename T, typename F>
__global__ void evaluate(const T* in, T* out, int count, F function) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = function(in[i], in[(i + 7) % count]);
}

// How far `value` is from `exact`, in units of the last place of T there.
template <typename T>
double distance(T value, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (std::isnan(exact)) return std::isnan(value) ? 0 : 1e30;
  if (std::isinf(nearest) || std::isinf(value)) {
    // An infinity may stand for the largest number, one step away, and the other way round.
    if (nearest == value) return 0;
    const T most = std::numeric_limits<T>::max();
    return std::fabs(nearest) >= most && std::fabs(value) >= most &&
                   std::signbit(nearest) == std::signbit(value)
               ? 1
               : 1e30;
  }
  if (std::isnan(value)) return 1e30;
  if (nearest == 0 && value == 0)
    return exact != 0 || std::signbit(exact) == std::signbit(value) ? 0 : 1e30;
  const T size = std::fabs(nearest);
  const T next = std::nextafter(size, std::numeric_limits<T>::infinity());
  const long double unit = std::isinf(next)
                               ? static_cast<long double>(size) - std::nextafter(size, T(0))
                               : static_cast<long double>(next) - size;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / unit);
}

template <typename T, typename F, typename G>
void compare(const char* name, double bound, const std::vector<T>& in, F on_device, G exact) {
  const int count = static_cast<int>(in.size());
  T *from, *to;
  need(cudaMalloc(&from, in.size() * sizeof(T)));
  need(cudaMalloc(&to, in.size() * sizeof(T)));
  need(cudaMemcpy(from, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
  evaluate<<<(count + 127) / 128, 128>>>(from, to, count, on_device);
  std::vector<T> out(in.size());
  need(cudaMemcpy(out.data(), to, in.size() * sizeof(T), cudaMemcpyDeviceToHost));
  need(cudaFree(from));
  need(cudaFree(to));
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const double far = distance<T>(out[i], exact(in[i], in[(i + 7) % in.size()]));
    if (far > worst) worst = far, where = i;
  }
  printf("%-26s %.3g\n", name, worst);
  if (worst <= bound) return;
  failed = true;
  const T x = in[where], y = in[(where + 7) % in.size()];
  printf("  more than %g: of %a and %a it is %a, not %La\n", bound, static_cast<double>(x),
         static_cast<double>(y), static_cast<double>(out[where]), exact(x, y));
}

#define COMPARE(type, bound, expression, exact)         \
  compare<type>(                                        \
      #expression, bound, type##_places,                \
      [] __device__(type x, type y) -> type {           \
        (void)y;                                        \
        return expression;                              \
      },                                                \
      [](long double x, long double y) -> long double { \
        (void)y;                                        \
        return exact;                                   \
      })
// The same function of double and of float.
#define BOTH(double_bound, float_bound, name)         \
  COMPARE(double, double_bound, name(x), name##l(x)); \
  COMPARE(float, float_bound, name##f(x), name##l(x))
#define BOTH_OF_TWO(double_bound, float_bound, name)        \
  COMPARE(double, double_bound, name(x, y), name##l(x, y)); \
  COMPARE(float, float_bound, name##f(x, y), name##l(x, y))

const std::vector<double> double_places = places<double, uint64_t>();
const std::vector<float> float_places = places<float, uint32_t>();

}  // namespace
