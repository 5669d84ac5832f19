#!/usr/bin/env python3
"""Reads the records of a run with the programs that they are for, and compares them with its metrics.jsonl.

    pip install tensorboard==2.21.0 transformers==5.23.0 huggingface_hub pyyaml
    python tests/oracle/train/check_run_records.py RUN

A comparison whose package is missing is left out. Ends with 77 if all of them are.
"""

import json
import pathlib
import sys


def scalars_in(lines):
    """{tag: [(step, value)]} of the lines of metrics.jsonl, as transformers names them."""
    scalars = {}
    for line in lines:
        if "resumed" in line:
            continue
        for name, value in line.items():
            if name == "step" or value is None:
                continue
            tag = "eval/" + name[5:] if name.startswith("eval_") else "train/" + name
            scalars.setdefault(tag, []).append((line["step"], value))
    return scalars


def check_events(run, lines, options):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2

    events = EventAccumulator(str(run / "runs"), size_guidance={"scalars": 0})
    events.Reload()
    expected = scalars_in(lines)
    assert sorted(events.Tags()["scalars"]) == sorted(expected), events.Tags()
    for tag, points in expected.items():
        found = [(event.step, event.value) for event in events.Scalars(tag)]
        assert [step for step, _ in found] == [step for step, _ in points], (tag, found)
        for (_, value), (_, wanted) in zip(found, points):
            assert abs(value - wanted) <= 1e-6 * abs(wanted), (tag, value, wanted)
    content = events.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
    assert start.hparams["learning_rate"].number_value == options["learning_rate"]
    assert start.hparams["task"].string_value == options["task"]
    assert start.hparams["eval_on_start"].bool_value == options["eval_on_start"]
    content = events.SummaryMetadata("_hparams_/session_end_info").plugin_data.content
    end = plugin_data_pb2.HParamsPluginData.FromString(content).session_end_info
    assert end.status == api_pb2.STATUS_SUCCESS and end.end_time_secs >= start.start_time_secs
    assert text_in(events, "args") == options
    assert text_in(events, "model_config")["model_type"] == "bert"


def text_in(events, name):
    """The JSON of a text under the tag that torch's SummaryWriter gives it."""
    tag = name + "/text_summary"
    assert events.SummaryMetadata(tag).plugin_data.plugin_name == "text"
    return json.loads(events.Tensors(tag)[0].tensor_proto.string_val[0])


def check_state(run, lines, options):
    from transformers.trainer_callback import TrainerState

    state = TrainerState.load_from_json(str(run / "trainer_state.json"))
    assert state.global_step == lines[-1]["step"] == state.max_steps
    losses = [(entry["step"], entry["loss"]) for entry in state.log_history if "loss" in entry]
    assert losses == [(line["step"], line["loss"]) for line in lines if "loss" in line]
    evaluation = [entry for entry in state.log_history if "eval_loss" in entry][-1]
    assert evaluation["eval_samples_per_second"] >= evaluation["eval_steps_per_second"] > 0, evaluation
    last = state.log_history[-1]
    for name in ["train_runtime", "train_samples_per_second", "train_steps_per_second", "train_loss"]:
        assert last[name] > 0, last


def check_card(run, lines, options):
    from huggingface_hub import ModelCard

    data = ModelCard.load(run / "README.md").data
    scores = [line for line in lines if "eval_loss" in line][-1]
    results = {result.metric_type: result.metric_value for result in data.eval_results}
    assert results and all(scores["eval_" + name] == value for name, value in results.items()), results
    assert data.library_name == "transformers" and data.pipeline_tag == "text-classification", data


def main():
    run = pathlib.Path(sys.argv[1])
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    options = json.loads((run / "training_args.json").read_text())["options"]
    checks = [check_events, check_state, check_card]
    missing = 0
    for check in checks:
        try:
            check(run, lines, options)
        except ModuleNotFoundError as error:
            missing += 1
            print(f"{check.__name__} is left out: {error}")
    if missing == len(checks):
        sys.exit(77)


main()
