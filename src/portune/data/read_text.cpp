#include <algorithm>
#include <nlohmann/json.hpp>

#include "portune/data/read_files.h"
#include "portune/io/text_file.h"
#include "portune/sources.h"

namespace portune::data {
namespace {

constexpr const char* kRows = "lines";

class Lines final : public Iterator {
 public:
  explicit Lines(const std::string& path) : path_(std::make_shared<const std::string>(path)), file_(path) {}

  std::optional<Example> next() override {
    const std::optional<size_t> end = find_line_end();
    const size_t length = end.value_or(file_.unread().size());
    if (!end && length == 0) return std::nullopt;
    ++line_;
    file_.require_text(length, line_);
    std::string text(file_.unread().data(), length);
    file_.consume(length + (end ? 1 : 0));
    if (text.ends_with('\r')) text.pop_back();
    Example example(Origin{path_, line_});
    example.set("text", std::move(text));
    return example;
  }

  nlohmann::json state() const override { return state_of(kRows, {.offset = file_.offset(), .line = line_}); }
  void restore(const nlohmann::json& state) override {
    const io::TextPosition position = position_in(SavedState(kRows, state));
    file_.seek(position.offset);
    line_ = position.line;
  }

 private:
  // Where the next LF stands in the unread bytes; nothing in a last line that has none.
  std::optional<size_t> find_line_end() {
    size_t looked_at = 0;
    while (true) {
      const std::span<char> bytes = file_.unread();
      const auto found = std::find(bytes.begin() + static_cast<std::ptrdiff_t>(looked_at), bytes.end(), '\n');
      if (found != bytes.end()) return static_cast<size_t>(found - bytes.begin());
      looked_at = bytes.size();
      if (!file_.read_more()) return std::nullopt;
    }
  }

  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::TextFile file_;
  int64_t line_ = 0;
};

}  // namespace

Dataset read_text(Files files) {
  return read_files("read_text", files.paths(), [](const std::string& path) { return std::make_unique<Lines>(path); });
}

}  // namespace portune::data
