// SPDX-License-Identifier: Apache-2.0
// The building blocks of cuda::atomic: loads, stores, and changes of one object at once, for
// threads of a scope. Each is a relaxed access with fences around it, as far as the order wants
// them.
#ifndef CUVETTE_KERNEL_ATOMIC_ACCESS_H
#define CUVETTE_KERNEL_ATOMIC_ACCESS_H

#include <type_traits>

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10,
};

namespace std {
enum class memory_order { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace details {

#define CUVETTE_EITHER static __inline__ __host__ __device__

// One statement for the scope: the scope's PTX name is part of the statement's text.
#define CUVETTE_SCOPED(statement, ...)                                       \
  if constexpr (scope == thread_scope_block || scope == thread_scope_thread) \
    statement("cta", ##__VA_ARGS__);                                         \
  else if constexpr (scope == thread_scope_device)                           \
    statement("gpu", ##__VA_ARGS__);                                         \
  else                                                                       \
    statement("sys", ##__VA_ARGS__)

template <thread_scope scope>
CUVETTE_EITHER void fence(memory_order order) {
  if (order == memory_order_relaxed) return;
#if defined(__CUDA_ARCH__)
#define CUVETTE_STATEMENT(name, kind) __asm__ volatile("fence." kind "." name ";" ::: "memory")
  if (order == memory_order_seq_cst) {
    CUVETTE_SCOPED(CUVETTE_STATEMENT, "sc");
  } else {
    CUVETTE_SCOPED(CUVETTE_STATEMENT, "acq_rel");
  }
#undef CUVETTE_STATEMENT
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
// The fences that are needed before and after the access.
template <thread_scope scope>
CUVETTE_EITHER void fence_before(memory_order order) {
  if (order == memory_order_release || order == memory_order_acq_rel ||
      order == memory_order_seq_cst)
    fence<scope>(order);
}
template <thread_scope scope>
CUVETTE_EITHER void fence_after(memory_order order) {
  if (order != memory_order_relaxed && order != memory_order_release)
    fence<scope>(memory_order_acq_rel);
}

// The bits of an object.
template <int bytes>
struct word;
template <>
struct word<1> {
  using type = unsigned char;
};
template <>
struct word<2> {
  using type = unsigned short;
};
template <>
struct word<4> {
  using type = unsigned;
};
template <>
struct word<8> {
  using type = unsigned long long;
};
template <typename T>
using word_of = typename word<sizeof(T)>::type;
template <typename To, typename From>
CUVETTE_EITHER To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

#if defined(__CUDA_ARCH__)

template <thread_scope scope, typename W>
CUVETTE_EITHER W load_word(const W* place) {
  if constexpr (sizeof(W) == 1) {
    unsigned short result;
#define CUVETTE_STATEMENT(name) \
  __asm__ volatile("ld.relaxed." name ".u8 %0, [%1];" : "=h"(result) : "l"(place) : "memory")
    CUVETTE_SCOPED(CUVETTE_STATEMENT);
#undef CUVETTE_STATEMENT
    return static_cast<W>(result);
  } else {
    W result;
#define CUVETTE_STATEMENT(name, bits, kind)             \
  __asm__ volatile("ld.relaxed." name bits " %0, [%1];" \
                   : "=" kind(result)                   \
                   : "l"(place)                         \
                   : "memor"                            \
                     "y")
    if constexpr (sizeof(W) == 2) {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u16", "h");
    } else if constexpr (sizeof(W) == 4) {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u32", "r");
    } else {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u64", "l");
    }
#undef CUVETTE_STATEMENT
    return result;
  }
}

template <thread_scope scope, typename W>
CUVETTE_EITHER void store_word(W* place, W value) {
#define CUVETTE_STATEMENT(name, bits, kind) \
  __asm__ volatile("st.relaxed." name bits " [%0], %1;" ::"l"(place), kind(value) : "memory")
  if constexpr (sizeof(W) == 1) {
    const unsigned short wide = value;
    const auto value = wide;
    CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u8", "h");
  } else if constexpr (sizeof(W) == 2) {
    CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u16", "h");
  } else if constexpr (sizeof(W) == 4) {
    CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u32", "r");
  } else {
    CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u64", "l");
  }
#undef CUVETTE_STATEMENT
}

// Puts `desired` where `expected` is, and returns what was there.
template <thread_scope scope, typename W>
CUVETTE_EITHER W swap_word(W* place, W expected, W desired) {
  if constexpr (sizeof(W) < 4) {
    // A part of a word: threads that change the rest of the word do not disturb.
    const auto address = reinterpret_cast<unsigned long long>(place);
    auto* const whole = reinterpret_cast<unsigned*>(address & ~3ull);
    const unsigned shift = address % 4 * 8, mask = (sizeof(W) == 1 ? 0xffu : 0xffffu) << shift;
    unsigned now = load_word<scope>(whole);
    while (static_cast<W>(now >> shift) == expected) {
      const unsigned before =
          swap_word<scope>(whole, now, (now & ~mask) | static_cast<unsigned>(desired) << shift);
      if (before == now) break;
      now = before;
    }
    return static_cast<W>(now >> shift);
  } else {
    W before;
#define CUVETTE_STATEMENT(name, bits, kind)                              \
  __asm__ volatile("atom.relaxed." name ".cas" bits " %0, [%1], %2, %3;" \
                   : "=" kind(before)                                    \
                   : "l"(place), kind(expected), kind(desired)           \
                   : "memory")
    if constexpr (sizeof(W) == 4) {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".b32", "r");
    } else {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".b64", "l");
    }
#undef CUVETTE_STATEMENT
    return before;
  }
}

#else

template <thread_scope scope, typename W>
CUVETTE_EITHER W load_word(const W* place) {
  return __atomic_load_n(place, __ATOMIC_RELAXED);
}
template <thread_scope scope, typename W>
CUVETTE_EITHER void store_word(W* place, W value) {
  __atomic_store_n(place, value, __ATOMIC_RELAXED);
}
template <thread_scope scope, typename W>
CUVETTE_EITHER W swap_word(W* place, W expected, W desired) {
  __atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

#endif

// Changes an object to function(object), and returns what it was.
template <thread_scope scope, typename T, typename F>
CUVETTE_EITHER T change(T* place, memory_order order, const F& function) {
  using W = word_of<T>;
  auto* const bits = reinterpret_cast<W*>(place);
  fence_before<scope>(order);
  W now = load_word<scope>(bits);
  for (;;) {
    const W before =
        swap_word<scope>(bits, now, bits_as<W>(static_cast<T>(function(bits_as<T>(now)))));
    if (before == now) break;
    now = before;
  }
  fence_after<scope>(order);
  return bits_as<T>(now);
}

// A sum is one instruction where there is one.
template <thread_scope scope, typename T>
CUVETTE_EITHER T add(T* place, T value, memory_order order) {
#if defined(__CUDA_ARCH__)
  constexpr bool whole = ::std::is_integral<T>::value && sizeof(T) >= 4;
  if constexpr (whole || ::std::is_same<T, float>::value || ::std::is_same<T, double>::value) {
    T before;
    fence_before<scope>(order);
#define CUVETTE_STATEMENT(name, type, kind)                          \
  __asm__ volatile("atom.relaxed." name ".add" type " %0, [%1], %2;" \
                   : "=" kind(before)                                \
                   : "l"(place), kind(value)                         \
                   : "memory")
    if constexpr (!whole && sizeof(T) == 4) {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".f32", "f");
    } else if constexpr (!whole) {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".f64", "d");
    } else if constexpr (sizeof(T) == 4) {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u32", "r");
    } else {
      CUVETTE_SCOPED(CUVETTE_STATEMENT, ".u64", "l");
    }
#undef CUVETTE_STATEMENT
    fence_after<scope>(order);
    return before;
  }
#endif
  return change<scope>(place, order, [&](T now) { return static_cast<T>(now + value); });
}

#undef CUVETTE_SCOPED
#undef CUVETTE_EITHER

}  // namespace details
}  // namespace cuda

#endif
