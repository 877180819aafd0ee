// SPDX-License-Identifier: Apache-2.0
// EdgeList: lists of nodes and edges as the C API tells them: into arrays of the program's, as far
// as those reach.
#pragma once

#include <vector>

#include "api/driver/graph_handles.hpp"

namespace cuvette::driver {

class EdgeList {
 public:
  void add(device::GraphNode& from, device::GraphNode& to, const device::EdgeKind& kind) {
    edges_.push_back({&from, &to, kind});
  }

  // Without `from`, tells how many there are. Otherwise fills `*count` places, the last ones with
  // null if there are more than needed, and tells how many were. `to` and `data` may be null.
  // Errors: lossy_query if edges that are not ordinary ones are told without `data`.
  Result<> tell(CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count)
      REQUIRES(device::graph_mutex);

 private:
  struct Edge {
    device::GraphNode *from, *to;
    device::EdgeKind kind;
  };
  std::vector<Edge> edges_;
};

}  // namespace cuvette::driver
