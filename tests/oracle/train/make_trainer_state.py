#!/usr/bin/env python3
"""Writes the fields of transformers' TrainerState with their initial values.

    pip install transformers==5.23.0
    python tests/oracle/train/make_trainer_state.py

tests/data/records/trainer_state.json: what TrainerState.save_to_json writes before training.
"""

import pathlib

from transformers.trainer_callback import TrainerState

FOLDER = pathlib.Path(__file__).parent.parent.parent / "data" / "records"
TrainerState().save_to_json(str(FOLDER / "trainer_state.json"))
