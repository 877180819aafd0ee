// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/link.hpp"

#include <utility>

#include "sim/ptx/image/image.hpp"
#include "sim/ptx/image/make_fat_binary.hpp"

namespace cuvette::ptx {

Result<> Link::add(const void* image, size_t size, const std::string& name, std::string& log) {
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
  for (std::string& text : extract.value().texts) TRY(linker_.add(std::move(text), name, log));
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
