// SPDX-License-Identifier: Apache-2.0
// alignas behind __shared__ and its like, where nvcc takes it: to clang that is a list of
// attributes in a place where none may be. So alignas becomes an attribute of the other kind, which
// may be in all places.
#ifndef CUVETTE_KERNEL_ALIGNMENT_H
#define CUVETTE_KERNEL_ALIGNMENT_H

namespace cuvette_kernel {

constexpr unsigned long larger(unsigned long a, unsigned long b) { return a > b ? a : b; }

// The alignment that alignas() says, as a number, a type or a list of types. alignas(0) says
// nothing.
template <unsigned long first>
constexpr unsigned long alignment() {
  return larger(first, 1);
}
template <unsigned long first, unsigned long second, unsigned long... others>
constexpr unsigned long alignment() {
  return larger(first, alignment<second, others...>());
}
template <class... Types>
constexpr unsigned long alignment() {
  return alignment<1ul, alignof(Types)...>();
}

}  // namespace cuvette_kernel

#define alignas(...) __attribute__((aligned(::cuvette_kernel::alignment<__VA_ARGS__>())))

#endif
