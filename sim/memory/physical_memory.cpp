// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/physical_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/memory/budget.hpp"

namespace cuvette::memory {
namespace {

// How the last page begins.
struct Label {
  char magic[16];
  uint64_t size;
  PhysicalProperties properties;
};
constexpr char magic[16] = "cuvette memory1";

// The room for the label: a multiple of all page sizes, 4 KiB to 64 KiB.
constexpr size_t label_page = 64 << 10;

Result<Ref<PhysicalMemory>> refuse_import(int fd, const char* why) {
  fprintf(stderr, "cuvette: file descriptor %d cannot be imported as physical memory: %s.\n", fd,
          why);
  return Error::unknown;
}

Touched::Chunks chunks_of(size_t offset, size_t size) {
  if (size == 0) return {0, 0};
  return {offset >> Touched::chunk_shift, ((offset + size - 1) >> Touched::chunk_shift) + 1};
}

}  // namespace

PhysicalMemory::PhysicalMemory(const PhysicalProperties& properties, size_t size,
                               Ref<os::Segment> segment, Budget* budget,
                               std::function<void()> at_end)
    : properties_(properties),
      size_(size),
      segment_(std::move(segment)),
      budget_(budget),
      at_end_(std::move(at_end)),
      touched_((size >> Touched::chunk_shift) + 1) {}

PhysicalMemory::~PhysicalMemory() {
  if (budget_) {
    budget_->remove(*segment_);
    const size_t touched = touched_.clear(chunks_of(0, size_));
    budget_->take_back(touched * Touched::chunk_size);
  }
  if (at_end_) at_end_();
}

Result<Ref<PhysicalMemory>> PhysicalMemory::create(const PhysicalProperties& properties,
                                                   size_t size, Budget& budget,
                                                   std::function<void()> at_end) {
  Ref<os::Segment> segment = TRY(os::Segment::create("cuvette-physical", size + label_page));
  Label label{};
  std::memcpy(label.magic, magic, sizeof magic);
  label.size = size;
  label.properties = properties;
  if (!segment->write(size, &label, sizeof label))
    return refuse(Error::out_of_memory, "No page is left for the description of the memory.");
  budget.add(segment);
  return make_ref<PhysicalMemory>(properties, size, std::move(segment), &budget, std::move(at_end));
}

Result<Ref<PhysicalMemory>> PhysicalMemory::import_fd(int fd) {
  Ref<os::Segment> segment;
  {
    auto shared = os::Segment::share(fd, 1);
    if (!shared.ok()) return shared.error();
    segment = std::move(shared).value();
  }
  if (segment->size() <= label_page || segment->size() % label_page != 0)
    return refuse_import(fd, "it was not made by cuMemExportToShareableHandle");
  const size_t size = segment->size() - label_page;
  Label label;
  if (!segment->read(size, &label, sizeof label) ||
      std::memcmp(label.magic, magic, sizeof magic) != 0 || label.size != size)
    return refuse_import(fd, "it was not made by cuMemExportToShareableHandle");
  if (!segment->shrink_sealed())
    return refuse_import(fd, "it only looks as if cuMemExportToShareableHandle had made it");
  return make_ref<PhysicalMemory>(label.properties, size, std::move(segment), nullptr,
                                  std::function<void()>());
}

Result<> PhysicalMemory::fill(const FilledParts& parts, uint32_t pattern) {
  // The pattern is written through the file, because there is no mapping yet.
  std::vector<uint32_t> piece(std::min<size_t>(parts.head, 1 << 20) / sizeof pattern, pattern);
  const auto write = [&](size_t begin, size_t end) -> Result<> {
    TRY(touch(begin, end - begin));
    while (begin < end) {
      const size_t size = std::min(end - begin, piece.size() * sizeof pattern);
      if (!segment_->write(begin, piece.data(), size))
        return refuse(Error::out_of_memory, "No pages are left to fill fresh memory with.");
      begin += size;
    }
    return {};
  };
  if (parts.head != 0) TRY(write(0, parts.head));
  if (parts.tail != 0) TRY(write(size_ - parts.tail, size_));
  return {};
}

Result<> PhysicalMemory::touch(size_t offset, size_t size) {
  if (!budget_ || offset > size_) return {};
  const Touched::Chunks chunks = chunks_of(offset, std::min(size, size_ - offset));
  if (touched_.all(chunks)) [[likely]]
    return {};
  const size_t wanted = chunks.last - chunks.first - touched_.count(chunks);
  TRY(budget_->promise(wanted * Touched::chunk_size));
  size_t left = wanted;
  touched_.mark(chunks, [&](size_t fresh) {
    left -= std::min(left, fresh);
    return true;
  });
  // Another thread has touched these meanwhile.
  if (left != 0) budget_->take_back(left * Touched::chunk_size);
  return {};
}

}  // namespace cuvette::memory
