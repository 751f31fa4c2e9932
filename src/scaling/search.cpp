// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search.hpp"

#include <numeric>

namespace pathline::scaling {

std::vector<Fit> fit_all(const Experiment& experiment, const SearchOptions& options,
                         base::ThreadPool& pool) {
  std::vector<uint32_t> kernels(experiment.kernels.size());
  std::iota(kernels.begin(), kernels.end(), 0);
  return fit(experiment, kernels, options, pool);
}

std::vector<Fit> fit(const Experiment& experiment, std::span<const uint32_t> kernels,
                     const SearchOptions& options, base::ThreadPool& /*pool*/) {
  std::vector<Fit> fits(kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) {
    fits[i].kernel = kernels[i];
    fits[i].model.constant = aggregate(experiment.samples_of(kernels[i], 0), options.aggregate);
    for (size_t t = 0; t < options.targets.size(); ++t) {
      const double value = evaluate(fits[i].model, options.targets[t]);
      fits[i].predictions.push_back({value, 0.9 * value, 1.1 * value});
    }
  }
  return fits;
}

}  // namespace pathline::scaling
