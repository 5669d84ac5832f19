#include "portatune/tasks/file_task.h"

#include <algorithm>
#include <utility>

#include "portatune/base/random.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/hub/model_folder.h"
#include "portatune/tasks/results/save_model.h"
#include "portatune/tasks/rows/row_file.h"

namespace portatune {
namespace {

// The random key of a row's changes.
uint64_t key_of(const data::Example& row, uint64_t seed) {
  const auto number = [&](std::string_view column) {
    return static_cast<uint64_t>(row.tensor(column).as<int64_t>()[0]);
  };
  return split_mix_64(split_mix_64(seed, number("epoch")), number("index"));
}

}  // namespace

struct FileTask::Impl {
  Impl(const ModelSource& model, std::string column, const tasks::FileType& type, const char* unit)
      : folder(hub::ModelFolder::open_config(model)), column(std::move(column)), type(type), unit(unit) {}

  hub::ModelFolder folder;
  std::string column;
  const tasks::FileType& type;
  const char* unit;
  mutable io::SeenFiles seen;  // notices changes while rows are encoded
};

FileTask::FileTask(const ModelSource& model, std::string column, const tasks::FileType& type, const char* unit)
    : impl_(std::make_unique<Impl>(model, std::move(column), type, unit)) {}
FileTask::~FileTask() = default;

const io::JsonObject& FileTask::config() const { return impl_->folder.config(); }
const std::string& FileTask::file_column() const { return impl_->column; }

std::string FileTask::file_name(const data::Example& row) const {
  return tasks::file_name(row, impl_->column, impl_->type);
}

void FileTask::add_file(data::Example& example, const data::Example& row, std::optional<uint64_t> key) const {
  const tasks::RowFile file(row, impl_->column, impl_->type, &impl_->seen);
  add_arrays(example, file.bytes(), file.name(), key);
}

data::Example FileTask::encoded(const data::Example& row, Labels labels) const {
  return data::call_on(row, [&](const data::Example&) {
    data::Example example = example_of(row, labels);
    add_file(example, row, std::nullopt);
    return example;
  });
}

data::LocalRows FileTask::local_rows(int64_t batch_size, bool is_training) const {
  return {.size = batch_size, .share = share_, .arrays = arrays(is_training)};
}

// The rows of a pass with their downloaded files, if the unshuffled rows of `source` name URLs.
data::Dataset FileTask::with_files(const data::Dataset& source, const data::Dataset& pass,
                                   const data::LocalRows& local) const {
  return tasks::names_urls(source, impl_->column, impl_->type)
             ? tasks::download_files(pass, impl_->column, impl_->type, local)
             : pass;
}

// The files of other processes' rows are not opened, except those that example_of() reads.
data::Dataset FileTask::examples_of(const data::Dataset& rows, Labels labels, const data::LocalRows& local) const {
  const auto encode = [this, labels](const data::Example& row, bool is_local) {
    if (is_local) return encoded(row, labels);
    return data::call_on(row, [&](const data::Example&) { return example_of(row, labels); });
  };
  return with_files(rows, rows, local).map_local(encode, local, {.threads = 0}).named("decode");
}

data::Dataset FileTask::training_examples_of(const data::Dataset& rows, const data::ShuffleOptions& order,
                                             const data::LocalRows& local) const {
  const auto encode = [this, seed = order.seed](const data::Example& row, bool is_local) {
    return data::call_on(row, [&](const data::Example&) {
      data::Example example = example_of(row, Labels::kRequired);
      if (is_local) add_file(example, row, key_of(row, seed));
      return example;
    });
  };
  return with_files(rows, rows.enumerate().shuffle(order).named("shuffle"), local)
      .map_local(encode, local, {.threads = 0})
      .named("decode");
}

data::Dataset FileTask::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  const data::LocalRows local = local_rows(size, false);
  return examples_of(rows, labels, local).batch_local(local).named("batch");
}

data::Dataset FileTask::training_batches(const data::Dataset& rows, int64_t size,
                                         const data::ShuffleOptions& order) const {
  const data::LocalRows local = local_rows(size, true);
  return training_examples_of(rows, order, local).batch_local(local).named("batch");
}

data::Dataset FileTask::all_examples(const data::Dataset& rows, Labels labels) const {
  return examples_of(rows, labels, {.size = 1});
}

data::Dataset FileTask::all_training_examples(const data::Dataset& rows, const data::ShuffleOptions& order) const {
  return training_examples_of(rows, order, {.size = 1});
}

data::Dataset FileTask::examples_with(const data::Dataset& rows, Labels labels, AddFromFile add) const {
  const auto encode = [this, labels, add = std::move(add)](const data::Example& row) {
    return data::call_on(row, [&](const data::Example&) {
      data::Example example = example_of(row, labels);
      const tasks::RowFile file(row, impl_->column, impl_->type, &impl_->seen);
      add(example, file.bytes(), file.name());
      return example;
    });
  };
  return with_files(rows, rows, {.size = 1}).map(encode, {.threads = 0}).named("measure");
}

std::optional<ChangedData> FileTask::changed_file() const {
  const std::optional<io::FileChange> change = impl_->seen.first_change();
  return change ? std::optional(ChangedData{change->file, change->what}) : std::nullopt;
}

std::vector<std::string> FileTask::unknown_config_keys() const { return config().unread_keys(); }

TokenCount FileTask::tokens(const data::Example& batch) const {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto real = std::ranges::count_if(weights, [](float weight) { return weight != 0; });
  return {.real = real, .positions = std::ssize(weights), .unit = impl_->unit};
}

InitialWeights FileTask::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return hub::load_weights(impl_->folder, parameters, base_prefix(), seed);
}

void FileTask::require_weights() const { impl_->folder.require_weights(); }

void FileTask::save_folder(const std::filesystem::path& folder, ConfigChanges changes) const {
  tasks::save_model(folder, impl_->folder, std::move(changes));
}

}  // namespace portatune
