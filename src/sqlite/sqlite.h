#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite, owned: handles that close themselves, texts that carry their length, failures that are exceptions.
namespace sqlite {

/// What SQLite said. `code` is its primary result code.
class Error : public std::runtime_error {
public:
    Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

/// A prepared statement. Bind by position from 1, then step until false; reset() makes it ready again.
class Statement {
public:
    Statement(sqlite3* database, std::string_view sql); ///< Throws Error.
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int position, std::string_view text); ///< Copied.
    Statement& bind(int position, std::int64_t number);
    bool step(); ///< True while there is a row. Throws Error.
    void reset();

    std::string text(int column) const; ///< From 0; with NUL bytes, if there are any.
    std::int64_t integer(int column) const;
    double real(int column) const;

private:
    sqlite3_stmt* statement_ = nullptr;
};

/// A connection, for one thread.
class Database {
public:
    /// ":memory:" or a path that exists. Throws Error. Others' locks are waited for at most `busy_ms`.
    Database(const std::string& path, int busy_ms);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& sql); ///< One or more statements without results. Throws Error.
    int changes() const;              ///< Rows that the last statement changed.
    sqlite3* get() const { return database_; }

private:
    sqlite3* database_ = nullptr;
};

} // namespace sqlite
