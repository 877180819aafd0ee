// SPDX-License-Identifier: Apache-2.0
// What a compiler of CUDA C++ needs of the host's system before its headers; these headers need
// nothing.
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#endif
