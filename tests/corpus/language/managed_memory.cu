// SPDX-License-Identifier: Apache-2.0
// Managed memory: variables, allocations, and structures with pointers to more of it.
#include "../corpus.hpp"

__managed__ int counter = 5;
__managed__ float values[4] = {1, 2, 3, 4};

struct List {
  int size;
  int* items;
};

__global__ void change(List* list) {
  const int t = threadIdx.x;
  atomicAdd(&counter, t);
  if (t < 4) values[t] *= 2;
  if (t < list->size) list->items[t] = list->items[t] * 2 + t;
}

int main() {
  List* list;
  CHECK(cudaMallocManaged(&list, sizeof(List)));
  list->size = 50;
  CHECK(cudaMallocManaged(&list->items, 50 * sizeof(int)));
  for (int i = 0; i < 50; ++i) list->items[i] = i * i;
  counter += 10;
  RUN(change<<<1, 64>>>(list));
  printf("%d | %g %g %g %g |", counter, values[0], values[1], values[2], values[3]);
  for (int i = 0; i < 50; i += 7) printf(" %d", list->items[i]);
  printf("\n");
  values[3] = 100;
  RUN(change<<<1, 32>>>(list));
  printf("%d %g %d\n", counter, values[3], list->items[49]);
  CHECK(cudaFree(list->items));
  CHECK(cudaFree(list));
  return 0;
}
