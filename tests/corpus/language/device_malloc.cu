// SPDX-License-Identifier: Apache-2.0
// Memory that kernels allocate: malloc and free, new and delete, also kept from one kernel to the
// next.
#include "../corpus.hpp"

struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};

__device__ Node* lists[64];

__global__ void build(int length) {
  Node* list = nullptr;
  for (int i = 0; i < length + threadIdx.x % 3; ++i) list = new Node(i * threadIdx.x, list);
  lists[threadIdx.x] = list;
}

__global__ void sum(int* out) {
  int total = 0;
  for (Node* node = lists[threadIdx.x]; node;) {
    total += node->value;
    Node* const next = node->next;
    delete node;
    node = next;
  }
  out[threadIdx.x] = total;
}

__global__ void arrays(int* out) {
  int* const mine = static_cast<int*>(malloc((threadIdx.x + 1) * sizeof(int)));
  if (!mine) return;
  for (int i = 0; i <= threadIdx.x; ++i) mine[i] = i * i;
  int total = 0;
  for (int i = 0; i <= threadIdx.x; ++i) total += mine[threadIdx.x - i];
  free(mine);
  __shared__ double* block;
  if (threadIdx.x == 0) block = new double[blockDim.x];
  __syncthreads();
  block[threadIdx.x] = threadIdx.x * 0.5;
  __syncthreads();
  out[threadIdx.x] = total + static_cast<int>(block[blockDim.x - 1 - threadIdx.x] * 2);
  __syncthreads();
  if (threadIdx.x == 0) delete[] block;
}

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
  Buffer<int> out(64);
  RUN(build<<<1, 64>>>(10));
  RUN(sum<<<1, 64>>>(out));
  corpus::show("lists", out.read());
  RUN(arrays<<<1, 64>>>(out));
  corpus::show("arrays", out.read());
  return 0;
}
