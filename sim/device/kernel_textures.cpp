// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel_textures.hpp"

#include <bit>
#include <cstring>

#include "sim/device/context.hpp"
#include "sim/device/surface_access.hpp"
#include "sim/device/texture_query.hpp"

namespace cuvette::device {
namespace {

using exec::Block;
using exec::GridFault;
using memory::Sampler;
using ptx::SurfaceOperation;
using ptx::TextureOperation;

std::atomic<const TextureFinder*> finder{nullptr};

std::string hexadecimal(uint64_t number) {
  char text[32];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

uint32_t lanes_with(const uint64_t* handles, uint64_t handle) {
  uint32_t lanes = 0;
  for (unsigned lane = 0; lane < ptx::warp_size; ++lane)
    lanes |= static_cast<uint32_t>(handles[lane] == handle) << lane;
  return lanes;
}

memory::Sample sample_of(const TextureOperation& operation) {
  memory::Sample how;
  how.geometry = static_cast<memory::Sample::Geometry>(operation.geometry);
  how.levels = static_cast<memory::Sample::Levels>(operation.levels);
  how.whole = operation.whole;
  how.offsets = operation.offsets;
  if (operation.gathers) how.component = operation.component;
  return how;
}

}  // namespace

void set_texture_finder(const TextureFinder& known) {
  finder.store(&known, std::memory_order_release);
}

struct KernelTextures::Used {
  uint64_t handle = 0;
  bool is_surface = false;
  // Kept as long as it is used.
  Ref<memory::Texture> texture{};
  Ref<memory::Surface> surface{};
  std::optional<Sampler> sampler{};
  SurfaceView view{};
};

KernelTextures::KernelTextures(const Context& context, const BoundReferences& references)
    : context_(context), references_(references) {}

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

std::unique_ptr<KernelTextures::Used> KernelTextures::make(Block& block, uint64_t handle,
                                                           bool surface, std::string& why) {
  auto used = std::make_unique<Used>();
  used->handle = handle;
  used->is_surface = surface;
  const TextureFinder* const objects = finder.load(std::memory_order_acquire);
  if (surface) {
    for (const auto& [address, bound] : references_.surfaces)
      if (address == handle) used->surface = bound;
    if (!used->surface && objects) used->surface = objects->surface(handle);
    if (!used->surface || used->surface->owner() != context_.generation()) {
      why = "it uses the surface " + hexadecimal(handle) +
            ", which is no live surface object of its context";
      return nullptr;
    }
  } else {
    for (const auto& [address, bound] : references_.textures)
      if (address == handle) used->texture = bound;
    if (!used->texture && objects) used->texture = objects->texture(handle);
    if (!used->texture || used->texture->owner() != context_.generation()) {
      why = "it reads the texture " + hexadecimal(handle) +
            ", which is no live texture object of its context";
      return nullptr;
    }
  }
  const Result<memory::Texels> texels = surface ? used->surface->texels() : used->texture->texels();
  if (!texels.ok()) {
    why = "the array of the " + std::string(surface ? "surface " : "texture ") +
          hexadecimal(handle) + " is gone, or its owner has taken it back";
    return nullptr;
  }
  // Memory that is no array may be anything.
  if (!surface && used->texture->resource().kind >= memory::TextureResource::Kind::linear) {
    const memory::Texels::Level& level = texels.value().levels.front();
    const uint64_t end = level.address + level.layout.extent();
    const uint64_t window = block.context.window_base;
    const bool inside = level.address >= window && end - window <= block.context.window_bytes;
    const auto range = inside ? std::nullopt : block.grid->range_of(level.address, false);
    if (!inside && (!range || range->end < end)) {
      why = "the texture " + hexadecimal(handle) + " is of " +
            std::to_string(level.layout.extent()) + " bytes at " + hexadecimal(level.address) +
            ", which the kernel's context may not read";
      return nullptr;
    }
  }
  if (surface) {
    used->view = SurfaceView::of(texels.value().levels.front());
    return used;
  }
  Result<Sampler> sampler = Sampler::make(*used->texture, texels.value());
  if (!sampler.ok()) {
    why = "the texture " + hexadecimal(handle) + " has a format that is not decoded";
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
  const auto* const given = reinterpret_cast<const memory::LaneWords*>(operands);
  auto* const wanted = reinterpret_cast<memory::LaneWords*>(results);
  const memory::Sample how = sample_of(operation);
  const auto one = [&](const Used& used, uint32_t lanes, memory::LaneWords* to) {
    if (operation.asks)
      answer_query(operation, *used.sampler, given, lanes, to[0]);
    else
      used.sampler->read(how, given, lanes, to);
  };
  const uint32_t status =
      each_handle(block, false, operation.uniform, handles, mask, warp, location,
                  [&](const Used& used, uint64_t, uint32_t lanes) {
                    if (lanes == mask) {
                      one(used, mask, wanted);
                      return 0u;
                    }
                    memory::LaneWords part[4];
                    one(used, lanes, part);
                    for (unsigned word = 0; word < (operation.asks ? 1u : 4u); ++word)
                      for (unsigned lane = 0; lane < ptx::warp_size; ++lane)
                        if (lanes >> lane & 1) wanted[word][lane] = part[word][lane];
                    return 0u;
                  });
  if (status != 0) return status;
  if (operation.halves) memory::pack_halves(wanted);
  return 0;
}

uint32_t KernelTextures::access(Block& block, uint32_t number, const uint64_t* handles,
                                const uint32_t* operands, uint32_t* texels, uint32_t mask,
                                uint32_t warp, uint64_t location) {
  const SurfaceOperation operation = SurfaceOperation::of(number);
  const auto* const given = reinterpret_cast<const memory::LaneWords*>(operands);
  auto* const words = reinterpret_cast<memory::LaneWords*>(texels);
  return each_handle(
      block, true, operation.uniform, handles, mask, warp, location,
      [&](const Used& used, uint64_t handle, uint32_t lanes) {
        if (static_cast<SurfaceOperation::Kind>(operation.kind) == SurfaceOperation::Kind::ask) {
          answer_query(operation, used.view, lanes, words[0]);
          return 0u;
        }
        const SurfaceFault fault = access_surface(operation, used.view, given, lanes, words);
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
