// SPDX-License-Identifier: Apache-2.0
// Rights of devices to mappings: random rights, ranges, aliases and work of three devices, against
// a model that knows each device's right to each granule and the bytes at their edges.
#include <cuda.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/virtual_memory.hpp"

namespace {

constexpr char kernels[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry put(.param .u64 p, .param .u32 v) {
.reg .u64 %a, %o; .reg .u32 %t, %v;
ld.param.u64 %a, [p]; ld.param.u32 %v, [v]; mov.u32 %t, %tid.x; cvt.u64.u32 %o, %t;
add.u64 %a, %a, %o; st.global.u8 [%a], %v; ret; }
.visible .entry get(.param .u64 p, .param .u32 v) {
.reg .u64 %a, %o; .reg .u32 %t, %v; .shared .b8 s[64];
ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; cvt.u64.u32 %o, %t;
add.u64 %a, %a, %o; ld.global.u8 %v, [%a]; st.shared.u8 [s], %v; ret; }
.visible .entry count(.param .u64 p, .param .u32 v) {
.reg .u64 %a; .reg .u32 %v;
ld.param.u64 %a, [p]; red.global.add.u32 [%a], 0; ret; }
)";

constexpr int devices = 3, pieces = 3, slots = 5, edge = 32;
// Slots 0 to 2 lie side by side; 3 and 4 are aliases of the first two pieces, side by side as well.
constexpr std::array<int, slots> piece_of{0, 1, 2, 0, 1};
constexpr bool joins_next(int slot) { return slot != 2 && slot != slots - 1; }

class Rights {
 public:
  explicit Rights(unsigned seed) : random_(seed) {
    for (int i = 0; i < devices; ++i) load(i);
    const CUdeviceptr first = reserved(3 * granule), second = reserved(2 * granule);
    watch_ = reserved(pieces * granule);
    for (int i = 0; i < pieces; ++i) {
      handles_[i] = created(granule);
      EXPECT_EQ(cuMemMap(watch_ + i * granule, granule, 0, handles_[i], 0), CUDA_SUCCESS);
    }
    EXPECT_EQ(set_access(watch_, pieces * granule, writing), CUDA_SUCCESS);
    aside_ = reserved(granule);
    EXPECT_EQ(cuMemMap(aside_, granule, 0, created(granule), 0), CUDA_SUCCESS);
    for (int i = 0; i < devices; ++i) {
      const CUmemAccessDesc all{{CU_MEM_LOCATION_TYPE_DEVICE, i}, writing};
      EXPECT_EQ(cuMemSetAccess(aside_, granule, &all, 1), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuCtxSetCurrent(contexts_[0]), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8(watch_, 0, pieces * granule), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    for (int i = 0; i < slots; ++i) {
      at_[i] = (i < 3 ? first + i * granule : second + (i - 3) * granule);
      EXPECT_EQ(cuMemMap(at_[i], granule, 0, handles_[piece_of[i]], 0), CUDA_SUCCESS);
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps && !faulted_ && !testing::Test::HasFailure(); ++i) {
      if (pick(3) == 0)
        change_rights();
      else
        work(i > steps / 2);
      if (!faulted_) compare();
    }
  }

 private:
  // Some bytes at an edge of a slot, perhaps on both sides of the border to the next slot.
  struct Place {
    CUdeviceptr address;
    unsigned size;
    std::vector<int> slots;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void load(int device) {
    EXPECT_EQ(cuCtxCreate(&contexts_[device], nullptr, 0, device), CUDA_SUCCESS);
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module, kernels), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&put_[device], module, "put"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&get_[device], module, "get"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&count_[device], module, "count"), CUDA_SUCCESS);
  }

  void change_rights() {
    const int first = pick(slots);
    int last = first;
    while (joins_next(last) && pick(2) == 0) ++last;
    std::vector<CUmemAccessDesc> wanted;
    for (int i = 1 + pick(3); i > 0; --i) {
      constexpr CUmemAccess_flags all[] = {no_access, reading, writing};
      wanted.push_back({{CU_MEM_LOCATION_TYPE_DEVICE, pick(devices)}, all[pick(3)]});
      for (int slot = first; slot <= last; ++slot)
        right_[slot][wanted.back().location.id] = wanted.back().flags;
    }
    EXPECT_EQ(cuMemSetAccess(at_[first], static_cast<size_t>(last - first + 1) * granule,
                             wanted.data(), wanted.size()),
              CUDA_SUCCESS);
  }

  Place place() {
    const int slot = pick(slots);
    const unsigned size = 4 * (1 + static_cast<unsigned>(pick(edge / 4)));
    const unsigned before = 4 * static_cast<unsigned>(pick(static_cast<int>(size / 4)));
    if (joins_next(slot) && before > 0 && pick(2) == 0)
      return {at_[slot] + granule - before, size, {slot, slot + 1}};
    return {at_[slot] + (pick(2) ? granule - size : 0), size, {slot}};
  }

  // Whether the device may do it, or for each slot either device.
  bool may(int device, const Place& place, bool write) const {
    return may(device, device, place, write);
  }
  bool may(int device, int other, const Place& place, bool write) const {
    return std::all_of(place.slots.begin(), place.slots.end(), [&](int slot) {
      const auto right = std::max(right_[slot][device], right_[slot][other]);
      return write ? right == writing : right != no_access;
    });
  }

  void fill_model(const Place& place, unsigned char value) {
    for (unsigned i = 0; i < place.size; ++i) {
      const CUdeviceptr address = place.address + i;
      for (const int slot : place.slots)
        if (address - at_[slot] < granule) model_[piece_of[slot]][address - at_[slot]] = value;
    }
  }

  // `may_fault`: a kernel may do what it has no right to, after which no context can be made.
  void work(bool may_fault) {
    const int device = pick(devices), other = pick(devices);
    const Place target = place();
    const auto value = static_cast<unsigned char>(random_());
    unsigned char host[2 * edge];
    std::fill_n(host, sizeof host, value);
    const CUdeviceptr p = target.address;
    const size_t n = target.size;
    OK(cuCtxSetCurrent(contexts_[device]));
    bool write = true, allowed = false;
    CUresult result = CUDA_SUCCESS;
    const int kind = pick(9);
    Place touched = target;
    if (kind == 3 || kind == 8) {  // one word
      touched.size = 4;
      if (touched.slots.size() == 2) touched.slots.pop_back();
    }
    if (kind == 6 && target.slots.size() == 2 && !may(device, target, true)) return;
    if (kind > 5 && !may_fault && !may(device, touched, kind != 7)) return;
    switch (kind) {
      case 0:
        result = cuMemsetD8(p, value, n);
        break;
      case 1:
        result = cuMemcpyHtoD(p, host, n);
        break;
      case 2:
        write = false;
        result = cuMemcpyDtoH(host, p, n);
        break;
      case 3:
        result = cuStreamWriteValue32(nullptr, p, value * 0x01010101u, 0);
        break;
      case 4:
        result = cuMemcpyPeer(p, contexts_[other], aside(host), contexts_[device], n);
        allowed = may(device, other, target, true);
        break;
      case 5:
        write = false;
        result = cuMemcpyPeerAsync(aside(host), contexts_[device], p, contexts_[other], n, nullptr);
        allowed = may(device, other, target, false);
        break;
      default: {
        const CUfunction function = kind == 6   ? put_[device]
                                    : kind == 7 ? get_[device]
                                                : count_[device];
        write = kind != 7;
        unsigned v = value;
        CUdeviceptr from = p;
        void* arguments[] = {&from, &v};
        OK(cuLaunchKernel(function, 1, 1, 1, kind == 8 ? 1 : target.size, 1, 1, 0, nullptr,
                          arguments, nullptr));
        break;
      }
    }
    const bool right = may(device, touched, write) || allowed;
    SCOPED_TRACE(testing::Message() << "kind " << kind << " device " << device << " other " << other
                                    << " slot " << target.slots.front() << " size " << n);
    // Rights that are taken away wait for the work that has begun with them.
    if (right && pick(4) == 0) change_rights();
    const CUresult end = cuCtxSynchronize();
    if (kind < 6) {
      EXPECT_EQ(result, right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(end, CUDA_SUCCESS);
    } else if (right) {
      EXPECT_EQ(end, CUDA_SUCCESS);
    } else {
      EXPECT_EQ(end, CUDA_ERROR_ILLEGAL_ADDRESS);
      faulted_ = true;
      if (device != 0) compare();
    }
    if (right && write && kind != 8) fill_model(touched, value);
  }

  // The other end of copies between peers, where every device may do everything.
  CUdeviceptr aside(const unsigned char* bytes) {
    EXPECT_EQ(cuMemcpyHtoD(aside_, bytes, 2 * edge), CUDA_SUCCESS);
    return aside_;
  }

  void compare() {
    OK(cuCtxSetCurrent(contexts_[0]));
    for (int piece = 0; piece < pieces; ++piece)
      for (const size_t begin : {size_t{0}, granule - edge}) {
        unsigned char bytes[edge];
        OK(cuMemcpyDtoH(bytes, watch_ + static_cast<size_t>(piece) * granule + begin, edge));
        for (size_t i = 0; i < edge; ++i) {
          const auto known = model_[piece].find(begin + i);
          ASSERT_EQ(bytes[i], known == model_[piece].end() ? 0 : known->second)
              << "piece " << piece << " byte " << begin + i;
        }
      }
  }

  std::mt19937 random_;
  bool faulted_ = false;
  CUcontext contexts_[devices]{};
  CUfunction put_[devices]{}, get_[devices]{}, count_[devices]{};
  Handle handles_[pieces]{};
  CUdeviceptr watch_ = 0;  // all pieces once more; device 0 may do everything there
  CUdeviceptr at_[slots]{};
  CUmemAccess_flags right_[slots][devices]{};
  std::map<size_t, unsigned char> model_[pieces];
  CUdeviceptr aside_ = 0;
};

TEST(cuMemSetAccess, DecidesForEachDeviceWhatItsWorkMayDo) {
  const char* const more = getenv("CUVETTE_TEST_SEEDS");
  for (unsigned seed = 0; seed < (more ? static_cast<unsigned>(atoi(more)) : 12u); ++seed)
    run_in_child({{"CUVETTE_DEVICES", "3"}, {"CUVETTE_DEVICE", "h200"}, {"CUVETTE_MEMORY", "1G"}},
                 [&] {
                   SCOPED_TRACE(testing::Message() << "seed " << seed);
                   ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
                   Rights(seed).run(120);
                 });
}

}  // namespace
