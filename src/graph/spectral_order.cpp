// SPDX-License-Identifier: BSD-3-Clause
#include "graph/spectral_order.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>

// Eigen's and Spectra's headers are not free of the warnings that we build with.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Spectra/SymEigsSolver.h>
#pragma GCC diagnostic pop

namespace pathline::graph {
namespace {

/// An undirected graph: what two ranks exchange, in rows of ascending neighbours.
struct Graph {
  std::vector<size_t> row = {0};
  std::vector<uint32_t> neighbour;
  std::vector<double> weight;

  uint32_t size() const { return static_cast<uint32_t>(row.size() - 1); }
  size_t degree(uint32_t node) const { return row[node + 1] - row[node]; }
  std::span<const uint32_t> neighbours(uint32_t node) const {
    return {neighbour.data() + row[node], degree(node)};
  }
};

double weight_of(const Traffic& traffic, Weight weight, size_t entry) {
  return static_cast<double>(weight == Weight::kBytes ? traffic.bytes[entry]
                                                      : traffic.messages[entry]);
}

/// Both directions added up.
Graph undirected(const Traffic& traffic, Weight weight) {
  const uint32_t count = traffic.rank_count();
  // What each rank receives, by ascending sender; what it sends is ascending already.
  std::vector<size_t> begin(size_t{count} + 1, 0);
  for (const uint32_t receiver : traffic.receiver) ++begin[receiver + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::pair<uint32_t, double>> received(traffic.entry_count());
  std::vector<size_t> next(begin.begin(), begin.end() - 1);
  for (uint32_t sender = 0; sender < count; ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      received[next[traffic.receiver[i]]++] = {sender, weight_of(traffic, weight, i)};
    }
  }
  Graph graph;
  for (uint32_t rank = 0; rank < count; ++rank) {
    size_t out = traffic.row[rank];
    size_t in = begin[rank];
    while (out < traffic.row[rank + 1] || in < begin[rank + 1]) {
      const uint32_t to = out < traffic.row[rank + 1] ? traffic.receiver[out] : UINT32_MAX;
      const uint32_t from = in < begin[rank + 1] ? received[in].first : UINT32_MAX;
      const uint32_t other = std::min(to, from);
      double sum = 0;
      if (to == other) sum += weight_of(traffic, weight, out++);
      if (from == other) sum += received[in++].second;
      if (other == rank || sum <= 0) continue;
      graph.neighbour.push_back(other);
      graph.weight.push_back(sum);
    }
    graph.row.push_back(graph.neighbour.size());
  }
  return graph;
}

/// Nodes of each connected component ascending, the components by their smallest node.
std::vector<std::vector<uint32_t>> components(const Graph& graph) {
  std::vector<std::vector<uint32_t>> found;
  std::vector<bool> seen(graph.size());
  for (uint32_t first = 0; first < graph.size(); ++first) {
    if (seen[first]) continue;
    std::vector<uint32_t>& nodes = found.emplace_back(1, first);
    seen[first] = true;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const uint32_t other : graph.neighbours(nodes[i])) {
        if (seen[other]) continue;
        seen[other] = true;
        nodes.push_back(other);
      }
    }
    std::sort(nodes.begin(), nodes.end());
  }
  return found;
}

/// Breadth first from `start`, the neighbours of a node by degree. `level` holds UINT32_MAX for
/// nodes not visited.
std::vector<uint32_t> breadth_first(const Graph& graph, uint32_t start,
                                    std::vector<uint32_t>& level) {
  std::vector<uint32_t> order = {start};
  level[start] = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t first = order.size();
    for (const uint32_t other : graph.neighbours(order[i])) {
      if (level[other] != UINT32_MAX) continue;
      level[other] = level[order[i]] + 1;
      order.push_back(other);
    }
    std::stable_sort(order.begin() + static_cast<ptrdiff_t>(first), order.end(),
                     [&](uint32_t a, uint32_t b) { return graph.degree(a) < graph.degree(b); });
  }
  return order;
}

/// Appends the nodes of a component in reverse Cuthill-McKee order.
///
/// level  UINT32_MAX for each of its nodes; one array for all components, or many small ones would
///        cost as much as their square.
void append_rcm(const Graph& graph, std::span<const uint32_t> nodes, std::vector<uint32_t>& level,
                std::vector<uint32_t>& order) {
  const auto smaller = [&](uint32_t a, uint32_t b) { return graph.degree(a) < graph.degree(b); };
  uint32_t start = *std::min_element(nodes.begin(), nodes.end(), smaller);
  std::vector<uint32_t> visited = breadth_first(graph, start, level);
  while (true) {
    const uint32_t depth = level[visited.back()];
    const auto last = std::find_if(visited.begin(), visited.end(),
                                   [&](uint32_t node) { return level[node] == depth; });
    const uint32_t far = *std::min_element(last, visited.end(), smaller);
    for (const uint32_t node : nodes) level[node] = UINT32_MAX;
    std::vector<uint32_t> other = breadth_first(graph, far, level);
    if (level[other.back()] <= depth) break;
    visited = std::move(other);
  }
  order.insert(order.end(), visited.rbegin(), visited.rend());
}

using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

void make_sum_zero(Eigen::Ref<Vector> x) { x.array() -= x.mean(); }

/// What a solver begins with: the order of the ranks, shaken by less than a rank, for the
/// eigenvector might be at right angles to it.
Vector start_vector(Eigen::Index size) {
  Vector start(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double at = static_cast<double>(i);
    const double golden = at * 0.6180339887498949;
    start[i] = at + 0.3 * (golden - std::floor(golden));
  }
  make_sum_zero(start);
  return start.normalized();
}

/// The Laplacian of a component, in units of its largest weight.
///
/// local  per node of the whole graph; filled for those of the component.
Sparse laplacian(const Graph& graph, std::span<const uint32_t> nodes,
                 std::vector<uint32_t>& local) {
  for (size_t i = 0; i < nodes.size(); ++i) local[nodes[i]] = static_cast<uint32_t>(i);
  double largest = 0;
  for (const uint32_t node : nodes) {
    for (size_t i = graph.row[node]; i < graph.row[node + 1]; ++i) {
      largest = std::max(largest, graph.weight[i]);
    }
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (size_t node = 0; node < nodes.size(); ++node) {
    double sum = 0;
    const int at = static_cast<int>(node);
    for (size_t i = graph.row[nodes[node]]; i < graph.row[nodes[node] + 1]; ++i) {
      const double weight = graph.weight[i] / largest;
      entries.emplace_back(at, static_cast<int>(local[graph.neighbour[i]]), -weight);
      sum += weight;
    }
    entries.emplace_back(at, at, sum);
  }
  const auto size = static_cast<Eigen::Index>(nodes.size());
  Sparse matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// What an order can be made of.
bool is_direction(const Vector& x) { return x.allFinite() && x.cwiseAbs().maxCoeff() > 0; }

/// For small components: all eigenvectors, and of the space of the smallest eigenvalue but one
/// that nearest to the start vector.
std::optional<Vector> dense_fiedler(const Sparse& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(matrix)};
  if (solver.info() != Eigen::Success) return {};
  const Vector& values = solver.eigenvalues();
  const Vector start = start_vector(matrix.rows());
  Vector result = Vector::Zero(matrix.rows());
  for (Eigen::Index i = 1; i < values.size(); ++i) {
    if (values[i] > values[1] * (1 + 1e-9) + 1e-14 * values[values.size() - 1]) break;
    result += solver.eigenvectors().col(i).dot(start) * solver.eigenvectors().col(i);
  }
  result = result.norm() > 1e-9 ? Vector(result.normalized()) : solver.eigenvectors().col(1);
  if (!is_direction(result)) return {};
  return result;
}

/// The pseudo-inverse of the Laplacian: its largest eigenvalue is 1 / the one that we look for.
/// Without the row and column of one node the Laplacian can be factorised; leaving out that of
/// the most neighbours saves most.
class PseudoInverse {
 public:
  using Scalar = double;

  explicit PseudoInverse(const Sparse& matrix) : size_(matrix.rows()) {
    for (Eigen::Index i = 1; i < size_; ++i) {
      if (entries(matrix, i) > entries(matrix, left_out_)) left_out_ = i;
    }
    std::vector<Eigen::Triplet<double>> kept;
    for (Eigen::Index column = 0; column < size_; ++column) {
      for (Sparse::InnerIterator entry(matrix, column); entry; ++entry) {
        if (column == left_out_ || entry.row() == left_out_) continue;
        kept.emplace_back(static_cast<int>(place(entry.row())), static_cast<int>(place(column)),
                          entry.value());
      }
    }
    grounded_.resize(size_ - 1, size_ - 1);
    grounded_.setFromTriplets(kept.begin(), kept.end());
    cholesky_.analyzePattern(grounded_);
  }

  /// Multiplications of the factorisation.
  double cost() const { return cholesky_.cost(); }
  bool factorize() {
    cholesky_.factorize(grounded_);
    return cholesky_.info() == Eigen::Success;
  }

  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }
  void perform_op(const double* in, double* out) const {
    Vector x = Eigen::Map<const Vector>(in, size_);
    make_sum_zero(x);
    Vector right(size_ - 1);
    right << x.head(left_out_), x.tail(size_ - 1 - left_out_);
    const Vector solved = cholesky_.solve(right);
    Eigen::Map<Vector> y(out, size_);
    y << solved.head(left_out_), 0, solved.tail(size_ - 1 - left_out_);
    make_sum_zero(y);
  }

 private:
  struct Cholesky : Eigen::SimplicialLDLT<Sparse> {
    double cost() const { return m_nonZerosPerCol.cast<double>().squaredNorm(); }
  };
  static Eigen::Index entries(const Sparse& matrix, Eigen::Index column) {
    return matrix.outerIndexPtr()[column + 1] - matrix.outerIndexPtr()[column];
  }
  Eigen::Index place(Eigen::Index i) const { return i < left_out_ ? i : i - 1; }

  Eigen::Index size_;
  Eigen::Index left_out_ = 0;
  Sparse grounded_;
  Cholesky cholesky_;
};

/// c I - Laplacian without the constant vector: its largest eigenvalue is c less the one that we
/// look for. Converges well where the factorisation would be dense: such graphs have no thin place,
/// and hence a second eigenvalue that is well apart.
class Mirrored {
 public:
  using Scalar = double;

  explicit Mirrored(const Sparse& matrix)
      : matrix_(matrix), shift_(2 * matrix.diagonal().maxCoeff()) {}

  Eigen::Index rows() const { return matrix_.rows(); }
  Eigen::Index cols() const { return matrix_.cols(); }
  void perform_op(const double* in, double* out) const {
    Vector x = Eigen::Map<const Vector>(in, rows());
    make_sum_zero(x);
    Eigen::Map<Vector> y(out, rows());
    y.noalias() = shift_ * x - matrix_ * x;
    make_sum_zero(y);
  }

 private:
  const Sparse& matrix_;
  double shift_;
};

/// Plain power iteration: finds an eigenvalue of many eigenvectors, as a star has it, in a few
/// steps, and of these the vector nearest to the start. (Lanczos' method, having found it, goes on
/// with random vectors.)
std::optional<Vector> many_alike(const PseudoInverse& inverse) {
  constexpr int kSteps = 8;
  Vector x = start_vector(inverse.rows());
  Vector y(inverse.rows());
  for (int step = 0; step < kSteps; ++step) {
    inverse.perform_op(x.data(), y.data());
    y.normalize();
    if ((y - x).norm() < 1e-12 && is_direction(y)) return y;
    x.swap(y);
  }
  return {};
}

template <class Operator>
std::optional<Vector> largest_eigenvector(Operator& op, Eigen::Index basis, Eigen::Index restarts,
                                          double tolerance) {
  // Spectra throws where a small eigenproblem of its own does not converge, as it happens to
  // weights so far apart that the operator is mostly rounding.
  try {
    Spectra::SymEigsSolver<Operator> solver(op, 1, std::min(basis, op.rows() - 1));
    const Vector start = start_vector(op.rows());
    solver.init(start.data());
    solver.compute(Spectra::SortRule::LargestAlge, restarts, tolerance);
    if (solver.info() != Spectra::CompInfo::Successful) return {};
    Vector found = solver.eigenvectors().col(0);
    if (!is_direction(found)) return {};
    return found;
  } catch (const std::exception&) {
    return {};
  }
}

constexpr Eigen::Index kDenseSize = 48;
constexpr double kFactorisationCost = 1e8;  // Multiplications: about 0.1 s.
constexpr double kIterationCost = 2e9;      // Multiplications of all restarts together.

std::optional<Vector> fiedler_vector(const Sparse& matrix) {
  if (matrix.rows() <= kDenseSize) return dense_fiedler(matrix);
  PseudoInverse inverse(matrix);
  if (inverse.cost() <= kFactorisationCost && inverse.factorize()) {
    if (auto found = many_alike(inverse)) return found;
    if (auto found = largest_eigenvector(inverse, 20, 60, 1e-12)) return found;
  }
  constexpr Eigen::Index kBasis = 40;
  const double per_restart =
      static_cast<double>(kBasis) * static_cast<double>(matrix.nonZeros() + kBasis * matrix.rows());
  const auto restarts =
      static_cast<Eigen::Index>(std::clamp(kIterationCost / per_restart, 4., 1e3));
  Mirrored mirrored(matrix);
  return largest_eigenvector(mirrored, kBasis, restarts, 1e-9);
}

/// level  as in append_rcm.
void append_by_fiedler(const Graph& graph, std::span<const uint32_t> nodes,
                       std::vector<uint32_t>& level, std::vector<uint32_t>& order) {
  const std::optional<Vector> vector = fiedler_vector(laplacian(graph, nodes, level));
  for (const uint32_t node : nodes) level[node] = UINT32_MAX;
  if (!vector) return append_rcm(graph, nodes, level, order);
  const double largest = vector->cwiseAbs().maxCoeff();
  // Entries that differ by rounding only are equal.
  std::vector<std::pair<int64_t, uint32_t>> keys;
  int64_t sign = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t key = std::llround((*vector)[static_cast<Eigen::Index>(i)] / largest * 1e9);
    if (sign == 0 && key != 0) sign = key > 0 ? -1 : 1;
    keys.emplace_back(sign * key, nodes[i]);
  }
  std::sort(keys.begin(), keys.end());
  for (const auto& [key, node] : keys) order.push_back(node);
}

}  // namespace

std::vector<uint32_t> spectral_order(const Traffic& traffic, Weight weight) {
  const Graph graph = undirected(traffic, weight);
  std::vector<uint32_t> order;
  order.reserve(graph.size());
  std::vector<uint32_t> level(graph.size(), UINT32_MAX);
  for (const std::vector<uint32_t>& nodes : components(graph)) {
    if (nodes.size() < 3) {
      order.insert(order.end(), nodes.begin(), nodes.end());
    } else {
      append_by_fiedler(graph, nodes, level, order);
    }
  }
  return order;
}

std::vector<uint32_t> rcm_order(const Traffic& traffic, Weight weight) {
  const Graph graph = undirected(traffic, weight);
  std::vector<uint32_t> order;
  order.reserve(graph.size());
  std::vector<uint32_t> level(graph.size(), UINT32_MAX);
  for (const std::vector<uint32_t>& nodes : components(graph)) {
    append_rcm(graph, nodes, level, order);
  }
  return order;
}

double order_score(const Traffic& traffic, Weight weight, std::span<const uint32_t> position) {
  assert(position.size() >= traffic.rank_count());
  double distance = 0;
  double sum = 0;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      const double w = weight_of(traffic, weight, i);
      sum += w;
      distance += w * std::abs(static_cast<double>(position[sender]) -
                               static_cast<double>(position[traffic.receiver[i]]));
    }
  }
  return sum > 0 ? distance / sum : 0;
}

}  // namespace pathline::graph
