// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: the functions of half and bfloat16, alone and in pairs, rounded
// to the digits that all correct results share; their loads, shuffles and atomics; every value of
// the formats with eight, six and four bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "../corpus.hpp"

template <typename T, typename F>
__global__ void evaluate(float* out, F f) {
  const int i = threadIdx.x;
  const T x = static_cast<T>(i * 0.125f + 0.125f);
  out[i] = static_cast<float>(f(x));
}
template <typename T, typename F>
void function(const char* name, int digits, F f) {
  Buffer<float> out(32);
  corpus::doing = name;
  evaluate<T><<<1, 32>>>(out.get(), f);
  corpus::check(cudaGetLastError());
  printf("%s:", name);
  const auto all = out.read();
  for (int i = 0; i < 32; i += 3) printf(" %.*e", digits, all[i]);
  printf("\n");
}
#define H(expression) \
  function<__half>("half " #expression, 2, [] __device__(__half x) { return expression; })
#define B(expression)                             \
  function<__nv_bfloat16>("bf16 " #expression, 1, \
                          [] __device__(__nv_bfloat16 x) { return expression; })
#define H2(name) \
  H(__high2half(name(__halves2half2(x, x)))), B(__low2bfloat16(name(__halves2bfloat162(x, x))))
#define EACH(name) H(h##name(x)), B(h##name(x)), H2(h2##name)

__global__ void memory(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2,
                       unsigned short* out) {
  const int t = threadIdx.x;
  __half v =
      __ldg(&h[t]) + __ldcg(&h[(t + 1) % 32]) + __ldca(&h[2]) + __ldcs(&h[3]) + __ldcv(&h[4]);
  __half2 w = __ldg(&h2[t % 16]);
  __nv_bfloat16 u = __ldg(&b[t]) + __ldcs(&b[(t + 5) % 32]);
  __nv_bfloat162 z = __ldcg(&b2[t % 16]);
  v = __shfl_xor_sync(~0u, v, 5), w = __shfl_down_sync(~0u, w, 1), u = __shfl_up_sync(~0u, u, 2),
  z = __shfl_sync(~0u, z, 3, 8);
  __syncthreads();
  __stcg(&h[t], v + __low2half(w)), __stwt(&b[t], u + __high2bfloat16(z));
  atomicAdd(&h2[t % 4], __floats2half2_rn(0.5f, 1)),
      atomicAdd(&b2[t % 4], __floats2bfloat162_rn(1, 0.5f));
  atomicAdd(&h[32 + t % 4], __float2half(1)), atomicAdd(&b[32 + t % 4], __float2bfloat16(2));
  out[t] = __half_as_ushort(v) ^ __bfloat16_as_ushort(u);
  const auto zero = static_cast<unsigned short>(0), seven = static_cast<unsigned short>(7 + t % 2);
  const bool first = atomicCAS(&out[64 + t % 2], zero, seven) == 0;
  out[32 + t] = static_cast<unsigned short>(__popc(__ballot_sync(~0u, first)));
}

template <typename T>
__global__ void narrow(const float* in, unsigned char* out, float* back) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T v(in[i]);
  out[i] = v.__x;
  back[i] = static_cast<float>(v);
}
template <typename T>
void format(const char* name) {
  std::vector<float> host;
  for (unsigned i = 0; i < 4096; ++i) {
    const unsigned b = corpus::scramble(i);
    host.push_back(i % 2 ? std::ldexp(1 + (b % 256) / 256.0f, static_cast<int>(b >> 8) % 24) *
                               (b >> 31 ? -1 : 1) / 4096
                         : (static_cast<int>(b % 4096) - 2048) / 64.0f);
  }
  host[5] = INFINITY, host[7] = -INFINITY, host[9] = -0.0f;
  Buffer<float> in(host), back(4096);
  Buffer<unsigned char> out(4096);
  RUN(narrow<T><<<32, 128>>>(in.get(), out.get(), back.get()));
  printf("%s: %016llx %016llx\n", name, corpus::digest(out.read()), corpus::digest(back.read()));
}
__global__ void pairs(const float* in, unsigned* out) {
  const int i = threadIdx.x;
  const float2 two{in[i], in[i + 1]};
  const float4 four{in[i], in[i + 1], in[i + 2], in[i + 3]};
  unsigned r = __nv_fp8x2_e4m3(two).__x + __nv_fp8x4_e5m2(four).__x * 3u +
               __nv_fp6x2_e2m3(two).__x * 5u + __nv_fp6x2_e3m2(two).__x * 7u;
  r += __nv_fp4x2_e2m1(two).__x * 11u + __nv_fp4x4_e2m1(four).__x * 13u +
       __nv_fp8x2_e8m0(two).__x * 17u;
  const __half h = __float2half(in[i]);
  const __nv_bfloat16 b = __float2bfloat16(in[i]);
  r += __nv_fp8_e4m3(h).__x * 19u + __nv_fp8_e5m2(b).__x * 23u + __nv_fp6_e2m3(h).__x * 29u +
       __nv_fp4_e2m1(b).__x * 31u + __nv_fp8_e4m3(i - 50).__x * 37u;
  out[i] = r;
}
__global__ void wider(unsigned* out) {
  const int i = threadIdx.x;
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  __nv_fp6_e2m3 c;
  __nv_fp6_e3m2 d;
  __nv_fp4_e2m1 e;
  __nv_fp8_e8m0 f;
  a.__x = b.__x = f.__x = i, c.__x = d.__x = i & 63, e.__x = i & 15;
  const auto bits = [](float x) { return x != x ? 1u : __float_as_uint(x); };
  unsigned r = bits(static_cast<float>(a)) + bits(static_cast<float>(b)) * 3 +
               bits(static_cast<float>(c)) * 5 + bits(static_cast<float>(d)) * 7 +
               bits(static_cast<float>(e)) * 11;
  r += bits(static_cast<float>(f)) * 13 + bits(__half2float(static_cast<__half>(a))) * 17 +
       bits(__bfloat162float(static_cast<__nv_bfloat16>(b))) * 19;
  out[i] = r;
}

int main() {
  EACH(sin), EACH(cos), EACH(exp), EACH(exp2), EACH(exp10), EACH(log), EACH(log2), EACH(log10),
      EACH(sqrt), EACH(rsqrt), EACH(rcp);
  EACH(tanh), EACH(floor), EACH(ceil), EACH(rint), EACH(trunc);
  Buffer<__half> h(40);
  Buffer<__nv_bfloat16> b(40);
  Buffer<unsigned short> out(66);
  std::vector<__half> hh(40);
  std::vector<__nv_bfloat16> bb(40);
  for (int i = 0; i < 40; ++i) hh[i] = __float2half(i * 0.5f), bb[i] = __float2bfloat16(i * 0.25f);
  h.write(hh), b.write(bb);
  Buffer<__half2> h2(16);
  Buffer<__nv_bfloat162> b2(16);
  RUN(memory<<<1, 32>>>(h, h2, b, b2, out));
  printf("memory %016llx %016llx %016llx %016llx\n", corpus::digest(h.read()),
         corpus::digest(h2.read()), corpus::digest(b.read()), corpus::digest(b2.read()));
  corpus::show("bits", out.read(), 34);
  format<__nv_fp8_e4m3>("e4m3"), format<__nv_fp8_e5m2>("e5m2"), format<__nv_fp6_e2m3>("e2m3"),
      format<__nv_fp6_e3m2>("e3m2"), format<__nv_fp4_e2m1>("e2m1");
  format<__nv_fp8_e8m0>("e8m0");
  Buffer<float> in(corpus::floats(132));
  Buffer<unsigned> words(256);
  RUN(pairs<<<1, 128>>>(in, words));
  corpus::show("pairs", words.read());
  RUN(wider<<<1, 256>>>(words));
  corpus::show("wider", words.read());
  return 0;
}
