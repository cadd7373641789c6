from typing import Any as Any
from typing import Dict as Dict  # noqa: UP035
from typing import List as List  # noqa: UP035
from typing import Optional as Optional
from typing import Tuple as Tuple  # noqa: UP035
from typing import Union as Union

from opweave.futures import Future as Future

class _BroadcastingList:
    def __getitem__(self, kind: Any) -> None: ...

BroadcastingList1: _BroadcastingList
BroadcastingList2: _BroadcastingList
BroadcastingList3: _BroadcastingList
