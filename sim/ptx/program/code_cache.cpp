// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/code_cache.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "sim/base/config.hpp"

#include "sim/os/file.hpp"
#include "sim/os/output.hpp"

namespace cuvette::ptx {
namespace {

constexpr std::string_view magic = "cuvette kernel 5\n", suffix = ".kernel";
constexpr size_t most_bytes = size_t{256} << 20;  // of one kernel

// A file consists of the magic number, the fields, and the hash of both.
class Writer {
 public:
  template <typename T>
  void number(T value) {
    static_assert(std::is_integral_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(uint64_t{text.size()});
    bytes += text;
  }
  std::string bytes{magic};
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void number(T& value) {
    if (rest_.size() < sizeof value) {
      good_ = false;
      return;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  std::string_view text() {
    uint64_t size = 0;
    number(size);
    good_ = good_ && size <= rest_.size();
    if (!good_) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  // Returns the number of elements that follow; each has at least one byte.
  uint64_t count() {
    uint64_t count = 0;
    number(count);
    good_ = good_ && count <= rest_.size();
    return good_ ? count : 0;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::string checksum(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

std::string write(const CompiledKernel& kernel) {
  Writer writer;
  writer.text({reinterpret_cast<const char*>(kernel.code.data()), kernel.code.size()});
  writer.number(kernel.entry_offset);
  writer.number(kernel.frame_bytes);
  writer.number(kernel.local_bytes);
  writer.number(kernel.memory_alignment);
  writer.number(kernel.shared_reserved);
  writer.number(kernel.shared_bytes);
  writer.number(static_cast<uint8_t>(kernel.uses_barriers | kernel.uses_stack << 1));
  writer.number(uint64_t{kernel.symbols.size()});
  for (const std::string& symbol : kernel.symbols) writer.text(symbol);
  writer.number(uint64_t{kernel.others.size()});
  for (const auto& other : kernel.others) {
    writer.text(other.name);
    writer.number(other.offset);
  }
  writer.number(uint64_t{kernel.shared_variables.size()});
  for (const SharedVariable& variable : kernel.shared_variables) {
    writer.text(variable.name);
    writer.number(variable.offset);
    writer.number(variable.bytes);
    writer.number(variable.element);
  }
  writer.number(uint64_t{kernel.accesses.size()});
  for (const NumberedAccess& access : kernel.accesses) {
    writer.number(access.location);
    writer.number(access.access);
  }
  writer.number(kernel.counters);
  writer.number(uint64_t{kernel.places.size()});
  for (const CountedPlace& place : kernel.places) {
    writer.number(static_cast<uint8_t>(place.kind));
    writer.number(place.location);
    writer.number(place.access);
    writer.number(place.counter);
    writer.number(place.count);
    writer.number(place.stride);
    writer.number(place.units);
    writer.number(place.ideal);
  }
  return writer.bytes + checksum(writer.bytes);
}

std::optional<CompiledKernel> read(std::string_view bytes) {
  constexpr size_t checksum_bytes = sizeof(XXH128_canonical_t);
  if (bytes.size() < magic.size() + checksum_bytes || !bytes.starts_with(magic)) return {};
  const std::string_view body = bytes.substr(0, bytes.size() - checksum_bytes);
  if (checksum(body) != bytes.substr(body.size())) return {};
  Reader reader(body.substr(magic.size()));
  CompiledKernel kernel;
  const std::string_view code = reader.text();
  kernel.code.assign(code.begin(), code.end());
  reader.number(kernel.entry_offset);
  reader.number(kernel.frame_bytes);
  reader.number(kernel.local_bytes);
  reader.number(kernel.memory_alignment);
  reader.number(kernel.shared_reserved);
  reader.number(kernel.shared_bytes);
  uint8_t uses = 0;
  reader.number(uses);
  kernel.uses_barriers = uses & 1;
  kernel.uses_stack = uses & 2;
  for (uint64_t i = reader.count(); i > 0 && reader.good(); --i)
    kernel.symbols.emplace_back(reader.text());
  for (uint64_t i = reader.count(); i > 0 && reader.good(); --i) {
    auto& other = kernel.others.emplace_back();
    other.name = reader.text();
    reader.number(other.offset);
  }
  for (uint64_t i = reader.count(); i > 0 && reader.good(); --i) {
    auto& variable = kernel.shared_variables.emplace_back();
    variable.name = reader.text();
    reader.number(variable.offset);
    reader.number(variable.bytes);
    reader.number(variable.element);
  }
  for (uint64_t i = reader.count(); i > 0 && reader.good(); --i) {
    auto& access = kernel.accesses.emplace_back();
    reader.number(access.location);
    reader.number(access.access);
  }
  reader.number(kernel.counters);
  for (uint64_t i = reader.count(); i > 0 && reader.good(); --i) {
    auto& place = kernel.places.emplace_back();
    uint8_t kind = 0;
    reader.number(kind);
    place.kind = static_cast<CountedPlace::Kind>(kind);
    reader.number(place.location);
    reader.number(place.access);
    reader.number(place.counter);
    reader.number(place.count);
    reader.number(place.stride);
    reader.number(place.units);
    reader.number(place.ideal);
    if (kind >= CountedPlace::kinds || place.counter >= kernel.counters) return {};
  }
  if (!reader.at_end()) return {};
  return kernel;
}

std::string configured_directory() {
  const std::string& given = config().cache;
  if (given == "0" || given == "off") return {};
  if (!given.empty()) return given;
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/cuvette";
  if (const char* const home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/cuvette";
  return {};
}

}  // namespace

CodeCache& CodeCache::get() {
  static CodeCache* const cache = new CodeCache(configured_directory(), config().cache_size);
  return *cache;
}

CodeCache::Key& CodeCache::Key::add(std::string_view text) {
  // The hash so far is the seed, and the length is hashed, so that order and boundaries matter.
  XXH3_state_t state;
  XXH3_128bits_reset_withSeed(&state, low_ ^ text.size());
  XXH3_128bits_update(&state, &high_, sizeof high_);
  XXH3_128bits_update(&state, text.data(), text.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  low_ = hash.low64;
  high_ = hash.high64;
  return *this;
}

CodeCache::Key& CodeCache::Key::add(uint64_t number) {
  return add(std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
}

std::string CodeCache::Key::name() const {
  char text[33];
  snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high_),
           static_cast<unsigned long long>(low_));
  return text;
}

std::string CodeCache::path(const Key& key) const {
  return directory_ + "/" + key.name() + std::string(suffix);
}

bool CodeCache::usable() {
  if (directory_.empty()) return false;
  MutexLock lock(mutex_);
  if (!usable_) {
    usable_ = os::make_directories(directory_) && os::is_private(directory_);
    if (!*usable_)
      os::say(
          "compiled kernels are not kept: %s is not a directory that only this user may write to "
          "(CUVETTE_CACHE).",
          directory_.c_str());
  }
  return *usable_;
}

std::optional<CompiledKernel> CodeCache::find(const Key& key) {
  if (!usable()) return {};
  const std::string file = path(key);
  // The directory is private now, but its files may be older than that.
  const Result<std::string> bytes = os::read_private_file(file, most_bytes);
  if (!bytes.ok()) return {};
  auto kernel = read(bytes.value());
  if (kernel)
    os::mark_used(file);
  else
    os::remove_file(file);
  return kernel;
}

void CodeCache::keep(const Key& key, const CompiledKernel& kernel) {
  if (!usable()) return;
  const std::string bytes = write(kernel);
  if (bytes.size() > capacity_ || bytes.size() > most_bytes) return;
  if (!os::replace_file(path(key), bytes)) return;
  if (written_.fetch_add(bytes.size()) + bytes.size() > capacity_ / 16) {
    written_.store(0);
    make_room();
  }
}

// Deletes the files unused for longest until seven eighths of the capacity are left, so that the
// next write need not search again.
void CodeCache::make_room() {
  std::vector<os::DirectoryEntry> files = os::list_directory(directory_);
  constexpr int64_t hour_ns = int64_t{3600} * 1'000'000'000;
  const int64_t now =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  uint64_t bytes = 0;
  std::erase_if(files, [&](const os::DirectoryEntry& file) {
    // This file is left from a process that died while writing.
    if (file.name.ends_with(".new") && file.used_ns < now - hour_ns)
      os::remove_file(directory_ + "/" + file.name);
    return !file.name.ends_with(suffix);
  });
  for (const os::DirectoryEntry& file : files) bytes += file.bytes;
  if (bytes <= capacity_ / 8 * 7) return;
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.used_ns < b.used_ns; });
  for (const os::DirectoryEntry& file : files) {
    if (bytes <= capacity_ / 8 * 7) return;
    os::remove_file(directory_ + "/" + file.name);
    bytes -= file.bytes;
  }
}

}  // namespace cuvette::ptx
