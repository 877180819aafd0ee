// SPDX-License-Identifier: Apache-2.0
#include "sim/os/mapped_view.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/interprocess/mapped_region.hpp>
#include <utility>

namespace cuvette::os {
namespace ipc = boost::interprocess;
namespace {

// An open file as Boost.Interprocess wants what it maps. Its own file_mapping would leave the
// descriptor open in programs that another thread starts meanwhile.
struct Mappable {
  int fd;
  ipc::mapping_handle_t get_mapping_handle() const { return {.handle = fd, .is_xsi = false}; }
};

}  // namespace

Result<MappedView> MappedView::map(int fd, size_t size, Access access) {
  try {
    return MappedView(std::make_unique<ipc::mapped_region>(
        Mappable{fd}, access == Access::write ? ipc::read_write : ipc::read_only, 0, size));
  } catch (const ipc::interprocess_exception& exception) {
    return refuse(Error::out_of_memory, "%zu bytes of a file cannot be mapped: %s.", size,
                  exception.what());
  }
}

std::optional<MappedView> MappedView::of_file(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::optional<MappedView> view;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    Result<MappedView> mapped = map(fd, static_cast<size_t>(status.st_size), Access::read);
    if (mapped.ok()) view = std::move(mapped).value();
  }
  close(fd);
  return view;
}

MappedView::MappedView(std::unique_ptr<ipc::mapped_region> region) : region_(std::move(region)) {}
MappedView::MappedView(MappedView&&) noexcept = default;
MappedView& MappedView::operator=(MappedView&&) noexcept = default;
MappedView::~MappedView() = default;

void* MappedView::data() const { return region_->get_address(); }
size_t MappedView::size() const { return region_->get_size(); }

}  // namespace cuvette::os
