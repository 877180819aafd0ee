// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/device/kernel/module.hpp"
#include "sim/device/machine/device.hpp"

namespace cuvette::device {
namespace {

using enum FunctionAttribute;

constexpr int shared_without_asking = 48 << 10;  // bytes that every launch may have

// Returns the name in memory that is never freed, since a look at what runs takes no part in the
// life of its module. Each name is kept once.
const char* kept(const std::string& name) {
  static auto* const mutex = new Mutex;
  static auto* const names = new std::set<std::string>;
  MutexLock lock(*mutex);
  return names->insert(name).first->c_str();
}

bool fixed_cluster(const ptx::Function& function) { return function.reqnctapercluster[0] != 0; }

}  // namespace

FunctionSettings::FunctionSettings(const ptx::Function& syntax, uint32_t static_shared) {
  const int rest = shared_without_asking - static_cast<int>(static_shared);
  max_dynamic_shared = std::max(rest, 0);
  if (!fixed_cluster(syntax)) return;
  cluster_width = static_cast<int>(syntax.reqnctapercluster[0]);
  cluster_height = static_cast<int>(syntax.reqnctapercluster[1]);
  cluster_depth = static_cast<int>(syntax.reqnctapercluster[2]);
}

Result<> FunctionSettings::required_cluster(uint32_t (&blocks)[3]) const {
  int i = 0;
  for (const auto* extent : {&cluster_width, &cluster_height, &cluster_depth})
    blocks[i++] = static_cast<uint32_t>(extent->load(std::memory_order_relaxed));
  // "The width, height, and depth values must either all be 0 or all be positive. The validity of
  // the cluster dimensions is checked at launch time."
  const auto zeros = std::count(std::begin(blocks), std::end(blocks), 0u);
  if (zeros == 0 || zeros == 3) return {};
  return refuse(Error::invalid_cluster_size,
                "The required cluster of %u x %u x %u blocks is not valid: set all of "
                "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, _HEIGHT and _DEPTH, or none of them.",
                blocks[0], blocks[1], blocks[2]);
}

std::atomic<int>* FunctionSettings::place(FunctionAttribute attribute) {
  switch (attribute) {
    case max_dynamic_shared_size:
      return &max_dynamic_shared;
    case preferred_carveout:
      return &carveout;
    case required_cluster_width:
      return &cluster_width;
    case required_cluster_height:
      return &cluster_height;
    case required_cluster_depth:
      return &cluster_depth;
    case non_portable_cluster_allowed:
      return &non_portable_cluster;
    case cluster_policy_preference:
      return &policy;
    default:
      return nullptr;
  }
}

// The rules are an H200's.
Result<int> settled_attribute(FunctionAttribute attribute, int value, ptx::Program::Kernel& kernel,
                              const Profile& profile) {
  const auto refused = [&] {
    return refuse(Error::invalid_value, "Attribute %d of a function cannot be %d.",
                  static_cast<int>(attribute), value);
  };
  switch (attribute) {
    case max_dynamic_shared_size: {
      const auto most = profile.value(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
      const auto fixed = static_cast<int>(TRY(kernel.memory()).shared);
      if (value < 0 || value > most - fixed)
        return refuse(Error::invalid_value,
                      "%d bytes of dynamic shared memory are too many: with the kernel's own %d "
                      "bytes, a block can have %d.",
                      value, fixed, most);
      return value;
    }
    case preferred_carveout:
      if (value < -1 || value > 100) return refused();
      return value;
    case required_cluster_width:
    case required_cluster_height:
    case required_cluster_depth: {
      // "If the value is set during compile time, it cannot be modified at runtime."
      const uint32_t compiled =
          kernel.syntax().reqnctapercluster[static_cast<int>(attribute) -
                                            static_cast<int>(required_cluster_width)];
      if (value < 0 || (fixed_cluster(kernel.syntax()) && value != static_cast<int>(compiled)))
        return refused();
      return value;
    }
    case non_portable_cluster_allowed:
      return value != 0;
    case cluster_policy_preference:
      if (value < 0 || value > 2) return refused();
      return value;
    default:
      return refuse(Error::invalid_value, "Attribute %d of a function cannot be set.",
                    static_cast<int>(attribute));
  }
}

namespace {

int most_threads(const ptx::Function& syntax, const Profile& profile) {
  const int most = profile.value(Attribute::MAX_THREADS_PER_BLOCK);
  if (syntax.maxntid[0] == 0) return most;
  const uint64_t threads = uint64_t{syntax.maxntid[0]} * std::max(syntax.maxntid[1], 1u) *
                           std::max(syntax.maxntid[2], 1u);
  return static_cast<int>(std::min<uint64_t>(threads, static_cast<uint64_t>(most)));
}

// Returns at most as many registers as leave room for one block of the largest size that the kernel
// allows, since such blocks can be launched here, and at most .maxnreg. ptxas gives an empty kernel
// 4 on sm_90.
uint32_t registers_of(uint32_t live, const ptx::Function& syntax, const Profile& profile) {
  constexpr uint32_t least = 4, most = 255, unit = 8;  // registers; what they are given out in
  const auto threads = static_cast<uint32_t>(std::max(most_threads(syntax, profile), 1));
  const auto all = static_cast<uint32_t>(profile.value(Attribute::MAX_REGISTERS_PER_BLOCK));
  uint32_t bound = std::clamp(all / threads / unit * unit, least, most);
  if (syntax.maxnreg > 0) bound = std::min(bound, std::max(syntax.maxnreg, least));
  return std::clamp(live, least, bound);
}

}  // namespace

Result<int> kernel_attribute(FunctionAttribute attribute, FunctionSettings& settings,
                             ptx::Program& program, ptx::Program::Kernel& kernel,
                             const Profile& profile) {
  if (const std::atomic<int>* const setting = settings.place(attribute))
    return setting->load(std::memory_order_relaxed);
  const ptx::Function& syntax = kernel.syntax();
  switch (attribute) {
    case max_threads_per_block:
      return most_threads(syntax, profile);
    case shared_size:
      return static_cast<int>(TRY(kernel.memory()).shared);
    case const_size:
      return static_cast<int>(program.constant_bytes());
    case local_size:
      return static_cast<int>(TRY(kernel.memory()).local);
    case num_regs:
      return static_cast<int>(registers_of(TRY(kernel.registers()), syntax, profile));
    case ptx_version:
      return static_cast<int>(program.syntax().target_number);
    case binary_version:
      return profile.compute_major * 10 + profile.compute_minor;
    case cache_mode_ca:
      return 0;  // nothing is compiled with -Xptxas --dlcm=ca
    case cluster_size_must_be_set:
      return static_cast<int>(syntax.explicit_cluster);
    default:
      return refuse(Error::invalid_value, "%d is not an attribute of a function.",
                    static_cast<int>(attribute));
  }
}

Function::Function(Ref<Module> module, ptx::Program::Kernel& kernel)
    : module_(std::move(module)),
      kernel_(kernel),
      kept_name_(kept(kernel.name())),
      settings_(kernel.syntax(), shared_of(kernel)) {}

Function::~Function() = default;

uint32_t Function::shared_of(ptx::Program::Kernel& kernel) {
  const auto memory = kernel.memory();
  return memory.ok() ? memory.value().shared : 0;
}

const ptx::Module& Function::module_text() const { return module_->program().syntax(); }

const Ref<Context>& Function::context() const { return module_->context(); }

Result<uint64_t> Function::symbol_address(std::string_view name) const {
  return module_->symbol_address(name);
}

Result<int> Function::attribute(FunctionAttribute attribute) {
  return kernel_attribute(attribute, settings_, module_->program(), kernel_,
                          context()->device().profile());
}

Result<> Function::set_attribute(FunctionAttribute attribute, int value) {
  const int settled =
      TRY(settled_attribute(attribute, value, kernel_, context()->device().profile()));
  settings_.place(attribute)->store(settled, std::memory_order_relaxed);
  settings_.own.fetch_or(FunctionSettings::bit_of(attribute), std::memory_order_relaxed);
  return {};
}

void Function::follow(FunctionAttribute attribute, int value) {
  const uint32_t own = settings_.own.load(std::memory_order_relaxed);
  if (!(own & FunctionSettings::bit_of(attribute)))
    settings_.place(attribute)->store(value, std::memory_order_relaxed);
}

Result<const CompiledCode*> Function::make_compiled(ptx::BlockClass block) {
  const ptx::MachineCode* const machine = TRY(kernel_.code(block));
  MutexLock lock(mutex_);
  std::atomic<const CompiledCode*>& place = codes_[block.number()];
  if (const CompiledCode* const known = place.load(std::memory_order_relaxed)) return known;
  auto code = std::make_unique<Code>();
  for (const std::string& symbol : machine->facts.symbols)
    code->symbols.push_back(TRY(symbol_address(symbol)));
  code->code = {machine->entry,
                code->symbols.data(),
                machine->facts.frame_bytes,
                machine->facts.local_bytes,
                machine->facts.memory_alignment,
                machine->facts.shared_bytes,
                machine->facts.shared_reserved,
                machine->facts.uses_barriers,
                machine};
  place.store(&code->code, std::memory_order_release);
  made_.push_back(std::move(code));
  return &made_.back()->code;
}

Result<> Function::load() {
  for (const auto& code : codes_)
    if (code.load(std::memory_order_acquire)) return {};
  TRY(compiled(kernel_.usual_blocks()));
  return {};
}

}  // namespace cuvette::device
