"""The types of the keywords of fit() and the other functions: their fields are in the stub, for mypy and editors.

    from typing import Unpack
    from portatune.options import FitOptions

    def train(**options: Unpack[FitOptions]) -> portatune.Run:
        return portatune.fit("tiny", "train.csv", **options)
"""

from typing import TypedDict

CrossValidateOptions = TypedDict("CrossValidateOptions", {}, total=False)
EvaluateOptions = TypedDict("EvaluateOptions", {}, total=False)
FitOptions = TypedDict("FitOptions", {}, total=False)
GenerateOptions = TypedDict("GenerateOptions", {}, total=False)
LoadOptions = TypedDict("LoadOptions", {}, total=False)
ParityOptions = TypedDict("ParityOptions", {}, total=False)
PlanOptions = TypedDict("PlanOptions", {}, total=False)
PredictOptions = TypedDict("PredictOptions", {}, total=False)
SweepOptions = TypedDict("SweepOptions", {}, total=False)
TokenizerOptions = TypedDict("TokenizerOptions", {}, total=False)
