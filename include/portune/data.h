// Lazy datasets: tables read from files, and the verbs of tf.data that turn them into batches.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "portune/tensor.h"

namespace portune::data {

/// Where an example comes from, for error messages.
struct Origin {
  std::shared_ptr<const std::string> file;  ///< shared by all rows of a file; null if there is no file
  int64_t row = -1;                         ///< the line, counted from 1 as editors do; without a file, from 0
};

/// "train.csv:17"; "example 3" where there is no file; "an example" where nothing is known.
std::string to_string(const Origin& origin);

/// One value: a text, an array, or (in a batch) one text per row.
using Column = std::variant<std::string, Tensor, std::vector<std::string>>;

/// An element of a dataset: named columns in a fixed order. A batch is again an Example, whose arrays have a leading
/// dimension and whose texts are lists.
class Example {
 public:
  struct Entry {
    std::string name;
    Column value;
  };

  Example() = default;
  explicit Example(Origin origin) : origin_(std::move(origin)) {}

  /// Adds a column, or replaces the one of this name.
  Example& set(std::string_view name, Column value);
  /// Removes a column, if it is there.
  Example& erase(std::string_view name);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<Entry>& columns() const { return columns_; }
  const Origin& origin() const { return origin_; }

  /// The value of a column. DataError, which names the origin and the columns there are, if there is no such column.
  const Column& column(std::string_view name) const;
  /// The value of a column of a given kind. DataError if the column is missing or of another kind.
  const std::string& text(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;

 private:
  const Entry* find(std::string_view name) const;

  Origin origin_;
  std::vector<Entry> columns_;
};

class Iterator;
class Stage;

/// One pass over a dataset.
///     Cursor cursor = dataset.iterate();
///     while (auto example = cursor.next()) ...
/// or  for (Example& example : dataset.iterate()) ...
/// After an error the pass is over: do not pull from it again.
class Cursor {
 public:
  explicit Cursor(std::unique_ptr<Iterator> iterator);
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();

  /// The next element; nothing at the end.
  std::optional<Example> next();
  /// Passes over the next `count` elements, or as many as there are, and returns how many these were. Rows are read
  /// but not mapped, encoded or put into batches, so what is wrong with them may go unnoticed.
  int64_t skip(int64_t count);

  /// What a range-based for loop needs.
  class Position {
   public:
    explicit Position(Cursor* cursor) : cursor_(cursor) { ++*this; }
    Example& operator*() { return *example_; }
    Position& operator++() {
      example_ = cursor_->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !example_; }

   private:
    Cursor* cursor_;
    std::optional<Example> example_;
  };
  Position begin() { return Position(this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::unique_ptr<Iterator> iterator_;
};

struct MapOptions {
  int threads = 1;  ///< 1: on the pulling thread; more: a pool of that many; 0: as many as the machine has
};

struct ShuffleOptions {
  int64_t buffer = 0;  ///< examples held; at least the dataset's size makes every order equally likely
  uint64_t seed = 0;
  bool reshuffle_each_iteration = true;  ///< another order in each epoch; otherwise always that of epoch 0
};

/// The float32 column [size] that every batch carries: 1 for an example, 0 for a row that only fills the batch up.
/// Examples that bring a float32 scalar of this name keep their own weight.
inline constexpr std::string_view kExampleWeight = "example_weight";

struct BatchOptions {
  int64_t size = 0;             ///< examples in a batch
  bool drop_remainder = false;  ///< leave out a last batch that is not full
  bool fill_remainder = true;   ///< fill it up with rows of weight 0; otherwise it is smaller than the others
};

struct PaddedBatchOptions {
  /// The lengths a batch may have: it gets the smallest that holds its longest example, so that there are at most this
  /// many shapes to compile. One entry is a fixed length.
  std::vector<int64_t> lengths;
  std::vector<std::string> columns;          ///< the 1-D columns to pad; empty: all 1-D columns
  std::map<std::string, double> pad_values;  ///< what a column is padded with; 0 where it is not named
  bool drop_remainder = false;               ///< as in BatchOptions
  bool fill_remainder = true;
};

/// A lazy sequence of examples: nothing is read before it is iterated. Cheap to copy; every verb returns a new dataset
/// and leaves this one as it is. Iterating twice starts afresh. The order depends on seeds and epoch only, never on
/// threads or the machine.
class Dataset {
 public:
  // Shared, because copies of a dataset and datasets derived from it read the same immutable description.
  explicit Dataset(std::shared_ptr<const Stage> stage) : stage_(std::move(stage)) {}

  /// Begins a pass. `epoch` chooses the order of shuffled data. repeat() counts epochs itself, from here on: epoch k of
  /// x.repeat() has the order of x.iterate(k).
  Cursor iterate(int64_t epoch = 0) const;

  /// How many examples a pass gives, by passing over them as Cursor::skip() does.
  int64_t count() const;

  /// Each example replaced by f of it, in order. With several threads f runs concurrently and must allow that.
  /// An error of f is thrown where its example would have come.
  Dataset map(std::function<Example(Example)> f, MapOptions options = {}) const;
  /// Each example replaced by all that f makes of it, which may be none, in order.
  Dataset flat_map(std::function<std::vector<Example>(Example)> f) const;
  /// The examples for which `keep` is true.
  Dataset filter(std::function<bool(const Example&)> keep) const;
  /// Those examples whose place has `true`, without looking at them.
  /// errors  DataError, when it is reached, for an example beyond the last place, or a place without one
  Dataset select(std::vector<bool> places) const;
  /// Each example with two more columns, int64 scalars: "index", its place in the pass, from 0, and "epoch", that of
  /// the pass. Before shuffle() these name an example whatever the order, so that random changes can depend on them
  /// alone.
  Dataset enumerate() const;
  /// A random order: each example is drawn from a buffer that is refilled from the input.
  Dataset shuffle(ShuffleOptions options) const;
  /// The dataset `count` times, or without end. An empty dataset stays empty.
  Dataset repeat(std::optional<int64_t> count = std::nullopt) const;
  /// The first `count` examples.
  Dataset take(int64_t count) const;
  /// All but the first `count` examples, which are passed over as Cursor::skip() does.
  Dataset skip(int64_t count) const;
  /// `size` examples side by side: arrays of one shape [...] become [size, ...], texts a list of `size` texts.
  /// Rows that fill up the last batch hold zeros and empty texts.
  /// errors  DataError if examples differ in columns, element types or shapes
  Dataset batch(BatchOptions options) const;
  /// As batch(), with 1-D arrays padded at the end to a common length. Fillers hold the pad value.
  /// errors  DataError that names the origin of an example longer than the largest length
  Dataset padded_batch(int64_t size, PaddedBatchOptions options) const;
  /// The int32 1-D arrays of a column joined to one and cut into pieces of `size`; the last may be shorter. Each piece
  /// has the origin of the example that its end is from, and no other column.
  Dataset blocks(std::string column, int64_t size) const;
  /// Works ahead: a background thread keeps up to `count` elements ready. An error of the input is thrown after the
  /// elements before it. Ending a pass early waits for the element that is being made.
  Dataset prefetch(int64_t count) const;

 private:
  std::shared_ptr<const Stage> stage_;
};

/// One file or several, which are read one after the other: "train.csv", {"a.csv", "b.csv"}.
class Files {
 public:
  Files(const char* path) : paths_{path} {}
  Files(std::string path) : paths_{std::move(path)} {}
  Files(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  Files(std::initializer_list<std::string> paths) : paths_(paths) {}

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

struct CsvOptions {
  std::optional<char> delimiter;     ///< default: ',' in read_csv, tab in read_tsv
  std::optional<bool> quoting;       ///< whether '"' encloses fields; default: yes in read_csv, no in read_tsv
  bool header = true;                ///< whether the first line names the columns
  std::vector<std::string> names;    ///< the columns' names, for files without a header
  std::vector<std::string> columns;  ///< the columns to read; empty: all
  /// Whether rows of another length than the first are passed over; otherwise they are errors.
  bool skip_ragged_rows = false;
};

/// The rows of CSV files (RFC 4180, UTF-8). All values stay texts, so "007" is "007". Empty lines are ignored.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for a
///         file without rows, a row of another length, a quote that is not closed, bytes that are not UTF-8, a field
///         of more than 16 MB, a column that is missing or named twice
Dataset read_csv(Files files, CsvOptions options = {});
/// As read_csv, with tabs between the fields and quotes as ordinary characters.
Dataset read_tsv(Files files, CsvOptions options = {});

struct JsonlOptions {
  std::vector<std::string> columns;  ///< the keys to read; empty: all
};

/// JSON Lines: an object a line. Strings become texts; so do numbers, true and false, lists and objects, as they are
/// spelled there (a task that expects a list parses it); null becomes an empty text, which is what a missing value is
/// in CSV. Empty lines are ignored.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for
///         what is not a JSON object, a missing or doubled key, a line of more than 64 MB. NaN and Infinity are not
///         JSON.
Dataset read_jsonl(Files files, JsonlOptions options = {});

/// The lines of text files as rows with one column, "text"; LF and CR LF end a line.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for
///         bytes that are not UTF-8
Dataset read_text(Files files);

struct ConllOptions {
  std::string tokens_column = "tokens";  ///< what the column of the tokens is called
  std::string tags_column = "ner_tags";  ///< what the column of the tags is called; empty: tags are not read
};

/// Sentences in columns: a token a line with its tag in the last column (tabs or blanks between the columns), an empty
/// line after each sentence. An element is a sentence with two texts, the JSON lists of its tokens and of its tags.
/// Lines that begin with -DOCSTART- are passed over.
/// errors  NotFoundError at once if a file is missing; DataError with file and line for a file without sentences, a
///         line of another number of columns, a token without a tag if tags are read, bytes that are not UTF-8
/// source  Tjong Kim Sang and De Meulder 2003, the format of the CoNLL shared tasks
Dataset read_conll(Files files, ConllOptions options = {});

/// SQuAD's JSON files, versions 1 and 2: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers":
/// [{"text", "answer_start"}]}]}]}]}, or {"data": [{"id", "question", "context", "answers": {"text": [...],
/// "answer_start": [...]}}]}. An element is a question with the texts id, question, context and, if wanted, answers, in
/// JSON as in the second form. The row of its origin is its number, from 1.
/// answers  whether answers are read; a question without them has none, as where "is_impossible" is true
/// errors   NotFoundError at once if a file is missing; DataError with the file for what is not such JSON, for a file
///          without questions or of more than 4 GB
Dataset read_squad(Files files, bool answers = true);

struct ImageFolderOptions {
  std::string image_column = "image";  ///< what the column of the paths is called
  std::string label_column = "label";  ///< what the column of the classes is called; empty: folders are no classes
};

/// Images of a folder, without reading them. An element has two texts, the path of a file and the name of the folder
/// that it is in, directly below `folder`; sorted by path. What begins with a dot, or has not the extension of an
/// image, is passed over. Where folders are no classes images may stand anywhere.
/// errors  at once: NotFoundError, IoError; DataError if there are no images or one is in no class
Dataset read_image_folder(const std::string& folder, ImageFolderOptions options = {});

struct TableOptions {
  std::vector<std::string> columns;  ///< the columns to read; empty: all
  std::vector<std::string> names;    ///< the columns' names, for .csv and .tsv files without a header
  bool skip_ragged_rows = false;     ///< as in CsvOptions, for .csv and .tsv files
};

/// Reads by the files' common extension: .csv, .tsv, or .jsonl, .ndjson and .json (which must hold JSON Lines), or
/// .txt, which has the one column "text".
/// errors  those of the readers; UsageError for another extension, or for options that files of this kind do not have
Dataset read_table(Files files, TableOptions options = {});

/// Which of `folds` parts each of `examples` belongs to, 0 to folds - 1: parts of equal size, or one less, in random
/// order.
/// errors  UsageError for fewer than 2 folds, or more folds than examples
std::vector<int> k_fold(int64_t examples, int folds, uint64_t seed);
/// The same where examples of one group stay together. As sklearn.model_selection.GroupKFold: the largest group first,
/// each into the part that is the smallest so far; of equally large groups the later name first, of equal parts the
/// first.
/// errors  UsageError for fewer than 2 folds, or more folds than groups
std::vector<int> group_k_fold(const std::vector<std::string>& groups, int folds);

/// Examples from memory. Those without an origin are numbered from 0.
Dataset from_examples(std::vector<Example> examples);

}  // namespace portune::data
