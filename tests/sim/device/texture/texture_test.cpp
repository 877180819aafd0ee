// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/texture.hpp"

#include <gtest/gtest.h>

namespace cuvette::device {
namespace {

constexpr TextureLimits limits{512, 32, 131072, 65000, 2097120};

class TextureTest : public testing::Test {
 protected:
  static Ref<Texture> texture(TextureResource resource, std::optional<TextureView> view) {
    return Texture::create(std::move(resource), TextureSampling{}, view, limits, 7).value();
  }
  Ref<Array> array(const ArrayDescriptor& shape) {
    return Array::create(*space_, shape, {}).value();
  }

  std::unique_ptr<memory::AddressSpace> space_ =
      memory::AddressSpace::create({{64 << 20}, memory::Fill::edges}).value();
};

TEST_F(TextureTest, OfAnArrayItsElements) {
  TextureResource resource;
  resource.array = array({20, 10, 0, ArrayFormat::HALF, 4, 0});
  const Texels texels = texture(resource, std::nullopt)->texels().value();
  ASSERT_EQ(texels.levels.size(), 1u);
  const Texels::Level& level = texels.levels[0];
  EXPECT_EQ(level.address, resource.array->address());
  EXPECT_EQ(level.layout.pitch, resource.array->layout().pitch);
  EXPECT_EQ(level.layout.offset, 0u);
  EXPECT_TRUE(level.descriptor == resource.array->descriptor());
}

TEST_F(TextureTest, OfLinearMemoryWholeElements) {
  TextureResource resource;
  resource.kind = TextureResource::Kind::linear;
  resource.address = 0x10000;
  resource.format = ArrayFormat::FLOAT;
  resource.channels = 2;
  resource.bytes = 8 * 100 + 5;
  const Texels::Level level = texture(resource, std::nullopt)->texels().value().levels.at(0);
  EXPECT_EQ(level.address, 0x10000u);
  EXPECT_EQ(level.layout.element, 8u);
  EXPECT_EQ(level.layout.width, 100u);
  EXPECT_EQ(level.layout.height, 1u);
  EXPECT_EQ(level.descriptor.dimensions(), 1u);
  EXPECT_EQ(level.descriptor.width, 100u);
}

TEST_F(TextureTest, OfRowsTheirPitch) {
  TextureResource resource;
  resource.kind = TextureResource::Kind::rows;
  resource.address = 0x10000;
  resource.format = ArrayFormat::UNSIGNED_INT8;
  resource.channels = 4;
  resource.width = 50, resource.height = 30, resource.pitch = 256;
  const Texels::Level level = texture(resource, std::nullopt)->texels().value().levels.at(0);
  EXPECT_EQ(level.layout.pitch, 256u);
  EXPECT_EQ(level.layout.height, 30u);
  EXPECT_EQ(level.layout.row_bytes(), 200u);
  EXPECT_EQ(level.descriptor.dimensions(), 2u);
}

TEST_F(TextureTest, AViewShowsSomeLevelsAndLayers) {
  const ArrayDescriptor shape{64, 32, 5, ArrayFormat::FLOAT, 1, array_flag::layered};
  TextureResource resource;
  resource.kind = TextureResource::Kind::levels;
  resource.levels = MipmappedArray::create(*space_, shape, 4, {}).value();
  TextureView view{ViewFormat::UINT_4X8, 64, 32, 5, 1, 2, 2, 3};
  Texels texels = texture(resource, view)->texels().value();
  ASSERT_EQ(texels.levels.size(), 2u);
  const auto second = resource.levels->level(1).value();
  EXPECT_EQ(texels.levels[0].address, second->address() + 2 * second->layout().slice);
  EXPECT_EQ(texels.levels[0].layout.depth, 2u);
  EXPECT_EQ(texels.levels[0].descriptor.depth, 2u);
  EXPECT_EQ(texels.levels[0].descriptor.width, 32u);
  EXPECT_EQ(texels.levels[0].descriptor.format, ArrayFormat::UNSIGNED_INT8);
  EXPECT_EQ(texels.levels[0].descriptor.channels, 4u);
  EXPECT_EQ(texels.levels[1].descriptor.width, 16u);

  // Levels and layers beyond the last are left out.
  view.last_level = view.last_layer = 1000;
  texels = texture(resource, view)->texels().value();
  EXPECT_EQ(texels.levels.size(), 3u);
  EXPECT_EQ(texels.levels[0].layout.depth, 3u);
}

TEST_F(TextureTest, IntegersAreReadAsBlocks) {
  TextureResource resource;
  resource.array = array({16, 8, 0, ArrayFormat::UNSIGNED_INT32, 2, 0});
  const TextureView view{ViewFormat::UNSIGNED_BC1, 64, 32, 0, 0, 0, 0, 0};
  const Texels::Level level = texture(resource, view)->texels().value().levels.at(0);
  EXPECT_EQ(level.descriptor.format, ArrayFormat::BC1_UNORM);
  EXPECT_EQ(level.descriptor.channels, 4u);
  EXPECT_EQ(level.descriptor.width, 64u);
  EXPECT_EQ(level.descriptor.height, 32u);
  EXPECT_EQ(level.layout.block, 4u);
  EXPECT_EQ(level.layout.element, 8u);
  EXPECT_EQ(level.layout.width, 16u) << "blocks";
}

TEST_F(TextureTest, AnArrayThatIsGoneHasNoTexels) {
  TextureResource resource;
  resource.array = array({20, 10, 0, ArrayFormat::HALF, 4, 0});
  const auto one = texture(resource, std::nullopt);
  const auto surface = Surface::create(resource.array, 7).value();
  EXPECT_TRUE(surface->texels().ok());
  EXPECT_TRUE(space_->free(resource.array->storage().memory()).ok());
  EXPECT_EQ(one->texels().error(), Error::invalid_handle);
  EXPECT_EQ(surface->texels().error(), Error::invalid_handle);
}

TEST_F(TextureTest, LinearMemoryHasSoManyElements) {
  EXPECT_EQ(most_linear_elements(ArrayFormat::UNSIGNED_INT8, 1).value(), size_t{1} << 30);
  EXPECT_EQ(most_linear_elements(ArrayFormat::FLOAT, 1).value(), size_t{1} << 30);
  EXPECT_EQ(most_linear_elements(ArrayFormat::FLOAT, 2).value(), size_t{1} << 29);
  EXPECT_EQ(most_linear_elements(ArrayFormat::FLOAT, 4).value(), size_t{1} << 28);
  EXPECT_FALSE(most_linear_elements(ArrayFormat::FLOAT, 3).ok());
  TextureResource resource;
  resource.kind = TextureResource::Kind::linear;
  resource.address = 0x10000;
  resource.format = ArrayFormat::FLOAT;
  resource.channels = 1;
  resource.bytes = size_t{4} << 30;
  EXPECT_TRUE(Texture::create(resource, {}, std::nullopt, limits, 7).ok());
  resource.bytes += 4;
  EXPECT_FALSE(Texture::create(resource, {}, std::nullopt, limits, 7).ok());
}

}  // namespace
}  // namespace cuvette::device
