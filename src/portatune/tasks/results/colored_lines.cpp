#include "portatune/tasks/results/colored_lines.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/files/output_file.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/media/image/encode_png.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;

bool ends_as_image(const fs::path& name) {
  const std::string ending = lower_case(name.extension().string());
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".webp";
}

// The name of a picture for a path, a URL or the origin of a row: "1" for "photos/1.png", "train-tfrecord-17" for
// "train.tfrecord:17".
std::string stem_of(const std::string& name) {
  const bool may_have_query = name.find("://") != std::string::npos;
  const fs::path file = fs::path(may_have_query ? name.substr(0, name.find('?')) : name).filename();
  std::string stem = (ends_as_image(file) ? file.stem() : file).string();
  const auto is_plain = [](unsigned char c) { return c >= 0x80 || std::isalnum(c) != 0 || c == '-' || c == '_'; };
  std::ranges::replace_if(
      stem, [&](char c) { return !is_plain(static_cast<unsigned char>(c)); }, '-');
  return stem;
}

}  // namespace

ColoredLines::ColoredLines(ColoredColumns columns, const fs::path& folder, PictureOf picture_of)
    : columns_(std::move(columns)), folder_(fs::absolute(folder)), picture_of_(std::move(picture_of)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) return;
  throw IoError({.where = folder_.string(), .given = error.message(), .expected = "a folder for the pictures"},
                error.value());
}

// The second picture of one name is "NAME-2.png".
fs::path ColoredLines::file_for(const std::string& name) {
  const std::string stem = stem_of(name);
  std::string unused = stem;
  while (!next_numbers_.try_emplace(unused, 2).second) unused = stem + "-" + std::to_string(next_numbers_[stem]++);
  fs::path file = folder_ / (unused + ".png");
  std::error_code error;  // replace_file() reports a folder that cannot be read
  if (!fs::exists(file, error)) return file;
  throw UsageError({.where = "colored_images",
                    .given = file.string() + ", which exists",
                    .expected = "a folder without pictures of these names",
                    .fix = "choose another folder"});
}

std::string ColoredLines::take(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto bits = outputs.tensor(columns_.bits).as<float>();
  std::string lines;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    const std::string& name = batch.texts(columns_.name)[row];
    const fs::path file = file_for(name);
    replace_file(file, image::encode_png(picture_of_(outputs, row)));
    lines += io::line_of(
        nlohmann::ordered_json{{"image", name}, {"colored", file.string()}, {columns_.bits_name, bits[row]}});
  }
  return lines;
}

}  // namespace portatune::tasks
