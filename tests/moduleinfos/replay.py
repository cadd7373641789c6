"""Answers in Opweave the samples that record.py wrote: lines of JSON, of each sample and each difference."""

import json
import pickle
import sys
from pathlib import Path

import opweave
from answers import answer, differences
from plain import NoPlainFormError


def _tell(**line):
    print(json.dumps(line), flush=True)


def main():
    opweave.set_num_threads(1)
    opweave.random.set_engine("mt19937")  # whose numbers are PyTorch's
    for sample, want in pickle.loads(Path(sys.argv[1]).read_bytes()):
        line = {key: sample[key] for key in ("name", "form", "dtype")}
        _tell(**line)
        try:
            for kind, words in differences(want, answer(opweave, sample)):
                _tell(**line, kind=kind, words=words)
        except NoPlainFormError as error:
            _tell(**line, kind="lacking", words=str(error))
    _tell(done=True)


if __name__ == "__main__":
    main()
