// SPDX-License-Identifier: Apache-2.0
// As much constant memory, shared memory and parameters as possible; variable templates, tables of
// structures in constant memory, managed variables, variables initialised with others' addresses.
#include "../corpus.hpp"

__constant__ int all_constants[15 * 1024];
struct Row {
  char letter;
  double factor;
  const int* where;
  int (*what)(int);
};
__device__ int triple(int x) { return x * 3; }
__device__ int minus_one(int x) { return x - 1; }
__device__ int values[4] = {10, 20, 30, 40};
__constant__ Row rows[3] = {
    {'a', 0.5, values, triple}, {'b', 2.5, values + 2, minus_one}, {'c', -1, &values[1], triple}};
__constant__ const char* const words[4] = {"zero", "one", "two", "three"};
__constant__ char text[] = "constant text";
__device__ struct {
  int a;
  float b[3];
  struct {
    short c;
    char d[3];
  } inner[2];
} nested = {1, {2, 3, 4}, {{5, "ab"}, {6, "cd"}}};
__device__ int* pointer = &values[3];
__device__ int** pointer_to_pointer = &pointer;
__managed__ int managed[16] = {3, 1, 4, 1, 5};
__managed__ double managed_sum;

__global__ void constants(long long* out) {
  const int t = threadIdx.x;
  long long sum = 0;
  for (int i = t; i < 15 * 1024; i += blockDim.x)
    sum += all_constants[i] * static_cast<long long>(i % 7);
  sum += all_constants[0] + all_constants[15 * 1024 - 1];
  const Row row = rows[t % 3];
  sum += row.letter * 1000 + static_cast<long long>(row.factor * 10) + row.where[1] + row.what(t);
  for (const char* c = words[t % 4]; *c; ++c) sum = sum * 3 + *c;
  sum += text[t % sizeof text] + nested.inner[t % 2].c + nested.inner[1].d[1] +
         static_cast<int>(nested.b[t % 3]);
  out[t] = sum + **pointer_to_pointer;
}

__global__ void use_managed() {
  const int t = threadIdx.x;
  managed[t] += t;
  if (t == 0) managed_sum += 2.5;
}

__global__ void shared_dynamic(unsigned* out, int words) {
  extern __shared__ unsigned table[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) table[i] = corpus::scramble(i + blockIdx.x);
  __syncthreads();
  unsigned r = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) r ^= table[(i * 7919ll) % words] + i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = r + table[words - 1];
}

// Dynamic shared memory of two types, after static shared memory.
template <typename T, int N>
__device__ T* room() {
  __shared__ T cells[N];
  return cells;
}
template <typename T, int N>
__global__ void shared_of_templates(double* out) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ T own[N];
  double* const doubles = reinterpret_cast<double*>(bytes);
  float* const floats = reinterpret_cast<float*>(bytes + 32 * sizeof(double));
  T* const others = room<T, N>();
  const int t = threadIdx.x;
  if (t < N) own[t] = static_cast<T>(t), others[t] = static_cast<T>(t * 2);
  if (t < 32) doubles[t] = t * 0.5, floats[t] = t;
  __syncthreads();
  out[t] = own[(t + 1) % N] + others[(t + 2) % N] * 100.0 + doubles[(t + 3) % 32] +
           floats[(t + 4) % 32] * 1000;
}

template <typename T, int Bytes>
struct Filled {
  T items[Bytes / sizeof(T)];
};
using Four = Filled<int, 4000>;
using Thirty = Filled<unsigned, 32700>;

__global__ void four_kilobytes(Four given, int* out, int last) {
  out[threadIdx.x] = given.items[threadIdx.x * 7] + given.items[999] + last;
}
__global__ void thirty_kilobytes(const __grid_constant__ Thirty given, unsigned* out) {
  unsigned r = 0;
  for (int i = threadIdx.x; i < 32700 / 4; i += blockDim.x) r = r * 3 + given.items[i];
  const unsigned* const address = &given.items[threadIdx.x];
  out[threadIdx.x] = r + address[5];
}
__global__ void changed_parameter(Four given, int* out) {
  given.items[threadIdx.x] += 5;
  int* const mine = given.items;
  mine[threadIdx.x + 1] = mine[threadIdx.x] * 2;
  out[threadIdx.x] = given.items[threadIdx.x + 1] + given.items[(threadIdx.x + 2) % 3];
}
struct Mixed {
  char a;
  short b;
  float c;
  double d;
  const int* e;
  char3 f;
  uchar1 g;
  bool h;
  float3 i;
};
__global__ void many(char a, short b, Mixed c, long long d, bool e, float4 f, unsigned char g,
                     double h, int2 i, char3 j, const int* k, Mixed l, double* out) {
  out[threadIdx.x] = a + b * 2 + c.a + c.b + c.c + c.d + c.e[1] + c.f.y + c.g.x + c.h + c.i.z + d +
                     e + f.w * 3 + g + h + i.y + j.z + k[threadIdx.x % 4] + l.d + l.f.x + l.i.y;
}

int main() {
  const auto host = corpus::numbers(15 * 1024, 1000);
  CHECK(cudaMemcpyToSymbol(all_constants, host.data(), sizeof all_constants));
  Buffer<long long> wide(64);
  RUN(constants<<<1, 64>>>(wide));
  corpus::show("constants", wide.read());
  for (int i = 0; i < 16; ++i) managed[i] += 100;
  RUN(use_managed<<<1, 16>>>());
  RUN(use_managed<<<1, 16>>>());
  printf("managed %d %d %d %g\n", managed[0], managed[4], managed[15], managed_sum);
  for (int kib : {1, 47, 48, 100, 163, 227}) {
    Buffer<unsigned> out(2 * 1000);
    CHECK(cudaFuncSetAttribute(shared_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kib * 1024));
    RUN(shared_dynamic<<<2, 1000, kib * 1024>>>(out, kib * 256));
    printf("%d KiB", kib);
    corpus::show("", out.read(), 3);
  }
  shared_dynamic<<<1, 32, 228 * 1024>>>(nullptr, 1);
  printf("too much: %s\n", cudaGetErrorName(cudaGetLastError()));
  Buffer<double> doubles(64);
  RUN(shared_of_templates<char, 10><<<1, 64, 384>>>(doubles));
  corpus::show("char", doubles.read());
  RUN(shared_of_templates<short, 33><<<1, 64, 384>>>(doubles));
  corpus::show("short", doubles.read());
  RUN(shared_of_templates<double, 64><<<1, 64, 384>>>(doubles));
  corpus::show("double", doubles.read());
  Buffer<int> ints(64), four(std::vector<int>{7, 8, 9, 10});
  Buffer<unsigned> words_out(64);
  Four f;
  Thirty thirty;
  for (int i = 0; i < 1000; ++i) f.items[i] = host[i];
  for (int i = 0; i < 32700 / 4; ++i) thirty.items[i] = corpus::scramble(i);
  RUN(four_kilobytes<<<1, 64>>>(f, ints, 5));
  corpus::show("4 KB", ints.read());
  RUN(changed_parameter<<<1, 64>>>(f, ints));
  corpus::show("changed", ints.read());
  RUN(thirty_kilobytes<<<1, 64>>>(thirty, words_out));
  corpus::show("30 KB", words_out.read());
  const Mixed mixed{1, 2, 3.5f, 4.25, four, {1, 2, 3}, {4}, true, {5, 6, 7}};
  RUN(many<<<1, 4>>>(-1, -2, mixed, 1ll << 33, true, float4{1, 2, 3, 4}, 200, 0.125, int2{5, 6},
                     char3{7, 8, 9}, four, mixed, doubles));
  corpus::show("many", doubles.read(), 4);
  return 0;
}
