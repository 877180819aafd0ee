// SPDX-License-Identifier: Apache-2.0
// Thrust: transformations through counting, zip, permutation and transform iterators.
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include "../corpus.hpp"

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Fuse {
  __host__ __device__ float operator()(const thrust::tuple<float, int>& t) const {
    return thrust::get<0>(t) * thrust::get<1>(t);
  }
};

int main() {
  const auto x = corpus::floats(4000);
  thrust::device_vector<float> a(x.begin(), x.end()), b(4000);
  thrust::device_vector<int> order(4000);
  std::vector<float> host(4000);
  RUN(thrust::transform(a.begin(), a.end(), b.begin(), Square()));
  thrust::copy(b.begin(), b.end(), host.begin());
  corpus::show("squares", host);
  RUN(thrust::sequence(order.begin(), order.end(), 3999, -1));
  const auto zip =
      thrust::make_zip_iterator(thrust::make_tuple(a.begin(), thrust::counting_iterator<int>(1)));
  RUN(thrust::transform(zip, zip + 4000, b.begin(), Fuse()));
  const auto turned = thrust::make_permutation_iterator(b.begin(), order.begin());
  thrust::copy(turned, turned + 4000, host.begin());
  corpus::show("turned", host);
  printf("norm %.6f dot %.6f\n",
         thrust::transform_reduce(a.begin(), a.end(), Square(), 0.0f, thrust::plus<float>()),
         thrust::inner_product(a.begin(), a.begin() + 500, a.begin() + 500, 0.0f));
  return 0;
}
