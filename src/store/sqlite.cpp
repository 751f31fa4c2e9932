// SPDX-License-Identifier: BSD-3-Clause
#include "store/sqlite.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/file.hpp"

namespace pathline::store {
namespace {

constexpr int kPatienceMs = 20'000;  // Until somebody else has ended his transaction.

int flags_of(Connection::Access access) {
  switch (access) {
    case Connection::Access::kRead: return SQLITE_OPEN_READONLY;
    case Connection::Access::kWrite: return SQLITE_OPEN_READWRITE;
    default: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
}

/// A path as a URI that SQLite opens; percent signs and question marks mean something there.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      uri += c;
    }
  }
  return uri;
}

}  // namespace

void Connection::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

base::Result<Connection> Connection::open(const std::filesystem::path& path, Access access) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} is a folder, expected a database", path.string())};
  }
  if (access != Access::kCreate && !std::filesystem::exists(path, ignored)) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("there is no database {}", path.string()),
                       "pathline bench all --db FILE makes one."};
  }
  const auto connect = [&](const std::string& uri) {
    sqlite3* handle = nullptr;
    const int code =
        sqlite3_open_v2(uri.c_str(), &handle, flags_of(access) | SQLITE_OPEN_URI, nullptr);
    Connection connection(path, handle);
    if (handle != nullptr) sqlite3_busy_timeout(handle, kPatienceMs);
    return std::pair(std::move(connection), code);
  };
  auto [connection, code] = connect(uri_of(path));
  if (code != SQLITE_OK) return connection.error(code);
  // Reading touches the file, which opening does not.
  auto version = connection.number("PRAGMA schema_version");
  if (!version && access == Access::kRead) {
    // Where nothing may be written, the files that writers share cannot be made; nobody writes
    // then.
    auto [alone, alone_code] = connect(uri_of(path) + "?immutable=1");
    if (alone_code == SQLITE_OK && alone.number("PRAGMA schema_version")) return std::move(alone);
  }
  if (!version) return version.error();
  return std::move(connection);
}

base::Status Connection::run(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

base::Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return error(code);
  return Statement(this, statement);
}

base::Result<int64_t> Connection::number(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return statement.error();
  auto row = statement.value().step();
  if (!row) return row.error();
  return row.value() ? statement.value().number() : 0;
}

int64_t Connection::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }

base::Error Connection::error(int code) const {
  const std::string file = path_.string();
  const char* said = handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  using enum base::ErrorCode;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return {kCorrupt, fmt::format("{} is no SQLite database", file),
              "Name one that Pathline has made, or where it makes one, a file that does not exist "
              "yet."};
    case SQLITE_CORRUPT:
      return {kCorrupt, fmt::format("{} is damaged: {}", file, said),
              "sqlite3 FILE .recover | sqlite3 NEW.db saves what can be read."};
    case SQLITE_FULL:
      return {kIo, fmt::format("{}: there is no space left", file),
              "What was stored before is complete; make room and start again: it goes on there."};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {kIo, fmt::format("{} is being written by another program", file),
              "Wait for it to end, or give each its own file."};
    case SQLITE_IOERR:
      if (handle_ == nullptr || sqlite3_system_errno(handle_.get()) == 0) break;
      return {kIo,
              fmt::format("{}: {}", file, base::system_reason(sqlite3_system_errno(handle_.get()))),
              "What was stored before is complete."};
    case SQLITE_READONLY: return {kIo, fmt::format("{} may not be written", file)};
    case SQLITE_CANTOPEN: return {kIo, fmt::format("{} cannot be opened: {}", file, said)};
    case SQLITE_ERROR:
      // A table or column that is not there: nothing else can be wrong with our own statements.
      return {kCorrupt, fmt::format("{} is damaged: {}", file, said)};
    default: break;
  }
  return {kIo, fmt::format("{}: {}", file, said)};
}

void Statement::bind_number(int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), ++parameter_, value);
  if (failed_ == 0) failed_ = code;
}

void Statement::bind(std::string_view text) {
  const int code = sqlite3_bind_text64(handle_.get(), ++parameter_, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (failed_ == 0) failed_ = code;
}

void Statement::bind(double value) {
  const int code = sqlite3_bind_double(handle_.get(), ++parameter_, value);
  if (failed_ == 0) failed_ = code;
}

void Statement::bind(std::span<const double> values) {
  // A null pointer would be no value instead of an empty one.
  const void* begin = values.empty() ? static_cast<const void*>("") : values.data();
  const int code = sqlite3_bind_blob64(handle_.get(), ++parameter_, begin, values.size_bytes(),
                                       SQLITE_TRANSIENT);
  if (failed_ == 0) failed_ = code;
}

base::Result<bool> Statement::step() {
  const int code = failed_ != 0 ? failed_ : sqlite3_step(handle_.get());
  column_ = 0;
  if (code == SQLITE_ROW) return true;
  base::Result<bool> answer = false;
  if (code != SQLITE_DONE) answer = connection_->error(code);
  sqlite3_reset(handle_.get());
  parameter_ = 0;
  failed_ = 0;
  return answer;
}

base::Status Statement::run() {
  for (;;) {
    auto row = step();
    if (!row) return row.error();
    if (!row.value()) return {};
  }
}

std::string Statement::text() {
  const int column = column_++;
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (begin == nullptr) return {};
  return {begin, static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

double Statement::real() { return sqlite3_column_double(handle_.get(), column_++); }

std::vector<double> Statement::reals() {
  const int column = column_++;
  const void* begin = sqlite3_column_blob(handle_.get(), column);
  const auto bytes = static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column));
  std::vector<double> values(begin == nullptr ? 0 : bytes / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), begin, values.size() * sizeof(double));
  return values;
}

int64_t Statement::next_number() { return sqlite3_column_int64(handle_.get(), column_++); }

base::Result<Transaction> Transaction::begin(Connection& connection) {
  if (auto status = connection.run("BEGIN IMMEDIATE"); !status) return status.error();
  return Transaction(connection);
}

base::Status Transaction::commit() {
  auto status = connection_->run("COMMIT");
  if (status) connection_ = nullptr;
  return status;
}

Transaction::Transaction(Transaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

Transaction::~Transaction() {
  if (connection_ != nullptr) (void)connection_->run("ROLLBACK");
}

}  // namespace pathline::store
