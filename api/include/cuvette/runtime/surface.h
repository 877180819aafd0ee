// SPDX-License-Identifier: Apache-2.0
// How a surface object reads and writes.
//
// Reference: CUDA Runtime API, "Surface Object Management".
#pragma once

#include "platform.h"

// The dimensions of a surface, as they are written in the type of a surface reference.
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

// The effect of an access outside the surface: reads 0 and writes nothing, goes to the nearest
// edge, or stops the kernel.
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2,
};

// Whether values are written as they are or converted to the surface's format.
enum cudaSurfaceFormatMode {
  cudaFormatModeForced = 0,
  cudaFormatModeAuto = 1,
};

// A surface object, as a kernel gets it; 0 is none.
typedef unsigned long long cudaSurfaceObject_t;
