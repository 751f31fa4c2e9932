// SPDX-License-Identifier: BSD-3-Clause
#include "app/prediction.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/application_file.hpp"
#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "mapping/files/placement_file.hpp"
#include "mapping/grid_mapping.hpp"
#include "network/fat_tree.hpp"

namespace pathline::app {
namespace {

base::Error invalid(std::string message, std::string advice = {}) {
  return {base::ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

base::Result<uint32_t> parse_count(std::string_view what, const std::string& text) {
  const auto number = base::number_in<uint32_t>(text);
  if (number && *number > 0 && *number <= mapping::kMaxRanks) return *number;
  return invalid(fmt::format("{} is '{}', expected a number from 1 to {}", what,
                             base::printable(text), mapping::kMaxRanks));
}

/// All ways to write `count` as a product of as many factors as `cells` has, none larger than the
/// cells of its axis.
void add_divisions(uint32_t count, std::span<const uint32_t> cells, std::vector<uint32_t>& begun,
                   std::vector<std::vector<uint32_t>>& all) {
  if (begun.size() + 1 == cells.size()) {
    if (count > cells.back()) return;
    all.push_back(begun);
    all.back().push_back(count);
    return;
  }
  for (uint32_t factor = 1; factor <= std::min(count, cells[begun.size()]); ++factor) {
    if (count % factor != 0) continue;
    begun.push_back(factor);
    add_divisions(count / factor, cells, begun, all);
    begun.pop_back();
  }
}

/// The grids of ranks for `count` ranks on `cells`.
base::Result<std::vector<std::vector<uint32_t>>> rank_grids_of(
    uint32_t count, const std::vector<uint32_t>& cells, const std::vector<std::string>& wanted) {
  const std::vector<std::vector<uint32_t>> all = divisions(count, cells);
  if (all.empty()) {
    return invalid(
        fmt::format("--ranks {} cannot divide --grid {}: there are fewer cells than "
                    "ranks along an axis, however they are divided",
                    count, grid_text(cells)));
  }
  if (wanted.empty())
    return std::vector<std::vector<uint32_t>>{
        *std::min_element(all.begin(), all.end(), is_more_even)};
  std::vector<std::vector<uint32_t>> chosen;
  for (const std::string& text : wanted) {
    if (text == "all") {
      chosen.insert(chosen.end(), all.begin(), all.end());
      continue;
    }
    auto grid = parse_grid("--rank-grid", text, cells.size());
    if (!grid) return grid.error();
    const uint64_t product = std::accumulate(grid.value().begin(), grid.value().end(), uint64_t{1},
                                             [](uint64_t a, uint32_t b) { return a * b; });
    if (product == count) chosen.push_back(std::move(grid).value());
  }
  return chosen;
}

template <class T>
void keep_first(std::vector<T>& values) {
  std::vector<T> kept;
  for (T& value : values) {
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(std::move(value));
  }
  values = std::move(kept);
}

base::Result<mapping::Placement> read_mapping(const Deployed& deployed,
                                              const MeasuredMachine& machine) {
  const auto file = base::MappedFile::open(deployed.mapping);
  if (!file) {
    return invalid(fmt::format("--mapping is '{}', which is neither smp, round-robin, block, "
                               "folded, random nor a file",
                               base::printable(deployed.mapping)),
                   file.error().message);
  }
  std::vector<std::string> hosts = hosts_of(machine.row);
  // Where the network is not known, nodes have names at least.
  std::unique_ptr<network::Network> names_only;
  const network::Network* network = machine.network.get();
  if (network == nullptr) {
    const auto count = static_cast<uint32_t>(
        std::max<size_t>({hosts.size(), deployed.rank_count() / deployed.per_node, 1}));
    auto star = network::FatTree::make(count, 1);
    if (!star) return star.error();
    names_only = std::move(star).value();
    network = names_only.get();
  }
  auto names = mapping::NodeNames::make(*network, std::move(hosts));
  if (!names) return names.error();
  return mapping::read_placement(file.value().text(), deployed.mapping, names.value(),
                                 {.rank_count = deployed.rank_count(), .ranks_per_node = 0});
}

}  // namespace

uint32_t rank_count(const std::vector<uint32_t>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), 1U, std::multiplies<>());
}

std::string grid_text(const std::vector<uint32_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}

std::vector<std::vector<uint32_t>> divisions(uint32_t count, std::span<const uint32_t> cells) {
  std::vector<std::vector<uint32_t>> all;
  std::vector<uint32_t> begun;
  add_divisions(count, cells, begun, all);
  return all;
}

bool is_more_even(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  const auto sum_a = std::accumulate(a.begin(), a.end(), uint64_t{0});
  const auto sum_b = std::accumulate(b.begin(), b.end(), uint64_t{0});
  return sum_a != sum_b ? sum_a < sum_b : a > b;
}

base::Result<std::vector<uint32_t>> parse_grid(std::string_view what, std::string_view text,
                                               size_t axes) {
  auto sizes = base::numbers_in<uint32_t>(text, 'x');
  const bool is_good = sizes && sizes->size() == axes &&
                       std::none_of(sizes->begin(), sizes->end(),
                                    [](uint32_t size) { return size == 0 || size > 1U << 24U; });
  if (is_good) return std::move(*sizes);
  return invalid(fmt::format("{} is '{}', expected {} as in {}", what, base::printable(text),
                             base::counted(axes, "size", "sizes"),
                             axes == 1   ? "4096"
                             : axes == 2 ? "2048x1024"
                                         : "256x256x128"));
}

std::string_view name_of(predict::Bind bind) {
  return bind == predict::Bind::kCompact ? "compact" : "spread";
}

base::Result<std::vector<Deployed>> deployments(const DeploymentChoices& choices,
                                                const predict::Application& application,
                                                const MeasuredMachine& machine) {
  const auto core_count = static_cast<uint32_t>(machine.tables.node.units.size());
  std::vector<std::string> mappings = choices.mappings;
  if (mappings.empty()) mappings = {"smp"};
  std::vector<predict::Bind> binds;
  for (const std::string& text : choices.binds) {
    if (text != "compact" && text != "spread") {
      return invalid(
          fmt::format("--bind is '{}', expected compact or spread", base::printable(text)));
    }
    binds.push_back(text == "compact" ? predict::Bind::kCompact : predict::Bind::kSpread);
  }
  if (binds.empty()) binds = {predict::Bind::kCompact};
  keep_first(mappings);
  keep_first(binds);

  std::vector<uint32_t> counts;
  for (const std::string& text : choices.ranks) {
    auto count = parse_count("--ranks", text);
    if (!count) return count.error();
    counts.push_back(count.value());
  }
  // A grid of ranks says how many there are.
  if (counts.empty()) {
    for (const std::string& text : choices.rank_grids) {
      if (text == "all") continue;
      auto grid = parse_grid("--rank-grid", text, application.axes());
      if (!grid) return grid.error();
      counts.push_back(rank_count(grid.value()));
    }
  }
  if (counts.empty()) return invalid("--ranks is missing: how many ranks the run has");
  if (choices.grids.empty()) return invalid("--grid is missing: the cells of the whole grid");
  keep_first(counts);

  std::vector<Deployed> all;
  for (const std::string& text : choices.grids) {
    auto grid = parse_grid("--grid", text, application.axes());
    if (!grid) return grid.error();
    for (const uint32_t count : counts) {
      auto rank_grids = rank_grids_of(count, grid.value(), choices.rank_grids);
      if (!rank_grids) return rank_grids.error();
      std::vector<uint32_t> per_node;
      for (const std::string& number : choices.per_node) {
        auto parsed = parse_count("--ranks-per-node", number);
        if (!parsed) return parsed.error();
        per_node.push_back(parsed.value());
      }
      if (per_node.empty()) per_node = {std::min(count, std::max(core_count, 1U))};
      for (const std::vector<uint32_t>& rank_grid : rank_grids.value()) {
        for (const uint32_t c : per_node) {
          for (const std::string& mapping : mappings) {
            for (const predict::Bind bind : binds) {
              all.push_back({grid.value(), rank_grid, c, mapping, bind});
            }
          }
        }
      }
    }
  }
  if (all.empty()) return invalid("no --rank-grid has as many ranks as --ranks says");
  return all;
}

base::Result<mapping::Placement> place(const Deployed& deployed, const MeasuredMachine& machine) {
  for (const mapping::GridMapping mapping : mapping::kGridMappings) {
    if (mapping::name_of(mapping) != deployed.mapping) continue;
    if (deployed.rank_count() % deployed.per_node != 0) {
      return invalid(fmt::format("{} cannot be divided into nodes of {}",
                                 base::counted(deployed.rank_count(), "rank", "ranks"),
                                 deployed.per_node));
    }
    return mapping::place_grid(mapping, deployed.ranks, deployed.per_node, machine.network.get());
  }
  return read_mapping(deployed, machine);
}

std::vector<Forecast> forecast(const std::vector<Deployed>& deployed,
                               const predict::Application& application,
                               const MeasuredMachine& machine,
                               const predict::Calibration& calibration, base::ThreadPool& pool,
                               base::Progress& progress) {
  std::vector<Forecast> forecasts(deployed.size());
  progress.begin("predicting", "candidates", deployed.size());
  pool.for_each(deployed.size(), [&](size_t i) {
    Forecast& result = forecasts[i];
    result.deployed = deployed[i];
    const auto explain = [&](const base::Error& error) { result.reason = error.message; };
    auto placement = place(deployed[i], machine);
    if (!placement) return explain(placement.error());
    const predict::Deployment deployment{.grid = deployed[i].grid,
                                         .ranks = deployed[i].ranks,
                                         .placement = std::move(placement).value(),
                                         .bind = deployed[i].bind};
    auto prediction = predict::predict(application, deployment, machine.tables);
    if (!prediction) return explain(prediction.error());
    result.prediction = calibration.applied_to(prediction.value());
    ++progress.done;
  });
  return forecasts;
}

void rank(std::vector<Forecast>& forecasts) {
  // Times on different grids are no matter of better or worse.
  std::vector<std::vector<uint32_t>> grids;
  for (const Forecast& each : forecasts) grids.push_back(each.deployed.grid);
  keep_first(grids);
  const auto place_of = [&](const Forecast& each) {
    return std::find(grids.begin(), grids.end(), each.deployed.grid) - grids.begin();
  };
  std::stable_sort(forecasts.begin(), forecasts.end(), [&](const Forecast& a, const Forecast& b) {
    if (const auto x = place_of(a), y = place_of(b); x != y) return x < y;
    if (!a.prediction || !b.prediction) return a.prediction.has_value() > b.prediction.has_value();
    return a.prediction->step.value < b.prediction->step.value;
  });
  const Forecast* best = nullptr;
  for (Forecast& each : forecasts) {
    if (best == nullptr || best->deployed.grid != each.deployed.grid) best = &each;
    each.is_tie = &each != best && each.prediction && best->prediction &&
                  each.prediction->step.low <= best->prediction->step.high;
  }
}

namespace {

std::vector<std::string> texts_in(const store::Machine& machine, const char* key) {
  const auto json = nlohmann::json::parse(machine.config_json, nullptr, false);
  std::vector<std::string> texts;
  if (!json.is_object() || !json.contains(key)) return texts;
  for (const auto& text : json[key]) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

std::vector<std::string> hosts_of(const store::Machine& machine) {
  return texts_in(machine, "hosts");
}

std::vector<std::string> launcher_of(const store::Machine& machine) {
  return texts_in(machine, "launcher");
}

base::Result<predict::Application> open_application(const std::string& name) {
  if (name == "shallow") return predict::shallow();
  return read_application(name);
}

}  // namespace pathline::app
