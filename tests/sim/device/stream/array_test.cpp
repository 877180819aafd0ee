// SPDX-License-Identifier: Apache-2.0
// Arrays of a device: the footprints of copies, and what happens to arrays whose memory ends or is
// taken back.
#include "sim/device/stream/array.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/host_call.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/transfer.hpp"

namespace cuvette::device {
namespace {

using memory::Region;

class FootprintWatcher final : public Observer {
 public:
  void submitted(const Stream&, uint64_t, const Operation& operation) override {
    writes = operation.footprint().writes;
    reads = operation.footprint().reads;
    ++count;
  }
  Region writes, reads;
  int count = 0;
};

class DeviceArray : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Machine::start().ok());
    context_ = make_ref<Context>(*Machine::get().devices()[0], 0u, false);
    observers().attach(watcher());
    watcher().count = 0;
  }
  void TearDown() override {
    context_->tear_down();
    observers().detach(watcher());
  }
  // It is never deleted, since threads may still be reporting to it.
  static FootprintWatcher& watcher() {
    static auto* const watcher = new FootprintWatcher;
    return *watcher;
  }

  CopyOperand box(const Ref<Array>& array, size_t x, size_t y, size_t z, size_t width,
                  size_t height, size_t depth) {
    return {array->box(x, y, z, width, height, depth).value(), MemoryType::array, array};
  }
  Transfer transfer(bool asynchronous) {
    return {*context_, context_->legacy_stream(), asynchronous, nullptr};
  }

  Ref<Context> context_;
  const ArrayDescriptor shape_{16, 8, 4, ArrayFormat::UNSIGNED_INT8, 4, 0};
};

TEST_F(DeviceArray, AFootprintIsTheBoxAndNothingElse) {
  const auto one = create_array(*context_, shape_, nullptr).value(),
             other = create_array(*context_, shape_, nullptr).value();
  ASSERT_TRUE(
      copy(transfer(true), box(one, 8, 2, 1, 24, 5, 2), box(other, 4, 0, 2, 24, 5, 2)).ok());
  ASSERT_EQ(watcher().count, 1);
  const ArrayLayout& layout = one->layout();
  const Region& writes = watcher().writes;
  EXPECT_EQ(writes.address, one->address() + layout.slice + 2 * layout.pitch + 8);
  EXPECT_EQ(writes.width, 24u);
  EXPECT_EQ(writes.pitch, layout.pitch);
  EXPECT_EQ(writes.height, 5u);
  EXPECT_EQ(writes.slice, layout.slice);
  EXPECT_EQ(writes.depth, 2u);
  EXPECT_EQ(watcher().reads.address, other->address() + 2 * layout.slice + 4);
  EXPECT_EQ(watcher().reads.bytes(), writes.bytes());
}

TEST_F(DeviceArray, ACopyKeepsWhoEndsTheMemoryWaiting) {
  const auto array = create_array(*context_, shape_, nullptr).value();
  std::atomic<bool> open{false}, ended{false};
  const HostFunction gate = [](void* data) {
    while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
  };
  const Ref<Stream> stream = context_->make_stream(StreamKind::non_blocking, 0);
  context_->submit(*stream, HostCall(gate, &open, nullptr));
  const auto memory = Machine::get().memory().allocate(64, {}).value();
  ASSERT_TRUE(copy({*context_, *stream, true, nullptr},
                   {Region::linear(memory->address, 64), MemoryType::device},
                   box(array, 0, 0, 0, 64, 1, 1))
                  .ok());
  EXPECT_EQ(array->storage().memory()->users, 1u);
  std::thread ender([&] {
    EXPECT_TRUE(end_memory(array->storage()).ok());
    ended = true;
  });
  // Work under way still uses the array; only after that is it taken away.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(ended);
  EXPECT_TRUE(array->storage().usable().ok());
  open = true;
  ender.join();
  EXPECT_FALSE(array->storage().usable().ok());
  EXPECT_TRUE(Machine::get().memory().free(memory).ok());
}

TEST_F(DeviceArray, WhatHasEndedIsRefused) {
  const auto one = create_array(*context_, shape_, nullptr).value(),
             other = create_array(*context_, shape_, nullptr).value();
  const CopyOperand to = box(one, 0, 0, 0, 64, 8, 4), from = box(other, 0, 0, 0, 64, 8, 4);
  EXPECT_TRUE(copy(transfer(false), to, from).ok());
  EXPECT_TRUE(end_memory(other->storage()).ok());
  EXPECT_EQ(copy(transfer(false), to, from).error(), Error::invalid_handle);
  EXPECT_EQ(make_copy(nullptr, to, from, nullptr).error(), Error::invalid_handle) << "in a graph";
  EXPECT_EQ(end_memory(other->storage()).error(), Error::invalid_handle);
}

TEST_F(DeviceArray, WhatItsOwnerHasTakenBackIsRefused) {
  const auto memory = Machine::get().memory().allocate(65536, {}).value();
  const auto storage =
      make_ref<ArrayStorage>(memory, memory->address, ArrayStorage::Owner::somebody);
  const auto levels = MipmappedArray::over(storage, shape_, level_layouts(shape_, 3)).value();
  const auto array = levels->level(1).value();
  std::vector<char> bytes(32 * 4 * 2);
  const CopyOperand to{Region{reinterpret_cast<memory::DevicePtr>(bytes.data()), 32, 32, 4, 128, 2},
                       MemoryType::host};
  const CopyOperand from = box(array, 0, 0, 0, 32, 4, 2);
  EXPECT_TRUE(copy(transfer(false), to, from).ok());
  storage->revoke(Error::not_mapped, "The resource was unmapped.");
  EXPECT_EQ(copy(transfer(false), to, from).error(), Error::not_mapped);
  EXPECT_EQ(end_memory(*storage).error(), Error::array_is_mapped) << "it is its owner's to end";
  storage->restore();
  EXPECT_TRUE(copy(transfer(false), to, from).ok());
  EXPECT_EQ(end_memory(*storage).error(), Error::array_is_mapped);
  EXPECT_TRUE(Machine::get().memory().free(memory).ok());
}

TEST_F(DeviceArray, LevelsAreCutToWhatThereCanBe) {
  EXPECT_EQ(create_mipmapped_array(*context_, shape_, 0, nullptr).value()->levels(), 1u);
  EXPECT_EQ(create_mipmapped_array(*context_, shape_, 3, nullptr).value()->levels(), 3u);
  EXPECT_EQ(create_mipmapped_array(*context_, shape_, 99, nullptr).value()->levels(), 5u);
}

}  // namespace
}  // namespace cuvette::device
