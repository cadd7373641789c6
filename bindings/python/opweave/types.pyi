# Types of arguments, after torch.types.
import os
from typing import IO

from opweave._C import UntypedStorage, device

Number = int | float | bool
Device = device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = UntypedStorage
