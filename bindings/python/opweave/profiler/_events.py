"""The events of a profile: calls in calls, and what those of a name took together."""

from opweave import _C
from opweave.profiler._table import table, time_text

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


class Interval:
    """When something was: microseconds since the profile began."""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        """How long, in microseconds."""
        return self.end - self.start


class _Times:
    """Times of an event or of several, in microseconds, under the names that PyTorch's programs know."""

    device_time = device_time_total = self_device_time_total = 0
    cuda_time = cuda_time_total = self_cuda_time_total = 0
    cpu_memory_usage = self_cpu_memory_usage = device_memory_usage = self_device_memory_usage = 0
    flops = 0
    use_device = None
    is_async = is_remote = is_legacy = False
    node_id = -1
    stack = ()

    @property
    def cpu_time(self):
        """That of one call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self):
        """cpu_time as text."""
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self):
        """cpu_time_total as text."""
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self):
        """self_cpu_time_total as text."""
        return time_text(self.self_cpu_time_total)


class FunctionEvent(_Times):
    """One call of an operator, or one named block.

    Attributes:
        name, key: what was called.
        time_range: an Interval.
        thread: the system's number of the thread.
        cpu_parent, cpu_children: the calls that this one was made in, and that were made in it.
        input_shapes: of the arguments, where they are recorded; [] for one that is no tensor.
    """

    count = 1

    def __init__(self, id, name, time_range, thread, input_shapes, is_user_annotation, failed):
        self.id, self.name, self.key, self.trace_name = id, name, name, name
        self.time_range, self.thread = time_range, thread
        self.input_shapes, self.is_user_annotation = input_shapes, is_user_annotation
        self.failed = failed
        self.cpu_parent, self.cpu_children = None, []

    @property
    def cpu_time_total(self):
        """From begin to end, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        """Without the calls that were made in it."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def __repr__(self):
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(_Times):
    """The calls of one name, or of one name with arguments of the same shapes."""

    def __init__(self, key="", input_shapes=(), is_user_annotation=False):
        self.key, self.input_shapes = key, input_shapes
        self.is_user_annotation = is_user_annotation
        self.count, self.cpu_time_total, self.self_cpu_time_total = 0, 0.0, 0.0

    def add(self, other):
        """Takes another's times in, and gives itself back."""
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        return self

    def __iadd__(self, other):
        return self.add(other)

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} count={self.count} input_shapes={self.input_shapes}>"
        )


class EventList(list):
    """Events, or averages of them."""

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """What the calls of each name took together, or of each name and shapes.

        Returns:
            EventList: of FunctionEventAvg.
        """
        found = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shape else ""
            average = found.get((event.key, shapes))
            if average is None:
                known = event.input_shapes if group_by_input_shape else ()
                average = FunctionEventAvg(event.key, known, event.is_user_annotation)
                found[event.key, shapes] = average
            average.add(event)
        return EventList(found.values())

    def total_average(self):
        """All together, as a FunctionEventAvg named "Total"."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    @property
    def self_cpu_time_total(self):
        """In microseconds, of all."""
        return sum(event.self_cpu_time_total for event in self)

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False,
              time_unit=None):  # fmt: skip
        """As text: times by name.

        Args:
            sort_by: an attribute of events, such as "self_cpu_time_total": the largest first; None keeps
                the order.
            row_limit: at most so many; -1 for all.
            header: a line above it.
            top_level_events_only: without the calls that were made in others.
            time_unit: "s", "ms" or "us" for all times; None for what keeps each number small.

        Raises:
            AttributeError: events have no such attribute. ValueError: there is no such unit.
        """
        return table(
            self, sort_by, row_limit, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only, time_unit,
        )  # fmt: skip

    def __str__(self):
        return self.table()


def events_of(records, blocks, began):
    """Records of operators and blocks, as events with their parents, in the order in which they began."""
    package = "aten" if _C._printed_package() == "torch" else "opweave"
    named = [(*record, False) for record in records] + [(*block, True) for block in blocks]
    named.sort(key=lambda r: (r[3], r[1], -r[2]))
    made = EventList()
    open_calls = []
    for name, start, end, thread, shapes, failed, is_block in named:
        shown = name if is_block or "::" in name else f"{package}::{name}"
        interval = Interval((start - began) / 1e3, (end - began) / 1e3)
        event = FunctionEvent(len(made) + 1, shown, interval, thread, shapes, is_block, failed)
        while open_calls and not _is_in(event, open_calls[-1]):
            open_calls.pop()
        if open_calls:
            event.cpu_parent = open_calls[-1]
            open_calls[-1].cpu_children.append(event)
        open_calls.append(event)
        made.append(event)
    made.sort(key=lambda event: event.time_range.start)
    return made


def _is_in(event, other):
    return event.thread == other.thread and event.time_range.end <= other.time_range.end
