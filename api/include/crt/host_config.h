// SPDX-License-Identifier: Apache-2.0
// Included by compilers of CUDA C++ before the host system's headers. Here it is empty: these
// headers need nothing.
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#endif
