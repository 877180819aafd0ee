// SPDX-License-Identifier: Apache-2.0
// LaunchWatch: what an observer has a launch tell while its grid runs.
//
// Threads: the launch's runner; its members say more.
#pragma once

namespace cuvette::exec {
class Grid;
class GridCounts;
class GridTracks;
class GridWatch;
}  // namespace cuvette::exec

namespace cuvette::device {

class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;

  // Sees each access of the grid; null if its kernel is not compiled in the watched form.
  virtual exec::GridWatch* accesses() { return nullptr; }
  // Where its threads leave tracks; null if they leave none.
  virtual exec::GridTracks* tracks() { return nullptr; }
  // Where they count what they do; null if they count nothing.
  virtual exec::GridCounts* counts() { return nullptr; }
  // The grid waits for something outside of it.
  virtual void pauses(exec::Grid& grid) {}
  // It has run to its end, or to a fault. Its command is not completed yet.
  virtual void ends() {}
};

}  // namespace cuvette::device
