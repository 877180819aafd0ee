// SPDX-License-Identifier: Apache-2.0
// The list of cases.
#include <algorithm>
#include <utility>

#include "tests/api/driver/texture/sweep/cases.hpp"

namespace textures {
namespace {

constexpr unsigned layered = CUDA_ARRAY3D_LAYERED, cube = CUDA_ARRAY3D_CUBEMAP,
                   surfaces = CUDA_ARRAY3D_SURFACE_LDST, gather = CUDA_ARRAY3D_TEXTURE_GATHER;

struct Geometry {
  const char* name;
  size_t width, height, depth;
  unsigned flags;
  const char *coordinates, *whole;  // as f32; as s32
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
  unsigned channels;  // 0 stands for 1, 2 and 4
  const char* whole;  // the type for reading it as integers; empty if it is none
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
          Case one = on(geometry, std::string("geometry ") + geometry.name +
                                      (linear ? " linear " : " point ") + mode.name +
                                      (flags ? " normalised" : " texels"));
          one.way = way(mode.mode, linear, flags);
          one.way.borderColor[0] = 0.25f, one.way.borderColor[1] = -2, one.way.borderColor[2] = 7;
          one.channels = linear ? 1 : 4;
          if (!linear) one.content = Content::bits;
          read(one, geometry, "f32");
          all.push_back(one);
        }
}

// Two formats round while blending: the resulting error for numbers up to 1.
double tolerance_of(const Format& format) {
  const bool small =
      format.format == CU_AD_FORMAT_SIGNED_INT8 || format.format == CU_AD_FORMAT_SNORM_INT8X4;
  return small ? 3.2e-5 : format.format == CU_AD_FORMAT_HALF ? 0x1p-11 : 0;
}

// The values that elements of each format are read as.
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
        if (integers) add("whole " + name, geometry, false, CU_TRSF_READ_AS_INTEGER, format.whole);
        if (!integers || !wide) {
          add("number " + name, geometry, false, normalised, "f32");
          add("blend " + name, geometry, true, normalised, "f32");
        }
      }
      if (integers) {  // read as a type that does not match
        add("mixed " + kind, geometries[1], false, CU_TRSF_READ_AS_INTEGER, "f32");
        if (!wide)
          add("mixed linear " + kind, geometries[1], true, CU_TRSF_READ_AS_INTEGER, format.whole);
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
    for (const Format& format :
         {formats[0], formats[1], formats[2], formats[3], formats[6], formats[13]}) {
      Case one =
          on(geometries[1], std::string("border ") + format.name + " " + std::to_string(shade));
      one.format = format.format, one.channels = 4;
      one.way = way(CU_TR_ADDRESS_MODE_BORDER, false, 0);
      for (int i = 0; i < 4; ++i)
        one.way.borderColor[i] = shade * (i % 2 ? -1.0f : 1.0f) / static_cast<float>(i / 2 + 1);
      one.operand = Operand::any;
      one.lanes = 64;
      read(one, geometries[1], "f32");
      all.push_back(one);
    }
  for (const bool linear : {false, true})
    for (const unsigned channels : {1u, 4u}) {
      Case one = on(geometries[1], std::string("srgb ") + (linear ? "linear " : "point ") +
                                       std::to_string(channels));
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

// How coordinates turn into positions and weights.
void add_precision(std::vector<Case>& all) {
  for (const bool linear : {false, true})
    for (const unsigned flags : {0u, normalised})
      for (const size_t width : {4u, 7u, 100u, 1000u, 2049u, 5000u, 10000u, 16384u, 20000u, 32768u})
        for (const Operand operand : {Operand::boundaries, Operand::inside, Operand::dense}) {
          if (operand == Operand::dense && (!linear || width != 4)) continue;
          for (const Content content : {Content::numbers, Content::steps}) {
            if (!linear && content == Content::steps) continue;
            if (width > 32768 && !flags) continue;
            Case one = on(geometries[0], "precision " + std::to_string(width) +
                                             (linear ? " linear" : " point") +
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
  // Numbers of all magnitudes.
  for (const Geometry& geometry : {geometries[0], geometries[1], geometries[2]}) {
    Case one = on(geometry, std::string("blending sizes ") + geometry.name);
    one.content = Content::sizes;
    one.tolerance = 0x1p15;  // for numbers up to 2^39
    one.way = way(CU_TR_ADDRESS_MODE_CLAMP, true, 0);
    one.operand = Operand::inside;
    one.lanes = 1024;
    read(one, geometry, "f32");
    all.push_back(one);
  }
  // Blending: many numbers, few modes.
  for (const Format& format :
       {formats[0], formats[1], formats[2], formats[3], formats[6], formats[7]})
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
        Case one = on(geometry, std::string("whole coordinates ") + geometry.name + " " +
                                    mode.name + (flags ? " normalised" : ""));
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
          Case row =
              on(geometries[1], std::string("rows ") + mode.name + (linear ? " linear" : "") +
                                    (flags ? " normalised " : " ") + std::to_string(channels));
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
          Case one = on(geometry, std::string("gather ") + geometry.name + " " + mode.name + " " +
                                      component + (flags ? " normalised" : ""));
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
          // How a GPU estimates the level is not known exactly enough.
          if (by_slope && (!between || geometry.flags & cube)) continue;
          Case one = on(geometry, std::string("levels ") + geometry.name + " " + kind +
                                      (between ? " between " : " one ") + std::to_string(variant));
          one.resource = Resource::levels;
          one.width = one.flags & cube ? 16 : 32;
          one.height = geometry.height ? 16 : 0;
          one.depth = geometry.depth && !one.flags ? 8 : geometry.depth;
          one.levels = 4;
          one.way = way(CU_TR_ADDRESS_MODE_CLAMP, variant == 1, normalised);
          one.way.mipmapFilterMode = between ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
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
    Case one = on(geometries[1],
                  std::string("levels of whole coordinates ") + (between ? "between" : "one"));
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

// Faces of many sizes, whose elements meet the steps of a coordinate at different places; and
// blending across edges.
void add_cubes(std::vector<Case>& all) {
  for (const int g : {5, 6})
    for (const size_t size : {1u, 2u, 3u, 7u, 24u, 31u})
      for (const Mode& mode : modes)
        for (const unsigned seamless : {0u, unsigned{CU_TRSF_SEAMLESS_CUBEMAP}}) {
          if (g == 6 && size != 7) continue;
          if (mode.mode != CU_TR_ADDRESS_MODE_CLAMP && size != 7) continue;
          Case one = on(geometries[g], std::string("cube ") + geometries[g].name + " " +
                                           std::to_string(size) + " " + mode.name +
                                           (seamless ? " seamless" : ""));
          one.width = one.height = size;
          one.channels = 4;
          one.way = way(mode.mode, true, seamless | normalised);
          one.way.borderColor[0] = 0.25f, one.way.borderColor[2] = -7;
          one.operand = Operand::boundaries;
          one.lanes = 1024;
          read(one, geometries[g], "f32");
          all.push_back(one);
          if (seamless || mode.mode != CU_TR_ADDRESS_MODE_CLAMP) continue;
          one.way.filterMode = CU_TR_FILTER_MODE_POINT;
          one.name += " point";
          all.push_back(one);
        }
}

// Elements of two levels.
void add_blended_levels(std::vector<Case>& all) {
  for (const int g : {0, 1, 2, 4, 5, 6})
    for (const Format& format :
         {formats[0], formats[1], formats[2], formats[3], formats[6], formats[7]})
      for (const bool linear : {false, true}) {
        const Geometry& geometry = geometries[g];
        Case one = on(geometry, std::string("between ") + geometry.name + " " + format.name +
                                    (linear ? " linear" : " point"));
        one.resource = Resource::levels;
        one.format = format.format, one.channels = 4;
        one.width = 16;
        one.height = geometry.height ? 16 : 0;
        one.depth = geometry.depth && !one.flags ? 8 : geometry.depth;
        one.levels = 4;
        one.way =
            way(g == 2 ? CU_TR_ADDRESS_MODE_BORDER : CU_TR_ADDRESS_MODE_CLAMP, linear, normalised);
        for (int i = 0; i < 4; ++i) one.way.borderColor[i] = 0.3f * static_cast<float>(i) - 0.2f;
        one.way.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
        one.way.maxMipmapLevelClamp = 3;
        one.operand = Operand::between_levels;
        one.opcode = std::string("tex.level.") + geometry.name + ".v4.f32.f32";
        one.operands = std::string("%R, [%O, ") + geometry.coordinates + "], %f4";
        one.lanes = 1024;
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
    if (!linear) all.push_back(one);
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
    one.way = way(CU_TR_ADDRESS_MODE_CLAMP, false, type[0] == 'f' ? 0 : CU_TRSF_READ_AS_INTEGER);
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
  const char* of_texture[] = {"width",         "height",
                              "depth",         "channel_data_type",
                              "channel_order", "normalized_coords",
                              "array_size",    "num_mipmap_levels",
                              "num_samples",   "filter_mode",
                              "addr_mode_0",   "addr_mode_1",
                              "addr_mode_2",   "force_unnormalized_coords",
                              "level.width",   "level.height",
                              "level.depth"};
  const char* of_surface[] = {"width",         "height",     "depth",        "channel_data_type",
                              "channel_order", "array_size", "memory_layout"};
  for (const Geometry& geometry : geometries) {
    Case one = on(geometry, std::string("query ") + geometry.name);
    one.way = way(CU_TR_ADDRESS_MODE_MIRROR, true, normalised);
    for (const char* query : of_texture) add(one, query);
    one.resource = Resource::levels, one.levels = 2;
    one.name += " levels";
    for (const char* query : {"width", "num_mipmap_levels", "level.width", "level.height"})
      add(one, query);
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
          Case one = on(geometry, std::string(write ? "sust." : "suld.") + geometry.name + "." +
                                      size.type + "." + clamp);
          one.flags |= surfaces;
          one.format = size.format, one.channels = size.channels;
          one.surface = true;
          one.content = Content::bits;
          one.operand = clamp[0] == 't' ? Operand::inside : Operand::any;
          if (clamp[0] == 't' && geometry.flags) continue;  // layers may be outside
          one.opcode = std::string(write ? "sust.b." : "suld.b.") + geometry.name + "." +
                       size.type + "." + clamp;
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
  for (const char* operation : {"add.u32", "add.s32", "add.u64", "min.u32", "min.s32", "max.u32",
                                "max.s32", "and.b32", "or.b32", "min.u64", "max.s64"})
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
  add_cubes(all);
  add_blended_levels(all);
  add_other_forms(all);
  add_queries(all);
  add_surfaces(all);
  return all;
}

}  // namespace textures
