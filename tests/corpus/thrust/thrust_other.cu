// SPDX-License-Identifier: Apache-2.0
// Thrust: for_each, generate with random numbers, adjacent differences, extremes, complex numbers,
// host vectors.
#include <thrust/adjacent_difference.h>
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/random.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include "../corpus.hpp"

struct Draw {
  __host__ __device__ int operator()(unsigned i) const {
    thrust::default_random_engine engine(17);
    thrust::uniform_int_distribution<int> die(1, 6);
    engine.discard(i);
    return die(engine);
  }
};
struct Turn {
  __host__ __device__ thrust::complex<float> operator()(int i) const {
    return thrust::complex<float>(i % 7, 1) * thrust::complex<float>(0, 2);
  }
};
struct Double {
  __host__ __device__ void operator()(int& v) const { v *= 2; }
};
struct Positive {
  __host__ __device__ bool operator()(int v) const { return v > 0; }
};

int main() {
  thrust::device_vector<int> rolls(5000), differences(5000);
  RUN(thrust::transform(thrust::counting_iterator<unsigned>(0),
                        thrust::counting_iterator<unsigned>(5000), rolls.begin(), Draw()));
  RUN(thrust::adjacent_difference(rolls.begin(), rolls.end(), differences.begin()));
  RUN(thrust::for_each(rolls.begin(), rolls.begin() + 100, Double()));
  thrust::host_vector<int> host = rolls, other = differences;
  corpus::show("rolls", std::vector<int>(host.begin(), host.end()));
  corpus::show("differences", std::vector<int>(other.begin(), other.end()));
  const auto ends = thrust::minmax_element(rolls.begin(), rolls.end());
  printf("%d %d all positive: %d\n", static_cast<int>(*ends.first), static_cast<int>(*ends.second),
         thrust::all_of(rolls.begin(), rolls.end(), Positive()));
  thrust::device_vector<thrust::complex<float>> z(100);
  RUN(thrust::tabulate(z.begin(), z.end(), Turn()));
  const thrust::complex<float> one = z[13];
  printf("%g %g\n", one.real(), one.imag());
  return 0;
}
