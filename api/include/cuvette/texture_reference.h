// SPDX-License-Identifier: Apache-2.0
// Texture and surface references, the predecessors of the objects. All are deprecated.
//
// Reference: CUDA Driver API, "Texture Reference Management" and "Surface Reference Management".
#pragma once

#include "array.h"
#include "error.h"
#include "handle.h"
#include "platform.h"
#include "texture_object.h"

#ifdef __cplusplus
extern "C" {
#endif

// Flags of cuTexRefSetFlags and cuTexRefSetArray; the last four are also flags of
// CUDA_TEXTURE_DESC::flags.
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40
#define CU_PARAM_TR_DEFAULT -1

// The exported symbol that each of these names expands to.
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3

CUVETTE_DEPRECATED CUresult CUDAAPI cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray,
                                                      unsigned int Flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefCreate(CUtexref* pTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefDestroy(CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetAddress(CUdeviceptr* pdptr, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef,
                                                           int dim);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels,
                                                      CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm,
                                                                CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp,
                                                                float* pmaxMipmapLevelClamp,
                                                                CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray,
                                                              CUtexref hTexRef);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetAddress(size_t* ByteOffset, CUtexref hTexRef,
                                                       CUdeviceptr dptr, size_t bytes);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetAddress2D(CUtexref hTexRef,
                                                         const CUDA_ARRAY_DESCRIPTOR* desc,
                                                         CUdeviceptr dptr, size_t Pitch);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetAddressMode(CUtexref hTexRef, int dim,
                                                           CUaddress_mode am);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetArray(CUtexref hTexRef, CUarray hArray,
                                                     unsigned int Flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt,
                                                      int NumPackedComponents);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetMaxAnisotropy(CUtexref hTexRef,
                                                             unsigned int maxAniso);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref hTexRef,
                                                                float minMipmapLevelClamp,
                                                                float maxMipmapLevelClamp);

CUVETTE_DEPRECATED CUresult CUDAAPI cuTexRefSetMipmappedArray(CUtexref hTexRef,
                                                              CUmipmappedArray hMipmappedArray,
                                                              unsigned int Flags);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuTexRefGetAddress
#undef cuTexRefSetAddress
#undef cuTexRefSetAddress2D

// The other versions that the library exports.
CUresult CUDAAPI cuTexRefGetAddress(CUdeviceptr_v1* pdptr, CUtexref hTexRef);
CUresult CUDAAPI cuTexRefSetAddress(unsigned int* ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                                    unsigned int bytes);
CUresult CUDAAPI cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1* desc,
                                      CUdeviceptr_v1 dptr, unsigned int Pitch);
CUresult CUDAAPI cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc,
                                         CUdeviceptr dptr, size_t Pitch);
#endif

#ifdef __cplusplus
}
#endif
