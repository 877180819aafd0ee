// SPDX-License-Identifier: Apache-2.0
// Hand-written PTX that compilers rarely emit: chains of carries, bit fields, predicates and their
// combinations, packed conversions, indexed jumps, loops and functions inside asm.
#include "../corpus.hpp"

using U64 = unsigned long long;
#define A(text, ...) asm volatile(text : __VA_ARGS__)

__global__ void carries(const U64* in, U64* out) {
  const int t = threadIdx.x;
  const U64 a0 = in[t], a1 = in[t + 1], b0 = in[t + 2], b1 = in[t + 3];
  U64 s0, s1, s2, d0, d1, d2;
  A("add.cc.u64 %0, %3, %5;\n addc.cc.u64 %1, %4, %6;\n addc.u64 %2, 0, 0;", "=l"(s0), "=l"(s1),
    "=l"(s2)
    : "l"(a0), "l"(a1), "l"(b0), "l"(b1));
  A("sub.cc.u64 %0, %3, %5;\n subc.cc.u64 %1, %4, %6;\n subc.u64 %2, 0, 0;", "=l"(d0), "=l"(d1),
    "=l"(d2)
    : "l"(a0), "l"(a1), "l"(b0), "l"(b1));
  unsigned p[4];
  A("{\n .reg .u32 al, ah, bl, bh;\n mov.b64 {al, ah}, %4;\n mov.b64 {bl, bh}, %5;\n mul.lo.u32 "
    "%0, al, bl;\n mul.hi.u32 %1, al, bl;\n"
    " mad.lo.cc.u32 %1, al, bh, %1;\n madc.hi.u32 %2, al, bh, 0;\n mad.lo.cc.u32 %1, ah, bl, %1;\n "
    "madc.hi.cc.u32 %2, ah, bl, %2;\n"
    " madc.hi.u32 %3, ah, bh, 0;\n mad.lo.cc.u32 %2, ah, bh, %2;\n addc.u32 %3, %3, 0;\n}",
    "=&r"(p[0]), "=&r"(p[1]), "=&r"(p[2]), "=&r"(p[3])
    : "l"(a0), "l"(b0));
  out[t] = s0 + s1 * 3 + s2 * 5 + d0 * 7 + d1 * 11 + d2 * 13 + p[0] + p[1] * 17ull + p[2] * 19ull +
           p[3] * 23ull;
}

__global__ void fields(const unsigned* in, unsigned* out) {
  const int t = threadIdx.x;
  const unsigned a = in[t], b = in[t + 1], n = a % 40, m = b % 40;
  unsigned r[20];
  A("bfe.u32 %0, %1, %2, %3;", "=r"(r[0]) : "r"(a), "r"(n), "r"(m));
  A("bfe.s32 %0, %1, %2, %3;", "=r"(r[1]) : "r"(a), "r"(n), "r"(m));
  A("bfi.b32 %0, %1, %2, %3, %4;", "=r"(r[2]) : "r"(a), "r"(b), "r"(n), "r"(m));
  A("bfind.u32 %0, %1;", "=r"(r[3]) : "r"(a >> n));
  A("bfind.shiftamt.s32 %0, %1;", "=r"(r[4]) : "r"(a));
  A("bmsk.clamp.b32 %0, %1, %2;", "=r"(r[5]) : "r"(n), "r"(m));
  A("bmsk.wrap.b32 %0, %1, %2;", "=r"(r[6]) : "r"(n), "r"(m));
  A("szext.clamp.s32 %0, %1, %2;", "=r"(r[7]) : "r"(a), "r"(n));
  A("szext.wrap.u32 %0, %1, %2;", "=r"(r[8]) : "r"(a), "r"(n));
  A("fns.b32 %0, %1, %2, %3;", "=r"(r[9]) : "r"(a), "r"(n % 32), "r"(static_cast<int>(m % 7) - 3));
  A("shf.l.clamp.b32 %0, %1, %2, %3;", "=r"(r[10]) : "r"(a), "r"(b), "r"(n));
  A("shf.r.wrap.b32 %0, %1, %2, %3;", "=r"(r[11]) : "r"(a), "r"(b), "r"(n));
  A("prmt.b32.f4e %0, %1, %2, %3;", "=r"(r[12]) : "r"(a), "r"(b), "r"(n));
  A("prmt.b32.rc16 %0, %1, %2, %3;", "=r"(r[13]) : "r"(a), "r"(b), "r"(n));
  A("lop3.b32 %0, %1, %2, %3, 0x96;", "=r"(r[14]) : "r"(a), "r"(b), "r"(n * 77));
  A("{\n .reg .pred p, q;\n setp.lt.u32 q, %3, 20;\n lop3.or.b32 %0|p, %1, %2, %3, 0x1a, q;\n @p "
    "add.u32 %0, %0, 1;\n}",
    "=r"(r[15])
    : "r"(a), "r"(b), "r"(n));
  A("sad.s32 %0, %1, %2, %3;", "=r"(r[16]) : "r"(a), "r"(b), "r"(n));
  A("mul24.hi.s32 %0, %1, %2;", "=r"(r[17]) : "r"(a), "r"(b));
  A("mad24.lo.u32 %0, %1, %2, %3;", "=r"(r[18]) : "r"(a), "r"(b), "r"(n));
  A("{\n .reg .b32 c;\n cnot.b32 c, %1;\n slct.u32.s32 %0, %2, c, %3;\n}", "=r"(r[19])
    : "r"(n / 20), "r"(a), "r"(b));
  unsigned sum = 0;
  for (unsigned x : r) sum = sum * 31 + x;
  out[t] = sum;
}

__global__ void predicates(const int* in, int* out) {
  const int t = threadIdx.x, a = in[t], b = in[t + 1];
  int s, u;
  A("{\n .reg .pred p, q, x;\n setp.gt.s32 x, %2, 30;\n setp.lt.or.s32 p|q, %1, %2, x;\n selp.s32 "
    "%0, 5, 6, p;\n @q add.s32 %0, %0, 10;\n @!q add.s32 %0, %0, 100;\n}",
    "=r"(s)
    : "r"(a), "r"(b));
  A("{\n .reg .pred p, q;\n setp.ne.s32 q, %1, 7;\n setp.eq.xor.s32 p, %1, %2, !q;\n @p bra "
    "end_%=;\n end_%=:\n set.le.u32.s32 %0, %1, %2;\n}",
    "=r"(u)
    : "r"(a), "r"(b));
  out[t] = s + u;
}

__global__ void packed(const float* in, unsigned* out) {
  const int t = threadIdx.x;
  const float x = in[t] * 300, y = in[t + 1] * 70000;
  const int a = static_cast<int>(x * 200), b = static_cast<int>(y);
  unsigned r[8];
  A("cvt.pack.sat.s16.s32 %0, %1, %2;", "=r"(r[0]) : "r"(a), "r"(b));
  A("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", "=r"(r[1]) : "r"(a), "r"(b), "r"(t));
  A("cvt.pack.sat.u16.s32 %0, %1, %2;", "=r"(r[2]) : "r"(a), "r"(b));
  A("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", "=r"(r[3]) : "r"(a), "r"(b), "r"(77));
  A("cvt.rn.f16x2.f32 %0, %1, %2;", "=r"(r[4]) : "f"(x), "f"(y));
  A("cvt.rn.relu.bf16x2.f32 %0, %1, %2;", "=r"(r[5]) : "f"(x), "f"(y));
  A("cvt.rna.tf32.f32 %0, %1;", "=r"(r[6]) : "f"(x));
  A("{\n .reg .u8 c;\n cvt.rni.sat.u8.f32 c, %1;\n cvt.u32.u8 %0, c;\n}", "=r"(r[7]) : "f"(x));
  unsigned sum = 0;
  for (unsigned v : r) sum = sum * 31 + v;
  out[t] = sum;
}

__global__ void ways(const unsigned* in, unsigned* out) {
  const int t = threadIdx.x;
  unsigned r;
  A("{\n .reg .u32 i;\n .reg .pred p;\n rem.u32 i, %1, 4;\n mov.u32 %0, 1;\n targets: "
    ".branchtargets L0, L1, L2, L3;\n brx.idx i, targets;\n"
    " L0: add.u32 %0, %0, 10;\n L1: mul.lo.u32 %0, %0, 7;\n bra.uni L4;\n L2: mov.u32 %0, 99;\n "
    "L3: add.u32 %0, %0, %1;\n setp.gt.u32 p, %0, 5000;\n"
    " @p shr.u32 %0, %0, 1;\n @p bra L3;\n L4:\n}",
    "=r"(r)
    : "r"(in[t] % 997));
  unsigned count;
  A("{\n .reg .pred p;\n .reg .u32 x;\n mov.u32 %0, 0;\n mov.u32 x, %1;\n again:\n setp.le.u32 p, "
    "x, 1;\n @p bra done;\n add.u32 %0, %0, 1;\n"
    " and.b32 x, x, 0xffff;\n shr.u32 x, x, 1;\n bra again;\n done:\n}",
    "=r"(count)
    : "r"(in[t]));
  out[t] = r * 100 + count;
}

int main() {
  std::vector<U64> wide(70);
  std::vector<unsigned> words(70);
  std::vector<int> small(70);
  for (int i = 0; i < 70; ++i)
    wide[i] = i % 7 == 0 ? ~0ull
                         : static_cast<U64>(corpus::scramble(i)) << 32 | corpus::scramble(i + 100),
    words[i] = corpus::scramble(i), small[i] = corpus::scramble(i) % 60;
  Buffer<U64> w(wide), wo(64);
  Buffer<unsigned> u(words), uo(64);
  Buffer<int> s(small), so(64);
  Buffer<float> f(corpus::floats(70));
  RUN(carries<<<1, 64>>>(w, wo));
  corpus::show("carries", wo.read());
  RUN(fields<<<1, 64>>>(u, uo));
  corpus::show("fields", uo.read());
  RUN(predicates<<<1, 64>>>(s, so));
  corpus::show("predicates", so.read());
  RUN(packed<<<1, 64>>>(f, uo));
  corpus::show("packed", uo.read());
  RUN(ways<<<1, 64>>>(u, uo));
  corpus::show("ways", uo.read());
  return 0;
}
