// SPDX-License-Identifier: Apache-2.0
// Uses the variables of relocatable_managed.cu on both sides, and has one of the same name as its.
#include "relocatable_managed.hpp"

static __managed__ int own = 2;

__global__ void change_more() {
  counter += 100;
  own += 200;
  in_each += 10;
  Shared<int>::value += 10;
}

void change_elsewhere() {
  change_more<<<1, 1>>>();
  cudaDeviceSynchronize();
}
int own_elsewhere() { return own; }
int counter_elsewhere() { return counter; }
