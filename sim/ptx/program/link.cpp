// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/link.hpp"

#include <utility>

#include "sim/ptx/image/image.hpp"
#include "sim/ptx/image/make_fat_binary.hpp"
#include "sim/ptx/program/register_limit.hpp"

namespace cuvette::ptx {

Result<> Link::add(const void* image, size_t size, const std::string& name, std::string& log,
                   uint32_t most_registers) {
  std::string sentence;
  auto extract = image::extract_ptx(image, size, target_, sentence);
  if (!extract.ok()) {
    log += "error   : '" + name + "': " + sentence + "\n";
    return extract.error();
  }
  MutexLock lock(mutex_);
  if (image_) return refuse(Error::invalid_value, "The link is already complete.");
  if (const std::string& why = extract.value().nothing_fits; !why.empty())
    left_out_ += "info    : Nothing was taken from '" + name + "'. " + why + "\n";
  image::Extract& taken = extract.value();
  for (size_t n = 0; n < taken.texts.size(); ++n) {
    const uint32_t most = most_registers > 0    ? most_registers
                          : most_registers_ > 0 ? most_registers_
                                                : taken.most_registers[n];
    TRY(linker_.add(limit_registers(std::move(taken.texts[n]), most), name, log));
  }
  return {};
}

// The image is a fat binary, because every function that takes images takes those, and so do tools.
Result<std::string*> Link::complete(std::string& log) {
  MutexLock lock(mutex_);
  if (image_) return refuse(Error::invalid_handle, "The link is already complete.");
  auto linked = linker_.link(log);
  if (!linked.ok()) {
    log += left_out_;
    return linked.error();
  }
  const std::string& text = linked.value();
  image_ = image::make_fat_binary(text, linker_.target());
  return &*image_;
}

}  // namespace cuvette::ptx
