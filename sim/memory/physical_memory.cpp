// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/physical_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/memory/budget.hpp"
#include "sim/os/output.hpp"
#include "sim/os/page.hpp"

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
  os::say("file descriptor %d cannot be imported as physical memory: %s.", fd, why);
  return Error::unknown;
}

// Reads the label; returns the bytes that it describes, or nothing if there is none.
std::optional<PhysicalMemory::Part> labelled_part(const os::Segment& segment, Label& label) {
  if (segment.size() <= label_page) return std::nullopt;
  const uint64_t end = segment.size() - label_page;
  if (!segment.read(end, &label, sizeof label) ||
      std::memcmp(label.magic, magic, sizeof magic) != 0 || label.size > end || label.size == 0)
    return std::nullopt;
  const uint64_t payload = end - label.size;
  if (payload != 0 && payload != os::page_size()) return std::nullopt;
  return PhysicalMemory::Part{payload, label.size};
}

Touched::Chunks chunks_of(size_t offset, size_t size) {
  if (size == 0) return {0, 0};
  return {offset >> Touched::chunk_shift, ((offset + size - 1) >> Touched::chunk_shift) + 1};
}

}  // namespace

PhysicalMemory::PhysicalMemory(const PhysicalProperties& properties, const Part& part,
                               Ref<os::Segment> segment, Budget* budget,
                               std::function<void()> at_end)
    : properties_(properties),
      size_(part.size),
      payload_(part.offset),
      segment_(std::move(segment)),
      budget_(budget),
      at_end_(std::move(at_end)),
      touched_((part.size >> Touched::chunk_shift) + 1) {}

PhysicalMemory::~PhysicalMemory() {
  if (budget_) {
    budget_->remove(*segment_);
    const size_t touched = touched_.clear(chunks_of(0, size_));
    budget_->take_back(touched * Touched::chunk_size);
  }
  if (at_end_) at_end_();
}

Result<Ref<PhysicalMemory>> PhysicalMemory::create(const PhysicalProperties& properties,
                                                   size_t size, WriteFirstPage first_page,
                                                   Budget& budget, std::function<void()> at_end) {
  const uint64_t payload = first_page ? os::page_size() : 0;
  Ref<os::Segment> segment =
      TRY(os::Segment::create("cuvette-physical", payload + size + label_page));
  Label label{};
  std::memcpy(label.magic, magic, sizeof magic);
  label.size = size;
  label.properties = properties;
  if (!segment->write(payload + size, &label, sizeof label) ||
      (first_page && !first_page(*segment, payload)))
    return refuse(Error::out_of_memory, "There is no page left for the description of the memory.");
  budget.add(segment);
  return make_ref<PhysicalMemory>(properties, Part{payload, size}, std::move(segment), &budget,
                                  std::move(at_end));
}

Result<Ref<PhysicalMemory>> PhysicalMemory::import_fd(int fd) {
  Ref<os::Segment> segment;
  {
    auto shared = os::Segment::share(fd, 1);
    if (!shared.ok()) return shared.error();
    segment = std::move(shared).value();
  }
  Label label;
  const std::optional<Part> part = labelled_part(*segment, label);
  if (!part) return refuse_import(fd, "it was not made by cuMemExportToShareableHandle");
  if (!segment->shrink_sealed())
    return refuse_import(fd, "it only looks as if cuMemExportToShareableHandle had made it");
  // Measured: only the process that created it can export it.
  label.properties.handle_types = 0;
  return make_ref<PhysicalMemory>(label.properties, *part, std::move(segment), nullptr,
                                  std::function<void()>());
}

std::optional<PhysicalMemory::Part> PhysicalMemory::part_of(const os::Segment& segment) {
  Label label;
  return labelled_part(segment, label);
}

Result<> PhysicalMemory::fill(const FilledParts& parts, uint32_t pattern) {
  // The pattern is written through the file, because nothing is mapped yet.
  std::vector<uint32_t> piece(std::min<size_t>(parts.head, 1 << 20) / sizeof pattern, pattern);
  const auto write = [&](size_t begin, size_t end) -> Result<> {
    TRY(touch(begin, end - begin));
    while (begin < end) {
      const size_t size = std::min(end - begin, piece.size() * sizeof pattern);
      if (!segment_->write(payload_ + begin, piece.data(), size))
        return refuse(Error::out_of_memory, "There are no pages left to fill fresh memory with.");
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
  // Another thread has touched these since.
  if (left != 0) budget_->take_back(left * Touched::chunk_size);
  return {};
}

}  // namespace cuvette::memory
