#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "portatune/base/text/utf8.h"
#include "portatune/data/read/column_names.h"
#include "portatune/data/read/read_files.h"
#include "portatune/io/tar/tar_reader.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr const char* kTarRows = "rows of a tar archive";
constexpr const char* kKey = "__key__";

// A member's row, and its column: "clips/0001" and "wav" for clips/0001.wav.
struct Place {
  std::string key, column;
};

Place place_of(const std::string& name) {
  const size_t base = name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1;
  const size_t dot = std::min(name.find('.', base), name.size());
  return {name.substr(0, dot), dot < name.size() ? lower_case(name.substr(dot + 1)) : ""};
}

bool is_hidden_member(const std::string& name) {
  const size_t slash = name.rfind('/');
  return name.substr(slash == std::string::npos ? 0 : slash + 1).starts_with(".");
}

bool is_text(const std::string& column) {
  constexpr std::array kTexts = {"cls", "txt", "text", "label", "transcript"};
  return std::ranges::find(kTexts, column) != kTexts.end();
}

// The text without the line break, LF or CR LF, with which programs often end the texts that they write to files.
std::string without_line_break(std::string text) {
  if (text.ends_with('\n')) {
    text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
  }
  return text;
}

// Consecutive members with one key are a row.
class TarRows final : public Iterator {
 public:
  TarRows(const std::string& path, const std::vector<std::string>& columns)
      : columns_(columns), path_(std::make_shared<const std::string>(path)), archive_(path) {}

  std::optional<Example> next() override {
    if (!waiting_) waiting_ = next_member();
    if (!waiting_) return std::nullopt;
    const std::string key = place_of(waiting_->name).key;
    std::vector<io::TarMember> members;
    for (; waiting_ && place_of(waiting_->name).key == key; waiting_ = next_member()) members.push_back(*waiting_);
    ++row_;
    return example_of(key, members);
  }

  nlohmann::json state() const override {
    const int64_t offset = waiting_ ? waiting_->header : archive_.position();
    return {{"stage", kTarRows}, {"offset", offset}, {"row", row_}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kTarRows, state);
    archive_.seek(saved.count("offset"));
    row_ = saved.count("row");
    waiting_.reset();
  }

 private:
  std::optional<io::TarMember> next_member() {
    std::optional<io::TarMember> member = archive_.next();
    while (member && is_hidden_member(member->name)) member = archive_.next();
    return member;
  }

  Example example_of(const std::string& key, const std::vector<io::TarMember>& members) const {
    Example example(Origin{path_, row_});
    if (columns_.empty()) {
      example.set(kKey, key);
      for (const io::TarMember& member : members) set(example, place_of(member.name).column, member);
      return example;
    }
    for (const std::string& column : columns_) {
      if (column == kKey) {
        example.set(kKey, key);
      } else {
        set(example, column, member_of(column, members));
      }
    }
    return example;
  }

  void set(Example& example, const std::string& column, const io::TarMember& member) const {
    std::string content = archive_.read(member);
    example.set(column, is_text(column) ? without_line_break(std::move(content)) : std::move(content));
  }

  const io::TarMember& member_of(const std::string& column, const std::vector<io::TarMember>& members) const {
    for (const io::TarMember& member : members) {
      if (place_of(member.name).column == column) return member;
    }
    std::vector<std::string> names;
    for (const io::TarMember& member : members) names.push_back(place_of(member.name).column);
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw io::BadRecordError(
        missing_column(to_string(Origin{path_, row_}), column, views, naming_advice(column)).report());
  }

  std::vector<std::string> columns_;
  std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  io::TarReader archive_;
  std::optional<io::TarMember> waiting_;  // the first member of the next row, if it is known
  int64_t row_ = 0;
};

}  // namespace

Dataset read_tar(Files files, TarOptions options) {
  return read_files("read_tar", files.paths(), [options = std::move(options)](const std::string& path) {
    return std::make_unique<TarRows>(path, options.columns);
  });
}

}  // namespace portatune::data
