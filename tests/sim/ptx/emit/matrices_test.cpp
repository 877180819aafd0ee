// SPDX-License-Identifier: Apache-2.0
// Products of small matrices. Which lane holds which element is as an H100 did it with the same
// registers; the numbers are small enough for every sum to be exact.
#include <bit>
#include <cmath>
#include <numeric>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

struct Element {
  std::string_view name;
  uint32_t bytes;

  void put(uint8_t* at, int value) const {
    const auto copy = [&](auto number) { std::memcpy(at, &number, sizeof number); };
    if (name == "f16")
      copy(static_cast<_Float16>(static_cast<float>(value)));
    else if (name == "bf16")
      copy(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
    else if (name == "f32" || name == "tf32")
      copy(static_cast<float>(value));
    else if (name == "f64")
      copy(static_cast<double>(value));
    else if (name == "e4m3" || name == "e5m2")
      copy(eighth(value, name == "e4m3" ? 3 : 2, name == "e4m3" ? 7 : 15));
    else if (bytes == 1)
      copy(static_cast<uint8_t>(value));
    else
      copy(value);
  }
  static uint8_t eighth(int value, int mantissa, int bias) {
    if (value == 0) return 0;
    const int exponent = std::ilogb(std::abs(value));
    const int units = static_cast<int>(std::ldexp(std::abs(value), mantissa - exponent));
    return static_cast<uint8_t>((value < 0 ? 128 : 0) + ((exponent + bias - 1) << mantissa) +
                                units);
  }
  double get(const uint8_t* at) const {
    const auto copy = [&](auto number) {
      std::memcpy(&number, at, sizeof number);
      return static_cast<double>(number);
    };
    if (name == "f16") return copy(_Float16{});
    if (name == "f32") return copy(float{});
    return name == "f64" ? copy(double{}) : copy(int32_t{});
  }
};

constexpr Element elements[] = {{"f16", 2}, {"bf16", 2}, {"tf32", 4}, {"f32", 4},  {"f64", 8},
                                {"s8", 1},  {"u8", 1},   {"s32", 4},  {"e4m3", 1}, {"e5m2", 1}};

const Element& element(std::string_view name) {
  for (const Element& one : elements)
    if (one.name == name) return one;
  std::abort();
}

struct Matrix {
  uint32_t rows, columns;
  std::vector<int> values = std::vector<int>(rows * columns);
  int& at(uint32_t row, uint32_t column) { return values[row * columns + column]; }
};

class Matrices : public testing::TestWithParam<Vectors> {
 protected:
  uint32_t random() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 40);
  }
  void fill(Matrix& matrix, std::string_view type) {
    for (int& value : matrix.values)
      value = static_cast<int>(random() % 9) - (type == "u8" ? 0 : 4);
  }
  static std::string registers(const std::string& name, uint32_t count) {
    std::string text = "{";
    for (uint32_t r = 0; r < count; ++r) text += (r ? ", " : "") + name + std::to_string(r);
    return text + "}";
  }
  uint64_t state_ = 1;
};

struct Shape {
  uint32_t m, n, k;
  std::string_view d, a, b;
};

TEST_P(Matrices, ProductsOfFragments) {
  for (const Shape& s : std::initializer_list<Shape>{{16, 8, 16, "f32", "f16", "f16"},
                                                     {16, 8, 16, "f16", "f16", "f16"},
                                                     {16, 8, 8, "f32", "f16", "f16"},
                                                     {16, 8, 8, "f16", "f16", "f16"},
                                                     {16, 8, 16, "f32", "bf16", "bf16"},
                                                     {16, 8, 8, "f32", "bf16", "bf16"},
                                                     {16, 8, 4, "f32", "tf32", "tf32"},
                                                     {16, 8, 8, "f32", "tf32", "tf32"},
                                                     {8, 8, 4, "f64", "f64", "f64"},
                                                     {8, 8, 16, "s32", "s8", "s8"},
                                                     {16, 8, 16, "s32", "s8", "u8"},
                                                     {16, 8, 32, "s32", "u8", "s8"},
                                                     {16, 8, 32, "f32", "e4m3", "e4m3"},
                                                     {16, 8, 32, "f16", "e5m2", "e4m3"},
                                                     {16, 8, 16, "f32", "e4m3", "e5m2"},
                                                     {16, 8, 16, "f16", "e5m2", "e5m2"}}) {
    const std::string name = "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" +
                             std::to_string(s.k) + ".row.col." + std::string(s.d) + "." +
                             std::string(s.a) + "." + std::string(s.b) + "." + std::string(s.d);
    SCOPED_TRACE(name);
    const Element &a = element(s.a), &b = element(s.b), &d = element(s.d);
    const uint32_t bytes = a.bytes == 8 ? 8 : 4, each = bytes / a.bytes, width = 4 * each;
    const uint32_t d_bytes = d.bytes == 8 ? 8 : 4, d_each = d_bytes / d.bytes;
    const uint32_t a_count = s.m * s.k / 32 / each, b_count = s.n * s.k / 32 / each,
                   d_count = s.m * s.n / 32 / d_each;
    const std::string wide = bytes == 8 ? "64" : "32", d_wide = d_bytes == 8 ? "64" : "32";
    // Each lane's registers are contiguous in memory.
    const auto move = [&](bool loads, const std::string& reg, const std::string& base,
                          uint32_t count, const std::string& bits) {
      std::string text = "mul.wide.u32 %rd1, %r0, " +
                         std::to_string(count * (bits == "64" ? 8 : 4)) +
                         ";\nadd.s64 %rd1, %rd1, " + base + ";\n";
      for (uint32_t r = 0; r < count; ++r) {
        const std::string place = "[%rd1+" + std::to_string(r * (bits == "64" ? 8 : 4)) + "]";
        const std::string one = reg + std::to_string(r);
        text += loads ? "ld.global.b" + bits + " " + one + ", " + place + ";\n"
                      : "st.global.b" + bits + " " + place + ", " + one + ";\n";
      }
      return text;
    };
    const std::string text =
        ".reg .b32 %r<3>; .reg .b64 %rd<9>; .reg .b" + wide + " %a<8>; .reg .b" + wide +
        " %b<8>; .reg .b" + d_wide + " %c<8>; .reg .b" + d_wide + " %d<8>;\n" +
        "mov.u32 %r0, %tid.x; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b]; "
        "ld.param.u64 %rd4, [c]; ld.param.u64 %rd5, [d];\n" +
        move(true, "%a", "%rd2", a_count, wide) + move(true, "%b", "%rd3", b_count, wide) +
        move(true, "%c", "%rd4", d_count, d_wide) + "mma.sync.aligned." + name + " " +
        registers("%d", d_count) + ", " + registers("%a", a_count) + ", " +
        registers("%b", b_count) + ", " + registers("%c", d_count) + ";\n" +
        move(false, "%d", "%rd5", d_count, d_wide) + "ret;";
    Kernel kernel(module_of(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", text),
                  "kernel", GetParam());
    Matrix x{s.m, s.k}, y{s.k, s.n}, z{s.m, s.n};
    fill(x, s.a);
    fill(y, s.b);
    fill(z, s.d);
    std::vector<uint8_t> from_a(32 * a_count * bytes), from_b(32 * b_count * bytes),
        from_c(32 * d_count * d_bytes), to(from_c.size());
    const auto each_sum = [&](const auto& f) {
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t r = 0; r < d_count; ++r)
          for (uint32_t e = 0; e < d_each; ++e) {
            const uint32_t tile = d_each == 2 ? r : r / 2, j = d_each == 2 ? e : r % 2;
            f((lane * d_count + r) * d_bytes + e * d.bytes, tile * 8 + lane / 4, lane % 4 * 2 + j);
          }
    };
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t e = 0; e < each; ++e) {
        const uint32_t g = lane / 4, t = lane % 4;
        for (uint32_t r = 0; r < a_count; ++r)
          a.put(&from_a[(lane * a_count + r) * bytes + e * a.bytes],
                x.at(r % (s.m / 8) * 8 + g, r / (s.m / 8) * width + t * each + e));
        for (uint32_t r = 0; r < b_count; ++r)
          b.put(&from_b[(lane * b_count + r) * bytes + e * b.bytes],
                y.at(r * width + t * each + e, g));
      }
    each_sum([&](size_t place, uint32_t row, uint32_t column) {
      d.put(&from_c[place], z.at(row, column));
    });
    ASSERT_EQ(kernel(from_a.data(), from_b.data(), from_c.data(), to.data()), Status::finished);
    each_sum([&](size_t place, uint32_t row, uint32_t column) {
      int sum = z.at(row, column);
      for (uint32_t k = 0; k < s.k; ++k) sum += x.at(row, k) * y.at(k, column);
      EXPECT_EQ(d.get(&to[place]), sum) << row << ' ' << column;
    });
  }
}

// mma.m8n8k4 of f16: four products of eight lanes each, in all layouts.
TEST_P(Matrices, FourProductsAtATime) {
  for (const bool a_rows : {true, false})
    for (const bool b_rows : {true, false})
      for (const auto& [d_type, c_type] :
           {std::pair{"f32", "f32"}, std::pair{"f16", "f16"}, std::pair{"f32", "f16"}}) {
        const auto order = [](bool rows) { return std::string(rows ? ".row" : ".col"); };
        const std::string name = "mma.sync.aligned.m8n8k4" + order(a_rows) + order(b_rows) + "." +
                                 d_type + ".f16.f16." + c_type;
        SCOPED_TRACE(name);
        const Element &half = element("f16"), &d = element(d_type), &c = element(c_type);
        const uint32_t c_count = 2 * c.bytes, d_count = 2 * d.bytes;
        std::string text =
            ".reg .b32 %r<3>; .reg .b64 %rd<9>; .reg .b32 %a<2>, %b<2>, %c<8>, %d<8>;"
            "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 64;"
            "ld.param.u64 %rd2, [in]; add.u64 %rd2, %rd2, %rd1;"
            "ld.param.u64 %rd3, [out]; add.u64 %rd3, %rd3, %rd1;"
            "ld.global.v2.b32 {%a0, %a1}, [%rd2]; ld.global.v2.b32 {%b0, %b1}, [%rd2+8];\n";
        for (uint32_t n = 0; n < c_count; ++n)
          text += "ld.global.b32 %c" + std::to_string(n) + ", [%rd2+" + std::to_string(16 + 4 * n) +
                  "];";
        text += name + " " + registers("%d", d_count) + ", {%a0, %a1}, {%b0, %b1}, " +
                registers("%c", c_count) + ";\n";
        for (uint32_t n = 0; n < d_count; ++n)
          text +=
              "st.global.b32 [%rd3+" + std::to_string(4 * n) + "], %d" + std::to_string(n) + ";";
        Kernel kernel(module_of(".param .u64 in, .param .u64 out", text + "ret;"), "kernel",
                      GetParam());
        std::vector<uint8_t> in(32 * 64), out(32 * 64);
        std::vector<Matrix> x(4, {8, 4}), y(4, {4, 8}), z(4, {8, 8});
        for (uint32_t q = 0; q < 4; ++q) fill(x[q], "f16"), fill(y[q], "f16"), fill(z[q], "f16");
        // The row and column of a lane's element i of C or D.
        const auto place = [](const Element& type, uint32_t lane, uint32_t i) {
          const uint32_t low = lane < 16 ? 0 : 4;
          if (type.bytes == 2) return std::pair{low + lane % 4, i};
          return std::pair{low + (lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)};
        };
        for (uint32_t lane = 0; lane < 32; ++lane) {
          const uint32_t q = lane % 16 / 4, low = lane < 16 ? 0 : 4;
          uint8_t* const at = &in[64 * lane];
          for (uint32_t i = 0; i < 4; ++i) {
            half.put(at + 2 * i, a_rows ? x[q].at(low + lane % 4, i) : x[q].at(low + i, lane % 4));
            half.put(at + 8 + 2 * i,
                     b_rows ? y[q].at(lane % 4, low + i) : y[q].at(i, low + lane % 4));
          }
          for (uint32_t i = 0; i < 8; ++i) {
            const auto [row, column] = place(c, lane, i);
            c.put(at + 16 + c.bytes * i, z[q].at(row, column));
          }
        }
        ASSERT_EQ(kernel(in.data(), out.data()), Status::finished);
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t i = 0; i < 8; ++i) {
            const uint32_t q = lane % 16 / 4;
            const auto [row, column] = place(d, lane, i);
            int sum = z[q].at(row, column);
            for (uint32_t k = 0; k < 4; ++k) sum += x[q].at(row, k) * y[q].at(k, column);
            EXPECT_EQ(d.get(&out[64 * lane + d.bytes * i]), sum) << lane << ' ' << i;
          }
      }
}

// D = A B + C with wmma: rows or columns first in memory, and lines longer than needed.
TEST_P(Matrices, ProductsOfWholeMatrices) {
  struct Case {
    Shape s;
    bool a_rows, b_rows, d_rows;
    uint32_t a_registers, b_registers, d_registers;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{16, 16, 16, "f32", "f16", "f16"}, true, false, true, 8, 8, 8},
           {{16, 16, 16, "f32", "f16", "f16"}, false, true, false, 8, 8, 8},
           {{16, 16, 16, "f16", "f16", "f16"}, true, true, false, 8, 8, 4},
           {{8, 32, 16, "f32", "f16", "f16"}, true, true, true, 8, 8, 8},
           {{32, 8, 16, "f16", "f16", "f16"}, false, false, true, 8, 8, 4},
           {{16, 16, 16, "f32", "bf16", "bf16"}, true, false, true, 4, 4, 8},
           {{32, 8, 16, "f32", "bf16", "bf16"}, false, true, true, 8, 2, 8},
           {{16, 16, 16, "s32", "s8", "s8"}, true, false, true, 2, 2, 8},
           {{8, 32, 16, "s32", "u8", "u8"}, false, true, false, 1, 4, 8},
           {{16, 16, 8, "f32", "tf32", "tf32"}, true, false, true, 4, 4, 8},
           {{8, 8, 4, "f64", "f64", "f64"}, true, true, true, 1, 1, 2}}) {
    const Shape& s = c.s;
    // Code for small vectors takes seconds to compile.
    if (GetParam() == Vectors::sse && (s.n == 32 || s.m == 32 || c.a_rows == c.b_rows)) continue;
    const std::string shape =
        "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k);
    const auto order = [](bool rows) { return std::string(rows ? ".row" : ".col"); };
    SCOPED_TRACE(shape + order(c.a_rows) + order(c.b_rows) + std::string(s.a));
    const Element &a = element(s.a), &b = element(s.b), &d = element(s.d);
    const std::string in = a.bytes == 8 ? "64" : "32", out = d.bytes == 8 ? "64" : "32";
    std::string types = "." + std::string(s.d) + "." + std::string(s.a) + "." + std::string(s.b) +
                        "." + std::string(s.d);
    if (s.a == "f16") types = "." + std::string(s.d) + "." + std::string(s.d);
    constexpr uint32_t beyond = 16;
    const auto line = [&](bool rows, uint32_t m, uint32_t n) { return (rows ? n : m) + beyond; };
    const uint32_t a_line = line(c.a_rows, s.m, s.k), b_line = line(c.b_rows, s.k, s.n),
                   d_line = line(c.d_rows, s.m, s.n);
    const std::string text =
        ".reg .b64 %rd<9>; .reg .b" + in + " %a<8>; .reg .b" + in + " %b<8>; .reg .b" + out +
        " %c<8>; .reg .b" + out + " %d<8>;\n" +
        "ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b]; ld.param.u64 %rd4, [c]; "
        "ld.param.u64 %rd5, [d];\n" +
        "wmma.load.a.sync.aligned" + order(c.a_rows) + "." + shape + ".global." + std::string(s.a) +
        " " + registers("%a", c.a_registers) + ", [%rd2], " + std::to_string(a_line) + ";\n" +
        "wmma.load.b.sync.aligned" + order(c.b_rows) + "." + shape + "." + std::string(s.b) + " " +
        registers("%b", c.b_registers) + ", [%rd3], " + std::to_string(b_line) + ";\n" +
        "wmma.load.c.sync.aligned" + order(c.d_rows) + "." + shape + ".global." + std::string(s.d) +
        " " + registers("%c", c.d_registers) + ", [%rd4], " + std::to_string(d_line) + ";\n" +
        "wmma.mma.sync.aligned" + order(c.a_rows) + order(c.b_rows) + "." + shape + types + " " +
        registers("%d", c.d_registers) + ", " + registers("%a", c.a_registers) + ", " +
        registers("%b", c.b_registers) + ", " + registers("%c", c.d_registers) + ";\n" +
        "wmma.store.d.sync.aligned" + order(c.d_rows) + "." + shape + ".global." +
        std::string(s.d) + " [%rd5], " + registers("%d", c.d_registers) + ", " +
        std::to_string(d_line) + ";\nret;";
    Kernel kernel(module_of(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", text),
                  "kernel", GetParam());
    Matrix x{s.m, s.k}, y{s.k, s.n}, z{s.m, s.n};
    fill(x, s.a);
    fill(y, s.b);
    fill(z, s.d);
    const auto place = [](bool rows, uint32_t length, uint32_t row, uint32_t column) {
      return rows ? row * length + column : column * length + row;
    };
    const auto written = [&](Matrix& matrix, bool rows, uint32_t length, const Element& type) {
      std::vector<uint64_t> memory((rows ? matrix.rows : matrix.columns) * length * type.bytes / 8 +
                                   1);
      for (uint32_t row = 0; row < matrix.rows; ++row)
        for (uint32_t column = 0; column < matrix.columns; ++column)
          type.put(reinterpret_cast<uint8_t*>(memory.data()) +
                       place(rows, length, row, column) * type.bytes,
                   matrix.at(row, column));
      return memory;
    };
    auto from_a = written(x, c.a_rows, a_line, a), from_b = written(y, c.b_rows, b_line, b),
         from_c = written(z, c.d_rows, d_line, d);
    std::vector<uint64_t> to(from_c.size());
    ASSERT_EQ(kernel(from_a.data(), from_b.data(), from_c.data(), to.data()), Status::finished);
    for (uint32_t row = 0; row < s.m; ++row)
      for (uint32_t column = 0; column < s.n; ++column) {
        int sum = z.at(row, column);
        for (uint32_t k = 0; k < s.k; ++k) sum += x.at(row, k) * y.at(k, column);
        EXPECT_EQ(d.get(reinterpret_cast<uint8_t*>(to.data()) +
                        place(c.d_rows, d_line, row, column) * d.bytes),
                  sum)
            << row << ' ' << column;
      }
  }
}

// Sums of integers saturate only on demand.
TEST_P(Matrices, SumsOfWholeNumbersSaturateOnDemand) {
  for (const bool saturates : {false, true}) {
    Kernel kernel(module_of(".param .u64 out", std::string(R"(
      .reg .b32 %r<9>; .reg .b64 %rd<9>;
      ld.param.u64 %rd0, [out];
      mov.u32 %r0, %tid.x;
      mov.u32 %r1, 0x7f7f7f7f;
      mov.u32 %r2, 0x81818181;
      mov.u32 %r3, 0x7ffffff0;
      mov.u32 %r4, 0x80000010;
      mma.sync.aligned.m8n8k16.row.col)") + (saturates ? ".satfinite" : "") +
                                                   R"(.s32.s8.s8.s32
          {%r5, %r6}, {%r1}, {%r1}, {%r3, %r4};
      mma.sync.aligned.m8n8k16.row.col)" + (saturates ? ".satfinite" : "") +
                                                   R"(.s32.s8.s8.s32
          {%r7, %r8}, {%r1}, {%r2}, {%r3, %r4};
      mul.wide.u32 %rd1, %r0, 16;
      add.s64 %rd2, %rd0, %rd1;
      st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8};
      ret;)"),
                  "kernel", GetParam());
    alignas(16) uint32_t out[128] = {};
    ASSERT_EQ(kernel(out), Status::finished);
    const uint32_t sum = 16 * 127 * 127;
    const uint32_t wanted[] = {saturates ? 0x7fffffff : 0x7ffffff0 + sum, 0x80000010 + sum,
                               0x7ffffff0 - sum, saturates ? 0x80000000 : 0x80000010 - sum};
    for (int n = 0; n < 128; ++n) EXPECT_EQ(out[n], wanted[n % 4]) << n;
  }
}

// Lane 4 g + t has word t of row g of A and of column g of B, and columns 2 t and 2 t + 1 of row g
// of D.
TEST_P(Matrices, NumbersOfFourBitsAndOfOne) {
  const auto word = [](uint32_t lane, uint32_t which) { return (lane * 2 + which) * 2654435761u; };
  const auto nibble = [](uint32_t word, uint32_t k, bool with_sign) {
    const int v = static_cast<int>(word >> 4 * k & 15);
    return with_sign && v > 7 ? v - 16 : v;
  };
  for (const std::string_view form :
       {"m8n8k32.row.col.s32.s4.s4.s32", "m8n8k32.row.col.s32.u4.s4.s32",
        "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "m8n8k128.row.col.s32.b1.b1.s32.and.popc"}) {
    SCOPED_TRACE(form);
    const std::string text =
        ".reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [out];\n"
        "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 1; mul.lo.u32 %r2, %r1, "
        "2654435761; add.u32 %r1, %r1, 1; mul.lo.u32 %r3, %r1, 2654435761;\n"
        "mma.sync.aligned." +
        std::string(form) +
        " {%r4, %r5}, {%r2}, {%r3}, {%r0, 7};\n"
        "mul.wide.u32 %rd2, %r0, 8; add.s64 %rd2, %rd1, %rd2;\n"
        "st.global.v2.b32 [%rd2], {%r4, %r5}; ret;";
    Kernel kernel(module_of(".param .u64 out", text), "kernel", GetParam());
    int32_t out[64] = {};
    ASSERT_EQ(kernel(out), Status::finished);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t j = 0; j < 2; ++j) {
        int sum = j ? 7 : static_cast<int>(lane);
        for (uint32_t t = 0; t < 4; ++t) {
          const uint32_t a = word(lane / 4 * 4 + t, 0), b = word((lane % 4 * 2 + j) * 4 + t, 1);
          if (form.find("b1") != form.npos)
            sum += std::popcount(form.find("xor") != form.npos ? a ^ b : a & b);
          else
            for (uint32_t k = 0; k < 8; ++k)
              sum += nibble(a, k, form.find(".s4.s4") != form.npos) * nibble(b, k, true);
        }
        EXPECT_EQ(out[lane * 2 + j], sum) << lane;
      }
  }
}

// As on an H100.
TEST_P(Matrices, BitsThatTf32DoesNotHoldAreCutOff) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .b32 %r<12>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, 0x3f801fff;
    mov.u32 %r2, 0x3f803fff;
    mov.u32 %r3, 0x3e800000;
    mov.u32 %r4, 0;
    mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32
        {%r5, %r6, %r7, %r8}, {%r1, %r2}, {%r3}, {%r4, %r4, %r4, %r4};
    mul.wide.u32 %rd1, %r0, 16;
    add.s64 %rd2, %rd0, %rd1;
    st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8};
    ret;)"),
                "kernel", GetParam());
  alignas(16) uint32_t out[128] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  for (int n = 0; n < 128; ++n) EXPECT_EQ(out[n], n % 4 < 2 ? 0x3f800000 : 0x3f802000) << n;
}

// Rows of matrices in shared memory, straight and transposed, loaded and stored.
TEST_P(Matrices, RowsFromAndToSharedMemory) {
  for (const bool load_turned : {false, true})
    for (const bool store_turned : {false, true})
      for (const uint32_t count : {1u, 2u, 4u}) {
        const std::string form = ".sync.aligned.m8n8.x" + std::to_string(count);
        Kernel kernel(module_of(".param .u64 in, .param .u64 regs, .param .u64 out",
                                R"(
          .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b32 %q<4>; .reg .b64 %rd<9>;
          .shared .align 16 .b8 box[1024];
          ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [regs]; ld.param.u64 %rd2, [out];
          mov.u32 %r0, %tid.x;
          mul.wide.u32 %rd3, %r0, 16;
          add.s64 %rd4, %rd0, %rd3;
          ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd4];
          mov.u32 %r5, box;
          mad.lo.u32 %r6, %r0, 16, %r5;
          add.u32 %r10, %r6, 512;
          st.shared.v4.u32 [%r6], {%r1, %r2, %r3, %r4};
          mov.u32 %r7, 0;
          st.shared.v4.u32 [%r10], {%r7, %r7, %r7, %r7};
          setp.ge.u32 %p1, %r0, )" + std::to_string(8 * count) +
                                    R"(;
          @%p1 mov.u32 %r6, 3;     // what the other lanes say does not count
          @%p1 mov.u32 %r10, 3;
          bar.sync 0;
          ldmatrix)" + form + (load_turned ? ".trans" : "") +
                                    ".shared.b16 " + registers("%q", count) + ", [%r6];\nstmatrix" +
                                    form + (store_turned ? ".trans" : "") + ".shared.b16 [%r10], " +
                                    registers("%q", count) + R"(;
          bar.sync 0;
          mad.lo.u32 %r6, %r0, 16, %r5;
          ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r6+512];
          add.s64 %rd5, %rd2, %rd3;
          st.global.v4.u32 [%rd5], {%r1, %r2, %r3, %r4};
          add.s64 %rd6, %rd1, %rd3;
          st.global.v4.u32 [%rd6], {%q0, %q1, %q2, %q3};
          ret;)"),
                      "kernel", GetParam());
        alignas(16) uint16_t in[256], regs[256] = {}, out[256] = {};
        std::iota(std::begin(in), std::end(in), uint16_t{1});
        ASSERT_EQ(kernel(in, regs, out), Status::finished);
        for (uint32_t n = 0; n < 4; ++n)
          for (uint32_t row = 0; row < 8; ++row)
            for (uint32_t column = 0; column < 8; ++column) {
              const uint16_t here = in[64 * n + 8 * row + column],
                             turned = in[64 * n + 8 * column + row];
              if (n < count) {
                const uint32_t lane = 4 * row + column / 2;
                EXPECT_EQ(regs[lane * 8 + n * 2 + column % 2], load_turned ? turned : here);
              }
              EXPECT_EQ(out[64 * n + 8 * row + column], n >= count                    ? 0
                                                        : load_turned != store_turned ? turned
                                                                                      : here);
            }
      }
}

TEST_P(Matrices, RowsAndColumnsChangePlaces) {
  Kernel kernel(module_of(".param .u64 out", R"(
    .reg .b32 %r<12>; .reg .b64 %rd<9>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 1;
    add.u32 %r2, %r1, 1;
    shl.b32 %r3, %r2, 16;
    or.b32 %r4, %r1, %r3;
    movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r4;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r5;
    ret;)"),
                "kernel", GetParam());
  uint16_t out[64] = {};
  ASSERT_EQ(kernel(out), Status::finished);
  for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(out[n], n % 8 * 8 + n / 8) << n;
}

INSTANTIATE_TEST_SUITE_P(Vectors, Matrices, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
