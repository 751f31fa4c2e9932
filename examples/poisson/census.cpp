// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/census.hpp"

#include <algorithm>
#include <numeric>

#include <mpi.h>

#include "pathline/pathline.h"

namespace poisson {

Census::Census(const Work& begin) : before_(begin.flops()) {
  int rank_count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  ranks_.resize(static_cast<size_t>(rank_count));
}

void Census::take(Work& work) {
  const pathline::Region region("census");
  std::fill(ranks_.begin(), ranks_.end(), Work::Flops{});
  Work::Flops& own = ranks_[static_cast<size_t>(rank_)];
  for (size_t part = 0; part < kPartCount; ++part) own[part] = work.flops()[part] - before_[part];
  MPI_Allreduce(MPI_IN_PLACE, ranks_.data(), static_cast<int>(ranks_.size() * kPartCount),
                MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double largest = 0;
  double sum = 0;
  for (const Work::Flops& flops : ranks_) {
    const double rank_sum = std::accumulate(flops.begin(), flops.end(), 0.0);
    largest = std::max(largest, rank_sum);
    sum += rank_sum;
  }
  const auto rank_count = static_cast<double>(ranks_.size());
  largest_share_ = largest * rank_count / sum;
  work.add(Part::kCensus, 2 * static_cast<double>(kPartCount) * rank_count);
  before_ = work.flops();
}

}  // namespace poisson
