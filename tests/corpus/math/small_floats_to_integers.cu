// SPDX-License-Identifier: Apache-2.0
// Every half, bfloat16 and number of eight bits as each type of integers, on the device and on the
// host: what does not fit, and NaN. And what becomes a number of eight bits that is none.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <string>

#include "../corpus.hpp"

// Numbers as their bits.
__host__ __device__ inline void of_bits(unsigned bits, __half& x) {
  x = __half(__half_raw{static_cast<unsigned short>(bits)});
}
__host__ __device__ inline void of_bits(unsigned bits, __nv_bfloat16& x) {
  x = __nv_bfloat16(__nv_bfloat16_raw{static_cast<unsigned short>(bits)});
}
template <typename Byte>
__host__ __device__ void of_bits(unsigned bits, Byte& x) {
  x.__x = static_cast<__nv_fp8_storage_t>(bits);
}

template <typename Number, typename Integer>
__host__ __device__ Integer converted(unsigned bits) {
  Number x;
  of_bits(bits, x);
  return static_cast<Integer>(x);
}
template <typename Number, typename Integer>
__global__ void convert(Integer* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = converted<Number, Integer>(i);
}

// Shows all on the device. Of the host only whether it is the same.
template <typename Number, typename Integer>
void show(const char* number, const char* integer) {
  constexpr unsigned count = 1u << 8 * sizeof(Number);
  Buffer<Integer> out(count);
  RUN(convert<Number><<<count / 256, 256>>>(out.get(), count));
  const std::vector<Integer> all = out.read();
  unsigned differs = 0;
  for (unsigned i = 0; i < count; ++i) differs += all[i] != converted<Number, Integer>(i);
  corpus::show((std::string(number) + " " + integer).c_str(), all, 4);
  printf("  differs on the host: %u; of the largest: %lld, of NaN: %lld %lld\n", differs,
         static_cast<long long>(all[count / 2 - count / 8]),
         static_cast<long long>(all[count / 2 - 1]), static_cast<long long>(all[count - 1]));
}

template <typename Number>
void show_each(const char* number) {
  show<Number, char>(number, "char");
  show<Number, signed char>(number, "signed char");
  show<Number, unsigned char>(number, "unsigned char");
  show<Number, short>(number, "short");
  show<Number, unsigned short>(number, "unsigned short");
  show<Number, int>(number, "int");
  show<Number, unsigned>(number, "unsigned");
  show<Number, long>(number, "long");
  show<Number, unsigned long>(number, "unsigned long");
  show<Number, long long>(number, "long long");
  show<Number, unsigned long long>(number, "unsigned long long");
}

template <typename Number>
__host__ __device__ unsigned whether(unsigned bits) {
  Number x;
  of_bits(bits, x);
  return static_cast<bool>(x) + 2 * !x;
}
template <typename Number>
__global__ void ask_whether(unsigned* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = whether<Number>(i);
}
template <typename Number>
void show_truth(const char* number) {
  constexpr unsigned count = 1u << 8 * sizeof(Number);
  Buffer<unsigned> out(count);
  RUN(ask_whether<Number><<<count / 256, 256>>>(out.get(), count));
  corpus::show(number, out.read(), 4);
}

// NaN with either sign and several payloads, as numbers of eight bits: thirty-two times eight.
__host__ __device__ inline void of_nan(unsigned i, unsigned* out) {
  const unsigned long long digits = i >> 1 & 7;
  const unsigned long long sign = i & 1;
  const unsigned long long wide_bits = sign << 63 | 0x7ffull << 52 | digits << 49 | 1;
  const unsigned bits = static_cast<unsigned>(sign << 31 | 0xffull << 23 | digits << 20 | 1);
  double wide;
  float x;
  memcpy(&wide, &wide_bits, sizeof wide);
  memcpy(&x, &bits, sizeof x);
  const __half_raw half = {static_cast<unsigned short>(sign << 15 | 0x7c00 | digits << 7 | 1)};
  const auto saturation = i & 16 ? __NV_SATFINITE : __NV_NOSAT;
  out += i;
  for (const auto format : {__NV_E4M3, __NV_E5M2}) {
    *out = __nv_cvt_double_to_fp8(wide, saturation, format), out += 32;
    *out = __nv_cvt_float_to_fp8(x, saturation, format), out += 32;
    *out = __nv_cvt_halfraw_to_fp8(half, saturation, format), out += 32;
  }
  *out = __nv_fp8_e5m2(wide).__x, out += 32;
  *out = __nv_fp8_e5m2(x).__x;
}
__global__ void of_nans(unsigned* out) { of_nan(threadIdx.x, out); }

int main() {
  show_each<__half>("half");
  show_each<__nv_bfloat16>("bfloat16");
  show_each<__nv_fp8_e4m3>("e4m3");
  show_each<__nv_fp8_e5m2>("e5m2");
  show_truth<__half>("half");
  show_truth<__nv_bfloat16>("bfloat16");
  show_truth<__nv_fp8_e4m3>("e4m3");
  show_truth<__nv_fp8_e5m2>("e5m2");

  Buffer<unsigned> out(8 * 32);
  RUN(of_nans<<<1, 32>>>(out));
  const std::vector<unsigned> device = out.read();
  std::vector<unsigned> host(8 * 32);
  for (unsigned i = 0; i < 32; ++i) of_nan(i, host.data());
  for (const auto& all : {device, host})
    for (auto at = all.begin(); at != all.end(); at += 32)
      corpus::show("of NaN", std::vector<unsigned>(at, at + 32), 32);
  return 0;
}
