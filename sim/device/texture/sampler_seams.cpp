// SPDX-License-Identifier: Apache-2.0
// Blending and gathering across the edges of a cube map's faces.
#include "sim/device/texture/sampler.hpp"

#include <algorithm>
#include <cstring>

#include "sim/device/texture/cube.hpp"
#include "sim/device/texture/sample_place.hpp"

namespace cuvette::device {

namespace {

// At a cube's corner, the element that is missing leaves its weight to the others: a third, rounded
// to the nearest, to those beside it, and the rest to the one across.
void share_missing(const LaneIndices& missing, LaneIndices* weights) {
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    const int32_t corner = missing[lane];
    if (corner < 0) continue;
    const int32_t all = weights[corner][lane], third = (all + 1) / 3;
    weights[corner][lane] = 0;
    weights[corner ^ 1][lane] += third;
    weights[corner ^ 2][lane] += third;
    weights[corner ^ 3][lane] += all - 2 * third;
  }
}

}  // namespace

// Finds the four elements around a place, wherever they are: its axes may lie beyond a face's
// edges. The address modes do not matter.
void Sampler::place_seams(const LaneIndices& face, int32_t size, const SamplePlace& place,
                          SampleSeams& to) const {
  const SampleAxis &x = place.axis[0], &y = place.axis[1];
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    to.missing[lane] = -1;
    for (int corner = 0; corner < 4; ++corner) {
      const bool right = (corner & 1) != 0, lower = (corner & 2) != 0;
      const bool over_x = (right ? x.high_outside : x.low_outside)[lane] != 0;
      const bool over_y = (lower ? y.high_outside : y.low_outside)[lane] != 0;
      sampling::CubeElement at{face[lane], (right ? x.high : x.low)[lane],
                               (lower ? y.high : y.low)[lane]};
      if (over_x && over_y)
        to.missing[lane] = corner;
      else if (over_x || over_y)
        at = sampling::beyond_edge(at.face, over_x ? (right ? size : -1) : at.x,
                                   over_y ? (lower ? size : -1) : at.y, size);
      to.x[corner][lane] = at.x, to.y[corner][lane] = at.y;
      to.face[corner][lane] = std::min(place.layer[lane] - face[lane] + at.face, layers_ - 1);
    }
  }
}

// Adds the four elements around a place. Their weights are known.
void Sampler::add_seams(const SampledLevel& level, const SamplePlace& place, LaneIndices* weights,
                        SampleSums& sums) const {
  const SampleSeams& seams = *place.seams;
  const LaneIndices inside{};
  share_missing(seams.missing, weights);
  sums.begin_pass();
  for (int corner = 0; corner < 4; ++corner) {
    LaneWords raw[4];
    fetch(level, seams.x[corner], seams.y[corner], seams.face[corner], raw);
    place.tell(level, seams.x[corner], seams.y[corner], seams.face[corner], inside,
               &weights[corner]);
    add(raw, weights[corner], nullptr, sums);
  }
}

// Where an element is missing, a gather finds a blend of the other three.
void Sampler::gather_seams(const SampledLevel& level, const SamplePlace& place, unsigned component,
                           LaneWords* results) const {
  constexpr int corners[] = {2, 3, 1, 0};
  const SampleSeams& seams = *place.seams;
  const LaneIndices inside{};
  bool complete = true;
  for (int i = 0; i < 4; ++i) {
    const int corner = corners[i];
    LaneWords element[4];
    LaneIndices present;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      present[lane] = seams.missing[lane] != corner;
      complete &= seams.missing[lane] < 0;
    }
    fetch(level, seams.x[corner], seams.y[corner], seams.face[corner], element);
    place.tell(level, seams.x[corner], seams.y[corner], seams.face[corner], inside, &present);
    convert_gathered(element);
    std::memcpy(results[i], element[component], sizeof results[i]);
  }
  if (complete) return;
  LaneIndices weights[4]{};
  for (unsigned lane = 0; lane < sample_lanes; ++lane)
    if (seams.missing[lane] >= 0) weights[seams.missing[lane]][lane] = 256;
  SamplePlace untold = place;
  untold.observer = nullptr;
  SampleSums sums;
  add_seams(level, untold, weights, sums);
  LaneWords blended[4];
  finish(sums, blended);
  for (int i = 0; i < 4; ++i)
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      if (seams.missing[lane] == corners[i]) results[i][lane] = blended[component][lane];
}

}  // namespace cuvette::device
