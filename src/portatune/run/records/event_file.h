// A file of events for TensorBoard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "portatune/run/records/metrics_log.h"

namespace portatune::run {

inline constexpr const char* kEventFolder = "runs";  ///< name of the folder of event files, as in transformers

/// An event file: TFRecords of tensorflow.Event, as its summary writer makes them.
/// source  tensorflow/core/util/event.proto, tensorboard/plugins/hparams/plugin_data.proto
class EventFile {
 public:
  /// Creates events.out.tfevents.<seconds>.<host>.<process> in a folder, and the folder.
  /// resumed_after  step of a resumed run; events of later steps in older files are void. None: the run starts
  /// errors         IoError
  EventFile(const std::filesystem::path& folder, std::optional<int64_t> resumed_after);

  /// Adds the numbers of a line of metrics.jsonl under transformers' tags: "eval_f1" as "eval/f1", "loss" as
  /// "train/loss".
  /// errors  IoError
  void add(const Json& line);

  /// Adds the settings of the run for the tab HPARAMS: numbers, texts and truth values of an object.
  /// errors  IoError
  void add_settings(const Json& settings);

  /// Marks the run as successful in that tab, after its model is saved.
  /// errors  IoError
  void add_end();

  /// Adds a text for the tab TEXT, under the tag that torch's SummaryWriter.add_text gives it.
  /// errors  IoError
  void add_text(const std::string& name, const std::string& text);

 private:
  void add_value(const std::string& value);
  void write(const std::string& event);

  AppendFile file_;
};

/// Removes the event files of an earlier run.
/// errors  std::filesystem::filesystem_error
void remove_event_files(const std::filesystem::path& folder);

}  // namespace portatune::run
