// SPDX-License-Identifier: Apache-2.0

// Names the type of a function's pointer that fits the default stream of the translation unit.
//
//   __API_TYPEDEF_PTSZ(PFN_cuStreamQuery, 2000, 7000) is PFN_cuStreamQuery_v2000, or
//   PFN_cuStreamQuery_v7000_ptsz when CUDA_API_PER_THREAD_DEFAULT_STREAM is defined.
#pragma once

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __API_TYPEDEF_PTDS(api, default_version, ptds_version) api##_v##ptds_version##_ptds
#define __API_TYPEDEF_PTSZ(api, default_version, ptds_version) api##_v##ptds_version##_ptsz
#else
#define __API_TYPEDEF_PTDS(api, default_version, ptds_version) api##_v##default_version
#define __API_TYPEDEF_PTSZ(api, default_version, ptds_version) api##_v##default_version
#endif
