// SPDX-License-Identifier: Apache-2.0
// Random numbers on the device, what the other programs leave out: MRG32k3a, Sobol sequences with
// and without scrambling, Poisson and log-normal numbers, discrete distributions, skipping ahead.
#include <curand_kernel.h>

#include "../corpus.hpp"

__global__ void mrg(unsigned* out, double* real) {
  curandStateMRG32k3a state;
  const int t = threadIdx.x;
  curand_init(1234, t, t * 3, &state);
  for (int k = 0; k < 4; ++k) out[t * 4 + k] = curand(&state);
  skipahead(1000ull, &state);
  skipahead_sequence(3ull, &state);
  real[t * 4] = curand_uniform_double(&state);
  real[t * 4 + 1] = curand_uniform(&state);
  out[t * 4 + 3] += curand_poisson(&state, 4.5);
  real[t * 4 + 2] = rint(curand_normal(&state) * 1000);
  real[t * 4 + 3] = rint(curand_log_normal_double(&state, 0.5, 0.25) * 1e6);
}
__global__ void sobol(unsigned* directions, unsigned long long* directions64, unsigned* out,
                      double* real) {
  const int t = threadIdx.x;
  curandStateSobol32 state;
  curandStateScrambledSobol32 scrambled;
  curandStateSobol64 state64;
  curandStateScrambledSobol64 scrambled64;
  curand_init(directions + 32 * (t % 4), t * 5, &state);
  curand_init(directions + 32 * (t % 4), 1234567u, t * 5, &scrambled);
  curand_init(directions64 + 64 * (t % 4), t * 7, &state64);
  curand_init(directions64 + 64 * (t % 4), 987654321ull, t * 7, &scrambled64);
  unsigned r = 0;
  for (int k = 0; k < 10; ++k) r = r * 3 + curand(&state) + curand(&scrambled) * 5;
  for (int k = 0; k < 10; ++k)
    r = r * 7 + static_cast<unsigned>(curand(&state64) >> 20) +
        static_cast<unsigned>(curand(&scrambled64) >> 9);
  skipahead(77u, &state);
  r += curand(&state);
  out[t] = r;
  real[t] = curand_uniform(&state) + curand_uniform_double(&state64);
  real[t + 64] =
      rint(curand_normal(&scrambled) * 1000) + rint(curand_normal_double(&scrambled64) * 1e6);
}
__global__ void poisson(unsigned* out, double lambda) {
  curandStatePhilox4_32_10_t philox;
  curandStateXORWOW_t xorwow;
  const int t = threadIdx.x;
  curand_init(42, t, 0, &philox), curand_init(42, t, 100000, &xorwow);
  unsigned r = 0;
  for (int k = 0; k < 5; ++k) r = r * 31 + curand_poisson(&philox, lambda);
  const uint4 four = curand_poisson4(&philox, lambda);
  r += four.x + four.y * 3 + four.z * 5 + four.w * 7;
  for (int k = 0; k < 5; ++k) r = r * 31 + curand_poisson(&xorwow, lambda + k);
  skipahead(12345ull, &xorwow);
  skipahead_sequence(2ull, &xorwow);
  out[t] = r + curand(&xorwow);
}
__global__ void others(double* out) {
  curandStatePhilox4_32_10_t philox;
  const int t = threadIdx.x;
  curand_init(7, t, 3, &philox);
  const float4 u = curand_uniform4(&philox), n = curand_normal4(&philox),
               l = curand_log_normal4(&philox, 1, 0.5f);
  const double2 u2 = curand_uniform2_double(&philox), n2 = curand_normal2_double(&philox);
  out[t * 6] = u.x + u.y * 2.0 + u.z * 4.0 + u.w * 8.0;
  out[t * 6 + 1] = rint((n.x + n.y + n.z + n.w) * 1000);
  out[t * 6 + 2] = rint(l.x * 100) + rint(l.w * 100);
  out[t * 6 + 3] = u2.x + u2.y;
  out[t * 6 + 4] = rint(n2.x * 1e8) + rint(n2.y * 1e8);
  out[t * 6 + 5] = curand(&philox) % 1000;
}

int main() {
  Buffer<unsigned> out(256);
  Buffer<double> real(64 * 6);
  RUN(mrg<<<1, 64>>>(out, real));
  corpus::show("mrg", out.read());
  corpus::show("real", real.read());
  // Simple direction vectors: odd numbers, shifted into place.
  std::vector<unsigned> directions(128);
  std::vector<unsigned long long> directions64(256);
  for (int d = 0; d < 4; ++d)
    for (int k = 0; k < 64; ++k) {
      const unsigned long long odd =
          d == 0 ? 1 : (corpus::scramble(d * 64 + k) & ((1ull << (k < 31 ? k : 31)) - 1) * 2) | 1;
      if (k < 32) directions[d * 32 + k] = static_cast<unsigned>(odd << (31 - k));
      directions64[d * 64 + k] = odd << (63 - k);
    }
  Buffer<unsigned> dd(directions);
  Buffer<unsigned long long> dd64(directions64);
  RUN(sobol<<<1, 64>>>(dd, dd64, out, real));
  corpus::show("sobol", out.read());
  corpus::show("real", real.read());
  for (double lambda : {0.5, 3.0, 60.0, 5000.0}) {
    RUN(poisson<<<1, 64>>>(out, lambda));
    corpus::show("poisson", out.read());
  }
  RUN(others<<<1, 64>>>(real));
  corpus::show("others", real.read(), 12);
  return 0;
}
