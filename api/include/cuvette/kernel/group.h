// SPDX-License-Identifier: Apache-2.0
// Cooperative groups within a warp: tiles of 1 to 32 threads, and the threads that happen to be
// together.
#ifndef CUVETTE_KERNEL_GROUP_H
#define CUVETTE_KERNEL_GROUP_H

namespace cooperative_groups {
namespace details {

static __inline__ __device__ unsigned lane() {
  unsigned result;
  __asm__("mov.u32 %0, %%laneid;" : "=r"(result));
  return result;
}
static __inline__ __device__ unsigned lanes_below() {
  unsigned result;
  __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(result));
  return result;
}
static __inline__ __device__ unsigned thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static __inline__ __device__ unsigned threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}

// The lane of the thread with that rank among the threads of the mask.
static __inline__ __device__ unsigned lane_of(unsigned mask, unsigned rank) {
  for (unsigned i = 0; i < rank; ++i) mask &= mask - 1;
  return static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
}

// The bits at the places of the mask, side by side.
static __inline__ __device__ unsigned packed(unsigned bits, unsigned mask) {
  unsigned result = 0;
  for (unsigned place = 1; mask; mask &= mask - 1, place <<= 1)
    if (bits & mask & -mask) result |= place;
  return result;
}

// Exchanges a value of any size word by word: `exchange` does it with a word.
template <typename T, typename F>
static __inline__ __device__ T by_words(const T& value, F exchange) {
  constexpr unsigned count = (sizeof(T) + 3) / 4;
  int words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < count; ++i) words[i] = exchange(words[i]);
  T result = value;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

}  // namespace details

// Any group, where its kind is known only when the program runs.
class thread_group {
 public:
  __device__ unsigned size() const { return size_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ unsigned thread_rank() const { return rank_; }
  __device__ void sync() const {
    if (is_block_)
      __syncthreads();
    else
      __syncwarp(mask_);
  }
  __device__ bool is_valid() const { return true; }

  // For functions that make groups.
  __device__ thread_group(bool is_block, unsigned mask, unsigned size, unsigned rank)
      : is_block_(is_block), mask_(mask), size_(size), rank_(rank) {}
  __device__ bool cuvette_is_block() const { return is_block_; }
  __device__ unsigned cuvette_mask() const { return mask_; }

 protected:
  bool is_block_;
  unsigned mask_;  // the lanes, unless it is a block
  unsigned size_, rank_;
};

// Threads of a warp, numbered by their lanes.
class coalesced_group : public thread_group {
 public:
  __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(
            false, mask, static_cast<unsigned>(__popc(static_cast<int>(mask))),
            static_cast<unsigned>(__popc(static_cast<int>(mask & details::lanes_below())))),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}

  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }

  template <typename T>
  __device__ T shfl(const T& value, int rank) const {
    const unsigned from = static_cast<unsigned>(rank) < size_
                              ? details::lane_of(mask_, static_cast<unsigned>(rank))
                              : details::lane();
    return details::by_words(
        value, [&](int word) { return __shfl_sync(mask_, word, static_cast<int>(from)); });
  }
  template <typename T>
  __device__ T shfl_up(const T& value, unsigned distance) const {
    return shfl(value, static_cast<int>(rank_ >= distance ? rank_ - distance : rank_));
  }
  template <typename T>
  __device__ T shfl_down(const T& value, unsigned distance) const {
    return shfl(value, static_cast<int>(rank_ + distance < size_ ? rank_ + distance : rank_));
  }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned ballot(int predicate) const {
    return details::packed(__ballot_sync(mask_, predicate), mask_);
  }
  template <typename T>
  __device__ unsigned match_any(T value) const {
    return details::packed(__match_any_sync(mask_, value), mask_);
  }
  template <typename T>
  __device__ unsigned match_all(T value, int& same) const {
    return details::packed(__match_all_sync(mask_, value, &same), mask_);
  }

 private:
  unsigned meta_rank_, meta_size_;
};

static __inline__ __device__ coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

// A tile of a block: `Size` neighbours.
template <unsigned Size, typename Parent = void>
class thread_block_tile {
  static_assert(Size <= 32 && Size > 0 && (Size & (Size - 1)) == 0,
                "tiles of more than 32 threads are not supported by cuvette c++");

 public:
  __device__ explicit thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}

  static __device__ unsigned size() { return Size; }
  static __device__ unsigned num_threads() { return Size; }
  static __device__ unsigned thread_rank() { return details::lane() % Size; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ void sync() const { __syncwarp(cuvette_mask()); }

  template <typename T>
  __device__ T shfl(const T& value, int rank) const {
    return details::by_words(value, [&](int word) {
      return __shfl_sync(cuvette_mask(), word, rank, static_cast<int>(Size));
    });
  }
  template <typename T>
  __device__ T shfl_up(const T& value, unsigned distance) const {
    return details::by_words(value, [&](int word) {
      return __shfl_up_sync(cuvette_mask(), word, distance, static_cast<int>(Size));
    });
  }
  template <typename T>
  __device__ T shfl_down(const T& value, unsigned distance) const {
    return details::by_words(value, [&](int word) {
      return __shfl_down_sync(cuvette_mask(), word, distance, static_cast<int>(Size));
    });
  }
  template <typename T>
  __device__ T shfl_xor(const T& value, unsigned bits) const {
    return details::by_words(value, [&](int word) {
      return __shfl_xor_sync(cuvette_mask(), word, static_cast<int>(bits), static_cast<int>(Size));
    });
  }
  __device__ int any(int predicate) const { return __any_sync(cuvette_mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(cuvette_mask(), predicate); }
  __device__ unsigned ballot(int predicate) const {
    return (__ballot_sync(cuvette_mask(), predicate) & cuvette_mask()) >> first();
  }
  template <typename T>
  __device__ unsigned match_any(T value) const {
    return __match_any_sync(cuvette_mask(), value) >> first();
  }
  template <typename T>
  __device__ unsigned match_all(T value, int& same) const {
    return __match_all_sync(cuvette_mask(), value, &same) >> first();
  }

  __device__ operator thread_group() const {
    return thread_group(false, cuvette_mask(), Size, thread_rank());
  }
  static __device__ unsigned cuvette_mask() {
    return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << first();
  }

 private:
  static __device__ unsigned first() { return details::lane() / Size * Size; }

  unsigned meta_rank_, meta_size_;
};

}  // namespace cooperative_groups

#endif
