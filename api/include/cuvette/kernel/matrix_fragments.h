// SPDX-License-Identifier: Apache-2.0
// Fragments of matrices: what a thread of a warp holds of one, and how that lies in registers.
#ifndef CUVETTE_KERNEL_MATRIX_FRAGMENTS_H
#define CUVETTE_KERNEL_MATRIX_FRAGMENTS_H

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace details {

// Elements of four bits and of one are not distinguished: they are stored as words.
template <typename Element, int elements, typename Word, int words>
struct held {
  enum { num_elements = elements, num_storage_elements = elements };
  using element_type = Element;
  using storage_element_type = Element;
  using word = Word;
  static constexpr int word_count = words;

  Element x[elements];

  __device__ void get(Word* to) const { __builtin_memcpy(to, x, sizeof x); }
  __device__ void set(const Word* from) { __builtin_memcpy(x, from, sizeof x); }
};

}  // namespace details

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;

template <typename Use, int m, int n, int k, typename T, typename Layout, typename Value>
static __inline__ __device__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& to,
                                                const Value& value) {
#pragma unroll
  for (int i = 0; i < to.num_elements; ++i)
    to.x[i] = static_cast<typename fragment<Use, m, n, k, T, Layout>::element_type>(value);
}

static __inline__ __device__ float __float_to_tf32(float a) {
  unsigned result;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(result) : "f"(a));
  return __uint_as_float(result);
}

}  // namespace wmma
}  // namespace nvcuda

// Operands of assembly: CUVETTE_IN_4(a, "r") is what goes in, CUVETTE_NAMED_4("a") is its text.
#define CUVETTE_IN_1(v, kind) [v##0] kind(v[0])
#define CUVETTE_IN_2(v, kind) CUVETTE_IN_1(v, kind), [v##1] kind(v[1])
#define CUVETTE_IN_4(v, kind) CUVETTE_IN_2(v, kind), [v##2] kind(v[2]), [v##3] kind(v[3])
#define CUVETTE_IN_8(v, kind) \
  CUVETTE_IN_4(v, kind), [v##4] kind(v[4]), [v##5] kind(v[5]), [v##6] kind(v[6]), [v##7] kind(v[7])
#define CUVETTE_NAMED_1(v) "{%[" v "0]}"
#define CUVETTE_NAMED_2(v) "{%[" v "0], %[" v "1]}"
#define CUVETTE_NAMED_4(v) "{%[" v "0], %[" v "1], %[" v "2], %[" v "3]}"
#define CUVETTE_NAMED_8(v) \
  "{%[" v "0], %[" v "1], %[" v "2], %[" v "3], %[" v "4], %[" v "5], %[" v "6], %[" v "7]}"

#endif
