"""On PYTHONPATH: what is compiled to save time is not found, as where there is no compiler."""

import sys

sys.modules["referee.native.exchange"] = None  # type: ignore[assignment]  # how import is refused
