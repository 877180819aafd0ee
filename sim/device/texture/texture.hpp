// SPDX-License-Identifier: Apache-2.0
// Texture and Surface: what kernels read and write through texture and surface objects, as data:
// where the elements are, what they are, and how they are read.
//
// Threads: any; immutable. They do not own the memory: a reader calls texels() first, which refuses
// an array that is gone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/texture/array.hpp"

namespace cuvette::device {

// The memory that is read: an array, an array with mip levels, one row of elements in linear
// memory, or several rows.
struct TextureResource {
  enum class Kind : uint8_t { array, levels, linear, rows };
  Kind kind = Kind::array;
  Ref<Array> array{};
  Ref<MipmappedArray> levels{};
  // For linear and rows:
  memory::DevicePtr address = 0;
  memory::DevicePtr origin = 0;  // the address's alignment counts from here: see aligned_from()
  ArrayFormat format = ArrayFormat::UNSIGNED_INT8;
  unsigned channels = 0;
  size_t bytes = 0;                         // linear
  size_t width = 0, height = 0, pitch = 0;  // rows: elements, rows, bytes
};

// CUaddress_mode and CUfilter_mode.
enum class AddressMode : uint32_t { wrap = 0, clamp = 1, mirror = 2, border = 3 };
enum class FilterMode : uint32_t { point = 0, linear = 1 };

// CU_TRSF_*.
namespace texture_flag {
inline constexpr unsigned read_as_integer = 0x01, normalized_coordinates = 0x02, srgb = 0x10,
                          disable_trilinear_optimization = 0x20, seamless_cubemap = 0x40;
}

// How elements are read.
struct TextureSampling {
  std::array<AddressMode, 3> address{};
  FilterMode filter{};
  unsigned flags = 0;
  unsigned max_anisotropy = 0;  // as given; it means 1 to 16
  FilterMode level_filter{};
  float level_bias = 0, least_level = 0, most_level = 0;
  std::array<float, 4> border{};
};

// CUresourceViewFormat's numbers.
enum class ViewFormat : uint32_t {
  NONE = 0,
#define VIEW_FORMAT(name, number, format, channels) name = number,
#include "sim/device/texture/view_formats.def"
#undef VIEW_FORMAT
};

// Returns the view format of such elements; NONE if there is none.
ViewFormat view_format_of(ArrayFormat format, unsigned channels);

// A part of an array's levels and layers, read as elements of another format.
struct TextureView {
  ViewFormat format{};
  size_t width = 0, height = 0, depth = 0;
  unsigned first_level = 0, last_level = 0;
  unsigned first_layer = 0, last_layer = 0;
};

// A device's limits, in bytes and elements.
struct TextureLimits {
  size_t alignment = 0, pitch_alignment = 0;
  size_t rows_width = 0, rows_height = 0, rows_pitch = 0;
};

// Returns how many elements a texture of linear memory can have (measured on an H200; it is what
// cuDeviceGetTexture1DLinearMaxWidth answers). Errors: invalid_value for elements that do not
// exist.
Result<size_t> most_linear_elements(ArrayFormat format, unsigned channels);

// Where elements lie, for code that reads or writes them.
struct Texels {
  struct Level {
    memory::DevicePtr address = 0;  // of the first element
    ArrayLayout layout;             // its offset is in `address` already
    ArrayDescriptor descriptor;     // extents, format and channels as they are read
  };
  std::vector<Level> levels;  // at least one; level 0 of the texture first
};

class Texture final : public Counted {
 public:
  // `owner` is the identifier of the context. Errors: invalid_value.
  static Result<Ref<Texture>> create(TextureResource resource, const TextureSampling& sampling,
                                     const std::optional<TextureView>& view,
                                     const TextureLimits& limits, uint64_t owner);

  const TextureResource& resource() const { return resource_; }
  const TextureSampling& sampling() const { return sampling_; }
  const std::optional<TextureView>& view() const { return view_; }
  uint64_t owner() const { return owner_; }

  // Errors: why the array cannot be used.
  Result<> usable() const;
  Result<Texels> texels() const;
  // Returns where the elements lie, or once lay; does not check that they can be used.
  Texels places() const;

 private:
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  Texture(TextureResource resource, const TextureSampling& sampling,
          const std::optional<TextureView>& view, uint64_t owner)
      : resource_(std::move(resource)), sampling_(sampling), view_(view), owner_(owner) {}
  ~Texture() override = default;

  const TextureResource resource_;
  const TextureSampling sampling_;
  const std::optional<TextureView> view_;
  const uint64_t owner_;
};

class Surface final : public Counted {
 public:
  // Errors: invalid_value for an array of planes or of blocks.
  static Result<Ref<Surface>> create(Ref<Array> array, uint64_t owner);

  const Ref<Array>& array() const { return array_; }
  uint64_t owner() const { return owner_; }
  // Errors: why the array cannot be used.
  Result<> usable() const { return array_->storage().usable(); }
  Result<Texels> texels() const;
  // Returns its one level; does not check that it can be used.
  Texels places() const;

 private:
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  Surface(Ref<Array> array, uint64_t owner) : array_(std::move(array)), owner_(owner) {}
  ~Surface() override = default;

  const Ref<Array> array_;
  const uint64_t owner_;
};

}  // namespace cuvette::device
