// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/array.hpp"

#include <gtest/gtest.h>

namespace cuvette::device {
namespace {

class ArrayTest : public testing::Test {
 protected:
  static ArrayDescriptor layered(size_t width, size_t height, size_t layers) {
    return {width, height, layers, ArrayFormat::UNSIGNED_INT8, 4, array_flag::layered};
  }

  std::unique_ptr<memory::AddressSpace> space_ =
      memory::AddressSpace::create({{64 << 20}, memory::Fill::edges}).value();
};

TEST_F(ArrayTest, RowsAndSlicesDoNotOverlap) {
  const ArrayDescriptor shape{10, 7, 3, ArrayFormat::FLOAT, 2, 0};
  const auto array = Array::create(*space_, shape, {}).value();
  const ArrayLayout& layout = array->layout();
  EXPECT_EQ(layout.element, 8u);
  EXPECT_EQ(layout.row_bytes(), 80u);
  EXPECT_GE(layout.pitch, layout.row_bytes());
  EXPECT_GE(layout.slice, layout.pitch * 7);
  EXPECT_TRUE(array->storage().memory()->contains(array->address(), layout.extent()));
}

TEST_F(ArrayTest, ABlockOfCompressedElementsIsOneElement) {
  const ArrayDescriptor shape{10, 7, 0, ArrayFormat::BC1_UNORM, 4, 0};
  const auto array = Array::create(*space_, shape, {}).value();
  EXPECT_EQ(array->layout().element, 8u);
  EXPECT_EQ(array->layout().width, 3u);
  EXPECT_EQ(array->layout().height, 2u);
  EXPECT_TRUE(array->box(8, 1, 0, 16, 1, 1).ok());
  EXPECT_EQ(array->box(8, 1, 0, 16, 2, 1).error(), Error::invalid_value) << "past the last row";
  EXPECT_EQ(array->box(4, 0, 0, 8, 1, 1).error(), Error::invalid_value) << "half a block";
  EXPECT_EQ(array->box(0, 0, 0, 12, 1, 1).error(), Error::invalid_value) << "half a block";
}

TEST_F(ArrayTest, APlanarArrayHasPlanes) {
  const ArrayDescriptor shape{64, 32, 0, ArrayFormat::NV12, 3, array_flag::video_encode_decode};
  const auto array = Array::create(*space_, shape, {}).value();
  const auto luma = array->plane(0).value(), chroma = array->plane(1).value();
  EXPECT_EQ(luma->descriptor().channels, 1u);
  EXPECT_EQ(luma->layout().row_bytes(), 64u);
  EXPECT_EQ(chroma->descriptor().width, 32u);
  EXPECT_EQ(chroma->descriptor().height, 16u);
  EXPECT_EQ(chroma->layout().row_bytes(), 64u);
  EXPECT_GE(chroma->address(), luma->address() + luma->layout().extent());
  EXPECT_TRUE(array->storage().memory()->contains(chroma->address(), chroma->layout().extent()));
  EXPECT_EQ(array->plane(1).value(), chroma);
  EXPECT_EQ(array->plane(2).error(), Error::invalid_value);
  EXPECT_EQ(luma->plane(0).error(), Error::invalid_value);
  EXPECT_EQ(array->box(0, 0, 0, 1, 1, 1).error(), Error::invalid_value) << "of which plane?";
  EXPECT_TRUE(chroma->box(0, 0, 0, 64, 16, 1).ok());
}

TEST_F(ArrayTest, ItsMemoryIsNotFoundByItsAddress) {
  const size_t before = space_->usage(0).free;
  const ArrayDescriptor shape{64, 64, 0, ArrayFormat::FLOAT, 4, 0};
  const auto array = Array::create(*space_, shape, {5, 0, nullptr}).value();
  EXPECT_FALSE(space_->find(array->address()));
  EXPECT_LE(space_->usage(0).free, before - 64 * 64 * 16);
  ASSERT_EQ(space_->all().size(), 1u);
  EXPECT_EQ(space_->all()[0], array->storage().memory());
  space_->free_all_of(5);
  EXPECT_EQ(space_->usage(0).free, before);
  EXPECT_FALSE(space_->free(array->storage().memory()).ok()) << "it has ended";
}

TEST_F(ArrayTest, WithoutItsMemoryItIsRefused) {
  const auto array = MipmappedArray::create(*space_, layered(16, 16, 5), 3, {}).value();
  const auto level = array->level(0).value();
  EXPECT_TRUE(space_->free(array->storage().memory()).ok());
  EXPECT_EQ(level->storage().usable().error(), Error::invalid_handle);
  EXPECT_EQ(array->level(0).error(), Error::invalid_handle);
  array->storage().restore();
  EXPECT_EQ(array->level(0).error(), Error::invalid_handle);
}

TEST_F(ArrayTest, MoreThanTheDeviceHasIsOutOfMemory) {
  const ArrayDescriptor huge{size_t{1} << 40, size_t{1} << 40, 0, ArrayFormat::FLOAT, 4, 0};
  EXPECT_EQ(Array::create(*space_, huge, {}).error(), Error::out_of_memory);
  const ArrayDescriptor large{16384, 16384, 0, ArrayFormat::FLOAT, 4, 0};
  EXPECT_EQ(Array::create(*space_, large, {}).error(), Error::out_of_memory);
  EXPECT_EQ(MipmappedArray::create(*space_, large, 5, {}).error(), Error::out_of_memory);
}

TEST_F(ArrayTest, ABoxIsWhereItsElementsAre) {
  const ArrayDescriptor shape{16, 8, 4, ArrayFormat::UNSIGNED_INT16, 2, 0};
  const auto array = Array::create(*space_, shape, {}).value();
  const ArrayLayout& layout = array->layout();
  const memory::Region region = array->box(8, 2, 3, 16, 5, 1).value();
  EXPECT_EQ(region.address, array->address() + 3 * layout.slice + 2 * layout.pitch + 8);
  EXPECT_EQ(region.width, 16u);
  EXPECT_EQ(region.height, 5u);
  EXPECT_EQ(region.depth, 1u);

  EXPECT_EQ(array->box(4, 0, 0, 64, 1, 1).error(), Error::invalid_value) << "past the row";
  EXPECT_EQ(array->box(0, 4, 0, 4, 5, 1).error(), Error::invalid_value) << "past the slice";
  EXPECT_EQ(array->box(0, 0, 4, 4, 1, 1).error(), Error::invalid_value) << "past the array";
  EXPECT_EQ(array->box(SIZE_MAX - 3, 0, 0, 8, 1, 1).error(), Error::invalid_value);
}

TEST_F(ArrayTest, LevelsHalveDownToOne) {
  const auto array = MipmappedArray::create(*space_, layered(40, 12, 3), 6, {}).value();
  const size_t widths[] = {40, 20, 10, 5, 2, 1}, heights[] = {12, 6, 3, 1, 1, 1};
  memory::DevicePtr end = 0;
  for (unsigned level = 0; level < 6; ++level) {
    const auto view = array->level(level).value();
    EXPECT_EQ(view->descriptor().width, widths[level]);
    EXPECT_EQ(view->descriptor().height, heights[level]);
    EXPECT_EQ(view->descriptor().depth, 3u) << "there are as many layers in each level";
    EXPECT_GE(view->address(), end);
    end = view->address() + view->layout().extent();
  }
  EXPECT_EQ(array->level(6).error(), Error::invalid_value);
}

TEST_F(ArrayTest, TheSameViewIsTheSameArray) {
  const auto array = MipmappedArray::create(*space_, layered(16, 16, 5), 3, {}).value();
  const auto level = array->level(1).value(), layer = array->layer(1, 4).value();
  EXPECT_EQ(array->level(1).value(), level);
  EXPECT_EQ(array->layer(1, 4).value(), layer);
  EXPECT_FALSE(level == layer);
  EXPECT_EQ(layer->address(), level->address() + 4 * level->layout().slice);
  EXPECT_EQ(layer->descriptor().depth, 0u);
  EXPECT_EQ(layer->descriptor().flags, 0u);
  EXPECT_EQ(array->layer(1, 5).error(), Error::invalid_value);
}

TEST_F(ArrayTest, ARevokedStorageRefusesItsViewsUntilItIsRestored) {
  const auto array = MipmappedArray::create(*space_, layered(16, 16, 5), 3, {}).value();
  const auto level = array->level(0).value();
  array->storage().revoke(Error::not_mapped, "The resource was unmapped.");
  EXPECT_EQ(level->storage().usable().error(), Error::not_mapped);
  EXPECT_EQ(array->level(1).error(), Error::not_mapped);
  array->storage().restore();
  EXPECT_TRUE(level->storage().usable().ok());
  EXPECT_TRUE(array->level(1).ok());
}

TEST_F(ArrayTest, AnOwnerSaysWhereLevelsLie) {
  const auto memory = space_->allocate(4096, {}).value();
  const auto storage =
      make_ref<ArrayStorage>(memory, memory->address + 256, ArrayStorage::Owner::somebody);
  ArrayDescriptor shape{8, 8, 0, ArrayFormat::UNSIGNED_INT8, 4, 0};
  // Rows of 32 bytes, 40 bytes apart; level 1 in front of level 0.
  std::vector<ArrayLayout> layouts{{512, 4, 1, 8, 8, 1, 40, 320}, {0, 4, 1, 4, 4, 1, 40, 160}};
  const auto array = MipmappedArray::over(storage, shape, layouts).value();
  EXPECT_EQ(array->level(0).value()->box(4, 1, 0, 8, 2, 1).value().address,
            memory->address + 256 + 512 + 40 + 4);
  EXPECT_EQ(array->level(1).value()->address(), memory->address + 256);

  layouts[0].offset = 4096 - 256 - 300;
  EXPECT_EQ(MipmappedArray::over(storage, shape, layouts).error(), Error::invalid_value);
}

}  // namespace
}  // namespace cuvette::device
