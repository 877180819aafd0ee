// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/array_limits.hpp"

namespace cuvette::device {
namespace {

using Extents = ArrayLimits::Extents;

constexpr unsigned known_array_flags = 0x1ff;
constexpr unsigned cube_faces = 6;

Result<> check_format(const ArrayDescriptor& d) {
  const FormatFacts* format = facts(d.format);
  if (!format)
    return refuse(Error::invalid_value, "0x%x is not an array format.",
                  static_cast<unsigned>(d.format));
  if (!format->channels_allowed(d.channels))
    return refuse(Error::invalid_value, "An element of format %s cannot have %u channels.",
                  format->name, d.channels);
  return {};
}

Result<> check_flags(const ArrayDescriptor& d) {
  if (d.flags & ~known_array_flags)
    return refuse(Error::invalid_value, "Array flags 0x%x have unknown bits.", d.flags);
  // Only graphics resources and external memory give such arrays.
  if (d.has(array_flag::depth_texture | array_flag::color_attachment))
    return refuse(Error::invalid_value,
                  "CUDA_ARRAY3D_DEPTH_TEXTURE and CUDA_ARRAY3D_COLOR_ATTACHMENT (flags 0x%x) are "
                  "not for arrays that a program creates itself.",
                  d.flags);
  return {};
}

Result<> check_shape(const ArrayDescriptor& d) {
  if (d.width == 0) return refuse(Error::invalid_value, "An array of width 0 has no elements.");
  if (d.has(array_flag::cubemap)) {
    // "Width must be equal to Height, and Depth must be six. If the CUDA_ARRAY3D_LAYERED flag is
    // also set, then Depth must be a multiple of six."
    if (d.width != d.height)
      return refuse(Error::invalid_value, "The faces of a cube map are squares, not %zu x %zu.",
                    d.width, d.height);
    const bool many = d.has(array_flag::layered);
    if (many ? d.depth == 0 || d.depth % cube_faces != 0 : d.depth != cube_faces)
      return refuse(Error::invalid_value, "%zu is not a valid number of faces for %s.", d.depth,
                    many ? "cube maps" : "a cube map");
    return {};
  }
  if (d.layered() && d.depth == 0)
    return refuse(Error::invalid_value, "A layered array of depth 0 has no layers.");
  if (!d.layered() && d.height == 0 && d.depth != 0)
    return refuse(Error::invalid_value, "An array of height 0 and depth %zu is not layered.",
                  d.depth);
  return {};
}

// Checks which flags, formats and shapes go together.
Result<> check_combination(const ArrayDescriptor& d, bool mipmapped) {
  const FormatFacts& format = *facts(d.format);
  const bool yuv = format.kind == ChannelKind::packed_yuv || format.planar();
  const bool line = d.height == 0;
  // "Texture gather can only be performed on 2D CUDA arrays."
  if (d.has(array_flag::texture_gather) && (d.layered() || d.dimensions() != 2))
    return refuse(Error::invalid_value,
                  "CUDA_ARRAY3D_TEXTURE_GATHER is only for arrays of two dimensions.");
  // Measured, like everything below.
  if (d.has(array_flag::sparse) &&
      (line || d.has(array_flag::surface_ldst) || d.has(array_flag::cubemap)))
    return refuse(Error::invalid_value,
                  "CUDA_ARRAY3D_SPARSE is not for arrays of one dimension, cube maps or surfaces.");
  if (format.compressed() && line)
    return refuse(Error::invalid_value,
                  "The blocks of format %s need an array of at least two dimensions.", format.name);
  if (yuv) {
    if (!d.has(array_flag::video_encode_decode) || mipmapped)
      return refuse(Error::invalid_value,
                    "Format %s needs CUDA_ARRAY3D_VIDEO_ENCODE_DECODE and cannot have mip levels.",
                    format.name);
    if (d.dimensions() != 2 || d.has(array_flag::cubemap))
      return refuse(Error::invalid_value, "Format %s is only for arrays of two dimensions.",
                    format.name);
    if (d.width % 2 != 0 || d.height % 2 != 0)
      return refuse(
          Error::invalid_value,
          "An array of %zu x %zu elements of format %s is not valid: both extents must be even.",
          d.width, d.height, format.name);
  }
  return {};
}

bool fits(const ArrayDescriptor& d, const Extents& most) {
  return d.width <= most.width && d.height <= most.height && d.depth <= most.depth;
}

Result<> check_extents(const ArrayDescriptor& d, const Extents& most, const char* what) {
  if (fits(d, most)) return {};
  return refuse(Error::invalid_value,
                "%zu x %zu x %zu is larger than the limit of %zu x %zu x %zu %s.", d.width,
                d.height, d.depth, most.width, most.height, most.depth, what);
}

const Extents& of_type(const ArrayLimits::Types& types, const ArrayDescriptor& d) {
  if (d.has(array_flag::cubemap))
    return d.has(array_flag::layered) ? types.layered_cube : types.cube;
  if (d.layered()) return d.height == 0 ? types.layered_line : types.layered_plane;
  return d.height == 0 ? types.line : d.depth == 0 ? types.plane : types.volume;
}

Result<> check_limits(const ArrayDescriptor& d, const ArrayLimits& limits, bool mipmapped) {
  const bool plain = !d.layered(), volume = plain && d.height != 0 && d.depth != 0;
  if (!volume || !fits(d, limits.tall_volume))
    TRY(check_extents(d, of_type(limits.textures, d), "for such arrays"));
  if (mipmapped && plain && !volume)
    TRY(check_extents(d, d.height == 0 ? limits.mipmapped_line : limits.mipmapped_plane,
                      "with mip levels"));
  if (d.has(array_flag::surface_ldst))
    TRY(check_extents(d, of_type(limits.surfaces, d), "for surfaces"));
  if (d.has(array_flag::texture_gather))
    TRY(check_extents(d, limits.gathered_plane, "for texture gather"));
  return {};
}

}  // namespace

Result<> check_array(const ArrayDescriptor& descriptor, const ArrayLimits& limits, bool mipmapped) {
  TRY(check_format(descriptor));
  TRY(check_flags(descriptor));
  TRY(check_shape(descriptor));
  TRY(check_combination(descriptor, mipmapped));
  TRY(check_limits(descriptor, limits, mipmapped));
  if (facts(descriptor.format)->compressed() && descriptor.has(array_flag::surface_ldst))
    return refuse(Error::not_supported, "Surfaces of format %s are not supported.",
                  facts(descriptor.format)->name);
  if (descriptor.has(array_flag::sparse | array_flag::deferred_mapping))
    return refuse(Error::not_supported,
                  "CUDA_ARRAY3D_SPARSE and CUDA_ARRAY3D_DEFERRED_MAPPING (flags 0x%x) need "
                  "cuMemMapArrayAsync, which is not implemented; create an array with memory.",
                  descriptor.flags);
  return {};
}

}  // namespace cuvette::device
