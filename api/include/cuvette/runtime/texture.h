// SPDX-License-Identifier: Apache-2.0
// How a texture object reads: addressing, filtering, conversion.
//
// Reference: CUDA Runtime API, "Texture Object Management".
#pragma once

#include "platform.h"

// The dimensions of a texture, as they are written in the type of a texture reference.
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC

// The result of a coordinate outside the texture: wrap around, the nearest edge, a mirror image, or
// the border color. Wrap and mirror need normalized coordinates; without them they mean clamp.
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};

// The nearest texel, or a mix of its neighbors; the latter for textures that return floats.
enum cudaTextureFilterMode {
  cudaFilterModePoint = 0,
  cudaFilterModeLinear = 1,
};

// Whether integers of 8 and 16 bits are returned as they are or as floats: 0 to 1 for unsigned
// ones, -1 to 1 for signed ones.
enum cudaTextureReadMode {
  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1,
};

struct cudaTextureDesc {
  // One for each dimension.
  enum cudaTextureAddressMode addressMode[3];
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureReadMode readMode;
  // Not 0: texels are taken for sRGB and made linear.
  int sRGB;
  float borderColor[4];
  // Not 0: coordinates run from 0 to 1 instead of from 0 to the size.
  int normalizedCoords;
  unsigned int maxAnisotropy;
  // Between two levels of a mipmapped array.
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  // Not 0: filtering goes on across the edges of a cube map's faces.
  int seamlessCubemap;
};

// A texture object, as a kernel gets it; 0 is none.
typedef unsigned long long cudaTextureObject_t;
