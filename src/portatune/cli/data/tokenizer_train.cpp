// portatune tokenizer train: learns the vocabulary of a tokenizer from rows of texts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/message.h"
#include "portatune/base/stop.h"
#include "portatune/base/thread_pool.h"
#include "portatune/cli/options/commands.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/file/file.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTextsAtATime = 8192;

void require_empty(const fs::path& folder) {
  const bool is_free = !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
  if (is_free) return;
  throw UsageError({.where = "--output " + folder.string(),
                    .given = "a folder or file that exists",
                    .expected = "a new folder, or an empty one"});
}

// Counts the words of all rows and returns the number of rows.
int64_t count_words(const TokenizerTrainArguments& a, text::TokenizerTrainer& trainer, ThreadPool& pool) {
  const data::Dataset rows = data::read_table(a.files, {.columns = {a.text_column}}).prefetch(kTextsAtATime);
  RowBar progress(a.talk, "counting words");
  std::vector<std::string> texts;
  int64_t count = 0;
  const auto flush = [&] {
    stop_if_requested();
    trainer.add(texts, pool);
    progress.add(std::ssize(texts));
    count += std::ssize(texts);
    texts.clear();
  };
  for (const data::Example& row : rows.iterate()) {
    texts.push_back(row.text(a.text_column));
    if (texts.size() == kTextsAtATime) flush();
  }
  flush();
  progress.finish();
  return count;
}

void write(const fs::path& output, const text::TokenizerFiles& files) {
  io::AtomicDirectory folder(output);
  io::write_file(folder.staging() / "tokenizer.json", files.tokenizer_json);
  io::write_file(folder.staging() / "tokenizer_config.json", files.tokenizer_config_json);
  folder.commit();
}

}  // namespace

int tokenizer_train(const TokenizerTrainArguments& a) {
  catch_signals();  // so that no incomplete folder is left
  require_empty(a.output);
  text::TokenizerTrainer trainer(a.training);
  ThreadPool pool;
  const int64_t rows = count_words(a, trainer, pool);
  const text::TokenizerFiles files = trainer.train(pool);
  write(a.output, files);
  if (a.talk.json) {
    print_result(line_of({{"tokenizer", a.output.string()}, {"vocab_size", files.vocab_size}, {"rows", rows}}));
    return kOk;
  }
  print_remark(a.talk, fmt::format("a tokenizer of {} from {}: {}", counted(files.vocab_size, "token"),
                                   counted(rows, "row"), a.output.string()));
  return kOk;
}

}  // namespace portatune::cli
