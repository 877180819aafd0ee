// SPDX-License-Identifier: Apache-2.0
// Every way to read and write: cache hints, volatile, vectors of all kinds, packed and misaligned
// bytes, copies and fills inside kernels, addresses of all spaces passed as generic ones.
#include "../corpus.hpp"

template <typename T>
__device__ T loads(const T* p) {
  T r = __ldg(p);
  r += __ldcg(p + 1);
  r += __ldca(p + 2);
  r += __ldcs(p + 3);
  r += __ldlu(p + 4);
  r += __ldcv(p + 5);
  return r;
}
template <typename T>
__device__ void stores(T* p, T v) {
  __stwb(p, v);
  __stcg(p + 1, static_cast<T>(v + 1));
  __stcs(p + 2, static_cast<T>(v + 2));
  __stwt(p + 3, static_cast<T>(v + 3));
}
template <typename T>
__global__ void hints(const T* in, T* out, int n) {
  const int t = threadIdx.x;
  const T v = loads(in + t * 6 % (n - 6));
  stores(out + t * 4, v);
}
template <typename T>
void hinted(const char* name) {
  std::vector<T> host(400);
  for (int i = 0; i < 400; ++i) host[i] = static_cast<T>(corpus::scramble(i) % 20);
  Buffer<T> in(host), out(256);
  RUN(hints<<<1, 64>>>(in.get(), out.get(), 400));
  corpus::show(name, out.read());
}

// Vectors, by element and as a whole.
template <typename V>
__global__ void vectors(const V* in, V* out, int n) {
  const int t = threadIdx.x;
  V v = in[t], w = __ldg(&in[(t + 1) % n]);
  v.x += w.y, v.y = w.x;
  out[t] = v;
  const volatile V* const same = in;
  out[t].x += same[t].x;
}
template <typename V>
void vector(const char* name) {
  std::vector<V> host(64);
  auto* const bytes = reinterpret_cast<unsigned char*>(host.data());
  for (size_t i = 0; i < 64 * sizeof(V); ++i) bytes[i] = corpus::scramble(i) % 60;
  Buffer<V> in(host), out(64);
  RUN(vectors<<<1, 64>>>(in.get(), out.get(), 64));
  printf("%s: %016llx\n", name, corpus::digest(out.read()));
}

struct __attribute__((packed)) Packed {
  char tag;
  int number;
  short half;
  long long wide;
};
struct alignas(16) Aligned {
  float a, b, c;
};
struct Triple {
  unsigned char r, g, b;
};
struct Nested {
  Triple colour;
  Aligned place;
  char name[5];
  double weight;
};

__global__ void records(unsigned char* packed, Aligned* aligned, Triple* triples, Nested* nested) {
  const int t = threadIdx.x;
  // Packed bytes are read one by one.
  unsigned char* const mine = packed + t * sizeof(Packed);
  Packed record;
  memcpy(&record, mine, sizeof record);
  record.number += t, record.half *= 3, record.wide -= record.tag;
  memcpy(mine, &record, sizeof record);
  aligned[t] = {t * 1.0f, aligned[t].a, 2.0f};
  Triple c = triples[t];
  c.r ^= c.g, c.g += t, c.b = static_cast<unsigned char>(~c.b);
  triples[t] = c;
  nested[t].colour = c, nested[t].place = aligned[t], nested[t].weight = t * 0.5;
  for (int k = 0; k < 5; ++k) nested[t].name[k] = static_cast<char>('a' + (t + k) % 26);
}

__global__ void copies(unsigned char* out) {
  __shared__ unsigned char shared[64][40];
  unsigned char local[40];
  const int t = threadIdx.x;
  memset(local, t, sizeof local);
  memset(local + 3, 0xab, t % 30);
  memcpy(shared[t], local, 40);
  __syncthreads();
  memcpy(local + 1, &shared[(t + 1) % 64][t % 7], 20 + t % 13);
  memcpy(local + 25, local + 2, 7 + t % 8);
  memcpy(local + 1, local + 14, t % 12);
  for (int k = 0; k < 40; ++k) out[t * 40 + k] = local[k];
}

__constant__ int fixed[8] = {1, 2, 3, 5, 8, 13, 21, 34};
__device__ int global[8] = {1, 4, 9, 16, 25, 36, 49, 64};

__device__ __noinline__ int through(const int* p, int k) { return p[k % 8] + *(p + 3); }
__device__ __noinline__ void set(int* p, int k, int v) { p[k] = v; }

__global__ void generic(int* out, unsigned long long* kinds) {
  __shared__ int shared[8];
  const int t = threadIdx.x;
  int local[8];
  for (int k = 0; k < 8; ++k) set(local, k, k * t);
  if (t < 8) set(shared, t, t * t);
  __syncthreads();
  const int* all[] = {fixed, global, shared, local, out + 256};
  int r = 0;
  for (int k = 0; k < 5; ++k) r = r * 7 + through(all[(t + k) % 5], t);
  out[t] = r;
  unsigned long long kind = 0;
  for (int k = 0; k < 5; ++k) {
    const void* const p = all[k];
    kind = kind * 16 + __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p);
  }
  kinds[t] = kind;
  // To a state space and back.
  const size_t in_shared = __cvta_generic_to_shared(&shared[t % 8]);
  const int* const again = static_cast<const int*>(__cvta_shared_to_generic(in_shared));
  out[t] += *again + *static_cast<const int*>(
                         __cvta_global_to_generic(__cvta_generic_to_global(&global[t % 8])));
}

__global__ void aliases(int* __restrict__ a, const int* __restrict__ b, volatile int* c, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    a[i] = b[i] * 2 + b[(i + 1) % n];
    c[i] = a[i];
    c[i] = c[i] + 1;
  }
}

__global__ void bytes(const unsigned char* in, unsigned* out, int n) {
  // A four-byte number at any address, in little-endian and in big-endian order.
  const int t = threadIdx.x;
  unsigned low = 0, high = 0;
  for (int k = 0; k < 4; ++k) {
    low |= static_cast<unsigned>(in[(t * 3 + k) % n]) << 8 * k;
    high = high << 8 | in[(t * 5 + k) % n];
  }
  out[t] = low ^ __byte_perm(high, low, 0x2143);
}

__global__ void matrix_rows(float (*rows)[7], const float* in) {
  const int t = threadIdx.x;
  float mine[7];
#pragma unroll
  for (int k = 0; k < 7; ++k) mine[k] = in[t * 7 + k];
  for (int k = 0; k < 7; ++k) rows[t][(k + t) % 7] = mine[6 - k];
  float* const last = &rows[t][7];
  last[-1] += last[-2];
}

int main() {
  hinted<char>("char"), hinted<signed char>("schar"), hinted<unsigned char>("uchar");
  hinted<short>("short"), hinted<unsigned short>("ushort"), hinted<int>("int");
  hinted<unsigned>("uint"), hinted<long>("long"), hinted<unsigned long long>("u64");
  hinted<long long>("s64"), hinted<float>("float"), hinted<double>("double");
  vector<char2>("char2"), vector<uchar4>("uchar4"), vector<short2>("short2"),
      vector<ushort4>("ushort4");
  vector<int2>("int2"), vector<uint4>("uint4"), vector<longlong2>("longlong2");
  vector<ulonglong2>("ulonglong2"), vector<char4>("char4"), vector<short4>("short4");
  vector<float2>("float2"), vector<float4>("float4"), vector<double2>("double2");
  std::vector<unsigned char> host(64 * sizeof(Packed));
  for (size_t i = 0; i < host.size(); ++i) host[i] = corpus::scramble(i);
  Buffer<unsigned char> packed(host), plain(64 * 40);
  Buffer<Aligned> aligned(64);
  Buffer<Triple> triples(64);
  Buffer<Nested> nested(64);
  RUN(records<<<1, 64>>>(packed, aligned.get(), triples.get(), nested.get()));
  printf("records %016llx %016llx %016llx %zu\n", corpus::digest(packed.read()),
         corpus::digest(aligned.read()), corpus::digest(triples.read()), sizeof(Nested));
  double weights = 0;
  for (const Nested& n : nested.read()) weights += n.weight + n.name[3] + n.place.b + n.colour.g;
  printf("nested %g\n", weights);
  RUN(copies<<<1, 64>>>(plain));
  corpus::show("copies", plain.read());
  Buffer<int> out(264), a(100), c(100), b(corpus::numbers(100, 1000));
  Buffer<unsigned long long> kinds(64);
  RUN(generic<<<1, 64>>>(out, kinds));
  corpus::show("generic", out.read());
  printf("kinds %llx %016llx\n", kinds(0), corpus::digest(kinds.read()));
  RUN(aliases<<<1, 64>>>(a, b, c, 100));
  corpus::show("aliases", c.read());
  Buffer<unsigned> words(64);
  RUN(bytes<<<1, 64>>>(packed, words, 1000));
  corpus::show("bytes", words.read());
  Buffer<float> in(corpus::floats(448)), rows(448);
  RUN(matrix_rows<<<1, 64>>>(reinterpret_cast<float(*)[7]>(rows.get()), in));
  corpus::show("rows", rows.read());
  return 0;
}
