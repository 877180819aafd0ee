// SPDX-License-Identifier: Apache-2.0
// Represents another driver: a libcuda.so.1 on a machine without a GPU.
int cuInit(unsigned flags) { return flags ? 1 : 100; }
