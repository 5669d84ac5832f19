#include <nlohmann/json.hpp>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/utf8.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/data/tolerance.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {

struct BadRowsAccess {
  static void add_known(BadRows& rows, BadRow row) { rows.add_known(std::move(row)); }
  static void skip(BadRows& rows, BadRow row, bool is_identified) { rows.skip(std::move(row), is_identified); }
};

namespace {

constexpr const char* kStage = "skip_bad_rows";

std::string valid_utf8(std::string text) {
  for (size_t from = 0, at; (at = find_invalid_utf8(std::string_view(text).substr(from))) != std::string::npos;) {
    text[from + at] = '?';
    from += at + 1;
  }
  return text;
}

// JSON states hold only valid UTF-8, so the row must be valid already to be recognised after a resume.
BadRow valid(BadRow row) { return {valid_utf8(std::move(row.where)), valid_utf8(std::move(row.reason))}; }

// The stages before this one find `bad_rows` in the Pass. This stage adds the skipped rows to the state, so that a
// resumed run counts them.
class SkipBadRowsIterator final : public Iterator {
 public:
  SkipBadRowsIterator(std::unique_ptr<Iterator> input, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override { return input_->next(); }
  int64_t skip(int64_t count) override { return input_->skip(count); }

  nlohmann::json state() const override {
    nlohmann::json rows = nlohmann::json::array();
    for (const BadRow& row : bad_rows_->rows()) rows.push_back({row.where, row.reason});
    return {{"stage", kStage}, {"rows", rows}, {"input", input_->state()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kStage, state);
    for (const nlohmann::json& row : saved.part("rows")) {
      const bool is_pair = row.is_array() && row.size() == 2 && row[0].is_string() && row[1].is_string();
      if (!is_pair) saved.refuse("rows", "pairs of an origin and a reason");
      BadRowsAccess::add_known(*bad_rows_, {row[0].get<std::string>(), row[1].get<std::string>()});
    }
    input_->restore(saved.part("input"));
  }

 private:
  std::unique_ptr<Iterator> input_;
  std::shared_ptr<BadRows> bad_rows_;
};

struct SkipBadRows final : Stage {
  const StagePtr input;
  const std::shared_ptr<BadRows> bad_rows;  // shared with all datasets and passes that count together
  SkipBadRows(StagePtr input, std::shared_ptr<BadRows> bad_rows)
      : input(std::move(input)), bad_rows(std::move(bad_rows)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    pass.bad_rows = bad_rows;
    return std::make_unique<SkipBadRowsIterator>(input->iterate(pass), bad_rows);
  }
};

bool is_known(const Origin& origin) { return origin.file != nullptr || origin.row >= 0; }

// The report on one line; with its `where`, unless that is the origin of the row.
std::string reason_of(Report report, const std::string& origin) {
  if (report.where == origin) report.where.clear();
  return one_line(report);
}

}  // namespace

BadRows::BadRows(int64_t limit, std::function<void(const BadRow&)> on_skip)
    : limit_(limit), on_skip_(std::move(on_skip)) {
  require_at_least("skip_bad_rows", "limit", limit, 0);
}

std::vector<BadRow> BadRows::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

int64_t BadRows::count() const {
  const std::lock_guard lock(mutex_);
  return std::ssize(rows_);
}

void BadRows::skip(BadRow row, bool is_identified) {
  row = valid(std::move(row));
  const std::lock_guard lock(mutex_);
  if (is_identified && known_.contains(row.where)) return;
  if (std::ssize(rows_) >= limit_) {
    throw DataError({.where = row.where,
                     .given = row.reason,
                     .expected = "at most " + std::to_string(limit_) + " bad rows",
                     .fix = "correct the data, or allow more"});
  }
  if (is_identified) known_.insert(row.where);
  rows_.push_back(row);
  if (on_skip_) on_skip_(row);
}

void BadRows::add_known(BadRow row) {
  row = valid(std::move(row));
  const std::lock_guard lock(mutex_);
  if (known_.insert(row.where).second) rows_.push_back(std::move(row));
}

void skip_bad_row(BadRows* bad_rows, const Error& error) {
  if (bad_rows == nullptr) throw;
  BadRowsAccess::skip(*bad_rows, {error.report().where, reason_of(error.report(), error.report().where)}, true);
}

void skip_bad_row(BadRows* bad_rows, const Error& error, const Origin& origin) {
  if (bad_rows == nullptr) throw;
  const std::string where = to_string(origin);
  BadRowsAccess::skip(*bad_rows, {where, reason_of(error.report(), where)}, is_known(origin));
}

io::BadRecordError as_bad_record(const Error& error, Origin origin, int64_t index) {
  if (!is_known(origin)) origin.row = index;
  Report report = error.report();
  const std::string where = to_string(origin);
  if (report.where != where && !report.where.empty()) report.given = report.where + ": " + report.given;
  report.where = where;
  return io::BadRecordError(std::move(report));
}

nlohmann::json without_bad_rows(nlohmann::json state) {
  if (state.is_object() && state.value("stage", nlohmann::json()) == kStage) state.erase("rows");
  if (state.is_structured()) {
    for (nlohmann::json& part : state) part = without_bad_rows(std::move(part));
  }
  return state;
}

Dataset Dataset::skip_bad_rows(std::shared_ptr<BadRows> bad_rows) const {
  return Dataset(std::make_shared<SkipBadRows>(stage_, std::move(bad_rows)));
}

}  // namespace portatune::data
