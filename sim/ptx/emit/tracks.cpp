// SPDX-License-Identifier: Apache-2.0
// Tracks: the marks that an access leaves where only the bytes that a launch touches are needed,
// not the threads and their order (TrackPlane in abi.hpp).
//
// On the straight way every lane takes part and every address lies in the window, which the planes
// cover: tracks are left by plain stores, a vector for lanes side by side. Everywhere else the
// machine leaves them. Two threads that leave tracks in one byte at a time may leave either's
// number; both are true.
#include <cstddef>

#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

// Numbers accesses in the order in which they are emitted; the accesses of the two ways through a
// block count as one.
uint32_t number_of(WarpBuilder& w, uint32_t access) {
  const Instruction& i = w.instruction();
  return track_number({location_of(i.line, i.source_file, i.source_line), access},
                      w.result().accesses);
}

// Leaves a number at places of one plane.
class Plane {
 public:
  Plane(WarpBuilder& builder, uint32_t access, uint32_t number)
      : w(builder),
        number_(number),
        shift_(track_shift(track_plane(access))),
        each_(access_bytes(access) >> shift_) {
    const size_t at = offsetof(BlockContext, tracks) + track_plane(access) * sizeof(TrackPlane);
    tracks_ = w.context_field(at + offsetof(TrackPlane, tracks), w.getPtrTy());
    stretches_ = w.context_field(at + offsetof(TrackPlane, stretches), w.getPtrTy());
    regions_ = w.context_field(at + offsetof(TrackPlane, regions), w.getPtrTy());
  }

  // For `count` accesses in a row, the first at `address`.
  void leave(V* address, uint32_t count = 1) {
    store(w.CreateGEP(w.getInt8Ty(), tracks_, w.CreateLShr(address, w.i64(shift_))), count);
    note(address);
    if (count > 1) note_stretch(w.CreateAdd(address, w.i64(uint64_t{count * each_ - 1} << shift_)));
  }
  // For `count` accesses, `stride` bytes apart.
  void leave_apart(V* address, uint32_t count, uint64_t stride) {
    V* const first = w.CreateGEP(w.getInt8Ty(), tracks_, w.CreateLShr(address, w.i64(shift_)));
    for (uint64_t n = 0; n < count; ++n)
      store(w.CreateConstGEP1_64(w.getInt8Ty(), first, n * stride >> shift_), 1);
    // Every stretch that they come through, or each by itself where they skip some.
    const uint64_t length = stride * (count - 1);
    const uint64_t step = std::max(stride, uint64_t{1} << TrackPlane::stretch_shift);
    for (uint64_t at = 0; at < length; at += step) note(w.CreateAdd(address, w.i64(at)));
    note(w.CreateAdd(address, w.i64(length)));
  }

 private:
  void store(V* place, uint32_t count) {
    const uint32_t bytes = count * each_;
    llvm::Constant* const number = ConstantInt::get(w.getInt8Ty(), number_);
    llvm::Constant* value = number;
    if (bytes > 1)
      value = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(bytes), number);
    w.CreateAlignedStore(value, place, llvm::Align(1));
  }
  void note(V* address) {
    note_stretch(address);
    set(regions_, address, TrackPlane::region_shift);
  }
  void note_stretch(V* address) { set(stretches_, address, TrackPlane::stretch_shift); }
  void set(V* bytes, V* address, uint32_t shift) {
    w.CreateStore(w.getInt8(1),
                  w.CreateGEP(w.getInt8Ty(), bytes, w.CreateLShr(address, w.i64(shift))));
  }

  WarpBuilder& w;
  const uint32_t number_, shift_, each_;
  V* tracks_;
  V* stretches_;
  V* regions_;
};

// Whether an access goes to memory of which tracks are kept. A generic one may.
bool leaves_tracks(uint32_t access) { return !(access & (access_shared | access_local)); }

}  // namespace

void MemoryAccesses::leave_tracks(const Address& address, uint32_t bytes, uint32_t kind) {
  const uint32_t access = kind | ordering_of(w.instruction()) | bytes;
  if (!leaves_tracks(access)) return;
  const uint32_t number = number_of(w, access);
  const Value& value = address.value;
  if (!w.may_leave() || !w.all_active()) {
    V* const vector = w.vector_of(value);
    if (!w.input().quickly) {
      w.call_aside(offsetof(Helpers, leave_tracks), w.getVoidTy(),
                   {w.context(), vector, w.active_bits(), w.i32(access), w.i32(number)});
      return;
    }
    w.call_helper(offsetof(Helpers, leave_tracks), w.getVoidTy(), w.context(), w.array_with(vector),
                  w.active_bits(), w.i32(access), w.i32(number));
    return;
  }
  if (!is_tested_by_ends(address, bytes)) return leave_tracks_at(w.vector_of(value), access);
  Plane plane(w, access, number);
  const auto stride = static_cast<uint64_t>(value.shape.stride);
  const uint32_t lanes = value.shape.linear ? warp_size : warp_size / 2;
  for (int half = 0; half < value.scalars(); ++half) {
    V* const begin = value.scalar[half];
    if (stride == 0)
      plane.leave(begin);
    else if (stride == bytes)
      plane.leave(begin, lanes);
    else
      plane.leave_apart(begin, lanes, stride);
  }
}

void MemoryAccesses::leave_tracks_at(V* addresses, uint32_t access) {
  Plane plane(w, access, number_of(w, access));
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    plane.leave(w.CreateExtractElement(addresses, lane));
}

// On the straight way, after its test.
void MemoryAccesses::leave_tracks(const Indexed& indexed, const Operand& place, uint32_t bytes,
                                  uint32_t kind) {
  V* const base =
      w.CreateAdd(w.read_register(indexed.base, Type::u64).scalar[0], w.i64(place.bits));
  V* const index = w.vector_of(w.read_register(indexed.index, Type::u32));
  llvm::Type* const wide = w.vector_type(w.getInt64Ty());
  V* const distance =
      w.CreateMul(indexed.with_sign ? w.CreateSExt(index, wide) : w.CreateZExt(index, wide),
                  w.splat(w.i64(static_cast<uint64_t>(indexed.factor))));
  leave_tracks_at(w.CreateAdd(w.splat(base), distance),
                  kind | ordering_of(w.instruction()) | bytes);
}

// Many bytes in a row for each lane.
void MemoryAccesses::access_bulk(const Address& address, V* sizes, uint32_t kind) {
  const uint32_t access = kind | kind_of_access(address.space) | ordering_of(w.instruction()) | 16;
  const bool watched = w.input().request.watch;
  if (!watched && !(w.input().request.tracks && leaves_tracks(access))) return;
  V* const status = w.call_helper(
      offsetof(Helpers, access_bulk), w.getInt32Ty(), w.context(),
      w.array_with(numbers(w, address)), w.array_with(sizes), w.active_bits(), w.i32(access),
      w.i32(watched ? 0 : number_of(w, access)), w.warp(), w.location());
  w.when(
      w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); }, true);
}

}  // namespace cuvette::ptx
