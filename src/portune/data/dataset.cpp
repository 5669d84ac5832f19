#include <limits>

#include "portune/data.h"
#include "portune/data/stage.h"
#include "portune/error.h"

namespace portune::data {

Cursor::Cursor(std::unique_ptr<Iterator> iterator) : iterator_(std::move(iterator)) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;

std::optional<Example> Cursor::next() { return iterator_->next(); }
int64_t Cursor::skip(int64_t count) { return iterator_->skip(count); }

Cursor Dataset::iterate(int64_t epoch, Meter* meter) const {
  return Cursor(stage_->iterate({.epoch = epoch, .meter = meter}));
}
int64_t Dataset::count() const { return iterate().skip(std::numeric_limits<int64_t>::max()); }

Example Stage::at(Pass, int64_t) const {
  throw UsageError({.where = "Stage::at", .given = "a source that is read from its beginning", .expected = "a size()"});
}

void require_at_least(std::string_view verb, std::string_view option, int64_t value, int64_t least) {
  if (value >= least) return;
  throw UsageError({.where = std::string(verb),
                    .given = std::string(option) + " = " + std::to_string(value),
                    .expected = "at least " + std::to_string(least)});
}

}  // namespace portune::data
