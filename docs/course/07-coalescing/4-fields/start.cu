// SPDX-License-Identifier: Apache-2.0
// The element that holds a field (0 to 3) of a body (0 to bodies - 1), in an array of 4 * bodies
// elements.
__host__ __device__ int place(int body, int field, int bodies) { return 4 * body + field; }
