// SPDX-License-Identifier: Apache-2.0
// This file is compiled without sanitizers, and the compiler may not turn its loops into memcpy or
// memset (see CMakeLists.txt): its accesses are a device's, not the host thread's.
#include "sim/os/bytes.hpp"

#include <dlfcn.h>
#include <emmintrin.h>

#include <atomic>
#include <cstring>

namespace cuvette::os {
namespace {

using Move = void* (*)(void*, const void*, size_t);
using Set = void* (*)(void*, int, size_t);

// The routines that the dynamic linker binds, until find_bytes_routines() finds the C library's
// own.
constinit std::atomic<Move> library_move{&memmove};
constinit std::atomic<Set> library_set{&memset};

using Vector16 [[gnu::vector_size(16)]] = uint64_t;

template <typename T>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  T value;
};

template <typename T>
T load(const char* from) {
  return reinterpret_cast<const Unaligned<T>*>(from)->value;
}
template <typename T>
void store(char* to, T value) {
  reinterpret_cast<Unaligned<T>*>(to)->value = value;
}

void store_past_caches(char* to, Vector16 value) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(value));
}

void copy_line_past_caches(char* to, const char* from) {
  const auto a = load<Vector16>(from), b = load<Vector16>(from + 16);
  const auto c = load<Vector16>(from + 32), d = load<Vector16>(from + 48);
  store_past_caches(to, a), store_past_caches(to + 16, b);
  store_past_caches(to + 32, c), store_past_caches(to + 48, d);
}

// Copies between sizeof(T) and 2 * sizeof(T) bytes. Both loads come before both stores, so overlap
// is harmless.
template <typename T>
void copy_ends(char* to, const char* from, size_t size) {
  const T head = load<T>(from);
  const T tail = load<T>(from + size - sizeof(T));
  store(to, head);
  store(to + size - sizeof(T), tail);
}

void copy_33_to_64(char* to, const char* from, size_t size) {
  const auto a = load<Vector16>(from), b = load<Vector16>(from + 16);
  const auto c = load<Vector16>(from + size - 32), d = load<Vector16>(from + size - 16);
  store(to, a), store(to + 16, b);
  store(to + size - 32, c), store(to + size - 16, d);
}

// Fills at least 32 bytes, a multiple of the pattern's period, which divides 8. The last store
// overlaps the one before it; their phases agree.
void fill_16_at_a_time(char* to, uint64_t pattern, size_t size) {
  const Vector16 value = {pattern, pattern};
  char* const last = to + size - 32;
  for (char* at = to; at < last; at += 32) store(at, value), store(at + 16, value);
  store(last, value), store(last + 16, value);
}

// Fills at least 8 bytes, as above. The processor's own fill writes whole lines without reading
// them first.
void fill_with_string_instruction(char* to, uint64_t pattern, size_t size) {
  store(to + size - 8, pattern);
  size_t count = size / 8;
  asm volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(pattern) : "memory");
}
// From this size on, the instruction's speed makes up for its start-up.
constexpr size_t string_instruction_pays = 1024;

}  // namespace

void find_bytes_routines() {
  void* const library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;  // another C library, or a static one: nothing is interposed there
  if (void* found = dlsym(library, "memmove")) {
    library_move.store(reinterpret_cast<Move>(found), std::memory_order_relaxed);
  }
  if (void* found = dlsym(library, "memset")) {
    library_set.store(reinterpret_cast<Set>(found), std::memory_order_relaxed);
  }
  dlclose(library);
}

void copy_bytes(void* to, const void* from, size_t size) {
  auto* const out = static_cast<char*>(to);
  auto* const in = static_cast<const char*>(from);
  if (size > 64) {
    library_move.load(std::memory_order_relaxed)(to, from, size);
  } else if (size > 32) {
    copy_33_to_64(out, in, size);
  } else if (size > 16) {
    copy_ends<Vector16>(out, in, size);
  } else if (size >= 8) {
    copy_ends<uint64_t>(out, in, size);
  } else if (size >= 4) {
    copy_ends<uint32_t>(out, in, size);
  } else if (size >= 2) {
    copy_ends<uint16_t>(out, in, size);
  } else if (size == 1) {
    *out = *in;
  }
}

void copy_bytes_past_caches(void* to, const void* from, size_t size) {
  constexpr size_t line = 64;
  if (size < 16 * line) return copy_bytes(to, from, size);
  auto* out = static_cast<char*>(to);
  auto* in = static_cast<const char*>(from);
  const size_t head = -reinterpret_cast<uintptr_t>(out) % line;
  copy_bytes(out, in, head);
  out += head, in += head, size -= head;
  // Four pages side by side: more of the memory's banks are busy, and each page walk is shared by
  // lines that are far apart in time. A quarter faster than one line after the other.
  constexpr size_t page = 4096, pages = 4;
  for (; size >= pages * page; out += pages * page, in += pages * page, size -= pages * page) {
    for (size_t at = 0; at < page; at += line) {
      for (size_t each = 0; each < pages; ++each) {
        copy_line_past_caches(out + each * page + at, in + each * page + at);
      }
    }
  }
  for (; size >= line; out += line, in += line, size -= line) copy_line_past_caches(out, in);
  asm volatile("sfence" ::: "memory");  // such stores are not ordered with later ones
  copy_bytes(out, in, size);
}

void fill_elements(void* to, uint32_t value, size_t element, size_t count) {
  auto* const out = static_cast<char*>(to);
  const size_t size = element * count;
  if (element == 1) value = (value & 0xFF) * 0x01010101u;
  if (element == 2) value = (value & 0xFFFF) * 0x00010001u;
  const uint64_t pattern = uint64_t{value} << 32 | value;
  if (size < 32) {
    for (size_t at = 0; at < size; at += element) {
      if (element == 4) store<uint32_t>(out + at, value);
      if (element == 2) store<uint16_t>(out + at, static_cast<uint16_t>(value));
      if (element == 1) out[at] = static_cast<char>(value);
    }
  } else if (pattern == (pattern & 0xFF) * 0x0101010101010101u) {
    library_set.load(std::memory_order_relaxed)(to, static_cast<int>(value & 0xFF), size);
  } else if (size >= string_instruction_pays) {
    fill_with_string_instruction(out, pattern, size);
  } else {
    fill_16_at_a_time(out, pattern, size);
  }
}

uint64_t load_word(const void* from, size_t size) {
  return size == 8 ? __atomic_load_n(static_cast<const uint64_t*>(from), __ATOMIC_ACQUIRE)
                   : __atomic_load_n(static_cast<const uint32_t*>(from), __ATOMIC_ACQUIRE);
}

void store_word(void* to, uint64_t value, size_t size, bool release) {
  // A full fence: the documentation promises a system-wide one, also to threads that poll another
  // word meanwhile.
  if (release) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (size == 8) {
    __atomic_store_n(static_cast<uint64_t*>(to), value, __ATOMIC_RELAXED);
  } else {
    __atomic_store_n(static_cast<uint32_t*>(to), static_cast<uint32_t>(value), __ATOMIC_RELAXED);
  }
}

}  // namespace cuvette::os
