#include <nlohmann/json.hpp>

#include "portatune/data/read/read_files.h"
#include "portatune/io/text/line_reader.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr const char* kTextLines = "lines";
constexpr int64_t kLongestLine = 64 << 20;

class Lines final : public Iterator {
 public:
  explicit Lines(const std::string& path)
      : path_(std::make_shared<const std::string>(path)), lines_(path, kLongestLine, "shorter lines of text") {}

  std::optional<Example> next() override {
    if (!lines_.next()) return std::nullopt;
    std::string text(lines_.text().begin(), lines_.text().end());
    if (text.ends_with('\r')) text.pop_back();
    Example example(Origin{path_, lines_.number()});
    example.set("text", std::move(text));
    return example;
  }

  nlohmann::json state() const override { return state_of(kTextLines, lines_.position()); }
  void restore(const nlohmann::json& state) override { lines_.seek(position_in(SavedState(kTextLines, state))); }

 private:
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::LineReader lines_;
};

}  // namespace

Dataset read_text(Files files) {
  return read_files("read_text", files.paths(), [](const std::string& path) { return std::make_unique<Lines>(path); });
}

}  // namespace portatune::data
