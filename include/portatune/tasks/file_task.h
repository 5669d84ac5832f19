// The common part of tasks whose rows have one file each, such as an image or a recording: a model folder, and batches
// whose files are decoded by many threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "portatune/hub.h"
#include "portatune/json_object.h"
#include "portatune/tasks.h"

namespace portatune {

namespace tasks {
struct FileType;
}

/// A task on a model folder of Hugging Face. A row has one file: its path or URL, or its bytes.
class FileTask : public RowTask {
 public:
  ~FileTask() override;

  bool reads_one_text() const override { return false; }
  void set_batch_share(BatchShare share) override { share_ = share; }
  /// Decodes files with as many threads as there are cores that the process may use.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  /// Changes the contents of files at random, depending only on the seed, the epoch and the row's index.
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override;
  /// Notices a change when the file is read again.
  std::optional<ChangedData> changed_file() const override;
  std::vector<std::string> unknown_config_keys() const override;
  /// Counts files.
  TokenCount tokens(const data::Example& batch) const override;
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void require_weights() const override;

 protected:
  /// column  the column of paths or of the files' bytes
  /// type    the files that a row may contain
  /// unit    what tokens() counts: "images"
  /// errors  CheckpointError, NotFoundError for a faulty folder
  FileTask(const ModelSource& model, std::string column, const tasks::FileType& type, const char* unit);

  /// The example of a row without the arrays of its file.
  virtual data::Example example_of(const data::Example& row, Labels labels) const = 0;
  /// Names and types of the arrays of a file.
  virtual data::BatchType arrays(bool is_training) const = 0;
  /// Adds the arrays of a file to an example.
  /// file    encoded
  /// where   its name in errors
  /// key     of the random changes in training; none: no changes
  /// errors  DataError that names the file if it cannot be decoded
  virtual void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                          std::optional<uint64_t> key) const = 0;
  /// Prefix of the parameters of the model's body.
  virtual const std::string& base_prefix() const = 0;

  /// The example of a row with the arrays of its file.
  /// errors  DataError, NotFoundError, IoError, which name row and file, for a file that cannot be read; those of
  ///         example_of()
  data::Example encoded(const data::Example& row, Labels labels) const;

  const io::JsonObject& config() const;
  const std::string& file_column() const;
  /// The name of a row's file: its path or URL, or the origin of the row.
  std::string file_name(const data::Example& row) const;
  /// Examples one by one, for a task whose rows decide about the shapes of batches: every process decodes all files.
  data::Dataset all_examples(const data::Dataset& rows, Labels labels) const;
  /// As all_examples(), in random order and with the random changes of training.
  data::Dataset all_training_examples(const data::Dataset& rows, const data::ShuffleOptions& order) const;
  /// Adds the contents of its file to an example. `file` is encoded, `where` its name in errors.
  using AddFromFile =
      std::function<void(data::Example& example, std::span<const std::byte> file, const std::string& where)>;
  /// The examples of all rows without the arrays of their files, but with what `add` adds. Several threads call it.
  data::Dataset examples_with(const data::Dataset& rows, Labels labels, AddFromFile add) const;
  /// Writes the config with the changes and the companion files.
  void save_folder(const std::filesystem::path& folder, ConfigChanges changes) const;

 private:
  struct Impl;
  data::LocalRows local_rows(int64_t batch_size, bool is_training) const;
  data::Dataset with_files(const data::Dataset& source, const data::Dataset& pass, const data::LocalRows& local) const;
  data::Dataset examples_of(const data::Dataset& rows, Labels labels, const data::LocalRows& local) const;
  data::Dataset training_examples_of(const data::Dataset& rows, const data::ShuffleOptions& order,
                                     const data::LocalRows& local) const;
  void add_file(data::Example& example, const data::Example& row, std::optional<uint64_t> key) const;

  std::unique_ptr<const Impl> impl_;
  BatchShare share_;
};

}  // namespace portatune
