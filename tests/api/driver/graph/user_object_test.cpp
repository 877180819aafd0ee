// SPDX-License-Identifier: Apache-2.0
// User objects: references, their holders, and when the destructor runs.
#include <atomic>
#include <climits>

#include "tests/api/driver/graph_scene.hpp"

namespace {

std::atomic<int> ended;
void end(void* number) { ended += static_cast<int>(reinterpret_cast<intptr_t>(number)); }

CUuserObject new_object(unsigned references, int number = 1) {
  ended = 0;
  CUuserObject object = nullptr;
  EXPECT_EQ(cuUserObjectCreate(&object, reinterpret_cast<void*>(intptr_t{number}), end, references,
                               CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  return object;
}

const CUuserObject no_object = reinterpret_cast<CUuserObject>(0x123450);

TEST(cuUserObjectCreate, RefusesWhatMakesNoSense) {
  CUuserObject object = nullptr;
  const unsigned flags = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
  EXPECT_EQ(cuUserObjectCreate(nullptr, nullptr, end, 1, flags), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectCreate(&object, nullptr, nullptr, 1, flags), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectCreate(&object, nullptr, end, 0, flags), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectCreate(&object, nullptr, end, 1u << 31, flags), CUDA_ERROR_INVALID_VALUE);
  for (const unsigned bad : {0u, 2u, 3u})
    EXPECT_EQ(cuUserObjectCreate(&object, nullptr, end, 1, bad), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(object, nullptr);
}

TEST(cuUserObjectRelease, EndsTheObjectWithTheLastReference) {
  const CUuserObject object = new_object(3, 7);
  OK(cuUserObjectRelease(object, 2));
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(cuUserObjectRelease(object, 2), CUDA_ERROR_INVALID_VALUE) << "it has one";
  EXPECT_EQ(cuUserObjectRelease(object, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuUserObjectRelease(object, 1));
  EXPECT_EQ(ended, 7);
  EXPECT_EQ(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectRelease(no_object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuUserObjectRetain, AddsReferences) {
  const CUuserObject object = new_object(1);
  OK(cuUserObjectRetain(object, 2));
  EXPECT_EQ(cuUserObjectRetain(object, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectRetain(object, INT_MAX), CUDA_ERROR_INVALID_VALUE) << "too many";
  EXPECT_EQ(cuUserObjectRetain(no_object, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuUserObjectRelease(object, 2));
  EXPECT_EQ(ended, 0);
  OK(cuUserObjectRelease(object, 1));
  EXPECT_EQ(ended, 1);
}

TEST(cuGraphRetainUserObject, KeepsTheObjectAsLongAsTheGraph) {
  Graphs g;
  const CUuserObject object = new_object(1);
  EXPECT_EQ(cuGraphRetainUserObject(no_graph, object, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRetainUserObject(g.graph, no_object, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRetainUserObject(g.graph, object, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRetainUserObject(g.graph, object, 1, 2), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphRetainUserObject(g.graph, object, 1, 0));
  OK(cuUserObjectRelease(object, 1));
  EXPECT_EQ(ended, 0);
  OK(cuGraphDestroy(g.graph));
  EXPECT_EQ(ended, 1);
}

TEST(cuGraphRetainUserObject, CanTakeTheCallersReference) {
  Graphs g;
  const CUuserObject object = new_object(1);
  OK(cuGraphRetainUserObject(g.graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  OK(cuGraphDestroy(g.graph));
  EXPECT_EQ(ended, 1);
}

// A launch under way keeps the objects that it may use.
TEST(cuGraphRetainUserObject, KeepsTheObjectForCopiesAndLaunches) {
  Graphs g;
  const CUuserObject object = new_object(1);
  g.note(1);
  OK(cuGraphRetainUserObject(g.graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  const CUgraphExec exec = g.exec();
  OK(cuGraphDestroy(g.graph));
  EXPECT_EQ(ended, 0);
  {
    Gate gate(g.stream);
    OK(cuGraphLaunch(exec, g.stream));
    OK(cuGraphExecDestroy(exec));
    let_things_happen();
    EXPECT_EQ(ended, 0);
  }
  EXPECT_TRUE(eventually([] { return ended == 1; }));
  EXPECT_EQ(g.log.entries(), std::vector{1});
}

std::atomic<int> refusal;

TEST(cuUserObjectCreate, ForbidsCallsInTheDestructor) {
  const Scene scene;
  refusal = -1;
  CUuserObject object;
  OK(cuUserObjectCreate(
      &object, nullptr,
      [](void*) {
        CUstream stream;
        refusal = cuStreamCreate(&stream, 0);
        if (refusal == CUDA_ERROR_NOT_PERMITTED) refusal = cuStreamQuery(nullptr);
      },
      1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  OK(cuUserObjectRelease(object, 1));
  EXPECT_EQ(refusal, CUDA_ERROR_NOT_PERMITTED);
}

TEST(cuGraphReleaseUserObject, TakesReferencesFromTheGraph) {
  Graphs g;
  const CUuserObject object = new_object(3);
  OK(cuGraphRetainUserObject(g.graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
  OK(cuGraphRetainUserObject(g.graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_EQ(cuGraphReleaseUserObject(g.graph, object, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphReleaseUserObject(g.graph, object, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphReleaseUserObject(g.graph, no_object, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphReleaseUserObject(no_graph, object, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphReleaseUserObject(g.graph, object, 2));
  EXPECT_EQ(ended, 0);
  OK(cuGraphReleaseUserObject(g.graph, object, 1));
  EXPECT_EQ(ended, 1);
}

}  // namespace
