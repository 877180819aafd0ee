// SPDX-License-Identifier: Apache-2.0
// A case's operands, contents and kernel, and what is kept of its answer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tests/api/driver/texture/sweep/cases.hpp"

namespace textures {
namespace {

class Numbers {
 public:
  explicit Numbers(const std::string& name) {
    for (const char c : name) state_ = (state_ ^ static_cast<uint8_t>(c)) * 1099511628211u;
    next();
  }
  uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 32);
  }
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(uint64_t{next()} * end >> 32); }
  float between(float from, float to) {
    return from + (to - from) * (static_cast<float>(next() >> 8) * 0x1p-24f);
  }

 private:
  uint64_t state_ = 14695981039346656037u;
};

uint32_t bits(float number) {
  uint32_t result;
  std::memcpy(&result, &number, 4);
  return result;
}

// Rounds toward zero a number in the range of a half.
uint16_t half(float number) {
  const uint32_t all = bits(number);
  const auto sign = static_cast<uint16_t>(all >> 16 & 0x8000);
  const int exponent = static_cast<int>(all >> 23 & 255) - 112;
  if (exponent <= 0) return sign;
  return static_cast<uint16_t>(sign | exponent << 10 | (all >> 13 & 0x3ff));
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// A coordinate among `count` elements, in units of elements.
float coordinate(Numbers& numbers, Operand kind, size_t count, size_t lane) {
  const auto n = static_cast<float>(count);
  const float infinity = std::numeric_limits<float>::infinity();
  switch (kind) {
    case Operand::inside:
    case Operand::between_levels:
      return numbers.between(0, n);
    case Operand::boundaries: {
      const float at = static_cast<float>(numbers.below(static_cast<uint32_t>(2 * count + 1))) / 2;
      const uint32_t way = numbers.below(4);
      const float by = static_cast<float>(numbers.below(17)) - 8;
      if (way == 0) return at + by / 512;
      if (way == 1) return at + by / 65536;
      return bits(at) == 0 ? by * 1e-9f : at * (1 + by * 0x1p-24f);
    }
    case Operand::dense:
      return 0.25f + static_cast<float>(lane) / 4096;
    case Operand::in_levels:
    case Operand::sloped:
      return static_cast<float>(numbers.below(static_cast<uint32_t>(count))) + 0.5f;
    case Operand::any:
    case Operand::each:
      break;
  }
  const float places[] = {0,
                          -0.0f,
                          0.5f,
                          1,
                          n - 0.5f,
                          n - 1,
                          n,
                          n + 0.5f,
                          -0.5f,
                          -1,
                          -0.49f,
                          n + 3.7f,
                          2 * n,
                          2 * n + 0.25f,
                          -n,
                          -2 * n - 0.75f,
                          0x1.fffffep-1f,
                          0x1.000002p0f,
                          std::nextafter(n, 0.0f),
                          1.0f / 512,
                          1.0f / 256,
                          -1.0f / 512,
                          1e-30f,
                          std::nanf(""),
                          infinity,
                          -infinity,
                          1e9f,
                          -1e9f,
                          2147483648.0f,
                          -2147483904.0f,
                          4e9f,
                          1e20f,
                          -1e20f,
                          3e38f,
                          100.25f,
                          -100.75f};
  if (lane < 256 && numbers.below(2) == 0) return places[numbers.below(std::size(places))];
  if (lane % 2 == 0) return numbers.between(0, n);
  return numbers.between(-1.5f * n, 2.5f * n);
}

int32_t index(Numbers& numbers, size_t count, size_t lane) {
  const auto n = static_cast<int32_t>(count);
  const int32_t places[] = {-1, n, n + 1, INT32_MIN, INT32_MAX, -n, 2 * n, 1 << 20, -(1 << 20)};
  if (lane % 8 == 3) return places[numbers.below(std::size(places))];
  if (lane % 4 == 1) return static_cast<int32_t>(numbers.below(4 * static_cast<uint32_t>(n))) - n;
  return static_cast<int32_t>(numbers.below(static_cast<uint32_t>(n)));
}

// A direction close to where faces meet, to the middle of an edge, or to the middle or boundary of
// an element; of any length.
void direction_to_boundary(Numbers& numbers, uint32_t* to) {
  float c[3];
  for (float& one : c) one = numbers.between(-1, 1);
  const uint32_t a = numbers.below(3), b = (a + 1 + numbers.below(2)) % 3, kind = numbers.below(6);
  const auto sign = [&] { return numbers.below(2) ? 1.0f : -1.0f; };
  if (kind == 0) {  // as far along two axes, or one unit in the last place less
    const int32_t by = static_cast<int32_t>(numbers.below(5)) - 2;
    const uint32_t near = bits(std::abs(c[a])) + static_cast<uint32_t>(by);
    std::memcpy(&c[b], &near, 4);
    c[b] *= sign();
  } else if (kind < 4) {
    c[a] = sign();
    const auto steps = static_cast<float>(2 << numbers.below(11));
    if (kind > 1)
      for (float& one : c) one = std::floor(one * steps) / steps;
    else
      c[b] = sign() * (1 - numbers.between(0, 0.2f));
  } else if (kind == 4) {
    for (float& one : c) one = sign() * (1 - numbers.between(0, 0.2f));
  }
  const int scale = numbers.below(4) ? 0 : static_cast<int>(numbers.below(40)) - 20;
  for (int i = 0; i < 3; ++i) to[i] = bits(std::ldexp(c[i], scale));
}

// A direction towards a face, an edge or a corner of a cube, or anywhere.
void direction(Numbers& numbers, size_t lane, uint32_t* to) {
  const float places[] = {0, 1, -1, 0.5f, -0.5f, -0.0f, 0.25f};
  for (int i = 0; i < 3; ++i)
    to[i] = bits(lane < 64 ? places[numbers.below(std::size(places))] : numbers.between(-1, 1));
}

}  // namespace

unsigned bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_UNORM_INT8X1:
    case CU_AD_FORMAT_UNORM_INT8X2:
    case CU_AD_FORMAT_UNORM_INT8X4:
    case CU_AD_FORMAT_SNORM_INT8X1:
    case CU_AD_FORMAT_SNORM_INT8X2:
    case CU_AD_FORMAT_SNORM_INT8X4:
    case CU_AD_FORMAT_UNORM_INT_101010_2:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 2;
  }
}

std::vector<uint8_t> bytes_for(const Case& one, size_t elements, unsigned level) {
  Numbers numbers(one.name.substr(0, one.name.find('/')) + static_cast<char>('0' + level));
  const unsigned size = bytes_of(one.format);
  std::vector<uint8_t> result(elements * one.channels * size);
  for (size_t i = 0; i < elements * one.channels; ++i) {
    uint32_t value = numbers.next();
    const bool floating = one.format == CU_AD_FORMAT_FLOAT || one.format == CU_AD_FORMAT_HALF;
    if (floating && one.content != Content::bits) {
      float number = numbers.between(-1, 1);
      if (one.content == Content::steps) number = static_cast<float>(i / one.channels % 2);
      if (one.content == Content::sizes)
        number = std::ldexp(number, static_cast<int>(numbers.below(80)) - 40);
      if (one.content == Content::level) number = static_cast<float>(level);
      value = size == 4 ? bits(number) : half(number);
    } else if (one.content == Content::steps) {
      value = i / one.channels % 2 ? 0xffffffffu : 0;
    } else if (one.content == Content::counted) {
      value = static_cast<uint32_t>(i / one.channels);
    } else if (one.content == Content::level) {
      value = level;
    }
    std::memcpy(&result[i * size], &value, size);
  }
  return result;
}

std::vector<Operands> operands_of(const Case& one) {
  Numbers numbers(one.name + "!");
  std::vector<Operands> all(one.lanes);
  const std::string geometry = one.opcode;
  const bool whole = geometry.ends_with(".s32") && !one.surface;
  const bool layers = has(geometry, ".a1d") || has(geometry, ".a2d") || has(geometry, ".acube");
  const bool of_cube = has(geometry, "cube");
  const size_t extents[] = {one.width, std::max<size_t>(one.height, 1),
                            std::max<size_t>(one.depth, 1)};
  for (size_t lane = 0; lane < one.lanes; ++lane) {
    Operands& to = all[lane];
    if (one.operand == Operand::each) {
      to[0] = bits(static_cast<float>(lane % one.width) + 0.5f);
      to[1] = bits(static_cast<float>(lane / one.width) + 0.5f);
      continue;
    }
    size_t at = 0;
    if (layers) {
      const size_t count = of_cube ? one.depth / 6 : one.depth;
      to[at++] = static_cast<uint32_t>(one.operand == Operand::any || one.surface
                                           ? index(numbers, count, lane)
                                           : static_cast<int32_t>(lane % count));
    }
    if (of_cube) {
      if (one.operand == Operand::boundaries)
        direction_to_boundary(numbers, &to[at]);
      else
        direction(numbers, lane, &to[at]);
    } else {
      for (size_t i = 0; i < 3 && at < 4; ++i, ++at) {
        if (one.surface) {
          const size_t unit = i == 0 ? bytes_of(one.format) * one.channels : 1;
          to[at] =
              static_cast<uint32_t>(
                  one.operand == Operand::any
                      ? index(numbers, extents[i], lane)
                      : static_cast<int32_t>(numbers.below(static_cast<uint32_t>(extents[i])))) *
              static_cast<uint32_t>(has(geometry, ".p.") ? 1 : unit);
        } else if (whole) {
          to[at] = static_cast<uint32_t>(index(numbers, extents[i], lane));
        } else {
          const float place = coordinate(numbers, one.operand, extents[i], lane);
          to[at] = bits(one.normalised() ? place / static_cast<float>(extents[i]) : place);
        }
      }
    }
    const float steps[] = {-2,   -0.5f, 0, 0.25f, 0.49f,         0.5f,   0.51f,  1,
                           1.5f, 2.75f, 7, 1e9f,  std::nanf(""), 0.998f, 0.999f, 1.001f};
    if (one.operand == Operand::in_levels || one.operand == Operand::between_levels) {
      to[4] = bits(lane < 64  ? steps[numbers.below(std::size(steps))]
                   : lane % 2 ? numbers.between(-1, 5)
                              : static_cast<float>(numbers.below(8192)) / 2048 - 0.5f);
      if (has(geometry, ".s32.s32")) to[4] = numbers.below(7) - 1;
    } else if (one.operand == Operand::sloped) {
      for (size_t i = 4; i < 12; ++i) {
        const float scale = std::ldexp(1.0f, -static_cast<int>(numbers.below(6)));
        to[i] = bits(numbers.below(4) ? numbers.between(-1, 1) * scale : 0);
        if (lane < 8) to[i] = bits(0);
      }
    } else {
      for (size_t i = 4; i < 12; ++i) to[i] = bits(0);
    }
    for (size_t i = 12; i < 16; ++i) {
      // If several lanes write one place, any may be the last; so all write the same.
      if (has(geometry, "sust") && lane > 0)
        to[i] = all[0][i];
      else if (has(geometry, "sust.p"))
        to[i] = bits(numbers.between(-1.5f, 1.5f));
      else
        to[i] = numbers.next();
    }
  }
  return all;
}

bool is_defined(const Case& one, const Operands& operands) {
  if (!has(one.opcode, "cube")) return true;
  const size_t first = has(one.opcode, "acube") ? 1 : 0;
  return std::any_of(&operands[first], &operands[first] + 3,
                     [](uint32_t word) { return (word & 0x7fffffff) != 0; });
}

std::vector<std::string> summary_of(const Case& one, const Answer& answer) {
  std::vector<uint32_t> words = answer.words;
  const std::vector<Operands> operands = operands_of(one);
  for (size_t lane = 0; lane < one.lanes && 4 * lane + 3 < words.size(); ++lane)
    if (!is_defined(one, operands[lane])) std::fill_n(&words[4 * lane], 4, 0u);
  std::vector<std::string> summary;
  char text[16];
  if (one.tolerance > 0) {
    const size_t step = one.lanes / 32 + 1;
    for (size_t lane = 0; lane < one.lanes; lane += step)
      for (size_t channel = 0; channel < one.channels; ++channel) {
        std::snprintf(text, sizeof text, "%x", words[4 * lane + channel]);
        summary.emplace_back(text);
      }
    return summary;
  }
  constexpr size_t group = 256;
  for (size_t first = 0; first < words.size(); first += group) {
    uint32_t hash = 2166136261u;
    for (size_t i = first; i < std::min(words.size(), first + group); ++i)
      for (int byte = 0; byte < 4; ++byte)
        hash = (hash ^ (words[i] >> (8 * byte) & 255)) * 16777619u;
    std::snprintf(text, sizeof text, "%x", (hash ^ hash >> 24) & 0xffffff);
    summary.emplace_back(text);
  }
  return summary;
}

std::string module_of(const Case& one) {
  const bool wide = has(one.opcode, ".b64");
  const bool narrow = has(one.opcode, ".b16") || has(one.opcode, ".b8");
  std::string code =
      ".version 8.1\n.target sm_70\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 out, .param .u64 in, .param .u64 object) {\n"
      " .reg .b64 %d<8>, %w<4>, %O; .reg .b32 %t<4>, %r<4>, %c<16>; .reg .b16 %h<4>;\n"
      " .reg .f32 %f<16>;\n"
      " ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; ld.param.u64 %O, [object];\n"
      " mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x;\n"
      " mad.lo.u32 %t3, %t0, %t1, %t2; mul.wide.u32 %d2, %t3, 16; add.u64 %d3, %d0, %d2;\n"
      " mul.wide.u32 %d4, %t3, 64; add.u64 %d5, %d1, %d4;\n";
  for (int i = 0; i < 16; ++i) {
    const std::string n = std::to_string(i), at = "[%d5+" + std::to_string(4 * i) + "]";
    code += " ld.global.u32 %c" + n + ", " + at + "; mov.b32 %f" + n + ", %c" + n + ";\n";
  }
  // The values to store. A load leaves registers that it does not write unchanged.
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i), c = "%c" + std::to_string(12 + i);
    code += " mov.b32 %r" + n + ", " + c + "; cvt.u16.u32 %h" + n + ", " + c + ";\n";
    code += " mov.b64 %w" + n + ", {" + c + ", %c" + std::to_string(12 + (i + 1) % 4) + "};\n";
  }
  const std::string letter = wide ? "%w" : narrow ? "%h" : "%r";
  const int count = has(one.opcode, ".v4") ? 4 : has(one.opcode, ".v2") ? 2 : 1;
  std::string list = letter + "0";
  for (int i = 1; i < count; ++i) list += ", " + letter + std::to_string(i);
  std::string rest = one.operands;
  const size_t at = rest.find("%R");
  if (at != std::string::npos)
    rest.replace(at, 2, has(one.opcode, "q.") && count == 1 ? list : "{" + list + "}");
  code += " " + one.opcode + " " + rest + ";\n";
  if (wide)
    code += " mov.b64 {%r0, %r1}, %w0; mov.b64 {%r2, %r3}, %w1;\n";
  else if (narrow)
    for (int i = 0; i < 4; ++i)
      code += " cvt.u32.u16 %r" + std::to_string(i) + ", %h" + std::to_string(i) + ";\n";
  return code + " st.global.v4.u32 [%d3], {%r0, %r1, %r2, %r3};\n ret;\n}\n";
}

}  // namespace textures
