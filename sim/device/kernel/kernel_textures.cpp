// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_textures.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/base/config.hpp"
#include "sim/base/hex.hpp"
#include "sim/device/kernel/kernel_call.hpp"
#include "sim/device/kernel/surface_access.hpp"
#include "sim/device/kernel/texture_query.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/exec/kernel_helpers.hpp"

namespace cuvette::device {
namespace {

using exec::Block;
using exec::GridFault;
using ptx::SurfaceOperation;
using ptx::TextureOperation;

std::atomic<const TextureFinder*> finder{nullptr};

uint32_t lanes_with(const uint64_t* handles, uint64_t handle) {
  uint32_t lanes = 0;
  for (unsigned lane = 0; lane < ptx::warp_size; ++lane)
    lanes |= static_cast<uint32_t>(handles[lane] == handle) << lane;
  return lanes;
}

Sample sample_of(const TextureOperation& operation) {
  Sample how;
  how.geometry = static_cast<Sample::Geometry>(operation.geometry);
  how.levels = static_cast<Sample::Levels>(operation.levels);
  how.whole = operation.whole;
  how.offsets = operation.offsets;
  if (operation.gathers) how.component = operation.component;
  return how;
}

// An invalid surface reads as zeros.
void clear_results(const SurfaceOperation& operation, uint32_t lanes, LaneWords* words) {
  const auto kind = static_cast<SurfaceOperation::Kind>(operation.kind);
  const bool asks = kind == SurfaceOperation::Kind::ask;
  if (kind != SurfaceOperation::Kind::load && !asks) return;
  const unsigned count = asks ? 1 : operation.count * (operation.bytes == 8 ? 2 : 1);
  for (unsigned word = 0; word < count; ++word)
    for (unsigned lane = 0; lane < ptx::warp_size; ++lane)
      if (lanes >> lane & 1) words[word][lane] = 0;
}

// Returns whether the accesses of a block's threads are observed.
bool is_watched(const Block& block) { return block.watch || block.grid->launch().tracks; }

// Reports what lanes of a warp read from a texture.
class TextureReads final : public SampleObserver {
 public:
  TextureReads(Block& block, size_t element_bytes, uint32_t warp, uint64_t location)
      : block_(block),
        bytes_(static_cast<uint32_t>(element_bytes)),
        warp_(warp),
        location_(location) {}

  void reads(const SampledLevel& level, const LaneIndices& x, const LaneIndices& y,
             const LaneIndices& z, uint32_t lanes) const override {
    uint64_t addresses[ptx::warp_size];
    for (unsigned lane = 0; lane < ptx::warp_size; ++lane)
      addresses[lane] =
          reinterpret_cast<uint64_t>(level.elements) + static_cast<size_t>(z[lane]) * level.slice +
          static_cast<size_t>(y[lane]) * level.pitch + static_cast<size_t>(x[lane]) * bytes_;
    exec::kernel_helpers::tell(
        block_, {addresses, nullptr, lanes, bytes_ | ptx::access_read_only, warp_, location_});
  }

 private:
  Block& block_;
  const uint32_t bytes_, warp_;
  const uint64_t location_;
};

// Reports what lanes of a warp have done to a surface.
void tell(Block& block, const SurfaceOperation& operation, const SurfaceBytes& touched,
          uint32_t warp, uint64_t location) {
  using Kind = SurfaceOperation::Kind;
  const auto kind = static_cast<Kind>(operation.kind);
  uint32_t access = touched.bytes;
  if (kind != Kind::load) access |= ptx::access_write;
  if (kind != Kind::load && kind != Kind::store && kind != Kind::store_formatted)
    access |= ptx::access_atomic | ptx::access_strong |
              static_cast<uint32_t>(ptx::Scope::device) << ptx::access_scope_shift;
  exec::kernel_helpers::tell(block,
                             {touched.addresses, nullptr, touched.lanes, access, warp, location});
  if (kind == Kind::load || !block.watch) return;
  for (uint32_t left = touched.lanes; left != 0; left &= left - 1)
    block.watch->written(block, touched.addresses[std::countr_zero(left)], touched.bytes);
}

}  // namespace

void set_texture_finder(const TextureFinder& known) {
  finder.store(&known, std::memory_order_release);
}

struct KernelTextures::Used {
  uint64_t handle = 0;
  bool is_surface = false;
  // Keep the object alive while it is used. Both are null if the handle names nothing.
  Ref<Texture> texture{};
  Ref<Surface> surface{};
  std::optional<Sampler> sampler{};
  SurfaceView view{};

  // The array's; null for linear memory.
  const ArrayStorage* storage() const {
    if (surface) return &surface->array()->storage();
    const TextureResource& resource = texture->resource();
    if (resource.array) return &resource.array->storage();
    return resource.levels ? &resource.levels->storage() : nullptr;
  }
  bool is_nothing() const { return !texture && !surface; }
  std::string name() const {
    return (is_surface ? "the surface " : "the texture ") + hexadecimal(handle);
  }
};

KernelTextures::KernelTextures(const Context& context, const KernelCall& call, const Stream& stream,
                               uint64_t number, const void* call_site)
    : context_(context), call_(call), stream_(stream), number_(number), call_site_(call_site) {}

KernelTextures::~KernelTextures() = default;

uint32_t KernelTextures::stop(Block& block, GridFault::Kind kind, uint32_t warp, uint32_t lane,
                              uint64_t location, uint64_t address, uint32_t access,
                              std::string text) {
  GridFault fault = block.grid->fault_of(block, kind, warp, lane, location);
  fault.address = address;
  fault.access = access;
  fault.text = std::move(text);
  return block.grid->stop(std::move(fault));
}

const KernelTextures::Used* KernelTextures::find(Block& block, uint64_t handle, bool surface,
                                                 std::string& why) {
  const unsigned known = count_.load(std::memory_order_acquire);
  for (unsigned i = 0; i < known; ++i)
    if (few_[i]->handle == handle && few_[i]->is_surface == surface) return few_[i];
  MutexLock lock(mutex_);
  std::unique_ptr<const Used>& place = all_[surface ? 1 : 0][handle];
  if (!place) {
    place = make(block, handle, surface, why);
    if (!place) {
      all_[surface ? 1 : 0].erase(handle);
      return nullptr;
    }
    const unsigned count = count_.load(std::memory_order_relaxed);
    if (count < few) {
      few_[count] = place.get();
      count_.store(count + 1, std::memory_order_release);
    }
  }
  return place.get();
}

bool KernelTextures::tolerate(const Used& used, misuse::TextureHandle::State state,
                              std::string& why) const {
  if (is_strict()) {
    why =
        (used.is_surface ? "it uses " : "it reads ") + used.name() + ", " + misuse::words_of(state);
    return false;
  }
  notify_misuse({misuse::TextureHandle{state, used.is_surface, used.handle,
                                       std::string(call_.name()), &stream_, number_},
                 call_site_});
  return true;
}

bool KernelTextures::identify(Used& used, std::string& why) const {
  using State = misuse::TextureHandle::State;
  if (used.handle == 0) return tolerate(used, State::null, why);
  const BoundReferences& bound = call_.references();
  const auto look = [&](const auto& references, auto& object) {
    for (const auto& [address, one] : references) {
      if (address != used.handle) continue;
      object = one;
      return true;
    }
    return false;
  };
  if (used.is_surface ? look(bound.surfaces, used.surface) : look(bound.textures, used.texture))
    return !used.is_nothing() || tolerate(used, State::unbound, why);
  if (const TextureFinder* const objects = finder.load(std::memory_order_acquire)) {
    if (used.is_surface)
      used.surface = objects->surface(used.handle);
    else
      used.texture = objects->texture(used.handle);
  }
  const auto is_ours = [&](const auto& object) {
    return object && object->owner() == context_.generation();
  };
  if (used.is_surface ? is_ours(used.surface) : is_ours(used.texture)) return true;
  EndedObjects::Object ended = context_.ended_objects().find(used.handle);
  used.texture = used.is_surface ? nullptr : std::move(ended.texture);
  used.surface = used.is_surface ? std::move(ended.surface) : nullptr;
  if (!used.is_nothing()) {
    const bool after = ended.is_behind(stream_, number_);
    return tolerate(used, after ? State::destroyed_after : State::destroyed_before, why);
  }
  why = std::string(used.is_surface ? "it uses " : "it reads ") + used.name() +
        ", which is not a live " + (used.is_surface ? "surface" : "texture") +
        " object of its context";
  return false;
}

bool KernelTextures::reaches(Block& block, const Texels::Level& level, bool write) {
  const uint64_t end = level.address + level.layout.extent(), window = block.context.window_base;
  if (level.address >= window && end - window <= block.context.window_bytes) return true;
  const auto range = block.grid->range_of(level.address, write);
  return range && range->end >= end;
}

bool KernelTextures::check_memory(Block& block, const Used& used, const Texels& texels,
                                  std::string& why) const {
  using State = misuse::TextureHandle::State;
  const ArrayStorage* const storage = used.storage();
  if (storage && storage->usable().ok()) return true;
  const auto there =
      std::find_if_not(texels.levels.begin(), texels.levels.end(),
                       [&](const auto& level) { return reaches(block, level, used.is_surface); });
  const bool all = there == texels.levels.end();
  if (!storage) {
    // Memory that is not an array may be anything.
    if (all) return true;
    why = used.name() + " is of " + std::to_string(there->layout.extent()) + " bytes at " +
          hexadecimal(there->address) + ", which the kernel's context may not read";
    return false;
  }
  if (storage->exists().ok()) {
    memory::Lender& lender = *storage->memory()->lender;
    if (used.is_surface) lender.note_kernel_use();
    return !lender.must_be_mapped() || tolerate(used, State::of_unmapped_image, why);
  }
  if (all) return tolerate(used, State::without_array, why);
  why = (used.is_surface ? "it uses " : "it reads ") + used.name() + ", " +
        misuse::words_of(State::without_array);
  return false;
}

std::unique_ptr<KernelTextures::Used> KernelTextures::make(Block& block, uint64_t handle,
                                                           bool surface, std::string& why) {
  auto used = std::make_unique<Used>();
  used->handle = handle;
  used->is_surface = surface;
  if (!identify(*used, why)) return nullptr;
  if (used->is_nothing()) return used;
  const Texels texels = surface ? used->surface->places() : used->texture->places();
  if (!check_memory(block, *used, texels, why)) return nullptr;
  if (surface) {
    used->view = SurfaceView::of(texels.levels.front());
    return used;
  }
  Result<Sampler> sampler = Sampler::make(*used->texture, texels);
  if (!sampler.ok()) {
    why = used->name() + " has a format that is not decoded";
    return nullptr;
  }
  used->sampler = std::move(sampler).value();
  return used;
}

template <typename Work>
uint32_t KernelTextures::each_handle(Block& block, bool surface, bool uniform,
                                     const uint64_t* handles, uint32_t mask, uint32_t warp,
                                     uint64_t location, const Work& work) {
  std::string why;
  for (uint32_t left = mask; left != 0;) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    const uint64_t handle = handles[uniform ? 0 : lane];
    const Used* const used = find(block, handle, surface, why);
    if (!used)
      return stop(block, GridFault::Kind::illegal_address, warp, lane, location, handle, 0, why);
    const uint32_t same = uniform ? left : left & lanes_with(handles, handle);
    if (const uint32_t status = work(*used, handle, same)) return status;
    left &= ~same;
  }
  return 0;
}

uint32_t KernelTextures::read(Block& block, uint32_t number, const uint64_t* handles,
                              const uint32_t* operands, uint32_t* results, uint32_t mask,
                              uint32_t warp, uint64_t location) {
  const TextureOperation operation = TextureOperation::of(number);
  const auto* const given = reinterpret_cast<const LaneWords*>(operands);
  auto* const wanted = reinterpret_cast<LaneWords*>(results);
  Sample how = sample_of(operation);
  const auto one = [&](const Used& used, uint32_t lanes, LaneWords* to) {
    if (used.is_nothing()) {
      memset(to, 0, (operation.asks ? 1 : 4) * sizeof *to);
    } else if (operation.asks) {
      answer_query(operation, *used.sampler, given, lanes, to[0]);
    } else {
      const TextureReads told(block, used.sampler->element_bytes(), warp, location);
      how.observer = is_watched(block) ? &told : nullptr;
      used.sampler->read(how, given, lanes, to);
    }
  };
  const uint32_t status =
      each_handle(block, false, operation.uniform, handles, mask, warp, location,
                  [&](const Used& used, uint64_t, uint32_t lanes) {
                    if (lanes == mask) {
                      one(used, mask, wanted);
                      return 0u;
                    }
                    LaneWords part[4];
                    one(used, lanes, part);
                    for (unsigned word = 0; word < (operation.asks ? 1u : 4u); ++word)
                      for (unsigned lane = 0; lane < ptx::warp_size; ++lane)
                        if (lanes >> lane & 1) wanted[word][lane] = part[word][lane];
                    return 0u;
                  });
  if (status != 0) return status;
  if (operation.halves) pack_halves(wanted);
  return 0;
}

uint32_t KernelTextures::access(Block& block, uint32_t number, const uint64_t* handles,
                                const uint32_t* operands, uint32_t* texels, uint32_t mask,
                                uint32_t warp, uint64_t location) {
  const SurfaceOperation operation = SurfaceOperation::of(number);
  const auto* const given = reinterpret_cast<const LaneWords*>(operands);
  auto* const words = reinterpret_cast<LaneWords*>(texels);
  return each_handle(
      block, true, operation.uniform, handles, mask, warp, location,
      [&](const Used& used, uint64_t handle, uint32_t lanes) {
        if (used.is_nothing()) {
          clear_results(operation, lanes, words);
          return 0u;
        }
        if (static_cast<SurfaceOperation::Kind>(operation.kind) == SurfaceOperation::Kind::ask) {
          answer_query(operation, used.view, lanes, words[0]);
          return 0u;
        }
        SurfaceBytes touched;
        const SurfaceFault fault = access_surface(operation, used.view, given, lanes, words,
                                                  is_watched(block) ? &touched : nullptr);
        if (touched.lanes != 0) tell(block, operation, touched, warp, location);
        if (fault.kind == SurfaceFault::Kind::none) return 0u;
        const bool misaligned = fault.kind == SurfaceFault::Kind::misaligned;
        return stop(
            block, misaligned ? GridFault::Kind::misaligned : GridFault::Kind::illegal_address,
            warp, fault.lane, location, misaligned ? fault.x : handle,
            operation.bytes * operation.count | (operation.kind == 0 ? 0 : ptx::access_write),
            misaligned ? std::string()
                       : "it uses the surface " + hexadecimal(handle) + " at byte " +
                             std::to_string(static_cast<int32_t>(fault.x)) + " of row " +
                             std::to_string(static_cast<int32_t>(fault.y)) + " of slice " +
                             std::to_string(static_cast<int32_t>(fault.z)) + ", outside its " +
                             std::to_string(used.view.row_bytes) + " bytes, " +
                             std::to_string(used.view.height) + " rows and " +
                             std::to_string(used.view.depth) + " slices");
      });
}

}  // namespace cuvette::device
