// The examples that begin the help of each command.
#pragma once

namespace portatune::cli {

inline constexpr const char* kExamples =
    "  portatune fit --model bert --train train.csv --validation dev.csv --output out\n"
    "  portatune predict --model tuned --data new.csv --output predictions.jsonl\n";

inline constexpr const char* kFitExamples =
    "  portatune fit --model bert --train train.csv --validation dev.csv --output out\n"
    "  portatune fit --recipe glue/cola --model bert --output cola\n"
    "  Names of transformers' TrainingArguments work too: --num_train_epochs, ...\n";

inline constexpr const char* kEvaluateExamples =
    "  portatune evaluate --model tuned --data test.csv\n"
    "  portatune evaluate --model tuned --data test.csv --json\n";

inline constexpr const char* kPredictExamples =
    "  portatune predict --model tuned --data new.csv --output predictions.jsonl\n"
    "  portatune predict --model tuned --data new.csv --output predictions.csv\n"
    "  portatune predict --model tuned --text \"A lovely film.\"\n";

inline constexpr const char* kGenerateExamples =
    "  portatune generate --model gpt2 --prompt \"The weather\" --max-new-tokens 50\n"
    "  portatune generate --model qwen --chat --prompt \"Where is Bonn?\"\n"
    "  portatune generate --model gpt2 --input prompts.txt --output completions.jsonl\n";

inline constexpr const char* kGrowExamples =
    "  portatune grow --model small --layers 12 --output big\n"
    "  portatune grow --model small --layers 12 --depth zero --output big\n"
    "  portatune grow --model small --intermediate-size 3072 --noise 0 --output big\n"
    "  Train the larger model like any other (docs/training/growing.md).\n";

inline constexpr const char* kMergeExamples =
    "  portatune merge --model tuned --output merged\n"
    "  The merged model needs neither the adapter nor its base model.\n";

inline constexpr const char* kTokenizeExamples =
    "  portatune tokenize --tokenizer bert --input new.jsonl --output ids.jsonl\n"
    "  portatune tokenize --tokenizer bert --input new.csv --text-column q | head -1\n"
    "  {\"ids\":[101,7592,102],\"offsets\":[[0,0],[0,5],[0,0]]}\n"
    "  Offsets count Unicode characters; [0,0] stands for what is not in the text.\n";

inline constexpr const char* kTokenizerTrainExamples =
    "  portatune tokenizer train wiki.txt --vocab-size 30000 --lowercase --output my-bert\n"
    "  portatune tokenizer train texts.jsonl --type bpe --text-column body --output my-gpt\n"
    "  With a config.json in that folder: portatune fit --model my-bert --from-config\n";

inline constexpr const char* kTfrecordExamples =
    "  portatune tfrecord write --input train.csv --output train.tfrecord\n"
    "  portatune tfrecord inspect train.tfrecord --verify\n";

inline constexpr const char* kTfrecordWriteExamples =
    "  portatune tfrecord write --input photos/train --output photos.tfrecord\n"
    "  portatune tfrecord write --input train.csv --int64-columns label \\\n"
    "      --tokenizer bert --max-length 128 \\\n"
    "      --output 'train-{shard:05d}-of-{shards:05d}.tfrecord' --shards 8\n";

inline constexpr const char* kTfrecordInspectExamples =
    "  portatune tfrecord inspect train.tfrecord\n"
    "  portatune tfrecord inspect train-*.tfrecord --verify --json\n"
    "  Exit code 65 if a file is damaged.\n";

inline constexpr const char* kTfrecordIndexExamples =
    "  portatune tfrecord index train-*.tfrecord\n"
    "  Writes FILE.index beside each: exact counts, and reading in any order.\n";

inline constexpr const char* kDevicesExamples =
    "  portatune devices\n"
    "  portatune devices --plugin ./xla_cpu_pjrt.so --json\n";

inline constexpr const char* kDoctorExamples =
    "  portatune doctor\n"
    "  portatune doctor --bundle report.tar.gz     for a bug report\n"
    "  Exit code 1 if no device can be used.\n";

inline constexpr const char* kRunExamples =
    "  portatune run train.py --rate 1e-4      passes --rate 1e-4 to train.py\n"
    "  Python's own allocator makes a training step take longer.\n";

inline constexpr const char* kPluginExamples =
    "  portatune plugin list\n"
    "  portatune plugin install cuda13\n";

inline constexpr const char* kPluginListExamples =
    "  portatune plugin list\n"
    "  portatune plugin list --json\n";

inline constexpr const char* kRecipesExamples =
    "  portatune recipes\n"
    "  portatune recipes glue/cola\n"
    "  portatune recipes --schema > recipe.schema.json     for editors of YAML\n";

inline constexpr const char* kCompletionExamples =
    "  eval \"$(portatune completion bash)\"      in ~/.bashrc; zsh: in ~/.zshrc\n"
    "  portatune completion fish > ~/.config/fish/completions/portatune.fish\n";

inline constexpr const char* kManExamples =
    "  portatune man fit | man -l -\n"
    "  portatune man --list\n";

inline constexpr const char* kPluginInstallExamples =
    "  portatune plugin install cuda13     drivers of version 580 or later\n"
    "  portatune plugin install cuda12     drivers of version 525 or later\n"
    "  portatune plugin install tpu\n"
    "  Each file is checked by its SHA-256. ~/.netrc may have credentials for an\n"
    "  index; HTTPS_PROXY and SSL_CERT_FILE are honoured.\n";

inline constexpr const char* kDownloadExamples =
    "  portatune download google-bert/bert-base-uncased\n"
    "  portatune download org/name@v2\n"
    "  Prints the folder. --model org/name finds it, and downloads it if need be.\n"
    "  HF_HOME, HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE mean what they mean to hf.\n";

inline constexpr const char* kCacheExamples =
    "  portatune cache ls\n"
    "  portatune cache rm google-bert/bert-base-uncased\n";

inline constexpr const char* kCacheListExamples =
    "  portatune cache ls\n"
    "  portatune cache ls --json\n";

inline constexpr const char* kCacheRemoveExamples = "  portatune cache rm google-bert/bert-base-uncased\n";

inline constexpr const char* kBenchExamples =
    "  portatune bench --model bert --batch-size 16 --dtype bfloat16 --steps 20\n"
    "  {\"step_seconds\":[0.92,...],\"compile_seconds\":11.2,\"from_cache\":false}\n";

inline constexpr const char* kBenchInputExamples =
    "  portatune bench-input --model bert --train train.csv --padding auto=4\n"
    "  portatune bench-input --model bert --recipe glue/cola --train train.tsv --json\n";

inline constexpr const char* kPlanExamples =
    "  portatune plan --on tpu:v5e,cuda:l4,cpu --model bert --train train.csv\n"
    "  portatune plan --on cuda:l4 --model bert --batch-size 64 --max-length 128\n"
    "  portatune plan --on cuda:l4 --recipe glue/cola --model bert --largest-batch\n"
    "  Takes the options of fit, and writes nothing unless --save is given. Times are\n"
    "  estimates (docs/devices/plan.md). Exit code 0 even if a run does not fit: the\n"
    "  table says so; 69 if no target can be compiled for; 1 if nothing can be saved.\n";

inline constexpr const char* kParityExamples =
    "  portatune parity --case case        (tools/make_reference.py makes cases)\n"
    "  portatune parity --against no-kernels --model bert --train train.csv\n"
    "  portatune parity --against cuda,bfloat16 --model bert --train train.csv\n"
    "  Takes the options of fit. Exit code 1 if they disagree\n"
    "  (docs/results/parity.md).\n";

inline constexpr const char* kSweepExamples =
    "  portatune sweep --recipe r.yaml --grid learning-rate=1e-5,3e-5,5e-5 --seeds 3\n"
    "  portatune sweep --recipe r.yaml --grid learning-rate=1e-5..1e-4 --random 9 \\\n"
    "      --halving --eval-steps 100\n"
    "  Takes the options of fit, and validation rows (docs/training/sweeps.md).\n";

inline constexpr const char* kReportExamples =
    "  portatune report tuned\n"
    "  portatune report tuned faster seed7 --output comparison.html\n"
    "  Open the page in a browser; it needs no network.\n";

}  // namespace portatune::cli
