#include "portatune/train/checkpoint/checkpoint_writer.h"

#include <cstdint>
#include <utility>

#include "portatune/hub/checkpoint_manifest.h"
#include "portatune/io/file/file.h"
#include "portatune/io/file/free_space.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/finite.h"

namespace portatune::train {
namespace {

// Checked by the first process, which alone writes the folder, or moves it into place.
void require_place(SharedDirectory& directory, const std::filesystem::path& folder) {
  if (directory.rank() == 0) directory.attempt([&] { require_place_to_save(folder, directory.staging()); });
}

// Writes the files of a model, its weights included.
hub::FileSums write_weights(SharedDirectory& directory, const std::filesystem::path& place, const Weights& files,
                            const std::vector<NamedArray>& weights) {
  if (directory.rank() == 0) directory.attempt([&] { files.save_files(directory.staging()); });
  return write_arrays(directory, files.stem(), weights, [&](const NamedTensorView& weight) {
    require_finite("saving to " + place.string(), {&weight, 1});
  });
}

// Checksums of the files that all processes have written.
hub::FileSums sums_of_all(const SharedDirectory& directory, const hub::FileSums& own) {
  hub::FileSums all;
  for (const std::string& text : directory.texts_of_all(hub::text_of_sums(own)))
    all.merge(hub::sums_in(text, "sums of files"));
  return all;
}

// Called before the first byte is written: the error of a full disk says only that it is full.
void require_space(SharedDirectory& directory, int64_t bytes, const std::string& what) {
  if (directory.rank() == 0) directory.attempt([&] { io::require_free_bytes(directory.staging(), bytes, what); });
}

// The types of all arrays in a checkpoint, in their order.
std::vector<TensorType> types_of(const std::vector<NamedArray>& weights, const std::vector<NamedArray>& slots) {
  std::vector<TensorType> types;
  for (const auto* arrays : {&weights, &slots}) {
    for (const NamedArray& array : *arrays) types.push_back(array.type);
  }
  return types;
}

// Whether this process writes each of these arrays.
std::vector<bool> is_written_here(const std::vector<NamedArray>& weights, const std::vector<NamedArray>& slots,
                                  const ProcessGroup& processes) {
  std::vector<bool> is_written;
  for (const auto* arrays : {&weights, &slots}) {
    for (const int64_t writer : writers_of(*arrays, processes.size())) is_written.push_back(writer == processes.rank());
  }
  return is_written;
}

int64_t bytes_of(const std::vector<TensorType>& types) {
  int64_t bytes = 0;
  for (const TensorType& type : types) bytes += type.bytes();
  return bytes;
}

int64_t free_memory() {
  const DeviceMemory memory = machine_memory();
  return *memory.limit_bytes - memory.in_use_bytes;
}

// Returns whether an old entry stays. Checkpoints stay, too.
bool is_kept(const std::filesystem::directory_entry& entry) { return entry.is_directory() || !is_replaced(entry); }

}  // namespace

// The first process writes one file, as models are usually published.
void CheckpointWriter::write_model(const std::filesystem::path& folder, const std::optional<RunRecord>& record) const {
  SharedDirectory directory(folder, processes_, 1);
  require_space(directory, weights_.bytes(), "the model");
  write_weights(directory, folder, weights_, weights_.named_weights());
  if (directory.rank() == 0 && record) {
    directory.attempt([&] { write_run_record(directory.staging(), *record); });
  }
  require_place(directory, folder);
  directory.commit({}, is_kept);
}

void CheckpointWriter::prepare_copies() {
  if (copies_ || !may_copy_) return;
  const std::vector<NamedArray> weights = weights_.named_weights(), slots = weights_.named_slots();
  const std::vector<TensorType> types = types_of(weights, slots);
  // All processes may be on one machine, where their parts add up to the whole state.
  if (in_any(processes_, bytes_of(types) > free_memory())) return;
  if (processes_ == nullptr) {
    copies_.emplace(types);
    return;
  }
  if (!save_group_) {
    save_group_ = processes_->duplicate();
    wait_for_all(save_group_.get());  // connects the group here, and not on the thread that writes
  }
  copies_.emplace(types, is_written_here(weights, slots, *processes_));
}

bool CheckpointWriter::copy(Checkpoint& checkpoint) {
  prepare_copies();
  if (!copies_) return false;
  if (in_any(processes_, !copies_->is_allocated())) {
    copies_.reset();
    return false;
  }
  if (save_group_) {
    checkpoint.directory = open_directory(checkpoint.folder, save_group_.get(), /*needs_all=*/false);
    may_copy_ = checkpoint.directory->writers() == save_group_->size();
    if (!may_copy_) {
      copies_.reset();
      return false;
    }
  }
  std::vector<NamedArray*> arrays;
  for (NamedArray& array : checkpoint.weights) arrays.push_back(&array);
  for (NamedArray& array : checkpoint.slots) arrays.push_back(&array);
  copies_->copy(arrays);
  checkpoint.is_copied = true;
  return true;
}

// needs_all  whether every process must write
std::unique_ptr<SharedDirectory> CheckpointWriter::open_directory(const std::filesystem::path& folder,
                                                                  ProcessGroup* processes, bool needs_all) const {
  const auto unseen = needs_all || are_seen_by_all_ ? SharedDirectory::Unseen::kIsAnError
                                                    : SharedDirectory::Unseen::kLeavesItToTheFirst;
  return std::make_unique<SharedDirectory>(folder, processes, processes == nullptr ? 1 : processes->size(), unseen);
}

void CheckpointWriter::write(Checkpoint& checkpoint) const {
  const std::filesystem::path& folder = checkpoint.folder;
  const std::unique_ptr<SharedDirectory> owner =
      checkpoint.directory ? std::move(checkpoint.directory) : open_directory(folder, processes_, checkpoint.is_copied);
  SharedDirectory& directory = *owner;
  require_space(directory, bytes_of(types_of(checkpoint.weights, checkpoint.slots)), "a checkpoint");
  hub::FileSums sums = write_weights(directory, folder, weights_, checkpoint.weights);
  require_place(directory, folder);
  if (!checkpoint.slots.empty()) sums.merge(write_arrays(directory, kOptimizerStem, checkpoint.slots));
  sums = sums_of_all(directory, sums);
  const auto finish = [&] {
    SavedArrays(directory.staging(), weights_.stem());  // checks them
    if (!checkpoint.slots.empty()) SavedArrays(directory.staging(), kOptimizerStem);
    write_position(directory.staging(), checkpoint.position);
    for (const auto& [name, text] : checkpoint.files) io::write_file(directory.staging() / name, text);
    hub::write_manifest(directory.staging(), sums);
  };
  directory.commit(finish, is_kept);
}

}  // namespace portatune::train
