"""Parts of DataLoader, under the names that programs reach into: `collate`, `fetch`, `pin_memory`,
`worker`.
"""

from opweave.utils.data._utils import collate, fetch, pin_memory, worker

__all__ = ["collate", "fetch", "pin_memory", "worker"]
