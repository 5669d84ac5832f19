#include "portatune/run/tokenizer/train_tokenizer.h"

#include <memory>

#include "portatune/base/threads/stop.h"
#include "portatune/base/threads/thread_pool.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/file/file.h"
#include "portatune/sources.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTextsAtATime = 8192;

void require_empty(const fs::path& folder) {
  if (!io::has_entries(folder)) return;
  throw UsageError({.where = "--output " + folder.string(),
                    .given = "a folder or file that exists",
                    .expected = "a new folder, or an empty one"});
}

// Counts the words of all rows and returns the number of rows.
int64_t count_words(const TrainTokenizerOptions& a, text::TokenizerTrainer& trainer, ThreadPool& pool, Events& events) {
  const data::Dataset rows = data::read_table(a.files, {.columns = {a.text_column}}).prefetch(kTextsAtATime);
  const std::unique_ptr<RowProgress> progress = events.progress("counting words");
  std::vector<std::string> texts;
  int64_t count = 0;
  const auto flush = [&] {
    stop_if_requested();
    trainer.add(texts, pool);
    progress->add(std::ssize(texts));
    count += std::ssize(texts);
    texts.clear();
  };
  for (const data::Example& row : rows.iterate()) {
    texts.push_back(row.text(a.text_column));
    if (texts.size() == kTextsAtATime) flush();
  }
  flush();
  progress->finish();
  return count;
}

void write_tokenizer(const fs::path& output, const text::TokenizerFiles& files) {
  io::AtomicDirectory folder(output);
  io::write_file(folder.staging() / "tokenizer.json", files.tokenizer_json);
  io::write_file(folder.staging() / "tokenizer_config.json", files.tokenizer_config_json);
  folder.commit();
}

}  // namespace

TrainedTokenizer train_tokenizer(const TrainTokenizerOptions& options, Events& events) {
  require_empty(options.output);
  text::TokenizerTrainer trainer(options.training);
  ThreadPool pool;
  const int64_t rows = count_words(options, trainer, pool, events);
  const text::TokenizerFiles files = trainer.train(pool);
  write_tokenizer(options.output, files);
  return {.vocab_size = files.vocab_size, .rows = rows};
}

}  // namespace portatune::run
