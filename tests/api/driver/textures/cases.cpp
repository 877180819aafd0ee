// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/textures/cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace textures {
namespace {

constexpr unsigned layered = CUDA_ARRAY3D_LAYERED, cube = CUDA_ARRAY3D_CUBEMAP,
                   surfaces = CUDA_ARRAY3D_SURFACE_LDST, gather = CUDA_ARRAY3D_TEXTURE_GATHER;

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

// Of numbers that a half has exactly or nearly: towards zero.
uint16_t half(float number) {
  const uint32_t all = bits(number);
  const auto sign = static_cast<uint16_t>(all >> 16 & 0x8000);
  const int exponent = static_cast<int>(all >> 23 & 255) - 112;
  if (exponent <= 0) return sign;
  return static_cast<uint16_t>(sign | exponent << 10 | (all >> 13 & 0x3ff));
}

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

// --- Operands ---

// A coordinate among `n` elements, in elements.
float coordinate(Numbers& numbers, Operand kind, size_t count, size_t lane) {
  const auto n = static_cast<float>(count);
  const float infinity = std::numeric_limits<float>::infinity();
  switch (kind) {
    case Operand::inside:
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

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Towards a face, an edge or a corner of a cube, or none of them.
void direction(Numbers& numbers, size_t lane, uint32_t* to) {
  const float places[] = {0, 1, -1, 0.5f, -0.5f, -0.0f, 0.25f};
  for (int i = 0; i < 3; ++i)
    to[i] = bits(lane < 64 ? places[numbers.below(std::size(places))] : numbers.between(-1, 1));
}

}  // namespace

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
      direction(numbers, lane, &to[at]);
    } else {
      for (size_t i = 0; i < 3 && at < 4; ++i, ++at) {
        if (one.surface) {
          const size_t unit = i == 0 ? bytes_of(one.format) * one.channels : 1;
          to[at] = static_cast<uint32_t>(one.operand == Operand::any
                                             ? index(numbers, extents[i], lane)
                                             : static_cast<int32_t>(numbers.below(
                                                   static_cast<uint32_t>(extents[i])))) *
                   static_cast<uint32_t>(has(geometry, ".p.") ? 1 : unit);
        } else if (whole) {
          to[at] = static_cast<uint32_t>(index(numbers, extents[i], lane));
        } else {
          const float place = coordinate(numbers, one.operand, extents[i], lane);
          to[at] =
              bits(one.normalised() ? place / static_cast<float>(extents[i]) : place);
        }
      }
    }
    const float steps[] = {-2,    -0.5f, 0,     0.25f, 0.49f, 0.5f,          0.51f,
                           1,     1.5f,  2.75f, 7,     1e9f,  std::nanf(""), 0.998f,
                           0.999f, 1.001f};
    if (one.operand == Operand::in_levels) {
      to[4] = bits(lane < 64 ? steps[numbers.below(std::size(steps))]
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
      // Of several lanes that write one place, any is the last one: they write the same.
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
      for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (words[i] >> (8 * byte) & 255)) * 16777619u;
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
  // Values to be stored; what is not written by a load stays.
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
  if (at != std::string::npos) rest.replace(at, 2, has(one.opcode, "q.") && count == 1
                                                       ? list
                                                       : "{" + list + "}");
  code += " " + one.opcode + " " + rest + ";\n";
  if (wide)
    code += " mov.b64 {%r0, %r1}, %w0; mov.b64 {%r2, %r3}, %w1;\n";
  else if (narrow)
    for (int i = 0; i < 4; ++i)
      code += " cvt.u32.u16 %r" + std::to_string(i) + ", %h" + std::to_string(i) + ";\n";
  return code + " st.global.v4.u32 [%d3], {%r0, %r1, %r2, %r3};\n ret;\n}\n";
}

// --- Running one ---

namespace {

class Runner {
 public:
  explicit Runner(const Case& one) : case_(one) {}
  ~Runner() {
    if (object_) case_.surface ? cuSurfObjectDestroy(object_) : cuTexObjectDestroy(object_);
    if (array_) cuArrayDestroy(array_);
    if (levels_) cuMipmappedArrayDestroy(levels_);
    for (const CUdeviceptr one : {in_, out_, memory_})
      if (one) cuMemFree(one);
    if (module_) cuModuleUnload(module_);
  }

  Answer run() {
    make_resource();
    const std::string text = module_of(case_);
    must(cuModuleLoadData(&module_, text.c_str()));
    CUfunction function = nullptr;
    if (good()) must(cuModuleGetFunction(&function, module_, "kernel"));
    const std::vector<Operands> operands = operands_of(case_);
    const size_t lanes = operands.size();
    must(cuMemAlloc(&in_, lanes * sizeof(Operands)));
    must(cuMemAlloc(&out_, lanes * 16));
    if (!good()) return answer_;
    must(cuMemcpyHtoD(in_, operands.data(), lanes * sizeof(Operands)));
    must(cuMemsetD32(out_, 0xdeadbeef, lanes * 4));
    void* parameters[] = {&out_, &in_, &object_};
    must(cuLaunchKernel(function, static_cast<unsigned>(lanes / 32), 1, 1, 32, 1, 1, 0, nullptr,
                        parameters, nullptr));
    must(cuCtxSynchronize());
    answer_.words.resize(lanes * 4);
    must(cuMemcpyDtoH(answer_.words.data(), out_, lanes * 16));
    if (case_.surface) add_content();
    return answer_;
  }

 private:
  bool good() const { return answer_.status == 0; }
  void must(CUresult status) {
    if (good()) answer_.status = status;
  }

  CUDA_MEMCPY3D copy(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR& shape, void* bytes, bool up) {
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = up ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    c.dstMemoryType = up ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    c.srcHost = c.dstHost = bytes;
    c.srcArray = c.dstArray = array;
    c.WidthInBytes = shape.Width * bytes_of(case_.format) * case_.channels;
    c.Height = std::max<size_t>(shape.Height, 1);
    c.Depth = std::max<size_t>(shape.Depth, 1);
    c.srcPitch = c.dstPitch = c.WidthInBytes;
    c.srcHeight = c.dstHeight = c.Height;
    return c;
  }
  static size_t count_of(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
    return shape.Width * std::max<size_t>(shape.Height, 1) * std::max<size_t>(shape.Depth, 1);
  }
  void fill(CUarray array, unsigned level) {
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    must(cuArray3DGetDescriptor(&shape, array));
    std::vector<uint8_t> bytes = bytes_for(case_, count_of(shape), level);
    const CUDA_MEMCPY3D c = copy(array, shape, bytes.data(), true);
    must(cuMemcpy3D(&c));
  }
  void add_content() {
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    must(cuArray3DGetDescriptor(&shape, array_));
    std::vector<uint32_t> content((count_of(shape) * bytes_of(case_.format) * case_.channels + 3) /
                                  4);
    const CUDA_MEMCPY3D c = copy(array_, shape, content.data(), false);
    must(cuMemcpy3D(&c));
    answer_.words.insert(answer_.words.end(), content.begin(), content.end());
  }

  void make_resource() {
    CUDA_RESOURCE_DESC resource{};
    const size_t element = bytes_of(case_.format) * case_.channels;
    CUDA_ARRAY3D_DESCRIPTOR shape{case_.width,  case_.height,   case_.depth,
                                  case_.format, case_.channels, case_.flags};
    switch (case_.resource) {
      case Resource::array:
        must(cuArray3DCreate(&array_, &shape));
        if (!good()) return;
        fill(array_, 0);
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array_;
        break;
      case Resource::levels:
        must(cuMipmappedArrayCreate(&levels_, &shape, case_.levels));
        for (unsigned level = 0; good() && level < case_.levels; ++level) {
          CUarray part = nullptr;
          must(cuMipmappedArrayGetLevel(&part, levels_, level));
          fill(part, level);
        }
        resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        resource.res.mipmap.hMipmappedArray = levels_;
        break;
      case Resource::linear:
      case Resource::rows: {
        const size_t rows = std::max<size_t>(case_.height, 1);
        const size_t pitch = case_.resource == Resource::linear ? case_.width * element : 512;
        must(cuMemAlloc(&memory_, pitch * rows));
        if (!good()) return;
        const std::vector<uint8_t> bytes = bytes_for(case_, case_.width * rows, 0);
        for (size_t row = 0; row < rows; ++row)
          must(cuMemcpyHtoD(memory_ + row * pitch, &bytes[row * case_.width * element],
                            case_.width * element));
        if (case_.resource == Resource::linear) {
          resource.resType = CU_RESOURCE_TYPE_LINEAR;
          resource.res.linear = {memory_, case_.format, case_.channels, case_.width * element};
        } else {
          resource.resType = CU_RESOURCE_TYPE_PITCH2D;
          resource.res.pitch2D = {memory_,     case_.format, case_.channels,
                                  case_.width, case_.height, pitch};
        }
        break;
      }
    }
    if (!good()) return;
    if (case_.surface) return must(cuSurfObjectCreate(&object_, &resource));
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = case_.view;
    view.width = case_.width, view.height = case_.height, view.depth = case_.depth;
    view.lastMipmapLevel = case_.levels - 1;
    if (case_.flags & layered) view.lastLayer = static_cast<unsigned>(case_.depth) - 1;
    must(cuTexObjectCreate(&object_, &resource, &case_.way,
                           case_.view == CU_RES_VIEW_FORMAT_NONE ? nullptr : &view));
  }

  const Case& case_;
  Answer answer_;
  CUmodule module_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0, memory_ = 0;
  CUarray array_ = nullptr;
  CUmipmappedArray levels_ = nullptr;
  unsigned long long object_ = 0;
};

}  // namespace

Answer answer_of(const Case& one) { return Runner(one).run(); }

// --- The cases ---

namespace {

struct Geometry {
  const char* name;
  size_t width, height, depth;
  unsigned flags;
  const char *coordinates, *whole;  // as f32, as s32
};
const Geometry geometries[] = {
    {"1d", 7, 0, 0, 0, "{%f0}", "{%c0}"},
    {"2d", 8, 5, 0, 0, "{%f0, %f1}", "{%c0, %c1}"},
    {"3d", 6, 5, 4, 0, "{%f0, %f1, %f2, %f2}", "{%c0, %c1, %c2, %c2}"},
    {"a1d", 7, 0, 3, layered, "{%c0, %f1}", "{%c0, %c1}"},
    {"a2d", 8, 5, 3, layered, "{%c0, %f1, %f2, %f2}", "{%c0, %c1, %c2, %c2}"},
    {"cube", 5, 5, 6, cube, "{%f0, %f1, %f2, %f2}", ""},
    {"acube", 5, 5, 12, cube | layered, "{%c0, %f1, %f2, %f3}", ""},
};
struct Format {
  const char* name;
  CUarray_format format;
  unsigned channels;  // 0: 1, 2 and 4
  const char* whole;  // how it is read as integers; empty: it is not
};
const Format formats[] = {
    {"u8", CU_AD_FORMAT_UNSIGNED_INT8, 0, "u32"},
    {"s8", CU_AD_FORMAT_SIGNED_INT8, 0, "s32"},
    {"u16", CU_AD_FORMAT_UNSIGNED_INT16, 0, "u32"},
    {"s16", CU_AD_FORMAT_SIGNED_INT16, 0, "s32"},
    {"u32", CU_AD_FORMAT_UNSIGNED_INT32, 0, "u32"},
    {"s32", CU_AD_FORMAT_SIGNED_INT32, 0, "s32"},
    {"half", CU_AD_FORMAT_HALF, 0, ""},
    {"float", CU_AD_FORMAT_FLOAT, 0, ""},
    {"unorm8x1", CU_AD_FORMAT_UNORM_INT8X1, 1, ""},
    {"unorm8x4", CU_AD_FORMAT_UNORM_INT8X4, 4, ""},
    {"unorm16x2", CU_AD_FORMAT_UNORM_INT16X2, 2, ""},
    {"snorm8x4", CU_AD_FORMAT_SNORM_INT8X4, 4, ""},
    {"snorm16x1", CU_AD_FORMAT_SNORM_INT16X1, 1, ""},
    {"unorm101010", CU_AD_FORMAT_UNORM_INT_101010_2, 4, ""},
};
struct Mode {
  const char* name;
  CUaddress_mode mode;
};
const Mode modes[] = {{"wrap", CU_TR_ADDRESS_MODE_WRAP},
                      {"clamp", CU_TR_ADDRESS_MODE_CLAMP},
                      {"mirror", CU_TR_ADDRESS_MODE_MIRROR},
                      {"border", CU_TR_ADDRESS_MODE_BORDER}};

CUDA_TEXTURE_DESC way(CUaddress_mode mode, bool linear, unsigned flags) {
  CUDA_TEXTURE_DESC result{};
  for (CUaddress_mode& one : result.addressMode) one = mode;
  result.filterMode = linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  result.flags = flags;
  return result;
}

Case on(const Geometry& geometry, std::string name) {
  Case one;
  one.name = std::move(name);
  one.width = geometry.width, one.height = geometry.height, one.depth = geometry.depth;
  one.flags = geometry.flags;
  return one;
}

void read(Case& one, const Geometry& geometry, const std::string& type) {
  one.opcode = std::string("tex.") + geometry.name + ".v4." + type + ".f32";
  one.operands = std::string("%R, [%O, ") + geometry.coordinates + "]";
}

constexpr unsigned normalised = CU_TRSF_NORMALIZED_COORDINATES;

// Address modes and filters, for each geometry.
void add_geometries(std::vector<Case>& all) {
  for (const Geometry& geometry : geometries)
    for (const Mode& mode : modes)
      for (const bool linear : {false, true})
        for (const unsigned flags : {0u, normalised}) {
          Case one = on(geometry, std::string("geometry ") + geometry.name + (linear ? " linear " : " point ") + mode.name +
                                      (flags ? " normalised" : " texels"));
          one.way = way(mode.mode, linear, flags);
          one.way.borderColor[0] = 0.25f, one.way.borderColor[1] = -2, one.way.borderColor[2] = 7;
          one.channels = linear ? 1 : 4;
          if (!linear) one.content = Content::bits;
          read(one, geometry, "f32");
          all.push_back(one);
        }
}

// Of the two formats whose blends are rounded on the way, what that makes of numbers up to 1.
double tolerance_of(const Format& format) {
  const bool small = format.format == CU_AD_FORMAT_SIGNED_INT8 ||
                     format.format == CU_AD_FORMAT_SNORM_INT8X4;
  return small ? 3.2e-5 : format.format == CU_AD_FORMAT_HALF ? 0x1p-11 : 0;
}

// What elements of each format are read as.
void add_formats(std::vector<Case>& all) {
  for (const Format& format : formats)
    for (const unsigned channels : {1u, 2u, 4u}) {
      if (format.channels && format.channels != channels) continue;
      const std::string kind = format.name + std::string("x") + std::to_string(channels);
      const auto add = [&](const std::string& name, const Geometry& geometry, bool linear,
                           unsigned flags, const std::string& type) {
        Case one = on(geometry, name);
        one.format = format.format, one.channels = channels;
        one.way = way(CU_TR_ADDRESS_MODE_BORDER, linear, flags);
        for (int i = 0; i < 4; ++i) one.way.borderColor[i] = 0.3f * static_cast<float>(i) - 0.2f;
        if (!linear) one.content = Content::bits;
        if (linear) one.tolerance = tolerance_of(format);
        read(one, geometry, type);
        all.push_back(one);
      };
      const bool wide = bytes_of(format.format) == 4;
      const bool integers = *format.whole != 0;
      for (const Geometry& geometry : {geometries[0], geometries[1], geometries[2]}) {
        const std::string name = kind + " " + geometry.name;
        if (integers)
          add("whole " + name, geometry, false, CU_TRSF_READ_AS_INTEGER, format.whole);
        if (!integers || !wide) {
          add("number " + name, geometry, false, normalised, "f32");
          add("blend " + name, geometry, true, normalised, "f32");
        }
      }
      if (integers) {  // read as what they are not
        add("mixed " + kind, geometries[1], false, CU_TRSF_READ_AS_INTEGER, "f32");
        if (!wide) add("mixed linear " + kind, geometries[1], true, CU_TRSF_READ_AS_INTEGER, format.whole);
        add("mixed number " + kind, geometries[1], false, 0, format.whole);
      }
    }
  Case bytes = on(geometries[1], "srgb bytes");
  bytes.width = 16, bytes.height = 16;
  bytes.content = Content::counted;
  bytes.format = CU_AD_FORMAT_UNSIGNED_INT8;
  bytes.way = way(CU_TR_ADDRESS_MODE_CLAMP, false, CU_TRSF_SRGB);
  bytes.operand = Operand::each;
  bytes.lanes = 256;
  read(bytes, geometries[1], "f32");
  all.push_back(bytes);
  for (const float shade : {0.1f, 0.123f, 0.3f, 0.5f, 0.777f, 0.9999f})
    for (const Format& format : {formats[0], formats[1], formats[2], formats[3], formats[6], formats[13]}) {
      Case one = on(geometries[1], std::string("border ") + format.name + " " + std::to_string(shade));
      one.format = format.format, one.channels = 4;
      one.way = way(CU_TR_ADDRESS_MODE_BORDER, false, 0);
      for (int i = 0; i < 4; ++i) one.way.borderColor[i] = shade * (i % 2 ? -1.0f : 1.0f) / static_cast<float>(i / 2 + 1);
      one.operand = Operand::any;
      one.lanes = 64;
      read(one, geometries[1], "f32");
      all.push_back(one);
    }
  for (const bool linear : {false, true})
    for (const unsigned channels : {1u, 4u}) {
      Case one = on(geometries[1], std::string("srgb ") + (linear ? "linear " : "point ") + std::to_string(channels));
      one.width = 64;
      one.format = CU_AD_FORMAT_UNSIGNED_INT8, one.channels = channels;
      one.way = way(CU_TR_ADDRESS_MODE_CLAMP, linear, CU_TRSF_SRGB);
      one.operand = Operand::inside;
      one.lanes = 2048;
      if (linear) one.tolerance = 0.007;
      read(one, geometries[1], "f32");
      all.push_back(one);
    }
}

// How coordinates become places and weights.
void add_precision(std::vector<Case>& all) {
  for (const bool linear : {false, true})
    for (const unsigned flags : {0u, normalised})
      for (const size_t width : {4u, 7u, 100u, 1000u, 2049u, 5000u, 10000u, 16384u, 20000u, 32768u})
        for (const Operand operand : {Operand::boundaries, Operand::inside, Operand::dense}) {
          if (operand == Operand::dense && (!linear || width != 4)) continue;
          for (const Content content : {Content::numbers, Content::steps}) {
            if (!linear && content == Content::steps) continue;
            if (width > 32768 && !flags) continue;
            Case one = on(geometries[0], "precision " + std::to_string(width) + (linear ? " linear" : " point") +
                                             (flags ? " normalised " : " texels ") +
                                             std::to_string(static_cast<int>(operand)) +
                                             (content == Content::steps ? " steps" : " numbers"));
            one.width = width;
            one.way = way(CU_TR_ADDRESS_MODE_CLAMP, linear, flags);
            one.operand = operand, one.content = content;
            one.lanes = operand == Operand::dense ? 8192 : 1024;
            read(one, geometries[0], "f32");
            all.push_back(one);
          }
        }
  // Numbers of every size.
  for (const Geometry& geometry : {geometries[0], geometries[1], geometries[2]}) {
    Case one = on(geometry, std::string("blending sizes ") + geometry.name);
    one.content = Content::sizes;
    one.tolerance = 0x1p15;  // of 2^39
    one.way = way(CU_TR_ADDRESS_MODE_CLAMP, true, 0);
    one.operand = Operand::inside;
    one.lanes = 1024;
    read(one, geometry, "f32");
    all.push_back(one);
  }
  // Blending: many numbers, few modes.
  for (const Format& format : {formats[0], formats[1], formats[2], formats[3], formats[6], formats[7]})
    for (const Geometry& geometry : {geometries[0], geometries[1], geometries[2]}) {
      Case one = on(geometry, std::string("blending ") + format.name + " " + geometry.name);
      one.format = format.format;
      one.way = way(CU_TR_ADDRESS_MODE_CLAMP, true, 0);
      one.operand = Operand::inside;
      one.lanes = 4096;
      one.tolerance = tolerance_of(format);
      read(one, geometry, "f32");
      all.push_back(one);
    }
}

void add_whole_coordinates(std::vector<Case>& all) {
  for (int g = 0; g < 5; ++g)
    for (const Mode& mode : modes)
      for (const unsigned flags : {0u, normalised}) {
        const Geometry& geometry = geometries[g];
        Case one = on(geometry, std::string("whole coordinates ") + geometry.name + " " + mode.name + (flags ? " normalised" : ""));
        one.way = way(mode.mode, mode.mode == CU_TR_ADDRESS_MODE_CLAMP, flags);
        one.way.borderColor[0] = 9;
        one.opcode = std::string("tex.") + geometry.name + ".v4.f32.s32";
        one.operands = std::string("%R, [%O, ") + geometry.whole + "]";
        one.lanes = 256;
        all.push_back(one);
      }
}

void add_memory(std::vector<Case>& all) {
  for (const Format& format : formats) {
    if (format.channels) continue;
    for (const unsigned channels : {1u, 4u}) {
      const bool whole = *format.whole;
      Case one = on(geometries[0], std::string("linear ") + format.name + std::to_string(channels));
      one.resource = Resource::linear;
      one.width = 100;
      one.format = format.format, one.channels = channels, one.content = Content::bits;
      one.way = way(CU_TR_ADDRESS_MODE_CLAMP, false, whole ? CU_TRSF_READ_AS_INTEGER : 0);
      one.opcode = std::string("tex.1d.v4.") + (whole ? format.whole : "f32") + ".s32";
      one.operands = "%R, [%O, {%c0}]";
      one.lanes = 256;
      all.push_back(one);
      if (bytes_of(format.format) < 4 && whole) {
        one.name = "linear normalised " + one.name;
        one.way.flags = 0;
        one.opcode = "tex.1d.v4.f32.s32";
        all.push_back(one);
      }
    }
  }
  for (const Mode& mode : modes) {
    Case one = on(geometries[0], std::string("linear float coordinates ") + mode.name);
    one.resource = Resource::linear;
    one.width = 100;
    one.way = way(mode.mode, mode.mode == CU_TR_ADDRESS_MODE_CLAMP, 0);
    read(one, geometries[0], "f32");
    all.push_back(one);
    for (const bool linear : {false, true})
      for (const unsigned flags : {0u, normalised})
        for (const unsigned channels : {1u, 4u}) {
          Case row = on(geometries[1], std::string("rows ") + mode.name + (linear ? " linear" : "") + (flags ? " normalised " : " ") + std::to_string(channels));
          row.resource = Resource::rows;
          if (channels == 4) row.format = CU_AD_FORMAT_UNSIGNED_INT8;
          row.channels = channels;
          row.way = way(mode.mode, linear, flags);
          read(row, geometries[1], "f32");
          all.push_back(row);
        }
  }
}

void add_gathers(std::vector<Case>& all) {
  for (const int g : {1, 4, 5, 6})
    for (const Mode& mode : modes)
      for (const char component : {'r', 'g', 'b', 'a'}) {
        if (component != 'g' && mode.mode != CU_TR_ADDRESS_MODE_CLAMP) continue;
        for (const unsigned flags : {0u, normalised}) {
          const Geometry& geometry = geometries[g];
          Case one = on(geometry, std::string("gather ") + geometry.name + " " + mode.name + " " + component + (flags ? " normalised" : ""));
          if (g == 1) one.flags |= gather;
          one.channels = 4;
          one.way = way(mode.mode, component == 'a', flags);
          for (int i = 0; i < 4; ++i) one.way.borderColor[i] = static_cast<float>(i) + 0.5f;
          one.opcode = std::string("tld4.") + component + "." + geometry.name + ".v4.f32.f32";
          one.operands = std::string("%R, [%O, ") + geometry.coordinates + "]";
          all.push_back(one);
        }
      }
  for (const Format& format : {formats[0], formats[1], formats[4], formats[5]}) {
    Case one = on(geometries[1], std::string("gather ") + format.name);
    one.flags |= gather;
    one.format = format.format, one.channels = 4;
    one.way = way(CU_TR_ADDRESS_MODE_WRAP, false, normalised | CU_TRSF_READ_AS_INTEGER);
    one.opcode = std::string("tld4.b.2d.v4.") + format.whole + ".f32";
    one.operands = "%R, [%O, {%f0, %f1}]";
    all.push_back(one);
    if (bytes_of(format.format) == 4) continue;
    one.name += " number";
    one.way.flags = normalised;
    one.opcode = "tld4.b.2d.v4.f32.f32";
    all.push_back(one);
  }
  Case one = on(geometries[1], "gather boundaries");
  one.flags |= gather;
  one.operand = Operand::boundaries;
  one.opcode = "tld4.r.2d.v4.f32.f32";
  one.operands = "%R, [%O, {%f0, %f1}]";
  one.way = way(CU_TR_ADDRESS_MODE_CLAMP, false, 0);
  one.lanes = 1024;
  all.push_back(one);
}

void add_levels(std::vector<Case>& all) {
  for (const int g : {0, 1, 2, 3, 4, 5, 6}) {
    const Geometry& geometry = geometries[g];
    for (const bool between : {false, true})
      for (const char* kind : {"level", "grad", "base", "plain"}) {
        const bool by_level = kind[0] == 'l', by_slope = kind[0] == 'g';
        for (const int variant : {0, 1, 2, 3}) {
          if (variant > 0 && g != 1) continue;
          // The level that a GPU estimates is not known well enough.
          if (by_slope && (!between || geometry.flags & cube)) continue;
          Case one = on(geometry, std::string("levels ") + geometry.name + " " + kind + (between ? " between " : " one ") + std::to_string(variant));
          one.resource = Resource::levels;
          one.width = one.flags & cube ? 16 : 32;
          one.height = geometry.height ? 16 : 0;
          one.depth = geometry.depth && !one.flags ? 8 : geometry.depth;
          one.levels = 4;
          one.way = way(CU_TR_ADDRESS_MODE_CLAMP, variant == 1, normalised);
          one.way.mipmapFilterMode =
              between ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
          one.way.maxMipmapLevelClamp = 3;
          one.content = variant == 1 ? Content::numbers : Content::level;
          if (variant == 2) one.way.mipmapLevelBias = 0.7f;
          if (variant == 3) one.way.minMipmapLevelClamp = 0.6f, one.way.maxMipmapLevelClamp = 2.3f;
          one.operand = by_slope ? Operand::sloped : Operand::in_levels;
          const std::string mode = kind[0] == 'p' ? "" : std::string(kind) + ".";
          one.opcode = "tex." + mode + geometry.name + ".v4.f32.f32";
          one.operands = std::string("%R, [%O, ") + geometry.coordinates + "]";
          const bool three = g == 2 || g >= 5, two = g == 1 || g == 4;
          if (by_level) one.operands += ", %f4";
          if (by_slope)
            one.operands += three ? ", {%f4, %f5, %f6, %f6}, {%f8, %f9, %f10, %f10}"
                            : two ? ", {%f4, %f5}, {%f8, %f9}"
                                  : ", {%f4}, {%f8}";
          if (by_level || by_slope) one.lanes = 1024;
          if (by_slope) one.tolerance = 0.15;
          all.push_back(one);
        }
      }
  }
  for (const bool between : {false, true}) {
    Case one = on(geometries[1], std::string("levels of whole coordinates ") + (between ? "between" : "one"));
    one.resource = Resource::levels;
    one.width = 32, one.height = 16, one.levels = 4;
    one.way = way(CU_TR_ADDRESS_MODE_CLAMP, false, 0);
    one.way.mipmapFilterMode = between ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    one.way.maxMipmapLevelClamp = 3;
    one.operand = Operand::in_levels;
    one.opcode = "tex.level.2d.v4.f32.s32";
    one.operands = "%R, [%O, {%c0, %c1}], %c12";
    all.push_back(one);
  }
}

void add_other_forms(std::vector<Case>& all) {
  for (const bool linear : {false, true}) {
    Case one = on(geometries[1], std::string("halves ") + (linear ? "linear" : "point"));
    one.channels = 4;
    one.format = CU_AD_FORMAT_HALF;
    one.way = way(CU_TR_ADDRESS_MODE_CLAMP, linear, normalised);
    one.opcode = "tex.2d.v2.f16x2.f32";
    one.operands = "%R, [%O, {%f0, %f1}]";
    all.push_back(one);
    one.name += " of float";
    one.format = CU_AD_FORMAT_FLOAT;
    all.push_back(one);
    one.name = std::string("offset ") + (linear ? "linear" : "point");
    one.opcode = "tex.2d.v4.f32.f32";
    one.operands = "%R, [%O, {%f0, %f1}], {3, -2}";
    all.push_back(one);
  }
  const std::pair<CUresourceViewFormat, const char*> views[] = {
      {CU_RES_VIEW_FORMAT_UINT_4X8, "u32"},   {CU_RES_VIEW_FORMAT_SINT_4X8, "s32"},
      {CU_RES_VIEW_FORMAT_UINT_2X16, "u32"},  {CU_RES_VIEW_FORMAT_SINT_2X16, "s32"},
      {CU_RES_VIEW_FORMAT_FLOAT_2X16, "f32"}, {CU_RES_VIEW_FORMAT_FLOAT_1X32, "f32"},
      {CU_RES_VIEW_FORMAT_SINT_1X32, "s32"}};
  for (const auto& [view, type] : views) {
    Case one = on(geometries[1], "view " + std::to_string(view));
    one.format = CU_AD_FORMAT_UNSIGNED_INT32;
    one.view = view, one.content = Content::bits;
    one.way = way(CU_TR_ADDRESS_MODE_CLAMP, false,
                  type[0] == 'f' ? 0 : CU_TRSF_READ_AS_INTEGER);
    read(one, geometries[1], type);
    all.push_back(one);
  }
}

void add_queries(std::vector<Case>& all) {
  const auto add = [&](Case one, const std::string& query) {
    one.name += " " + query;
    one.lanes = 32;
    one.opcode = (one.surface ? "suq." : "txq.") + query + ".b32";
    one.operands = "%R, [%O]";
    if (query.starts_with("level")) one.operands += ", 1";
    all.push_back(one);
  };
  const char* of_texture[] = {"width", "height", "depth", "channel_data_type", "channel_order",
                              "normalized_coords", "array_size", "num_mipmap_levels",
                              "num_samples", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2",
                              "force_unnormalized_coords",
                              "level.width", "level.height", "level.depth"};
  const char* of_surface[] = {"width", "height", "depth", "channel_data_type", "channel_order",
                              "array_size", "memory_layout"};
  for (const Geometry& geometry : geometries) {
    Case one = on(geometry, std::string("query ") + geometry.name);
    one.way = way(CU_TR_ADDRESS_MODE_MIRROR, true, normalised);
    for (const char* query : of_texture) add(one, query);
    one.resource = Resource::levels, one.levels = 2;
    one.name += " levels";
    for (const char* query : {"width", "num_mipmap_levels", "level.width", "level.height"}) add(one, query);
    if (geometry.flags & cube) continue;
    Case surface = on(geometry, std::string("surface query ") + geometry.name);
    surface.flags |= surfaces;
    surface.surface = true;
    for (const char* query : of_surface) add(surface, query);
  }
  for (const Format& format : formats)
    for (const unsigned channels : {1u, 2u, 4u}) {
      if (format.channels && format.channels != channels) continue;
      Case one = on(geometries[1], std::string("query ") + format.name + std::to_string(channels));
      one.format = format.format, one.channels = channels;
      one.way = way(CU_TR_ADDRESS_MODE_CLAMP, false, 0);
      add(one, "channel_data_type");
      add(one, "channel_order");
    }
  Case one = on(geometries[0], "query linear");
  one.resource = Resource::linear;
  for (const char* query : {"width", "height", "depth", "normalized_coords"}) add(one, query);
}

void add_surfaces(std::vector<Case>& all) {
  struct Size {
    const char* type;
    CUarray_format format;
    unsigned channels;
  };
  const Size sizes[] = {{"b8", CU_AD_FORMAT_UNSIGNED_INT8, 1},
                        {"v2.b8", CU_AD_FORMAT_UNSIGNED_INT8, 2},
                        {"v4.b8", CU_AD_FORMAT_UNSIGNED_INT8, 4},
                        {"b16", CU_AD_FORMAT_UNSIGNED_INT16, 1},
                        {"v2.b16", CU_AD_FORMAT_HALF, 2},
                        {"v4.b16", CU_AD_FORMAT_SIGNED_INT16, 4},
                        {"b32", CU_AD_FORMAT_FLOAT, 1},
                        {"v2.b32", CU_AD_FORMAT_FLOAT, 2},
                        {"v4.b32", CU_AD_FORMAT_FLOAT, 4},
                        {"b64", CU_AD_FORMAT_UNSIGNED_INT32, 2},
                        {"v2.b64", CU_AD_FORMAT_UNSIGNED_INT32, 4}};
  for (int g = 0; g < 5; ++g)
    for (const Size& size : sizes)
      for (const char* clamp : {"trap", "clamp", "zero"})
        for (const bool write : {false, true}) {
          const Geometry& geometry = geometries[g];
          Case one = on(geometry, std::string(write ? "sust." : "suld.") + geometry.name + "." + size.type + "." + clamp);
          one.flags |= surfaces;
          one.format = size.format, one.channels = size.channels;
          one.surface = true;
          one.content = Content::bits;
          one.operand = clamp[0] == 't' ? Operand::inside : Operand::any;
          if (clamp[0] == 't' && geometry.flags) continue;  // layers are anything
          one.opcode = std::string(write ? "sust.b." : "suld.b.") + geometry.name + "." + size.type + "." + clamp;
          const std::string place = std::string("[%O, ") + geometry.whole + "]";
          one.operands = write ? place + ", %R" : "%R, " + place;
          one.lanes = write ? 32 : 256;
          all.push_back(one);
        }
  for (const Format& format : formats)
    for (const unsigned channels : {1u, 4u}) {
      if (format.channels && format.channels != channels) continue;
      Case one = on(geometries[1], std::string("sust.p ") + format.name + std::to_string(channels));
      one.flags |= surfaces;
      one.format = format.format, one.channels = channels;
      one.surface = true;
      one.content = Content::bits;
      one.opcode = "sust.p.2d.v4.b32.zero";
      one.operands = "[%O, {%c0, %c1}], %R";
      one.lanes = 32;
      all.push_back(one);
    }
  for (const char* operation : {"add.u32", "add.s32", "add.u64", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "min.u64", "max.s64"})
    for (const char* clamp : {"clamp", "zero"}) {
      Case one = on(geometries[1], std::string("sured ") + operation + " " + clamp);
      const bool wide = std::string(operation).ends_with("64");
      one.flags |= surfaces;
      one.format = CU_AD_FORMAT_UNSIGNED_INT32, one.channels = wide ? 2 : 1;
      one.surface = true;
      one.content = Content::bits;
      const std::string name(operation);
      const size_t dot = name.find('.');
      one.opcode = "sured.b." + name.substr(0, dot) + ".2d." + name.substr(dot + 1) + "." + clamp;
      one.operands = wide ? "[%O, {%c0, %c1}], %w0" : "[%O, {%c0, %c1}], %r0";
      one.lanes = 256;
      all.push_back(one);
    }
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> all;
  add_geometries(all);
  add_formats(all);
  add_precision(all);
  add_whole_coordinates(all);
  add_memory(all);
  add_gathers(all);
  add_levels(all);
  add_other_forms(all);
  add_queries(all);
  add_surfaces(all);
  return all;
}

}  // namespace textures
