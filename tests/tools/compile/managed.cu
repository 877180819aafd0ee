// SPDX-License-Identifier: Apache-2.0
// Managed variables of every kind of name and type, read and written by host and device in turn.
#include <cstdio>

__device__ __managed__ int counter = 5;
static __managed__ float values[4] = {1, 2, 3};
__managed__ char letter;
__managed__ char text[16];
namespace inner {
__managed__ __device__ long long wide = 1;
}
struct Pair {
  int a, b;
};
__managed__ Pair pair = {7, 8};
template <typename T>
struct Row {
  T items[3];
};
__managed__ Row<double> row;
__managed__ int* pointer;
__managed__ int of_host_alone = 11;

__global__ void change() {
  counter += pair.a;
  values[2] += inner::wide;
  letter = text[3];
  row.items[1] = pair.b;
  *pointer += 1;
}

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  printf("FAILED %s\n", what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

int main() {
  EXPECT(counter == 5 && values[0] == 1 && values[3] == 0 && inner::wide == 1);
  EXPECT(pair.a == 7 && pair.b == 8 && of_host_alone == 11 && pointer == nullptr);
  counter += 10;
  inner::wide = 20;
  text[3] = 'x';
  pointer = &of_host_alone;
  float* const third = values + 2;
  change<<<1, 1>>>();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(counter == 22 && *third == 23 && letter == 'x' && row.items[1] == 8);
  EXPECT(of_host_alone == 12);

  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, &counter) == cudaSuccess);
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == &counter);
  const int seven = 7;
  EXPECT(cudaMemcpyToSymbol(counter, &seven, sizeof seven) == cudaSuccess && counter == 7);
  printf("%d failures\n", failures);
  return failures != 0;
}
