// SPDX-License-Identifier: Apache-2.0
// Which interoperability the platform has.
#ifndef __CUDART_PLATFORM_H__
#define __CUDART_PLATFORM_H__

#if defined(__linux__)
#define isEglSupported 1
#endif

#endif
