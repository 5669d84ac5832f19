#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/data.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kPass = "pass";

nlohmann::json parse(const std::string& state) {
  nlohmann::json parsed = nlohmann::json::parse(state, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_discarded()) return parsed;
  throw DataError({.where = "Dataset::resume", .given = "invalid JSON", .expected = "a result of Cursor::state()"});
}

}  // namespace

Cursor::Cursor(std::unique_ptr<Iterator> iterator, int64_t epoch) : iterator_(std::move(iterator)), epoch_(epoch) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;

std::optional<Example> Cursor::next() { return iterator_->next(); }
int64_t Cursor::skip(int64_t count) { return iterator_->skip(count); }

std::string Cursor::state() const {
  return nlohmann::json{{"stage", kPass}, {"epoch", epoch_}, {"input", iterator_->state()}}.dump();
}

void Cursor::restore(const std::string& state) {
  const nlohmann::json parsed = parse(state);
  const SavedState saved(kPass, parsed);
  saved.require_same("epoch", epoch_);
  iterator_->restore(saved.part("input"));
}

Cursor Dataset::iterate(int64_t epoch, Meter* meter) const {
  return Cursor(stage_->iterate({.epoch = epoch, .meter = meter}), epoch);
}
bool Dataset::has_random_access() const { return stage_->size().has_value(); }

int64_t Dataset::count() const { return iterate().skip(std::numeric_limits<int64_t>::max()); }

Cursor Dataset::resume(const std::string& state, Meter* meter) const {
  const nlohmann::json parsed = parse(state);
  const SavedState saved(kPass, parsed);
  const int64_t epoch = saved.count("epoch");
  std::unique_ptr<Iterator> iterator = stage_->iterate({.epoch = epoch, .meter = meter});
  iterator->restore(saved.part("input"));
  return Cursor(std::move(iterator), epoch);
}

Example Stage::at(Pass, int64_t) const {
  throw UsageError({.where = "Stage::at", .given = "a source without random access", .expected = "one with a size()"});
}

void require_at_least(std::string_view verb, std::string_view option, int64_t value, int64_t minimum) {
  if (value >= minimum) return;
  throw UsageError({.where = std::string(verb),
                    .given = std::string(option) + " = " + std::to_string(value),
                    .expected = "at least " + std::to_string(minimum)});
}

}  // namespace portatune::data
