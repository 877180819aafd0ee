// SPDX-License-Identifier: Apache-2.0
// With Approx::hardware, `.approx` gives an H100's bits. The sums are of what an H100 answered:
// over all 2^32 arguments of each instruction, which CUVETTE_TEST_ALL_ARGUMENTS=1 goes through
// (minutes), and over 65,536 of them, which each run does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

struct Answers {
  const char* instruction;
  uint64_t all;          // the sum over all arguments
  uint64_t samples[16];  // over 4096 arguments for each value of the upper four bits
};
const Answers answers[] = {
    {"ex2.approx.ftz.f32",
     0x2a57ff826f110821,
     {0x1f2c5ed64ac219d9, 0xba4f742d8b00ab2c, 0x77d1cfcb88a4ac7e, 0x317efad042190806,
      0xba84bede2e7e8aef, 0x77b11ff31661386b, 0xc67533457c7c8a98, 0xda0329a808626a1b,
      0x0d43fee07d98f767, 0x4b645e164ccad71c, 0xef639d7fb200ca4f, 0xf1f8ca109a554daf,
      0xfcb6014e292317d5, 0x56d6bb7ac5301a1a, 0xc1aa414ec85b66ea, 0x965d8c70e1024b69}},
    {"ex2.approx.f32",
     0x4c45b03f3d023748,
     {0x1f2c5ed64ac219d9, 0xba4f742d8b00ab2c, 0x77d1cfcb88a4ac7e, 0x317efad042190806,
      0xba84bede2e7e8aef, 0x77b11ff31661386b, 0xc67533457c7c8a98, 0xda0329a808626a1b,
      0x0d43fee07d98f767, 0x4b645e164ccad71c, 0xef639d7fb200ca4f, 0xf1f8ca109a554daf,
      0x001329473b31bda3, 0x56d6bb7ac5301a1a, 0xc1aa414ec85b66ea, 0x965d8c70e1024b69}},
    {"lg2.approx.ftz.f32",
     0xcd13251b9cb415db,
     {0x2b0ac5c6a731ae61, 0xe94a3994f43d794b, 0xc6496521fe3034ca, 0xa0d9de77df307a16,
      0x0ec5652174acd544, 0x3c1fbb73e498dba7, 0xc26339563b73c613, 0x98a2984bfed07160,
      0x7abc1c920930af0a, 0xe748dabd9bceb352, 0x279926977b127999, 0x460d4b87322a0d63,
      0x65c628e8377a7ade, 0x8f8819168e747269, 0x2e6a583009dc3d22, 0xb88d9bb814ca4a0b}},
    {"lg2.approx.f32",
     0xcc83f9c468dc9cb8,
     {0xcec7156eb91a1a49, 0xe94a3994f43d794b, 0xc6496521fe3034ca, 0xa0d9de77df307a16,
      0x0ec5652174acd544, 0x3c1fbb73e498dba7, 0xc26339563b73c613, 0x98a2984bfed07160,
      0xb687488479a08a89, 0xe748dabd9bceb352, 0x279926977b127999, 0x460d4b87322a0d63,
      0x65c628e8377a7ade, 0x8f8819168e747269, 0x2e6a583009dc3d22, 0xb88d9bb814ca4a0b}},
    {"rcp.approx.ftz.f32",
     0x1c78472e399b4d10,
     {0xda0b6490bc6e51b4, 0x5bc7fac78b5f25a2, 0x5c31dc34511052d4, 0xea5608213ea6d9ec,
      0x9e6b5a08f63ebebf, 0xc95b480c1ddfc521, 0x9b5587359c9d80e0, 0x26f493ec54092e53,
      0x43e0accfeea4914b, 0xdd66278a54dc402e, 0xe651af5d37e03378, 0x6b36d2a9b0aebc67,
      0x0d06ce6f51df60d4, 0x887d3a122cb16906, 0xba714c5e685b1bdb, 0xbcbc3ab97def3b69}},
    {"rcp.approx.f32",
     0x3ed3e5afc31186ee,
     {0x802945e4021bd594, 0x5bc7fac78b5f25a2, 0x5c31dc34511052d4, 0xea5608213ea6d9ec,
      0x9e6b5a08f63ebebf, 0xc95b480c1ddfc521, 0x9b5587359c9d80e0, 0x26490a9b44921f86,
      0xc54a777f11c0d30a, 0xdd66278a54dc402e, 0xe651af5d37e03378, 0x6b36d2a9b0aebc67,
      0x0d06ce6f51df60d4, 0x887d3a122cb16906, 0xba714c5e685b1bdb, 0x4f81c60d0d535b2a}},
    {"rsqrt.approx.ftz.f32",
     0xd74c5d2cdf04a5cd,
     {0x64b16fa04a5705e4, 0x72c58a4ee3fc7d0d, 0x6185d3e1136761cd, 0x27c3393f9420f18a,
      0xbc3579a699f987d2, 0x27b93b097be1c6c5, 0x2dcbd3100516ca7c, 0x1fdbeaab6b5f19f5,
      0x7abc1c920930af0a, 0xe748dabd9bceb352, 0x279926977b127999, 0x460d4b87322a0d63,
      0x65c628e8377a7ade, 0x8f8819168e747269, 0x2e6a583009dc3d22, 0xb88d9bb814ca4a0b}},
    {"rsqrt.approx.f32",
     0xef6cd62c2b31d74d,
     {0x8f02e604d315fdbe, 0x72c58a4ee3fc7d0d, 0x6185d3e1136761cd, 0x27c3393f9420f18a,
      0xbc3579a699f987d2, 0x27b93b097be1c6c5, 0x2dcbd3100516ca7c, 0x1fdbeaab6b5f19f5,
      0xb687488479a08a89, 0xe748dabd9bceb352, 0x279926977b127999, 0x460d4b87322a0d63,
      0x65c628e8377a7ade, 0x8f8819168e747269, 0x2e6a583009dc3d22, 0xb88d9bb814ca4a0b}},
    {"sqrt.approx.ftz.f32",
     0x0fcf47ec1c0722e8,
     {0x5ef6091d4dfe87df, 0xe692f10c81a83acc, 0x8315da0119824d9b, 0x6eeb09a0efed34a2,
      0x40ab2fc264a83a15, 0xc42976eb9c90a4c5, 0x173c2ac2dcbe6bdd, 0xaf01436b3aac5d4d,
      0xf2cce4b97dc79d99, 0xe748dabd9bceb352, 0x279926977b127999, 0x460d4b87322a0d63,
      0x65c628e8377a7ade, 0x8f8819168e747269, 0x2e6a583009dc3d22, 0xb88d9bb814ca4a0b}},
    {"sqrt.approx.f32",
     0x4a041c4267bb1550,
     {0x72800b9ca908ec83, 0xe692f10c81a83acc, 0x8315da0119824d9b, 0x6eeb09a0efed34a2,
      0x40ab2fc264a83a15, 0xc42976eb9c90a4c5, 0x173c2ac2dcbe6bdd, 0xaf01436b3aac5d4d,
      0x3a223d1dba6dda64, 0xe748dabd9bceb352, 0x279926977b127999, 0x460d4b87322a0d63,
      0x65c628e8377a7ade, 0x8f8819168e747269, 0x2e6a583009dc3d22, 0xb88d9bb814ca4a0b}},
    {"sin.approx.ftz.f32",
     0x4798e9bee619300a,
     {0xf4b2f35b59d7e0f3, 0x561a63514cb72f50, 0x9e0c50cfc1658de3, 0x2918caa152e83825,
      0xcfc34339133828b0, 0x43c44d104970675f, 0xb6da6dbe73764380, 0x71f81cf0a9fbb7dd,
      0xbff94f8b666877ec, 0x7490d2b1f6d5c0b1, 0xebf97f03d2cae7e3, 0x3cb6c2cdca94a4bd,
      0xbcb75866f512774b, 0x7cb83283df1ef6a2, 0x53e51eabbff17118, 0xe6ed23e211458e9a}},
    {"sin.approx.f32",
     0x4798e9bee619300a,
     {0xf4b2f35b59d7e0f3, 0x561a63514cb72f50, 0x9e0c50cfc1658de3, 0x2918caa152e83825,
      0xcfc34339133828b0, 0x43c44d104970675f, 0xb6da6dbe73764380, 0x71f81cf0a9fbb7dd,
      0xbff94f8b666877ec, 0x7490d2b1f6d5c0b1, 0xebf97f03d2cae7e3, 0x3cb6c2cdca94a4bd,
      0xbcb75866f512774b, 0x7cb83283df1ef6a2, 0x53e51eabbff17118, 0xe6ed23e211458e9a}},
    {"cos.approx.ftz.f32",
     0xb50c6ef420b1243c,
     {0x1f2c5ed64ac219d9, 0xba4f742d8b00ab2c, 0x77d1cfcb88a4ac7e, 0x82583bc154030214,
      0x7ff9ae54a47c9998, 0x3dff9e085083c378, 0xdfad304dd3dda3a3, 0x3dac4b41e409b0ee,
      0x0d43fee07d98f767, 0x4b645e164ccad71c, 0xef639d7fb200ca4f, 0xdb7db6254605a53c,
      0xcbc8f644aaadba54, 0x1602d825ad3724f2, 0xce46276ac2a10a3f, 0xc4bdfa92f9f25a61}},
    {"cos.approx.f32",
     0xb50c6ef420b1243c,
     {0x1f2c5ed64ac219d9, 0xba4f742d8b00ab2c, 0x77d1cfcb88a4ac7e, 0x82583bc154030214,
      0x7ff9ae54a47c9998, 0x3dff9e085083c378, 0xdfad304dd3dda3a3, 0x3dac4b41e409b0ee,
      0x0d43fee07d98f767, 0x4b645e164ccad71c, 0xef639d7fb200ca4f, 0xdb7db6254605a53c,
      0xcbc8f644aaadba54, 0x1602d825ad3724f2, 0xce46276ac2a10a3f, 0xc4bdfa92f9f25a61}},
    {"tanh.approx.f32",
     0xc7ee44d3b0c46ece,
     {0xd296e439dfb7c907, 0x9821bc1491674cf9, 0xc9bfe85f8dddf360, 0x1db9352a61f1aa98,
      0xd6705b3784d36b81, 0x3dff9e085083c378, 0xdfad304dd3dda3a3, 0x3dac4b41e409b0ee,
      0xe57b7b9954d4e8c4, 0x46e5df3d7a91102f, 0x75baf215943662bc, 0xdca24eeca64eb41c,
      0x7fe9f04f4951afdf, 0xb93d993387b7c3e2, 0x3c8c0f89917a8344, 0x88dc240f8bfcdbbc}}};
struct SmallAnswers {
  const char* instruction;
  uint64_t all;  // over the 65,536 arguments
};
const SmallAnswers small_answers[] = {
    {"ex2.approx.f16", 0x244fc835afdc5fba},
    {"ex2.approx.ftz.bf16", 0x44175f299ecf9e24},
    {"tanh.approx.f16", 0xab8e77a982fb5089},
    {"tanh.approx.bf16", 0xcf64f9fbc4eb2a6f},
};

uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
uint64_t share(uint32_t argument, uint32_t result) {
  return mixed((uint64_t{argument} << 32 | result) + 0x9e3779b97f4a7c15);
}

// out[thread] = instruction(first + step thread), for numbers of 32 or of 16 bits.
std::string kernel_of(const std::string& instruction, bool small) {
  const std::string convert =
      small ? "cvt.u16.u32 %h1, %r5;\n" + instruction + " %h2, %h1;\n" + "cvt.u32.u16 %r6, %h2;\n"
            : "mov.b32 %f1, %r5;\n" + instruction + " %f2, %f1;\n" + "mov.b32 %r6, %f2;\n";
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 first, .param .u32 step) {
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<3>; .reg .b16 %h<3>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [first]; ld.param.u32 %r2, [step];
mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r7, %tid.x;
mad.lo.u32 %r3, %r3, %r4, %r7;
mad.lo.u32 %r5, %r3, %r2, %r1;
)" + convert +
         R"(
mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6;
ret; }
)";
}

class SpecialFunctions : public testing::TestWithParam<Vectors> {
 protected:
  static CompileRequest request() {
    CompileRequest request;
    request.approx = Approx::hardware;
    return request;
  }
};

TEST_P(SpecialFunctions, GiveAnH100sBits) {
  for (const Answers& answer : answers) {
    Kernel kernel(kernel_of(answer.instruction, false), "k", GetParam(), {{16, 1, 1}, {256, 1, 1}},
                  request());
    std::vector<uint32_t> out(4096);
    for (uint32_t part = 0; part < 16; ++part) {
      uint64_t sum = 0;
      ASSERT_EQ(kernel(out.data(), part << 28, uint32_t{65521}), Status::finished);
      for (uint32_t k = 0; k < 4096; ++k) sum += share((part << 28) + k * 65521, out[k]);
      EXPECT_EQ(sum, answer.samples[part]) << answer.instruction << " of " << part << "xxxxxxx";
    }
  }
}

TEST_P(SpecialFunctions, GiveAnH100sBitsOfSmallNumbers) {
  for (const SmallAnswers& answer : small_answers) {
    Kernel kernel(kernel_of(answer.instruction, true), "k", GetParam(), {{256, 1, 1}, {256, 1, 1}},
                  request());
    std::vector<uint32_t> out(65536);
    ASSERT_EQ(kernel(out.data(), uint32_t{0}, uint32_t{1}), Status::finished);
    uint64_t sum = 0;
    for (uint32_t x = 0; x < 65536; ++x) sum += share(x, out[x]);
    EXPECT_EQ(sum, answer.all) << answer.instruction;
  }
}

// An argument that is the same for all lanes is computed once, by other code.
TEST_P(SpecialFunctions, GiveTheSameBitsOfUniformArguments) {
  constexpr uint32_t count = 96;
  for (const Answers& answer : answers) {
    const std::string text = kernel_of(answer.instruction, false);
    Kernel many(text, "k", GetParam(), {{3, 1, 1}, {32, 1, 1}}, request());
    Kernel one(text, "k", GetParam(), {{1, 1, 1}, {1, 1, 1}}, request());
    const uint32_t step = 0x02aa9a3d;
    std::vector<uint32_t> out(count), single(1);
    ASSERT_EQ(many(out.data(), uint32_t{7}, step), Status::finished);
    for (uint32_t n = 0; n < count; ++n) {
      ASSERT_EQ(one(single.data(), 7 + n * step, uint32_t{0}), Status::finished);
      ASSERT_EQ(single[0], out[n]) << answer.instruction << " of " << 7 + n * step;
    }
  }
}

TEST_P(SpecialFunctions, GiveAnH100sBitsOfEveryArgument) {
  if (!std::getenv("CUVETTE_TEST_ALL_ARGUMENTS"))
    GTEST_SKIP() << "takes minutes: CUVETTE_TEST_ALL_ARGUMENTS=1 runs it";
  constexpr uint32_t count = 1 << 20;
  std::vector<uint32_t> out(count);
  for (const Answers& answer : answers) {
    Kernel kernel(kernel_of(answer.instruction, false), "k", GetParam(),
                  {{count / 256, 1, 1}, {256, 1, 1}}, request());
    uint64_t sum = 0;
    for (uint32_t part = 0; part < 4096; ++part) {
      ASSERT_EQ(kernel(out.data(), part << 20, uint32_t{1}), Status::finished);
      for (uint32_t k = 0; k < count; ++k) sum += share((part << 20) + k, out[k]);
    }
    EXPECT_EQ(sum, answer.all) << answer.instruction;
  }
}

// Sums over the quotients of 65,536 drawn pairs, half of them with an operand at an edge.
struct Quotients {
  const char* instruction;
  uint64_t all;
};
const Quotients quotients[] = {
    {"div.approx.f32", 0x7e25eb3dd1d7199a},
    {"div.approx.ftz.f32", 0x9a759b155577cd30},
    {"div.full.f32", 0xa0d7ccafb3429903},
    {"div.full.ftz.f32", 0xc7a117787f4dddd1},
};

struct Pair {
  uint32_t a, b;
};
Pair drawn_pair(uint64_t n) {
  constexpr uint32_t edges[] = {0x00000000, 0x80000000, 0x00000001, 0x007fffff,
                                0x00800000, 0x7e800000, 0x7e800001, 0x7f000000,
                                0x7f7fffff, 0x7f800000, 0x7fc00000, 0x3f800000,
                                0xff800000, 0xbf800000, 0x00800001, 0x7e7fffff};
  const uint64_t bits = mixed(n * 0x9e3779b97f4a7c15 + 1);
  Pair pair{static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
  if (n % 2 == 0) return pair;
  if (n / 2 % 3 == 0) {
    pair.b = edges[n / 8 % 16];
  } else if (n / 2 % 3 == 1) {
    pair.a = edges[n / 8 % 16];
  } else {
    pair = {edges[n / 8 % 16], edges[n / 128 % 16]};
  }
  return pair;
}

TEST_P(SpecialFunctions, GiveAnH100sQuotients) {
  constexpr uint32_t count = 65536;
  std::vector<uint32_t> a(count), b(count), out(count);
  for (uint32_t n = 0; n < count; ++n) {
    a[n] = drawn_pair(n).a;
    b[n] = drawn_pair(n).b;
  }
  for (const Quotients& answer : quotients) {
    const std::string text = std::string(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b) {
.reg .b64 %rd<8>; .reg .b32 %r<5>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.u32 %r4, %r1, %r2, %r3;
mul.wide.u32 %rd4, %r4, 4;
add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;
ld.global.f32 %f1, [%rd6]; ld.global.f32 %f2, [%rd7];
)") + answer.instruction + R"( %f3, %f1, %f2;
st.global.f32 [%rd5], %f3;
ret; }
)";
    Kernel kernel(text, "k", GetParam(), {{count / 256, 1, 1}, {256, 1, 1}}, request());
    ASSERT_EQ(kernel(out.data(), a.data(), b.data()), Status::finished);
    uint64_t sum = 0;
    for (uint32_t n = 0; n < count; ++n) sum += mixed(mixed(n + 1) ^ out[n]);
    EXPECT_EQ(sum, answer.all) << answer.instruction;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, SpecialFunctions, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
