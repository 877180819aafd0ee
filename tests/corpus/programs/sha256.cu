// SPDX-License-Identifier: Apache-2.0
// SHA-256 of one message per thread, and CRC-32 by a table in constant memory.
#include "../corpus.hpp"

__constant__ unsigned k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotated(unsigned x, int n) { return x >> n | x << (32 - n); }

__global__ void sha(unsigned* out) {
  unsigned w[64] = {};
  char* const text = reinterpret_cast<char*>(w);
  const int length = threadIdx.x % 40;
  for (int i = 0; i < length; ++i) text[i ^ 3] = static_cast<char>('a' + (i * threadIdx.x) % 26);
  text[length ^ 3] = static_cast<char>(0x80);
  w[15] = length * 8;
  for (int i = 16; i < 64; ++i) {
    const unsigned s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3,
                   s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
           v[8];
  for (int i = 0; i < 8; ++i) v[i] = h[i];
  for (int i = 0; i < 64; ++i) {
    const unsigned t1 = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
                        ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
    const unsigned t2 = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
                        ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int j = 7; j > 0; --j) v[j] = v[j - 1];
    v[4] += t1, v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = h[i] + v[i];
}

__constant__ unsigned crc_table[256];
__global__ void crc(const unsigned char* in, unsigned* out, int each) {
  unsigned c = ~0u;
  for (int i = 0; i < each; ++i) c = crc_table[(c ^ in[threadIdx.x * each + i]) & 255] ^ c >> 8;
  out[threadIdx.x] = ~c;
}

int main() {
  Buffer<unsigned> out(512);
  RUN(sha<<<1, 64>>>(out));
  const auto all = out.read();
  for (int i = 0; i < 8; ++i) printf("%08x", all[i]);
  printf(" %016llx\n", corpus::digest(all));
  unsigned table[256];
  for (unsigned i = 0; i < 256; ++i) {
    table[i] = i;
    for (int b = 0; b < 8; ++b)
      table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
  }
  CHECK(cudaMemcpyToSymbol(crc_table, table, sizeof table));
  std::vector<unsigned char> bytes(64 * 100);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(corpus::scramble(i));
  Buffer<unsigned char> in(bytes);
  RUN(crc<<<1, 64>>>(in, out, 100));
  corpus::show("crc", out.read(), 4);
  return 0;
}
