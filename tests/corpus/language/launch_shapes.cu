// SPDX-License-Identifier: Apache-2.0
// Grids and blocks of odd shapes, a million small blocks, blocks of 1, 33, 1000 and 1024 threads,
// launch bounds, launch attributes, special registers.
#include "../corpus.hpp"

__device__ unsigned rank() {
  return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
             (blockDim.x * blockDim.y * blockDim.z) +
         (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__global__ void places(unsigned* out) {
  const unsigned i = rank();
  unsigned lane, warp;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  out[i] = threadIdx.x + threadIdx.y * 7 + threadIdx.z * 31 + blockIdx.x * 101 + blockIdx.y * 1009 +
           blockIdx.z * 10007 + lane * 3 + (warp >= 0);
}
// A shuffle and a vote in blocks whose last warp is not full.
__global__ void incomplete(unsigned* out) {
  const unsigned here = __activemask(), i = rank();
  const unsigned v = __shfl_sync(here, i, 0) + __popc(__ballot_sync(here, i % 3 == 0)) +
                     __reduce_add_sync(here, i);
  __shared__ unsigned sum;
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, v % 1000);
  __syncthreads();
  out[i] = v + sum;
}
__global__ void tiny(unsigned long long* sum) {
  if (blockIdx.x % 1024 == 1023) atomicAdd(sum, static_cast<unsigned long long>(blockIdx.x));
}
__global__ void each(unsigned* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x ^ threadIdx.x;
}

__global__ void __launch_bounds__(256, 2) bounded(int* out) { out[threadIdx.x] = threadIdx.x * 3; }
template <int N>
__global__ void __launch_bounds__(N) bounded_by_template(int* out) {
  int mine[N / 32];
  for (int k = 0; k < N / 32; ++k) mine[k] = threadIdx.x * k;
  int sum = 0;
  for (int k = 0; k < N / 32; ++k) sum += mine[(k * 5 + threadIdx.x) % (N / 32)];
  out[threadIdx.x] = sum;
}
__global__ void __cluster_dims__(1, 1, 1) clustered(int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
}
__global__ void __maxnreg__(32) few_registers(int* out) {
  out[threadIdx.x] = threadIdx.x * threadIdx.x;
}

struct Functor {
  int factor;
  __device__ int operator()(int x) const { return x * factor; }
};
template <typename F>
__global__ void generic(F f, int* out) {
  out[threadIdx.x] = f(threadIdx.x);
}
namespace inner {
namespace {
__global__ void hidden(int* out) { out[threadIdx.x] = 5; }
}  // namespace
struct Holder {
  static void run(int* out);
};
template <typename T>
__global__ void of_type(T* out) {
  out[threadIdx.x] = static_cast<T>(threadIdx.x * 1.75);
}
void Holder::run(int* out) { hidden<<<1, 32>>>(out), of_type<int><<<1, 16>>>(out); }
}  // namespace inner

int main() {
  Buffer<unsigned> out(1 << 16);
  const dim3 shapes[][2] = {{{3, 5, 2}, {7, 3, 5}},    {{1, 1, 1}, {1, 1, 1}},
                            {{4, 1, 1}, {33, 1, 1}},   {{2, 2, 2}, {1000, 1, 1}},
                            {{1, 3, 1}, {1024, 1, 1}}, {{5, 1, 3}, {1, 1, 64}},
                            {{2, 7, 1}, {1, 33, 3}},   {{1, 1, 9}, {16, 16, 4}},
                            {{11, 1, 1}, {2, 2, 2}},   {{3, 3, 3}, {31, 1, 1}}};
  for (const auto& shape : shapes) {
    CHECK(cudaMemset(out, 0, sizeof(unsigned) << 16));
    RUN(places<<<shape[0], shape[1]>>>(out));
    const auto first = out.read();
    RUN(incomplete<<<shape[0], shape[1]>>>(out));
    printf("%u %u %u by %u %u %u: %016llx %016llx\n", shape[0].x, shape[0].y, shape[0].z,
           shape[1].x, shape[1].y, shape[1].z, corpus::digest(first), corpus::digest(out.read()));
  }
  Buffer<unsigned long long> sum(1);
  RUN(tiny<<<1 << 20, 1>>>(sum));
  printf("million %llu\n", sum(0));
  RUN(each<<<65536, 1>>>(out));
  corpus::show("each", out.read());
  Buffer<int> ints(256);
  RUN(bounded<<<1, 256>>>(ints));
  bounded<<<1, 257>>>(ints);
  printf("too many: %s\n", cudaGetErrorName(cudaGetLastError()));
  RUN(bounded_by_template<128><<<1, 128>>>(ints));
  corpus::show("bounded", ints.read());
  RUN(clustered<<<4, 32>>>(ints));
  RUN(few_registers<<<1, 64>>>(ints));
  corpus::show("registers", ints.read());
  RUN(generic<<<1, 64>>>(Functor{7}, ints.get()));
  RUN(inner::Holder::run(ints));
  corpus::show("names", ints.read());
  const auto refused = [](const char* what, dim3 grid, dim3 block) {
    each<<<grid, block>>>(nullptr);
    printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()));
  };
  refused("no blocks", dim3(0), dim3(32)), refused("no threads", dim3(1), dim3(32, 0)),
      refused("1025 threads", dim3(1), dim3(1025));
  refused("z of 65", dim3(1), dim3(1, 1, 65)), refused("y of 65536", dim3(1, 65536), dim3(1)),
      refused("32 by 33", dim3(1), dim3(32, 33));
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  printf("most threads %d\n", attributes.maxThreadsPerBlock);
  return 0;
}
