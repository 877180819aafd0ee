// SPDX-License-Identifier: Apache-2.0
// What the two files of one program for the device have in common.
#pragma once

extern __device__ int total;
extern __constant__ int factors[4];

__device__ int scaled(int x);
__device__ int calls(int (*function)(int), int x);

// In both files: one of them counts.
template <typename T>
__device__ T square(T x) {
  return x * x;
}
template <typename T>
__global__ void fill(T* out) {
  out[threadIdx.x] = square(static_cast<T>(threadIdx.x));
}

// A variable of both files, which is one.
template <typename T>
struct Count {
  static __device__ T value;
};
template <typename T>
__device__ T Count<T>::value = 3;

void fill_elsewhere(int* out);
int private_elsewhere();
int count_elsewhere();
