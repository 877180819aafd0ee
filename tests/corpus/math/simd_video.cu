// SPDX-License-Identifier: Apache-2.0
// Functions of two and of four numbers in one register, and DPX comparisons of several numbers.
#include "../corpus.hpp"

__global__ void pairs(const unsigned* in, unsigned* out) {
  const int t = threadIdx.x;
  const unsigned a = in[t], b = in[t + 64];
  unsigned* to = out + t;
  const auto put = [&](unsigned v) { *to = v, to += 64; };
  put(__vadd2(a, b)), put(__vaddss2(a, b)), put(__vaddus2(a, b)), put(__vsub2(a, b)),
      put(__vsubus2(a, b)), put(__vabs2(a)), put(__vabsdiffs2(a, b)), put(__vavgs2(a, b)),
      put(__vavgu2(a, b));
  put(__vcmpeq2(a, b)), put(__vcmpgts2(a, b)), put(__vcmpleu2(a, b)), put(__vmaxs2(a, b)),
      put(__vminu2(a, b)), put(__vneg2(a)), put(__vsads2(a, b)), put(__vseteq2(a, b)),
      put(__vsetltu2(a, b));
  put(__vadd4(a, b)), put(__vaddss4(a, b)), put(__vaddus4(a, b)), put(__vsub4(a, b)),
      put(__vsubss4(a, b)), put(__vabsdiffu4(a, b)), put(__vavgu4(a, b)), put(__vcmpgeu4(a, b)),
      put(__vcmpne4(a, b));
  put(__vmaxu4(a, b)), put(__vmins4(a, b)), put(__vsadu4(a, b)), put(__vsetgts4(a, b)),
      put(__vnegss4(a)), put(__vhaddu4(a, b));
  put(__vimax3_s32(a, b, t)), put(__vimin3_u32(a, b, 77)), put(__viaddmax_s32(a, b, 5)),
      put(__viaddmin_s16x2(a, b, a ^ b)), put(__vimax_s32_relu(a, b)),
      put(__vimax3_s16x2(a, b, a + b)), put(__viaddmax_s32_relu(a, b, 3));
}

int main() {
  std::vector<unsigned> host(128);
  for (int i = 0; i < 128; ++i) host[i] = i % 9 == 0 ? host[i / 2] : corpus::scramble(i);
  Buffer<unsigned> in(host), out(64 * 40);
  RUN(pairs<<<1, 64>>>(in, out));
  const auto all = out.read();
  for (int i = 0; i < 40; ++i)
    printf("%d: %08x %08x %016llx\n", i, all[i * 64], all[i * 64 + 40],
           corpus::digest(std::vector<unsigned>(all.begin() + i * 64, all.begin() + i * 64 + 64)));
  return 0;
}
