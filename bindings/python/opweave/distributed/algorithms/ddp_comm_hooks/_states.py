"""What hooks keep from pass to pass: copies of it, and parts of checkpoints."""

from opweave.distributed import _groups
from opweave.distributed.algorithms.ddp_comm_hooks.error_feedback import ErrorFeedback


def group_of(given, bucket):
    """The group that a hook was registered with; the model's, for None."""
    return bucket.group() if given is None else given


class HookState:
    """The base of states. Copies of one have the default group, as those of a model have."""

    process_group = None
    feedback: ErrorFeedback | None = None

    def __getstate__(self):
        if self.process_group not in (None, _groups.group.WORLD):
            raise RuntimeError(
                f"{type(self).__name__}: a state of a group other than the default one cannot be pickled or "
                "copied; state_dict(module) can"
            )
        return self.__dict__ | {"process_group": None}

    def state_dict(self, module):
        """What a checkpoint of this rank has to hold, by the names that a module has for its parameters."""
        return {} if self.feedback is None else {"errors": self.feedback.state_dict(module)}

    def load_state_dict(self, module, state_dict):
        """Takes over what `state_dict(module)` gave on this rank.

        KeyError and ValueError for another model's.
        """
        if self.feedback is not None:
            self.feedback.load_state_dict(module, state_dict["errors"])
