// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/texture/channel.hpp"

namespace cuvette::runtime {
namespace {

struct Format {
  cudaChannelFormatKind kind;
  int bits;
  CUarray_format format;
};

constexpr Format formats[] = {
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};

// Kinds that name a whole format including its channels, and the bits that describe them.
struct NamedFormat {
  cudaChannelFormatKind kind;
  CUarray_format format;
  int x, y, z, w;
};

constexpr NamedFormat named_formats[] = {
    {cudaChannelFormatKindNV12, CU_AD_FORMAT_NV12, 8, 8, 8, 0},
    {cudaChannelFormatKindUnsignedNormalized8X1, CU_AD_FORMAT_UNORM_INT8X1, 8, 0, 0, 0},
    {cudaChannelFormatKindUnsignedNormalized8X2, CU_AD_FORMAT_UNORM_INT8X2, 8, 8, 0, 0},
    {cudaChannelFormatKindUnsignedNormalized8X4, CU_AD_FORMAT_UNORM_INT8X4, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedNormalized16X1, CU_AD_FORMAT_UNORM_INT16X1, 16, 0, 0, 0},
    {cudaChannelFormatKindUnsignedNormalized16X2, CU_AD_FORMAT_UNORM_INT16X2, 16, 16, 0, 0},
    {cudaChannelFormatKindUnsignedNormalized16X4, CU_AD_FORMAT_UNORM_INT16X4, 16, 16, 16, 16},
    {cudaChannelFormatKindSignedNormalized8X1, CU_AD_FORMAT_SNORM_INT8X1, 8, 0, 0, 0},
    {cudaChannelFormatKindSignedNormalized8X2, CU_AD_FORMAT_SNORM_INT8X2, 8, 8, 0, 0},
    {cudaChannelFormatKindSignedNormalized8X4, CU_AD_FORMAT_SNORM_INT8X4, 8, 8, 8, 8},
    {cudaChannelFormatKindSignedNormalized16X1, CU_AD_FORMAT_SNORM_INT16X1, 16, 0, 0, 0},
    {cudaChannelFormatKindSignedNormalized16X2, CU_AD_FORMAT_SNORM_INT16X2, 16, 16, 0, 0},
    {cudaChannelFormatKindSignedNormalized16X4, CU_AD_FORMAT_SNORM_INT16X4, 16, 16, 16, 16},
    {cudaChannelFormatKindUnsignedBlockCompressed1, CU_AD_FORMAT_BC1_UNORM, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed1SRGB, CU_AD_FORMAT_BC1_UNORM_SRGB, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed2, CU_AD_FORMAT_BC2_UNORM, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed2SRGB, CU_AD_FORMAT_BC2_UNORM_SRGB, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed3, CU_AD_FORMAT_BC3_UNORM, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed3SRGB, CU_AD_FORMAT_BC3_UNORM_SRGB, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed4, CU_AD_FORMAT_BC4_UNORM, 8, 0, 0, 0},
    {cudaChannelFormatKindSignedBlockCompressed4, CU_AD_FORMAT_BC4_SNORM, 8, 0, 0, 0},
    {cudaChannelFormatKindUnsignedBlockCompressed5, CU_AD_FORMAT_BC5_UNORM, 8, 8, 0, 0},
    {cudaChannelFormatKindSignedBlockCompressed5, CU_AD_FORMAT_BC5_SNORM, 8, 8, 0, 0},
    {cudaChannelFormatKindUnsignedBlockCompressed6H, CU_AD_FORMAT_BC6H_UF16, 16, 16, 16, 0},
    {cudaChannelFormatKindSignedBlockCompressed6H, CU_AD_FORMAT_BC6H_SF16, 16, 16, 16, 0},
    {cudaChannelFormatKindUnsignedBlockCompressed7, CU_AD_FORMAT_BC7_UNORM, 8, 8, 8, 8},
    {cudaChannelFormatKindUnsignedBlockCompressed7SRGB, CU_AD_FORMAT_BC7_UNORM_SRGB, 8, 8, 8, 8},
};

unsigned count_channels(const cudaChannelFormatDesc& description) {
  return (description.x != 0) + (description.y != 0) + (description.z != 0) + (description.w != 0);
}

}  // namespace

Status find_format(const cudaChannelFormatDesc& description, CUarray_format* format,
                   unsigned* channels) {
  for (const NamedFormat& named : named_formats) {
    if (named.kind != description.f) continue;
    if (description.x != named.x || description.y != named.y || description.z != named.z ||
        description.w != named.w)
      return cudaErrorInvalidChannelDescriptor;
    *format = named.format;
    *channels = count_channels(description);
    return {};
  }
  // All channels have one size, none is missing before the last, and there are not three.
  const int all[] = {description.x, description.y, description.z, description.w};
  *channels = count_channels(description);
  if (*channels == 0 || *channels == 3) return cudaErrorInvalidChannelDescriptor;
  for (unsigned channel = 0; channel < *channels; ++channel)
    if (all[channel] != description.x) return cudaErrorInvalidChannelDescriptor;
  for (const Format& known : formats) {
    if (known.kind != description.f || known.bits != description.x) continue;
    *format = known.format;
    return {};
  }
  return cudaErrorInvalidChannelDescriptor;
}

Status find_description(CUarray_format format, unsigned channels,
                        cudaChannelFormatDesc* description) {
  for (const Format& known : formats) {
    if (known.format != format) continue;
    const auto bits = [&](unsigned channel) { return channel < channels ? known.bits : 0; };
    *description = {bits(0), bits(1), bits(2), bits(3), known.kind};
    return {};
  }
  for (const NamedFormat& named : named_formats) {
    if (named.format != format) continue;
    *description = {named.x, named.y, named.z, named.w, named.kind};
    return {};
  }
  return cudaErrorInvalidChannelDescriptor;
}

Status describe_array(const cudaChannelFormatDesc& elements, cudaExtent extent, unsigned flags,
                      CUDA_ARRAY3D_DESCRIPTOR* array) {
  *array = {};
  array->Width = extent.width;
  array->Height = extent.height;
  array->Depth = extent.depth;
  array->Flags = flags;
  return find_format(elements, &array->Format, &array->NumChannels);
}

}  // namespace cuvette::runtime
