// SPDX-License-Identifier: Apache-2.0
// Structures as parameters and in memory: large ones, bit fields, unions, alignment, arrays of
// them.
#include "../corpus.hpp"

struct Big {
  int header;
  double matrix[8][8];
  char name[13];
  short tail;
};
struct Bits {
  unsigned a : 3, b : 7, c : 22;
  long long d : 40;
};
union Mixed {
  float f;
  unsigned u;
  unsigned char bytes[4];
};
struct __align__(16) Vector {
  float x, y, z;
  int tag;
};

__global__ void read(Big big, Bits bits, double* out) {
  const int t = threadIdx.x;
  double sum = big.header + big.tail;
  for (int i = 0; i < 8; ++i) sum += big.matrix[t % 8][i] * big.matrix[i][t / 8 % 8];
  out[t] = sum + big.name[t % 13] + bits.a * 1000 + bits.b * 100 + bits.c + bits.d;
}

__global__ void change(Bits* bits, Mixed* mixed, Vector* vectors, const Vector extra) {
  const int t = threadIdx.x;
  bits[t].a += t, bits[t].b ^= t * 3, bits[t].c = bits[t].c * 5, bits[t].d -= 1ll << t % 39;
  mixed[t].f = t * 1.5f;
  mixed[t].bytes[3] ^= 0x80;
  Vector v = vectors[t];
  v.x = v.x * extra.x + t, v.tag += extra.tag;
  __syncthreads();
  vectors[t ^ 1] = v;
}

int main() {
  Big big{};
  big.header = 77, big.tail = -5;
  for (int i = 0; i < 64; ++i) big.matrix[i / 8][i % 8] = i * 0.25 - 3;
  strcpy(big.name, "twelve chars");
  Buffer<double> out(64);
  RUN(read<<<1, 64>>>(big, Bits{5, 100, 123456, -77777777}, out));
  corpus::show("read", out.read());
  Buffer<Bits> bits(64);
  Buffer<Mixed> mixed(64);
  Buffer<Vector> vectors(std::vector<Vector>(64, Vector{2, 3, 4, 5}));
  RUN(change<<<1, 64>>>(bits, mixed, vectors, Vector{3, 0, 0, 10}));
  const auto b = bits.read();
  const auto m = mixed.read();
  const auto v = vectors.read();
  for (int i = 0; i < 64; i += 13)
    printf("%u %u %u %lld | %g %08x | %g %g %d\n", b[i].a, b[i].b, b[i].c,
           static_cast<long long>(b[i].d), m[i].f, m[i].u, v[i].x, v[i].z, v[i].tag);
  return 0;
}
