// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/texture.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

using Kind = TextureResource::Kind;

// Includes flags without a name, which the driver accepts (measured).
constexpr unsigned known_sampling_flags = 0x7f;

struct ViewFacts {
  ViewFormat format;
  const char* name;
  ArrayFormat array_format;
  unsigned channels;
};
constexpr ViewFacts view_facts[] = {
#define VIEW_FORMAT(name, number, format, channels) \
  {ViewFormat::name, #name, ArrayFormat::format, channels},
#include "sim/device/texture/view_formats.def"
#undef VIEW_FORMAT
};

const ViewFacts* facts(ViewFormat format) {
  const auto* const found =
      std::find_if(std::begin(view_facts), std::end(view_facts),
                   [&](const ViewFacts& one) { return one.format == format; });
  return found == std::end(view_facts) ? nullptr : found;
}

// Returns the descriptor of the array or mip-mapped array; null for linear memory.
const ArrayDescriptor* descriptor_of(const TextureResource& resource) {
  if (resource.kind == Kind::array) return &resource.array->descriptor();
  if (resource.kind == Kind::levels) return &resource.levels->descriptor();
  return nullptr;
}

unsigned dimensions_of(const TextureResource& resource) {
  if (const ArrayDescriptor* array = descriptor_of(resource)) return array->dimensions();
  return resource.kind == Kind::linear ? 1 : 2;
}

Result<> check_memory(const TextureResource& r, const TextureLimits& limits) {
  const size_t most = TRY(most_linear_elements(r.format, r.channels));
  // Measured.
  const FormatFacts& format = *facts(r.format);
  if (format.compressed() ||
      (format.kind > ChannelKind::floating && r.format != ArrayFormat::UNORM_INT_101010_2))
    return refuse(Error::invalid_value, "Textures of linear memory do not support format %s.",
                  format.name);
  if (r.address == 0)
    return refuse(Error::invalid_value, "The address of a texture's memory is null.");
  // "a valid device pointer, that is aligned to CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT"
  if ((r.address - r.origin) % limits.alignment != 0)
    return refuse(Error::invalid_value,
                  "A texture's memory at 0x%llx does not begin at a multiple of %zu bytes%s.",
                  static_cast<unsigned long long>(r.address), limits.alignment,
                  r.origin != 0 ? " of the buffer that it is part of" : "");
  if (r.kind == Kind::linear) {
    const size_t count = r.bytes / format.element_bytes(r.channels);
    if (count > most)
      return refuse(Error::invalid_value, "%zu elements are more than a texture can have (%zu).",
                    count, most);
    return {};
  }
  if (r.width > limits.rows_width || r.height > limits.rows_height)
    return refuse(Error::invalid_value,
                  "%zu x %zu elements are more than a pitched texture can have (%zu x %zu).",
                  r.width, r.height, limits.rows_width, limits.rows_height);
  // "has to be aligned to CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT. Pitch cannot exceed
  // CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH."
  if (r.pitch % limits.pitch_alignment != 0 || r.pitch > limits.rows_pitch)
    return refuse(Error::invalid_value,
                  "A pitch of %zu bytes is not a multiple of %zu, or larger than %zu.", r.pitch,
                  limits.pitch_alignment, limits.rows_pitch);
  return {};
}

// Measured: planar and packed YUV formats have no textures.
Result<> check_format(const ArrayDescriptor& array, const TextureSampling& sampling) {
  const FormatFacts& format = *facts(array.format);
  if (format.planar() || format.kind == ChannelKind::packed_yuv)
    return refuse(Error::invalid_value, "Textures of format %s are not supported.", format.name);
  // Measured: an encoded format needs the flag that decodes it.
  if (format.encoded && (sampling.flags & texture_flag::srgb) == 0)
    return refuse(Error::invalid_value, "A texture of format %s needs CU_TRSF_SRGB.", format.name);
  return {};
}

Result<> check_sampling(const TextureResource& resource, const TextureSampling& sampling) {
  const ArrayDescriptor* const array = descriptor_of(resource);
  for (unsigned along = 0; along < dimensions_of(resource); ++along)
    if (sampling.address[along] > AddressMode::border)
      return refuse(Error::invalid_value, "%u is not an address mode.",
                    static_cast<unsigned>(sampling.address[along]));
  if (sampling.filter > FilterMode::linear || sampling.level_filter > FilterMode::linear)
    return refuse(Error::invalid_value, "One of the filter modes %u and %u does not exist.",
                  static_cast<unsigned>(sampling.filter),
                  static_cast<unsigned>(sampling.level_filter));
  if (sampling.flags & ~known_sampling_flags)
    return refuse(Error::invalid_value, "Texture flags 0x%x have unknown bits.", sampling.flags);
  // "This flag can only be specified if the underlying resource is a CUDA array or a CUDA mipmapped
  // array that was created with the flag CUDA_ARRAY3D_CUBEMAP."
  if ((sampling.flags & texture_flag::seamless_cubemap) != 0 &&
      !(array && array->has(array_flag::cubemap)))
    return refuse(Error::invalid_value, "CU_TRSF_SEAMLESS_CUBEMAP is only for cube maps.");
  return {};
}

// "If the resource view format is a block compressed format, then the underlying CUDA array or CUDA
// mipmapped array has to have a base of format CU_AD_FORMAT_UNSIGNED_INT32 with 2 or 4 channels".
// For other formats, measured: elements are as large as before.
Result<> check_view_format(const ArrayDescriptor& array, const ViewFacts& view) {
  const FormatFacts &from = *facts(array.format), &to = *facts(view.array_format);
  const bool same_size = from.element_bytes(array.channels) == to.element_bytes(view.channels);
  if (from.compressed() || !same_size ||
      (to.compressed() && array.format != ArrayFormat::UNSIGNED_INT32))
    return refuse(Error::invalid_value,
                  "An array of format %s with %u channels cannot be read as %s.", from.name,
                  array.channels, view.name);
  return {};
}

Result<> check_view(const TextureResource& resource, const TextureView& view) {
  const ArrayDescriptor* const array = descriptor_of(resource);
  // "pResViewDesc can only be specified if the type of resource is a CUDA array or a CUDA mipmapped
  // array not in a block compressed format."
  if (!array) return refuse(Error::invalid_value, "Linear memory cannot have a view.");
  const ViewFacts* const format = facts(view.format);
  if (!format)
    return refuse(Error::invalid_value, "%u is not a view format.",
                  static_cast<unsigned>(view.format));
  TRY(check_view_format(*array, *format));
  const size_t times = facts(format->array_format)->block;
  if (view.width != array->width * times || view.height != array->height * times ||
      view.depth != array->depth)
    return refuse(Error::invalid_value,
                  "A view of %zu x %zu x %zu elements of format %s does not have the extents %zu x "
                  "%zu x %zu.",
                  view.width, view.height, view.depth, format->name, array->width * times,
                  array->height * times, array->depth);
  // "For non-mipmapped resources, this value has to be zero"; the same holds for layers, and a cube
  // map is not a layered resource (measured).
  if (resource.kind != Kind::levels && (view.first_level != 0 || view.last_level != 0))
    return refuse(Error::invalid_value,
                  "The view has levels %u to %u, but the array has no mip levels.",
                  view.first_level, view.last_level);
  if (!array->has(array_flag::layered) && (view.first_layer != 0 || view.last_layer != 0))
    return refuse(Error::invalid_value,
                  "The view has layers %u to %u, but the array has no layers.", view.first_layer,
                  view.last_layer);
  if (view.first_level > view.last_level || view.first_layer > view.last_layer)
    return refuse(Error::invalid_value, "A view of levels %u to %u and layers %u to %u is empty.",
                  view.first_level, view.last_level, view.first_layer, view.last_layer);
  return {};
}

Texels::Level level_of(const Array& array) {
  Texels::Level level{array.address(), array.layout(), array.descriptor()};
  level.layout.offset = 0;
  return level;
}

Texels::Level level_of(const MipmappedArray& levels, unsigned level) {
  const ArrayLayout& layout = levels.layout(level);
  Texels::Level found{levels.storage().begin() + layout.offset, layout,
                      levels.descriptor().level(level)};
  found.layout.offset = 0;
  return found;
}

// Returns a level as `view` shows it. The driver accepts last layers beyond the array's; here they
// are cut off.
void narrow(Texels::Level& level, const TextureView& view) {
  ArrayDescriptor& d = level.descriptor;
  const ViewFacts& format = *facts(view.format);
  if (d.has(array_flag::layered)) {
    const size_t first = std::min<size_t>(view.first_layer, d.depth - 1);
    const size_t last = std::min<size_t>(view.last_layer, d.depth - 1);
    level.address += first * level.layout.slice;
    level.layout.depth = d.depth = last - first + 1;
  }
  d.format = format.array_format;
  d.channels = format.channels;
  level.layout.block = facts(d.format)->block;
  d.width *= level.layout.block;
  d.height *= level.layout.block;
}

Texels::Level level_of_memory(const TextureResource& r) {
  const size_t element = facts(r.format)->element_bytes(r.channels);
  const bool linear = r.kind == Kind::linear;
  Texels::Level level;
  level.address = r.address;
  level.descriptor = {
      linear ? r.bytes / element : r.width, linear ? 0 : r.height, 0, r.format, r.channels, 0};
  level.layout.element = element;
  level.layout.width = level.descriptor.width;
  level.layout.height = linear ? 1 : r.height;
  level.layout.pitch = linear ? r.bytes : r.pitch;
  level.layout.slice = level.layout.pitch * level.layout.height;
  return level;
}

}  // namespace

ViewFormat view_format_of(ArrayFormat format, unsigned channels) {
  for (const ViewFacts& one : view_facts)
    if (one.array_format == format && one.channels == channels) return one.format;
  return ViewFormat::NONE;
}

Result<size_t> most_linear_elements(ArrayFormat format, unsigned channels) {
  constexpr size_t most_elements = size_t{1} << 30, most_bytes = size_t{1} << 32;
  const FormatFacts* const known = facts(format);
  if (!known || !known->channels_allowed(channels))
    return refuse(Error::invalid_value, "An element cannot have format 0x%x with %u channels.",
                  static_cast<unsigned>(format), channels);
  return std::min(most_elements, most_bytes / known->element_bytes(channels));
}

Result<Ref<Texture>> Texture::create(TextureResource resource, const TextureSampling& sampling,
                                     const std::optional<TextureView>& view,
                                     const TextureLimits& limits, uint64_t owner) {
  if (const ArrayDescriptor* array = descriptor_of(resource)) {
    TRY(check_format(*array, sampling));
  } else {
    TRY(check_memory(resource, limits));
  }
  TRY(check_sampling(resource, sampling));
  if (view) TRY(check_view(resource, *view));
  return make_ref<Texture>(std::move(resource), sampling, view, owner);
}

Result<> Texture::usable() const {
  if (resource_.kind == Kind::array) TRY(resource_.array->storage().usable());
  if (resource_.kind == Kind::levels) TRY(resource_.levels->storage().usable());
  return {};
}

Result<Texels> Texture::texels() const {
  TRY(usable());
  return places();
}

Texels Texture::places() const {
  Texels texels;
  switch (resource_.kind) {
    case Kind::linear:
    case Kind::rows:
      texels.levels.push_back(level_of_memory(resource_));
      return texels;
    case Kind::array:
      texels.levels.push_back(level_of(*resource_.array));
      break;
    case Kind::levels: {
      // The driver accepts last levels beyond the array's (measured); here they are cut off.
      const unsigned end = resource_.levels->levels();
      const unsigned first = view_ ? std::min(view_->first_level, end - 1) : 0;
      const unsigned last = view_ ? std::min(view_->last_level, end - 1) : end - 1;
      for (unsigned level = first; level <= last; ++level)
        texels.levels.push_back(level_of(*resource_.levels, level));
      break;
    }
  }
  if (view_)
    for (Texels::Level& level : texels.levels) narrow(level, *view_);
  return texels;
}

Result<Ref<Surface>> Surface::create(Ref<Array> array, uint64_t owner) {
  const FormatFacts& format = *facts(array->descriptor().format);
  if (format.compressed() || format.planar())
    return refuse(Error::invalid_value, "Surfaces of format %s are not supported.", format.name);
  return make_ref<Surface>(std::move(array), owner);
}

Result<Texels> Surface::texels() const {
  TRY(usable());
  return places();
}

Texels Surface::places() const { return Texels{{level_of(*array_)}}; }

}  // namespace cuvette::device
