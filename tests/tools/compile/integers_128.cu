// SPDX-License-Identifier: Apache-2.0
// __int128 on the device: quotients, rests and conversions are the host's.
#include <cstdio>
#include <random>

using Wide = __int128;
using Natural = unsigned __int128;

struct Results {
  Wide quotient, rest, of_float, of_double;
  Natural natural_quotient, natural_rest, natural_of_double;
  float as_float, natural_as_float;
  double as_double, natural_as_double;
};

// Clangs after 14 convert no __int128 to floating point on the device.
__host__ __device__ Results results_of(Wide a, Wide b) {
#if __clang_major__ > 14
  Results results{};
  results.quotient = a / b, results.rest = a % b;
  results.natural_quotient = static_cast<Natural>(a) / static_cast<Natural>(b);
  results.natural_rest = static_cast<Natural>(a) % static_cast<Natural>(b);
  return results;
#else
  const Natural x = static_cast<Natural>(a), y = static_cast<Natural>(b);
  const double within = static_cast<double>(a) / 2;
  return {a / b,
          a % b,
          static_cast<Wide>(static_cast<float>(within)),
          static_cast<Wide>(within),
          x / y,
          x % y,
          static_cast<Natural>(within < 0 ? -within : within),
          static_cast<float>(a),
          static_cast<float>(x),
          static_cast<double>(a),
          static_cast<double>(x)};
#endif
}

__global__ void calculate(const Wide* in, Results* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = results_of(in[2 * t], in[2 * t + 1]);
}

int main() {
  constexpr int count = 4096;
  std::mt19937_64 random(128);
  Wide* in;
  Results* out;
  cudaMallocManaged(&in, 2 * count * sizeof *in);
  cudaMallocManaged(&out, count * sizeof *out);
  for (int i = 0; i < 2 * count; ++i) {
    // Numbers of all lengths, near powers of two among them.
    const Natural bits = static_cast<Natural>(random()) << 64 | random();
    const unsigned shift = random() % 128;
    Natural number =
        random() % 4 ? bits >> shift : (static_cast<Natural>(1) << shift) + random() % 3 - 1;
    if (random() % 2) number = 0 - number;
    // The quotient of the least number and -1 is none.
    if (i % 2 && (number == 0 || number + 1 == 0)) number = 3;
    in[i] = static_cast<Wide>(number);
  }
  calculate<<<count / 128, 128>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    const Results here = results_of(in[2 * i], in[2 * i + 1]), &there = out[i];
    failures +=
        here.quotient != there.quotient || here.rest != there.rest ||
        here.of_float != there.of_float || here.of_double != there.of_double ||
        here.natural_quotient != there.natural_quotient ||
        here.natural_rest != there.natural_rest ||
        here.natural_of_double != there.natural_of_double || here.as_float != there.as_float ||
        here.natural_as_float != there.natural_as_float || here.as_double != there.as_double ||
        here.natural_as_double != there.natural_as_double;
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
