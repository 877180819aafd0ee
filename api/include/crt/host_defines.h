// SPDX-License-Identifier: Apache-2.0
// The keywords of CUDA C++ for the compiler: __host__, __device__, __global__ and the like.
//
// For a compiler of CUDA C++ they are attributes. For a plain host compiler they are empty, so that
// a header with __host__ __device__ functions serves both.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

// Calling convention of the runtime's functions.
#if defined(_WIN32)
#define CUDARTAPI __stdcall
#define CUDARTAPI_CDECL __cdecl
#else
#define CUDARTAPI
#define CUDARTAPI_CDECL
#endif

#if defined(_MSC_VER)
#define __restrict__ __restrict
#define __inline__ __inline
#define __no_return__ __declspec(noreturn)
#define __forceinline__ __forceinline
#define __inline_hint__ __declspec(nv_inline_hint)
#define __align__(n) __declspec(align(n))
#define __maxnreg__(n) __declspec(maxnreg(n))
#define __local_maxnreg__(n) __declspec(local_maxnreg(n))
#define __thread__ __declspec(thread)
#define __import__ __declspec(dllimport)
#define __export__ __declspec(dllexport)
#define __cluster_dims__(...) __declspec(__cluster_dims__(__VA_ARGS__))
#define __block_size__(...) __declspec(__block_size__(__VA_ARGS__))
#else
#define __no_return__ __attribute__((noreturn))
#undef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __attribute__((nv_inline_hint))
#define __align__(n) __attribute__((aligned(n)))
#define __maxnreg__(a) __attribute__((maxnreg(a)))
#define __local_maxnreg__(a) __attribute__((local_maxnreg(a)))
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __block_size__(...) __attribute__((block_size(__VA_ARGS__)))
#endif
#define __builtin_align__(a) __align__(a)
#define __specialization_static

// __annotate__ is the attribute itself, where the compiler knows CUDA's.
#if !defined(__CUDACC__) && !defined(__CUDA__)
#define __annotate__(a)
#elif defined(_MSC_VER)
#define __annotate__(a) __declspec(a)
#else
#define __annotate__(a) __attribute__((a))
#endif
#if defined(_MSC_VER)
#define __location__(a) __annotate__(__##a##__)
#else
#define __location__(a) __annotate__(a)
#endif

// Where a function runs: on the host, on the device, or on the device when the host launches it.
#undef __host__
#undef __device__
#undef __global__
#define __host__ __location__(host)
#define __device__ __location__(device)
#define __global__ __location__(global)

// Where a variable resides: in shared, constant or managed memory.
#undef __shared__
#undef __constant__
#undef __managed__
#define __shared__ __location__(shared)
#define __constant__ __location__(constant)
#if defined(__clang__) && defined(__CUDA__)
// clang has no such attribute; cuvette c++ looks for what lies in this section.
#define __managed__ __device__ __attribute__((section("cuvette_managed")))
#else
#define __managed__ __location__(managed)
#endif

// A kernel's parameter that no thread changes; a function without effects.
#undef __grid_constant__
#undef __nv_pure__
#define __grid_constant__ __location__(grid_constant)
#define __nv_pure__ __location__(nv_pure)

// Functions that work on tiles instead of threads.
#define __tile_global__ __location__(tile_global)
#define __tile__ __location__(tile)
#define __tile_builtin__ __location__(tile_builtin)

#if defined(__CUDACC__) || defined(__CUDA__)
// The largest number of threads in the kernel's block, and the smallest number of resident blocks.
#undef __launch_bounds__
#define __launch_bounds__(...) __annotate__(launch_bounds(__VA_ARGS__))
#endif

// nvcc marks its built-in types and functions with these; for other compilers they are empty.
#if defined(__NVCC__)
#define __device_builtin__ __location__(device_builtin)
#define __device_builtin_texture_type__ __location__(device_builtin_texture_type)
#define __device_builtin_surface_type__ __location__(device_builtin_surface_type)
#define __cudart_builtin__ __location__(cudart_builtin)
#else
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#endif

// Which features of one architecture, or of its family, the code is compiled for; N is 10 * major +
// minor.
#define __CUDA_ARCH_HAS_FEATURE__(_FEAT) __CUDA_ARCH_FEAT_##_FEAT
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define __CUDA_HAS_ARCH_FAMILY_SPECIFIC(N) \
  (__CUDA_ARCH_FAMILY_SPECIFIC__ / 100 == (N##0) / 100 && __CUDA_ARCH_FAMILY_SPECIFIC__ >= (N##0))
#else
#define __CUDA_HAS_ARCH_FAMILY_SPECIFIC(N) 0
#endif
#if defined(__CUDA_ARCH_SPECIFIC__)
#define __CUDA_HAS_ARCH_SPECIFIC(N) (__CUDA_ARCH_SPECIFIC__ == (N##0))
#else
#define __CUDA_HAS_ARCH_SPECIFIC(N) 0
#endif

#endif
