// SPDX-License-Identifier: Apache-2.0
// One array for each field, one behind the other: what a warp wants of 32 bodies is 32 neighbours.
// A field's array may begin in the middle of a sector, hence five sectors at most, and not four.
__host__ __device__ int place(int body, int field, int bodies) { return field * bodies + body; }
