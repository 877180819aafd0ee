// SPDX-License-Identifier: Apache-2.0
// Array and MipmappedArray: elements in memory that a program names by a handle and not by an
// address; ArrayStorage: the memory they lie in, and its owner.
//
// An Array is a view: all of a storage, one level of a mip-mapped array, one layer or face of a
// level, or one plane of an array of a planar format. The memory is its own (create) or another
// owner's (over). That owner says where the levels lie and may take the memory back: between
// take_back() and restore() usable() refuses every view.
//
// Threads: any. Invariants: a view lies inside its storage; asking twice for the same view gives
// the same object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/texture/array_descriptor.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::device {

class ArrayStorage final : public Counted {
 public:
  enum class Owner {
    arrays,    // the memory ends with its array, which the program may destroy
    somebody,  // whoever made the storage ends it; destroying an array is refused as mapped
  };
  // The arrays lie in `memory`, from address `begin` on.
  ArrayStorage(Ref<memory::Allocation> memory, memory::DevicePtr begin, Owner owner)
      : memory_(std::move(memory)), begin_(begin), owner_(owner) {}

  const Ref<memory::Allocation>& memory() const { return memory_; }
  memory::DevicePtr begin() const { return begin_; }
  Owner owner() const { return owner_; }

  // Checks that the views may be used. Refuses with the sentence given to revoke() or take_back(),
  // and always once the memory has ended.
  Result<> usable() const EXCLUDES(mutex_) {
    if (state_.load(std::memory_order_seq_cst) == State::good &&
        !memory_->ended.load(std::memory_order_seq_cst)) [[likely]]
      return {};
    return refusal();
  }
  // Like usable(), but allows memory that its owner has taken back: it still exists, and hardware
  // lets programs use it. Only CUVETTE_CONTRACT=strict refuses it. Commands that use the memory
  // take a Use of it before they ask, so that the caller of revoke() can wait for them.
  Result<> exists() const EXCLUDES(mutex_);
  bool is_taken_back() const { return state_.load(std::memory_order_seq_cst) == State::taken_back; }

  // Refuses every use of every view from now on. Commands under way still use them: see
  // Context::wait_for_users(). `sentence` says why, as in "The texture is unregistered."
  void revoke(Error error, std::string sentence) EXCLUDES(mutex_);
  // Marks the memory as its owner's until restore(); the program should not use it.
  void take_back(Error error, std::string sentence) EXCLUDES(mutex_);
  void restore() EXCLUDES(mutex_);

 private:
  ~ArrayStorage() override = default;
  enum class State : uint8_t { good, taken_back, revoked };
  void set(State state, Error error, std::string sentence) EXCLUDES(mutex_);
  Error refusal() const EXCLUDES(mutex_);

  const Ref<memory::Allocation> memory_;
  const memory::DevicePtr begin_;
  const Owner owner_;
  std::atomic<State> state_{State::good};
  mutable Mutex mutex_;
  Error error_ GUARDED_BY(mutex_){};
  std::string sentence_ GUARDED_BY(mutex_);
};

// The level and the layer (all_layers: all of them) that an Array shows.
struct ArrayView {
  static constexpr size_t all_layers = SIZE_MAX;
  unsigned level = 0;
  size_t layer = all_layers;

  auto operator<=>(const ArrayView&) const = default;
};

class Array final : public Counted, public ApiObject {
 public:
  // Creates an array with memory for it alone, for `requester`. The descriptor is valid for the
  // device. Errors: out_of_memory.
  static Result<Ref<Array>> create(memory::AddressSpace& space, const ArrayDescriptor& descriptor,
                                   const memory::Requester& requester);
  // Makes an array without planes over all or a part of `storage`; `layout` lies inside its memory.
  Array(Ref<ArrayStorage> storage, const ArrayDescriptor& descriptor, const ArrayLayout& layout)
      : storage_(std::move(storage)), descriptor_(descriptor), layout_(layout) {}

  const ArrayDescriptor& descriptor() const { return descriptor_; }
  const ArrayLayout& layout() const { return layout_; }
  ArrayStorage& storage() const { return *storage_; }
  memory::DevicePtr address() const { return storage_->begin() + layout_.offset; }

  // Returns the box at byte `x`, row `y` and slice (or layer) `z` that is `width` bytes wide,
  // `height` rows high and `depth` slices deep. In a block-compressed array a row is one of blocks,
  // and the box must consist of whole blocks. Does not check that the storage may be used. Errors:
  // invalid_value if the box does not lie inside, or the array has planes.
  Result<memory::Region> box(size_t x, size_t y, size_t z, size_t width, size_t height,
                             size_t depth) const;

  // Returns one plane of an array of a planar format. Errors: invalid_value if there is none.
  Result<Ref<Array>> plane(size_t index) const;
  const std::vector<Ref<Array>>& planes() const { return planes_; }

  // Whether it is a level, layer or plane, which is destroyed together with the whole array.
  bool is_part() const { return is_part_; }

 private:
  friend class MipmappedArray;
  ~Array() override = default;

  const Ref<ArrayStorage> storage_;
  const ArrayDescriptor descriptor_;
  const ArrayLayout layout_;
  // Set before another thread sees the array:
  std::vector<Ref<Array>> planes_;
  bool is_part_ = false;
};

class MipmappedArray final : public Counted, public ApiObject {
 public:
  // Creates an array of `levels` levels, 1 to descriptor.most_levels(), with memory of its own, for
  // `requester`. The descriptor is valid for the device. Errors: out_of_memory.
  static Result<Ref<MipmappedArray>> create(memory::AddressSpace& space,
                                            const ArrayDescriptor& descriptor, unsigned levels,
                                            const memory::Requester& requester);
  // Makes an array over another owner's storage, with one layout for each level, which that owner
  // gives (see level_layouts()). Errors: invalid_value if a level does not lie inside the storage's
  // memory.
  static Result<Ref<MipmappedArray>> over(Ref<ArrayStorage> storage,
                                          const ArrayDescriptor& descriptor,
                                          std::vector<ArrayLayout> layouts);

  const ArrayDescriptor& descriptor() const { return descriptor_; }
  unsigned levels() const { return static_cast<unsigned>(layouts_.size()); }
  // Returns where `level`, which must exist, lies in the storage.
  const ArrayLayout& layout(unsigned level) const { return layouts_[level]; }
  ArrayStorage& storage() const { return *storage_; }

  // Returns one level with all its slices or layers. Errors: invalid_value if the level does not
  // exist; as storage().exists().
  Result<Ref<Array>> level(unsigned level) { return view({level, ArrayView::all_layers}); }
  // Returns one layer or cube face of a level, or one slice if the array has three dimensions.
  // Errors: invalid_value if there is none.
  Result<Ref<Array>> layer(unsigned level, size_t layer) { return view({level, layer}); }

  // Returns the views that exist so far.
  std::vector<Ref<Array>> views() const EXCLUDES(mutex_);

 private:
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  MipmappedArray(Ref<ArrayStorage> storage, const ArrayDescriptor& descriptor,
                 std::vector<ArrayLayout> layouts)
      : storage_(std::move(storage)), descriptor_(descriptor), layouts_(std::move(layouts)) {}
  ~MipmappedArray() override = default;

  Result<Ref<Array>> view(const ArrayView& which) EXCLUDES(mutex_);

  const Ref<ArrayStorage> storage_;
  const ArrayDescriptor descriptor_;
  const std::vector<ArrayLayout> layouts_;
  mutable Mutex mutex_;
  std::map<ArrayView, Ref<Array>> views_ GUARDED_BY(mutex_);
};

// Lays out the levels of an array consecutively, level 0 first, each with all its layers. Returns
// nothing if they are larger than any memory.
std::vector<ArrayLayout> level_layouts(const ArrayDescriptor& descriptor, unsigned levels);

}  // namespace cuvette::device
