"""What training in parallel would take on links that are not here: python -m opweave.distributed.plan.

`Links` says what is between ranks, `all_reduce_seconds` what a collective takes there, `Profile` what one
process takes for a step, and `plan` puts them together: the time of a data-parallel step, its efficiency and
the best size of buckets from 2 to many thousand ranks. `check` runs a program as every one of many ranks,
which are not there, and finds the first collective that they are not called for alike.
"""

from opweave.distributed.plan.check import Disagreement, check
from opweave.distributed.plan.costs import all_reduce_seconds
from opweave.distributed.plan.links import Level, Links
from opweave.distributed.plan.links_file import LinksError, read_links, write_links
from opweave.distributed.plan.measure import MeasureError, host_links, profile_at_once
from opweave.distributed.plan.profile import Profile, profile
from opweave.distributed.plan.program import ProgramError, profile_of
from opweave.distributed.plan.step import Outlook, plan, step_seconds

__all__ = [
    "Disagreement",
    "Level",
    "Links",
    "LinksError",
    "MeasureError",
    "Outlook",
    "Profile",
    "ProgramError",
    "all_reduce_seconds",
    "check",
    "host_links",
    "plan",
    "profile",
    "profile_at_once",
    "profile_of",
    "read_links",
    "step_seconds",
    "write_links",
]
