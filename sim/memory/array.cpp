// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/array.hpp"

namespace cuvette::memory {
namespace {

// A level begins where an allocation could.
constexpr size_t level_alignment = 512;

Result<Ref<ArrayStorage>> storage_for(AddressSpace& space, const std::vector<ArrayLayout>& layouts,
                                      const Asker& asker) {
  if (layouts.empty())
    return refuse(Error::out_of_memory, "The array is larger than the address space.");
  const ArrayLayout& last = layouts.back();
  Ref<Allocation> memory = TRY(space.allocate(last.offset + last.slice * last.depth, asker));
  const DevicePtr begin = memory->address;
  return make_ref<ArrayStorage>(std::move(memory), begin, ArrayStorage::Owner::arrays);
}

}  // namespace

void ArrayStorage::revoke(Error error, std::string sentence) {
  MutexLock lock(mutex_);
  error_ = error;
  sentence_ = std::move(sentence);
  revoked_.store(true, std::memory_order_seq_cst);
}

void ArrayStorage::restore() {
  MutexLock lock(mutex_);
  revoked_.store(false, std::memory_order_seq_cst);
}

Error ArrayStorage::refusal() const {
  MutexLock lock(mutex_);
  return refuse(error_, "%s", sentence_.c_str());
}

Result<Ref<Array>> Array::create(AddressSpace& space, const ArrayDescriptor& descriptor,
                                 const Asker& asker) {
  const std::vector<ArrayLayout> layouts = level_layouts(descriptor, 1);
  Ref<ArrayStorage> storage = TRY(storage_for(space, layouts, asker));
  return make_ref<Array>(std::move(storage), descriptor, layouts[0]);
}

Result<Region> Array::box(size_t x, size_t y, size_t z, size_t width, size_t height,
                          size_t depth) const {
  TRY(storage_->usable());
  const ArrayLayout& l = layout_;
  if (x % l.element != 0 || width % l.element != 0)
    return refuse(Error::invalid_value,
                  "%zu bytes from byte %zu on are not whole elements of %zu bytes.", width, x,
                  l.element);
  const auto inside = [](size_t from, size_t count, size_t all) {
    return from <= all && count <= all - from;
  };
  if (!inside(x, width, l.row_bytes()) || !inside(y, height, l.height) ||
      !inside(z, depth, l.depth))
    return refuse(Error::invalid_value,
                  "A box of %zu bytes, %zu rows and %zu slices at (%zu, %zu, %zu) does not lie "
                  "inside an array of %zu bytes, %zu rows and %zu slices.",
                  width, height, depth, x, y, z, l.row_bytes(), l.height, l.depth);
  return Region{address() + z * l.slice + y * l.pitch + x, width, l.pitch, height, l.slice, depth};
}

std::vector<ArrayLayout> level_layouts(const ArrayDescriptor& descriptor, unsigned levels) {
  std::vector<ArrayLayout> layouts;
  size_t offset = 0;
  for (unsigned level = 0; level < levels; ++level) {
    const auto layout = layout_of(descriptor.level(level), offset);
    if (!layout) return {};
    layouts.push_back(*layout);
    // layout_of() has seen to it that this does not overflow, but for the rounding.
    if (__builtin_add_overflow(offset + layout->slice * layout->depth, level_alignment - 1,
                               &offset))
      return {};
    offset -= offset % level_alignment;
  }
  return layouts;
}

Result<Ref<MipmappedArray>> MipmappedArray::create(AddressSpace& space,
                                                   const ArrayDescriptor& descriptor,
                                                   unsigned levels, const Asker& asker) {
  std::vector<ArrayLayout> layouts = level_layouts(descriptor, levels);
  Ref<ArrayStorage> storage = TRY(storage_for(space, layouts, asker));
  return make_ref<MipmappedArray>(std::move(storage), descriptor, std::move(layouts));
}

Result<Ref<MipmappedArray>> MipmappedArray::over(Ref<ArrayStorage> storage,
                                                 const ArrayDescriptor& descriptor,
                                                 std::vector<ArrayLayout> layouts) {
  const Allocation& memory = *storage->memory();
  for (const ArrayLayout& layout : layouts) {
    const DevicePtr begin = storage->begin() + layout.offset;
    if (!memory.contains(begin, layout.extent()))
      return refuse(Error::invalid_value,
                    "A level of %zu bytes at 0x%llx does not lie inside its memory of %zu bytes at "
                    "0x%llx.",
                    layout.extent(), static_cast<unsigned long long>(begin), memory.size,
                    static_cast<unsigned long long>(memory.address));
  }
  return make_ref<MipmappedArray>(std::move(storage), descriptor, std::move(layouts));
}

Result<Ref<Array>> MipmappedArray::view(const ArrayView& which) {
  TRY(storage_->usable());
  if (which.level >= levels())
    return refuse(Error::invalid_value, "There is no level %u in an array of %u, from 0.",
                  which.level, levels());
  ArrayLayout layout = layouts_[which.level];
  ArrayDescriptor shape = descriptor_.level(which.level);
  if (which.layer != ArrayView::all_layers) {
    if (which.layer >= layout.depth)
      return refuse(Error::invalid_value, "There is no layer %zu in an array of %zu, from 0.",
                    which.layer, layout.depth);
    layout.offset += which.layer * layout.slice;
    layout.depth = 1;
    shape = shape.layer();
  }
  MutexLock lock(mutex_);
  Ref<Array>& view = views_[which];
  if (!view) {
    view = make_ref<Array>(storage_, shape, layout);
    view->is_level_ = true;
  }
  return view;
}

bool MipmappedArray::forget(const Array& view) {
  MutexLock lock(mutex_);
  for (auto it = views_.begin(); it != views_.end(); ++it) {
    if (it->second.get() != &view) continue;
    views_.erase(it);
    return true;
  }
  return false;
}

std::vector<Ref<Array>> MipmappedArray::views() const {
  MutexLock lock(mutex_);
  std::vector<Ref<Array>> all;
  for (const auto& [which, view] : views_) all.push_back(view);
  return all;
}

}  // namespace cuvette::memory
