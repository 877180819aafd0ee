// SPDX-License-Identifier: Apache-2.0
// Managed variables that several files of one program use: relocatable_managed_other.cu has a
// kernel of its own, relocatable_managed_host.cu nothing for the device.
#include <cstdio>

#include "relocatable_managed.hpp"

__managed__ int counter = 5;
static __managed__ int own = 1;

__global__ void change() {
  counter += 1;
  own += 10;
  in_each += 1;
  Shared<int>::value += 1;
}

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  printf("FAILED %s\n", what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

int main() {
  EXPECT(counter == 5 && own == 1 && own_elsewhere() == 2);
  EXPECT(in_each == 6 && Shared<int>::value == 7);
  counter = 50;
  EXPECT(counter_elsewhere() == 50 && counter_of_host() == 50);
  change<<<1, 1>>>();
  change_elsewhere();
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(counter == 151 && counter_elsewhere() == 151 && counter_of_host() == 151);
  EXPECT(own == 11 && own_elsewhere() == 202);
  EXPECT(in_each == 17 && Shared<int>::value == 18);
  printf("%d failures\n", failures);
  return failures != 0;
}
