"""What training in parallel would take on links that are not here: python -m opweave.distributed.plan.

`Links` says what is between ranks, `all_reduce_seconds` what a collective takes there, `Profile` what one
process takes for a step, and `plan` puts them together: the time of a data-parallel step, its efficiency and
the best size of buckets from 2 to many thousand ranks. `check` runs a program as every one of many ranks,
which are not there, and finds the first collective that they are not called for alike.
"""

from opweave.distributed.plan.check import Disagreement, check
from opweave.distributed.plan.costs import all_reduce_seconds
from opweave.distributed.plan.links import Level, Links, LinksError
from opweave.distributed.plan.profile import Profile, profile
from opweave.distributed.plan.step import Outlook, plan, step_seconds

__all__ = [
    "Disagreement",
    "Level",
    "Links",
    "LinksError",
    "Outlook",
    "Profile",
    "all_reduce_seconds",
    "check",
    "plan",
    "profile",
    "step_seconds",
]
