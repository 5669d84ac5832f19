// A task of Python on an image model.
#include <nanobind/nanobind.h>

#include <utility>

#include "portatune/data/read/file_kinds.h"
#include "portatune/python/tasks/task_functions.h"
#include "portatune/python/tasks/traced_model.h"
#include "portatune/tasks/image_classification.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

class PythonImageTask final : public ImageTask {
 public:
  PythonImageTask(const ModelSource& model, const ImageInputOptions& options, Definition definition)
      : ImageTask(model, definition.inputs.images.front().column, options), functions_(std::move(definition)) {}

  // Conversion of rows to examples.

  std::vector<std::string> columns(Labels labels) const override {
    std::vector<std::string> names = {image_column()};
    if (labels == Labels::kIgnored) return names;
    for (const std::string& name : functions_.label_columns()) names.push_back(name);
    return names;
  }

  // The folders of images are the classes of a task with no other labels.
  data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const override {
    const std::vector<std::string> names = columns(labels);
    const bool may_be_folder = names.size() == 1 || (names.size() == 2 && !functions_.inputs().classes.empty());
    if (!may_be_folder) return RowTask::read(files, labels, std::move(table));
    return read_images(files, image_column(), names.size() == 1 ? "" : names.back(), std::move(table));
  }

  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = functions_.settings();
    settings.merge(image_settings());
    return settings;
  }

  // Forward pass.

  std::vector<std::string> inputs() const override {
    std::vector<std::string> names = functions_.labels();
    names.emplace_back("pixel_values");
    names.emplace_back(data::kExampleWeight);
    return names;
  }

  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    return functions_.forward(batch, [&](nb::dict& columns) {
      columns[functions_.inputs().images.front().name.c_str()] = nb::cast(batch.at("pixel_values"));
      return nb::cast(TracedModel(root, model()));
    });
  }

  // Use of its outputs.

  std::unique_ptr<Metrics> metrics() const override { return functions_.metrics(); }
  std::unique_ptr<PredictionLines> prediction_lines() const override { return functions_.prediction_lines(); }
  void save(const std::filesystem::path& folder) const override {
    save_folder(folder, {.architecture = functions_.architecture()});
  }

 private:
  data::Example example_of(const data::Example& row, Labels labels) const override {
    data::Example example(row.origin());
    functions_.set_labels(example, row, labels);
    return example;
  }

  const TaskFunctions functions_;
};

}  // namespace

std::unique_ptr<RowTask> python_image_task(const ModelSource& model, const ImageInputOptions& options,
                                           Definition definition) {
  return std::make_unique<PythonImageTask>(model, options, std::move(definition));
}

}  // namespace portatune::python
