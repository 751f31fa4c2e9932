// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace pathline::store {

class Statement;

/// One open SQLite file. Its failures become Errors that name the file and what to do.
class Connection {
 public:
  enum class Access : uint8_t { kRead, kWrite, kCreate };

  /// errors  kNotFound, kIo; kCorrupt when it is no SQLite file or a damaged one.
  static base::Result<Connection> open(const std::filesystem::path& path, Access access);

  /// Runs statements that have no parameters and no rows.
  base::Status run(const char* sql);
  /// errors  kCorrupt when the file has not the tables that `sql` names.
  base::Result<Statement> prepare(std::string_view sql);
  /// The first column of the first row, 0 without a row.
  base::Result<int64_t> number(std::string_view sql);
  [[nodiscard]] int64_t last_row() const;

  /// What SQLite says of `code`, as an Error.
  [[nodiscard]] base::Error error(int code) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Connection(std::filesystem::path path, sqlite3* handle)
      : path_(std::move(path)), handle_(handle) {}

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. Parameters are bound from the first on by bind(), one after the other, and
/// columns read from the first on; it may be run again after its end. Lives no longer than its
/// connection.
class Statement {
 public:
  void bind(std::string_view text);
  void bind(const char* text) { bind(std::string_view(text)); }
  void bind(double value);
  void bind(std::span<const double> values);
  void bind(std::integral auto value) { bind_number(static_cast<int64_t>(value)); }
  template <class... Values>
  void bind_all(const Values&... values) {
    (bind(values), ...);
  }

  /// Goes to the next row. false: there is none, and parameters are to be bound anew.
  base::Result<bool> step();
  /// Runs it to its end, whatever rows it has.
  base::Status run();

  [[nodiscard]] std::string text();
  [[nodiscard]] double real();
  [[nodiscard]] std::vector<double> reals();
  template <std::integral Number = int64_t>
  [[nodiscard]] Number number() {
    return static_cast<Number>(next_number());
  }

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  Statement(const Connection* connection, sqlite3_stmt* handle)
      : connection_(connection), handle_(handle) {}
  void bind_number(int64_t value);
  int64_t next_number();

  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int parameter_ = 0;
  int column_ = 0;
  int failed_ = 0;  // The first failure of bind(), which step() tells.
};

/// Runs `sql` with `values`, and hands each row to `take`.
template <class Take, class... Values>
base::Status each_row(Connection& connection, std::string_view sql, Take take,
                      const Values&... values) {
  auto statement = connection.prepare(sql);
  if (!statement) return statement.error();
  statement.value().bind_all(values...);
  for (;;) {
    auto row = statement.value().step();
    if (!row) return row.error();
    if (!row.value()) return {};
    take(statement.value());
  }
}

/// Runs `sql` with `values`, whatever rows it has.
template <class... Values>
base::Status execute(Connection& connection, std::string_view sql, const Values&... values) {
  return each_row(
      connection, sql, [](Statement&) {}, values...);
}

/// Writes belong together: all of them or none. Rolled back unless committed.
class Transaction {
 public:
  static base::Result<Transaction> begin(Connection& connection);
  base::Status commit();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace pathline::store
