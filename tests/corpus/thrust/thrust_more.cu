// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: Thrust, what the other programs leave out: partitions, removal,
// inner products, extremes, permutation, zip and discard iterators, growing vectors, sets by key.
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "../corpus.hpp"

using Vector = thrust::device_vector<int>;

void show(const char* name, const Vector& v) {
  std::vector<int> host(v.size());
  thrust::copy(v.begin(), v.end(), host.begin());
  corpus::show(name, host);
}

int main() {
  corpus::doing = "thrust";
  const auto host = corpus::numbers(3000, 500), other = corpus::numbers(3000, 500, 4);
  const Vector in(host.begin(), host.end()), in2(other.begin(), other.end());
  Vector v = in;
  v.erase(thrust::remove_if(v.begin(), v.end(), [] __device__(int x) { return x % 3 == 0; }),
          v.end());
  show("removed", v);
  v = in;
  const auto middle =
      thrust::stable_partition(v.begin(), v.end(), [] __device__(int x) { return x < 100; });
  show("parts", v);
  printf("%d\n", static_cast<int>(middle - v.begin()));
  v = in;
  Vector keys(3000);
  thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(3000),
                    keys.begin(), [] __device__(int i) { return i / 11 % 9; });
  const auto ends = thrust::unique_by_key(keys.begin(), keys.end(), v.begin());
  keys.erase(ends.first, keys.end()), v.erase(ends.second, v.end());
  show("unique", v);
  printf("inner %d\n", thrust::inner_product(in.begin(), in.end(), in2.begin(), 5));
  printf("equal %d\n", thrust::inner_product(in.begin(), in.end(), in2.begin(), 0,
                                             thrust::plus<int>(), thrust::equal_to<int>()));
  const auto extremes = thrust::minmax_element(in.begin(), in.end());
  printf("extremes %d %d\n", static_cast<int>(extremes.first - in.begin()),
         static_cast<int>(extremes.second - in.begin()));
  printf("all %d any %d none %d\n",
         thrust::all_of(in.begin(), in.end(), [] __device__(int x) { return x < 500; }),
         thrust::any_of(in.begin(), in.end(), [] __device__(int x) { return x == 499; }),
         thrust::none_of(in.begin(), in.end(), [] __device__(int x) { return x < 0; }));
  v.assign(3000, 0);
  const auto permuted = thrust::make_permutation_iterator(
      in.begin(),
      thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                      [] __host__ __device__(int i) { return i * 7 % 3000; }));
  thrust::copy(permuted, permuted + 3000, v.begin());
  show("permuted", v);
  auto zipped = thrust::make_zip_iterator(in.begin(), in2.begin(), v.begin());
  printf("zipped %d\n", thrust::transform_reduce(
                            zipped, zipped + 3000,
                            [] __host__ __device__(const thrust::tuple<int, int, int>& t) {
                              return thrust::get<0>(t) * 2 - thrust::get<1>(t) +
                                     thrust::get<2>(t) % 5;
                            },
                            0, thrust::plus<int>()));
  thrust::transform(
      thrust::make_zip_iterator(in.begin(), in2.begin()),
      thrust::make_zip_iterator(in.end(), in2.end()), v.begin(),
      [] __device__(auto t) { return thrust::get<0>(t) > thrust::get<1>(t) ? 1 : -1; });
  show("compared", v);
  Vector map(3000);
  thrust::tabulate(map.begin(), map.end(), [] __device__(int i) { return (i * 13 + 5) % 3000; });
  thrust::scatter(in.begin(), in.end(), map.begin(), v.begin());
  show("scattered", v);
  thrust::gather_if(map.begin(), map.end(), in2.begin(), in.begin(), v.begin(),
                    [] __device__(int x) { return x > 200; });
  show("gathered", v);
  thrust::adjacent_difference(in.begin(), in.end(), v.begin(),
                              [] __device__(int a, int b) { return a * 2 - b; });
  show("differences", v);
  thrust::replace_if(
      v.begin(), v.end(), in2.begin(), [] __device__(int x) { return x % 2; }, -7);
  show("replaced", v);
  thrust::reverse(v.begin(), v.end());
  thrust::swap_ranges(v.begin(), v.begin() + 1000, v.begin() + 2000);
  show("swapped", v);
  thrust::copy(thrust::make_reverse_iterator(in.end()), thrust::make_reverse_iterator(in.begin()),
               thrust::make_transform_output_iterator(v.begin(), thrust::negate<int>()));
  show("reversed", v);
  Vector counts(20);
  const auto groups = thrust::make_transform_iterator(
      thrust::counting_iterator<int>(0), [] __host__ __device__(int i) { return i / 200; });
  const auto stop = thrust::reduce_by_key(groups, groups + 3000, in.begin(),
                                          thrust::make_discard_iterator(), counts.begin());
  show("by key", counts);
  printf("%d\n", static_cast<int>(stop.second - counts.begin()));
  // Vectors that grow and shrink.
  thrust::host_vector<int> list;
  for (int i = 0; i < 100; ++i) list.push_back(i * i % 37);
  Vector grown = list;
  grown.insert(grown.begin() + 10, 5, -1);
  grown.insert(grown.end(), list.begin(), list.begin() + 20);
  grown.erase(grown.begin() + 50, grown.begin() + 60);
  grown.push_back(99);
  grown[3] = 1234;
  grown.resize(150, 8);
  grown.shrink_to_fit();
  show("grown", grown);
  printf("%d %d %d\n", static_cast<int>(grown[3]), static_cast<int>(grown.back()),
         static_cast<int>(grown.size()));
  Vector a(in.begin(), in.begin() + 500), b(in2.begin(), in2.begin() + 400), av(500), bv(400),
      ko(900), vo(900);
  thrust::sequence(av.begin(), av.end()), thrust::sequence(bv.begin(), bv.end(), 10000, 3);
  thrust::sort_by_key(a.begin(), a.end(), av.begin());
  thrust::stable_sort_by_key(b.begin(), b.end(), bv.begin());
  thrust::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), av.begin(), bv.begin(), ko.begin(),
                       vo.begin());
  show("merged keys", ko);
  const auto both = thrust::set_intersection_by_key(a.begin(), a.end(), b.begin(), b.end(),
                                                    av.begin(), ko.begin(), vo.begin());
  printf("%d ", static_cast<int>(both.first - ko.begin()));
  const auto less = thrust::set_difference_by_key(a.begin(), a.end(), b.begin(), b.end(),
                                                  av.begin(), bv.begin(), ko.begin(), vo.begin());
  printf("%d ", static_cast<int>(less.first - ko.begin()));
  const auto either =
      thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), ko.begin());
  printf("%d\n", static_cast<int>(either - ko.begin()));
  show("either", ko);
  return 0;
}
