// Recordings of speech with their transcriptions: tables, and folders with a table of their files.
#pragma once

#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/sources.h"

namespace portatune::tasks {

/// Rows of tables with a column of recordings and one of transcriptions; or of one folder whose metadata.csv or
/// metadata.jsonl has paths within the folder in the column file_name and texts in `text_column` or else in the column
/// transcription, as the AudioFolder of Hugging Face datasets.
/// text_column  empty: rows have no transcriptions, and a folder needs no metadata
/// errors       those of data::read_audio_folder and data::read_table; NotFoundError for a folder without metadata
data::Dataset read_transcribed_files(const std::vector<std::string>& files, const std::string& audio_column,
                                     const std::string& text_column, data::TableOptions table);

}  // namespace portatune::tasks
