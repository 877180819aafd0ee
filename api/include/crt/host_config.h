// SPDX-License-Identifier: Apache-2.0
// What compilers of CUDA C++ include before the host system's headers. Here it is empty: these
// headers need nothing.
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#endif
