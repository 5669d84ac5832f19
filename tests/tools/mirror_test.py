"""Tests mirror sources: each has a test of its name, a test of its folder that includes its header, or a line here."""

import fnmatch
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "portatune"
TESTS = ROOT / "tests"
# tests/data has the golden files.
FOLDERS_OF_TESTS = {"data_stages": "data"}

# The folders of the libraries and plug-ins, of which each has a name of its own.
FOLDERS = {path.parent.relative_to(SOURCES) for path in SOURCES.rglob("CMakeLists.txt")} - {pathlib.PurePath(".")}

# Tests that cover several sources by what these do together -> the sources, as FOLDER/NAME: the last part of the folder
# of a library, and the name of the file without inner folders.
TESTED_TOGETHER = {
    # A verb, a source or a batch by its elements and its saved states.
    "data/state_test.cpp": "data/*",
    "io/arrow_table_test.cpp": "arrow/*",
    "processes/exchange_group_test.cpp": "gloo/* mpi/*",
    # Remote files against a server, over all layers.
    "io/http_file_test.cpp": "io/bounded_call io/curl io/http_request io/http_transport io/remote_file io/retries",
    "io/decompress_test.cpp": "io/decompressor io/zstd",
    "io/mapping_guard_test.cpp": "io/local_file",
    "io/watched_files_test.cpp": "io/file_stamp",
    "io/atomic_directory_test.cpp": "io/free_space io/keep_entries",
    "io/jsonl_test.cpp": "io/json_tree io/text_file",
    "io/pickle_test.cpp": "io/pickle_opcodes io/pytorch_formats io/state_dict",
    "io/tfrecord_reader_test.cpp": "io/tfrecord_frame",
    "cli/processes_test.cpp": "io/arrow_plugin io/own_plugin",
    "data/hub_dataset_test.cpp": "io/listing",
    "cli/from_scratch_test.cpp": "tasks/text_folder",
    "tasks/speech_seq2seq_test.cpp": "tasks/generated_outputs tasks/speech_seq2seq_spec tasks/speech_windows",
    "tasks/text_to_text_test.cpp": "tasks/first_row tasks/source_target tasks/target_language tasks/text_to_text_spec",
    # Texts against `tokenizers`, through all stages of a tokenizer.
    "text/components_test.cpp": "text/*",
    "jinja/template_test.cpp": "jinja/*",
    "chat/chat_template_test.cpp": "chat/*",
    "audio/decode_test.cpp": "audio/audio_plugin audio/formats sndfile/*",
    "audio/extractor_test.cpp": "audio/mel_filters audio/mel_spectrogram",
    "image/decode_test.cpp": "image/image image/jpeg image/png image/webp",
    "image/area_resize_test.cpp": "image/encode_png",
    "image/resize_test.cpp": "image/center_crop image/row_resizer image/taps",
    "graph/composites_test.cpp": "graph/adamw graph/attention_mask graph/composite graph/dropout graph/gelu "
    "graph/layer_norm graph/linear graph/rms_norm graph/softmax graph/sum_of_squares",
    "graph/block_sparse_attention_test.cpp": "kernels/block_attention",
    "graph/shape_ops_test.cpp": "graph/broadcast graph/concatenate graph/constant graph/iota graph/reshape graph/slice "
    "graph/transpose",
    "graph/graph_test.cpp": "graph/checks graph/compare graph/convert graph/executions graph/matrix_flops "
    "graph/top_k graph/traversal",
    "kernels/attention_test.cpp": "kernels/attention_*",
    "kernels/linear_test.cpp": "kernels/few_rows kernels/row_vectors",
    "kernels/handler_test.cpp": "kernels/*_handler kernels/*_handlers",
    "kernels/simd_math_test.cpp": "kernels/simd",
    # Results of transformers for every model and head.
    "models/coltran_test.cpp": "models/axial_layers models/coltran_*",
    "models/parity_test.cpp": "models/* nn/self_attention parity/optimizer_steps tasks/ctc",
    "metrics/metric_test.cpp": "metrics/*",
    "generate/generator_test.cpp": "generate/beam_search generate/model_programs generate/plain_search generate/run "
    "generate/search generate/settings",
    "generate/generated_tokens_test.cpp": "generate/text_loop generate/token_model",
    "hub/download_test.cpp": "hub/partial_file hub/required_files io/hub_client",
    "hub/find_model_test.cpp": "io/environment",
    "models/adapter_parity_test.cpp": "hub/changed_model hub/merge_adapter",
    "base/output_file_test.cpp": "base/shipped_files",
    "processes/process_group_test.cpp": "base/process_group",
    "pjrt/client_test.cpp": "pjrt/buffer pjrt/c_api pjrt/event pjrt/executable pjrt/key_value_callbacks",
    "pjrt/executable_cache_test.cpp": "pjrt/cache_key",
    "pjrt/plugin_package_test.cpp": "pjrt/pins",
    "optim/steps_test.cpp": "optim/optimizer",
    "plan/target_test.cpp": "plan/accelerators plan/cpu_peaks plan/step_plan",
    "runtime/device_test.cpp": "runtime/cpu_kernels runtime/device_* runtime/open_client "
    "runtime/saved_programs runtime/target",
    "tasks/language_model_test.cpp": "tasks/causal_lm tasks/causal_task tasks/masked_lm",
    "tasks/text_classification_test.cpp": "tasks/task tasks/text_task tasks/heads tasks/*label* tasks/json_number "
    "tasks/row_json tasks/sentence_pairs tasks/text_rows tasks/classification_lines tasks/save_model tasks/*_metrics "
    "tasks/class_weights tasks/found_classes tasks/text_classification_spec",
    "tasks/audio_classification_test.cpp": "tasks/audio_task tasks/whisper_features",
    "tasks/colorization_test.cpp": "tasks/colored_lines",
    "tasks/image_classification_test.cpp": "tasks/file_classes tasks/file_task tasks/image_task",
    "tasks/speech_ctc_test.cpp": "tasks/language_weights tasks/transcriptions",
    "tasks/question_answering_test.cpp": "tasks/answer_* tasks/code_points",
    "tasks/registry_test.cpp": "tasks/task_context tasks/task_fields",
    "tasks/token_classification_test.cpp": "tasks/tagged_rows",
    "train/trainer_test.cpp": "train/batch_arrays train/data_watch train/due_work train/evaluation train/finite "
    "train/fit train/fit_errors train/input_meter train/model_evaluation train/periodic_saves train/skip_limit train/state "
    "train/weights",
    "train/programs_test.cpp": "train/program_checks",
    "train/checkpoint_test.cpp": "train/checkpoint_writer train/run_record train/save_folder",
    "report/page_test.cpp": "report/evaluations",
    # The functions of Python, compared with the command.
    "python/run_test.py": "python/*",
    # Whole runs, compared with those of the command.
    "run/fit_test.cpp": "run/*",
    "cli/parity_test.cpp": "parity/parity_json",
    "cli/plan_test.cpp": "plan/timed_plan",
    "cli/doctor_test.cpp": "doctor/*",
    # Commands, mostly end to end, by their results, messages and exit codes.
    "cli/fit_test.cpp": "cli/*",
    "options/command_line_test.cpp": "options/* base/version",
    "terminal/report_test.cpp": "terminal/*",
}  # fmt: skip


def folder_and_name(path, root):
    relative = path.relative_to(root)
    return name_of_folder(relative), path.stem


def name_of_folder(path):
    """Name of the innermost library that has a file: "audio" for media/audio/extract/mel.cpp."""
    folder = next((folder for folder in path.parents if folder in FOLDERS), path.parents[-2])
    name = "kernels" if folder.parts[0] == "kernels" else folder.name
    return FOLDERS_OF_TESTS.get(name, name)


def mirrored():
    """FOLDER/NAME of the sources with a test of their name, and of those whose header a test of the folder includes."""
    found = set()
    for path in TESTS.rglob("*_test.cpp"):
        folder, name = folder_and_name(path, TESTS)
        found.add(f"{folder}/{name.removesuffix('_test')}")
        for header in re.findall(r'^#include "portatune/([^"]+)\.h"', path.read_text(), re.MULTILINE):
            if "/" in header and name_of_folder(pathlib.PurePath(header)) == folder:
                found.add(f"{folder}/{header.split('/')[-1]}")
    return found


class Mirror(unittest.TestCase):
    def setUp(self):
        self.sources = {"/".join(folder_and_name(path, SOURCES)) for path in SOURCES.rglob("*.cpp")}

    def test_every_source_has_a_test(self):
        patterns = [pattern for patterns in TESTED_TOGETHER.values() for pattern in patterns.split()]
        for source in sorted(self.sources - mirrored()):
            with self.subTest(source=source):
                self.assertTrue(any(fnmatch.fnmatchcase(source, pattern) for pattern in patterns))

    def test_lines_name_tests_and_sources(self):
        tests = {f"{name_of_folder(path.relative_to(TESTS))}/{path.name}" for path in TESTS.rglob("*_test.*")}
        for test, patterns in TESTED_TOGETHER.items():
            with self.subTest(test=test):
                self.assertIn(test, tests)
                for pattern in patterns.split():
                    self.assertTrue(fnmatch.filter(self.sources, pattern), pattern)


if __name__ == "__main__":
    unittest.main()
