#include "portatune/tasks/files/transcribed_files.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "portatune/error.h"
#include "portatune/tasks/files/file_classes.h"
#include "portatune/tasks/rows/first_row.h"

namespace portatune::tasks {
namespace {

constexpr const char* kFileName = "file_name";
constexpr const char* kTranscription = "transcription";

std::optional<std::string> metadata_in(const std::string& folder) {
  for (const char* name : {"metadata.csv", "metadata.jsonl"}) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (std::filesystem::exists(file)) return file.string();
  }
  return std::nullopt;
}

data::Dataset read_metadata(const std::string& file, const std::string& audio_column, const std::string& text_column,
                            data::TableOptions table) {
  table.rename.emplace(kFileName, audio_column);
  table.columns = {audio_column};
  if (!text_column.empty()) {
    const std::optional<data::Example> row = first_row({file}, table);
    if (row && !row->has(text_column) && row->has(kTranscription)) table.rename.emplace(kTranscription, text_column);
    table.columns.push_back(text_column);
  }
  return data::read_table({file}, std::move(table));
}

data::Dataset read_speech_folder(const std::string& folder, const std::string& audio_column,
                                 const std::string& text_column, data::TableOptions table) {
  if (const auto metadata = metadata_in(folder)) {
    return read_metadata(*metadata, audio_column, text_column, std::move(table));
  }
  if (text_column.empty()) return data::read_audio_folder(folder, {.audio_column = audio_column, .label_column = ""});
  throw NotFoundError({.where = folder,
                       .given = "a folder without metadata.csv and metadata.jsonl",
                       .expected = "one of them, with the columns file_name and transcription",
                       .fix = "or give a table with the columns " + audio_column + " and " + text_column});
}

}  // namespace

data::Dataset read_transcribed_files(const std::vector<std::string>& files, const std::string& audio_column,
                                     const std::string& text_column, data::TableOptions table) {
  return read_labelled_files(files, audio_column, text_column, table, "recordings", [&](const std::string& folder) {
    return read_speech_folder(folder, audio_column, text_column, table);
  });
}

}  // namespace portatune::tasks
