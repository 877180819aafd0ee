// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/array.hpp"

#include "sim/base/config.hpp"

namespace cuvette::device {
namespace {

// Levels and planes begin where an allocation could begin.
constexpr size_t part_alignment = 512;

// Lays the parts out consecutively; empty if they are larger than any memory.
std::vector<ArrayLayout> layouts_of(const std::vector<ArrayDescriptor>& parts) {
  std::vector<ArrayLayout> layouts;
  size_t offset = 0;
  for (const ArrayDescriptor& part : parts) {
    const auto layout = layout_of(part, offset);
    if (!layout) return {};
    layouts.push_back(*layout);
    // layout_of() has made sure that this does not overflow, except for the rounding.
    if (__builtin_add_overflow(offset + layout->slice * layout->depth, part_alignment - 1, &offset))
      return {};
    offset -= offset % part_alignment;
  }
  return layouts;
}

// Returns the planes of an array of a planar format, none for other formats: first luma, with one
// channel; then one subsampled plane of two channels, or two planes of one.
std::vector<ArrayDescriptor> planes_of(const ArrayDescriptor& descriptor) {
  const FormatFacts& format = *facts(descriptor.format);
  if (!format.planar()) return {};
  ArrayDescriptor luma = descriptor;
  luma.format = format.bytes == 1 ? ArrayFormat::UNSIGNED_INT8 : ArrayFormat::UNSIGNED_INT16;
  luma.channels = 1;
  ArrayDescriptor chroma = luma;
  chroma.width /= format.subsampled_x;
  chroma.height /= format.subsampled_y;
  chroma.channels = format.planes == 2 ? 2 : 1;
  std::vector<ArrayDescriptor> planes(format.planes, chroma);
  planes[0] = luma;
  return planes;
}

Result<Ref<ArrayStorage>> storage_for(memory::AddressSpace& space,
                                      const std::vector<ArrayLayout>& layouts,
                                      const memory::Requester& requester) {
  if (layouts.empty())
    return refuse(Error::out_of_memory, "The array is larger than the address space.");
  const ArrayLayout& last = layouts.back();
  Ref<memory::Allocation> memory =
      TRY(space.allocate_array(last.offset + last.slice * last.depth, requester));
  const memory::DevicePtr begin = memory->address;
  return make_ref<ArrayStorage>(std::move(memory), begin, ArrayStorage::Owner::arrays);
}

}  // namespace

Result<> ArrayStorage::exists() const {
  if (is_taken_back() && !memory_->ended.load(std::memory_order_seq_cst) && !is_strict()) return {};
  return usable();
}

void ArrayStorage::set(State state, Error error, std::string sentence) {
  MutexLock lock(mutex_);
  error_ = error;
  sentence_ = std::move(sentence);
  state_.store(state, std::memory_order_seq_cst);
}

void ArrayStorage::revoke(Error error, std::string sentence) {
  set(State::revoked, error, std::move(sentence));
}

void ArrayStorage::take_back(Error error, std::string sentence) {
  set(State::taken_back, error, std::move(sentence));
}

void ArrayStorage::restore() { set(State::good, Error{}, ""); }

Error ArrayStorage::refusal() const {
  if (memory_->ended.load(std::memory_order_seq_cst))
    return refuse(Error::invalid_handle, "The array was destroyed, or its context was.");
  MutexLock lock(mutex_);
  return refuse(error_, "%s", sentence_.c_str());
}

Result<Ref<Array>> Array::create(memory::AddressSpace& space, const ArrayDescriptor& descriptor,
                                 const memory::Requester& requester) {
  const std::vector<ArrayDescriptor> planes = planes_of(descriptor);
  const std::vector<ArrayLayout> layouts =
      planes.empty() ? level_layouts(descriptor, 1) : layouts_of(planes);
  const Ref<ArrayStorage> storage = TRY(storage_for(space, layouts, requester));
  Ref<Array> array = make_ref<Array>(storage, descriptor, layouts[0]);
  for (size_t plane = 0; plane < planes.size(); ++plane) {
    array->planes_.push_back(make_ref<Array>(storage, planes[plane], layouts[plane]));
    array->planes_.back()->is_part_ = true;
  }
  return array;
}

Result<Ref<Array>> Array::plane(size_t index) const {
  TRY(storage_->exists());
  if (index >= planes_.size())
    return refuse(Error::invalid_value,
                  "The array has no plane %zu: format %s has %zu planes, counted from 0.", index,
                  facts(descriptor_.format)->name, planes_.size());
  return planes_[index];
}

Result<memory::Region> Array::box(size_t x, size_t y, size_t z, size_t width, size_t height,
                                  size_t depth) const {
  const ArrayLayout& l = layout_;
  if (!planes_.empty())
    return refuse(Error::invalid_value,
                  "An array of format %s has planes, which are copied one by one: see "
                  "cuArrayGetPlane.",
                  facts(descriptor_.format)->name);
  if (l.block > 1 && (x % l.element != 0 || width % l.element != 0))
    return refuse(Error::invalid_value,
                  "%zu bytes from byte %zu are not whole blocks of %zu bytes.", width, x,
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
  return memory::Region{
      address() + z * l.slice + y * l.pitch + x, width, l.pitch, height, l.slice, depth};
}

std::vector<ArrayLayout> level_layouts(const ArrayDescriptor& descriptor, unsigned levels) {
  std::vector<ArrayDescriptor> parts;
  for (unsigned level = 0; level < levels; ++level) parts.push_back(descriptor.level(level));
  return layouts_of(parts);
}

Result<Ref<MipmappedArray>> MipmappedArray::create(memory::AddressSpace& space,
                                                   const ArrayDescriptor& descriptor,
                                                   unsigned levels,
                                                   const memory::Requester& requester) {
  std::vector<ArrayLayout> layouts = level_layouts(descriptor, levels);
  Ref<ArrayStorage> storage = TRY(storage_for(space, layouts, requester));
  return make_ref<MipmappedArray>(std::move(storage), descriptor, std::move(layouts));
}

Result<Ref<MipmappedArray>> MipmappedArray::over(Ref<ArrayStorage> storage,
                                                 const ArrayDescriptor& descriptor,
                                                 std::vector<ArrayLayout> layouts) {
  const memory::Allocation& memory = *storage->memory();
  for (const ArrayLayout& layout : layouts) {
    const memory::DevicePtr begin = storage->begin() + layout.offset;
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
  TRY(storage_->exists());
  if (which.level >= levels())
    return refuse(Error::invalid_value,
                  "The array has no level %u: it has %u levels, counted from 0.", which.level,
                  levels());
  ArrayLayout layout = layouts_[which.level];
  ArrayDescriptor shape = descriptor_.level(which.level);
  if (which.layer != ArrayView::all_layers) {
    if (which.layer >= layout.depth)
      return refuse(Error::invalid_value,
                    "The array has no layer %zu: it has %zu layers, counted from 0.", which.layer,
                    layout.depth);
    layout.offset += which.layer * layout.slice;
    layout.depth = 1;
    shape = shape.layer();
  }
  MutexLock lock(mutex_);
  Ref<Array>& view = views_[which];
  if (!view) {
    view = make_ref<Array>(storage_, shape, layout);
    view->is_part_ = true;
  }
  return view;
}

std::vector<Ref<Array>> MipmappedArray::views() const {
  MutexLock lock(mutex_);
  std::vector<Ref<Array>> all;
  for (const auto& [which, view] : views_) all.push_back(view);
  return all;
}

}  // namespace cuvette::device
