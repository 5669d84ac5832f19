#include "portatune/run/inputs/rows/encoded_rows.h"

#include "portatune/tasks/text_task.h"

namespace portatune::run {

void keep_encoded_rows(RowTask& task, const std::shared_ptr<data::ExampleMemory>& memory) {
  if (auto* const texts = dynamic_cast<TextTask*>(&task)) texts->keep_examples(memory);
}

}  // namespace portatune::run
