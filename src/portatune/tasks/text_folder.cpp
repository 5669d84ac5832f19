#include "portatune/tasks/text_folder.h"

#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/media_models.h"
#include "portatune/models.h"
#include "portatune/text.h"

namespace portatune::tasks {

hub::ModelFolder open_text_folder(const ModelSource& model) {
  hub::ModelFolder folder = hub::ModelFolder::open_config(model);
  const bool reads_texts = !models::is_image_model(folder.config()) && !models::is_audio_model(folder.config());
  if (folder.has_weights() || folder.config().has("vocab_size") || !reads_texts) return folder;
  folder.edit_config({.vocab_size = text::Tokenizer::load(hub::folder_of_settings(model.folder)).vocab_size()});
  return folder;
}

void require_embeddings(const std::filesystem::path& folder, const std::string& tokenizer, int64_t tokens,
                        int64_t rows) {
  if (tokens <= rows) return;
  throw CheckpointError(
      {.where = folder.string(),
       .given = tokenizer + " of " + std::to_string(tokens) + " tokens and an embedding of " + std::to_string(rows),
       .expected = "an embedding for every token"});
}

}  // namespace portatune::tasks
