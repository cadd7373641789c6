"""The timeline of backward passes on all ranks and of their buckets, as a page or for a viewer."""

import json
from collections import deque
from html import escape
from pathlib import Path

_MICROSECONDS = 1e6
_KINDS = (".json", ".html")


class TrainingTimeline:
    """Keeps what the backward passes of a `DistributedDataParallel` did, from now on.

    Args:
        model: the model.
        passes: so many are kept, the last ones.
    """

    def __init__(self, model, passes=20):
        from opweave.distributed._arguments import expect
        from opweave.nn.parallel import DistributedDataParallel as Parallel

        expect(model, Parallel, "TrainingTimeline()", "model", "a DistributedDataParallel")
        expect(passes, int, "TrainingTimeline()", "passes", "an int")
        if not passes > 0:
            raise ValueError(f"TrainingTimeline: expected a number of passes above 0, got {passes}")
        self._model, self._passes = model, deque(maxlen=passes)
        self._before = model.statistics()["began"]
        model._before_passes.append(self._note)

    def _note(self):
        found = self._model.statistics()
        if found["began"] != self._before:
            self._before = found["began"]
            self._passes.append(found)

    def passes(self):
        """The statistics of each pass on this rank, the last one at the end."""
        self._note()
        return list(self._passes)

    def save(self, path):
        """Writes those of all ranks, on rank 0; a call of every rank.

        `path` ends with ".html", for a page that needs nothing else, or ".json", for chrome://tracing and
        other viewers of its format. ValueError for another ending.
        """
        from opweave.distributed import _objects

        path, group = Path(path), self._model.process_group
        if path.suffix not in _KINDS:
            raise ValueError(
                f"TrainingTimeline.save(): expected {' or '.join(_KINDS)}, got '{path.name}'"
            )
        everyones = [None] * group.size()
        _objects.all_gather_object(everyones, self.passes(), group=group)
        if group.rank() != 0:
            return
        text = json.dumps(chrome_trace(everyones)) if path.suffix == ".json" else page(everyones)
        path.write_text(text, encoding="utf-8")

    def stop(self):
        """Keeps nothing more."""
        self._model._before_passes.remove(self._note)


def _lanes(buckets):
    """For each bucket the first row in which none is on its way when its gradients are ready."""
    ends, lanes = [], []
    for bucket in buckets:
        lane = next((i for i, end in enumerate(ends) if end <= bucket["ready"]), len(ends))
        ends[lane : lane + 1] = [bucket["reduced"]]
        lanes.append(lane)
    return lanes


def _bars(one):
    """(row, name, begin, end, what there is to say) of a pass; row 0 is the backward pass."""
    backward = f"{100 * one['hidden']:.0f} % of the collectives' time is hidden behind it"
    yield 0, "backward", 0.0, one["backward"], backward
    if one["total"] > one["backward"]:
        yield 0, "waiting", one["backward"], one["total"], "for what is not reduced yet"
    for number, (lane, bucket) in enumerate(
        zip(_lanes(one["buckets"]), one["buckets"], strict=True)
    ):
        told = f"{bucket['bytes']} bytes: {', '.join(bucket['parameters'])}"
        yield lane + 1, f"bucket {number}", bucket["ready"], bucket["reduced"], told


def chrome_trace(everyones):
    """The passes of all ranks, by rank, as the dict that such a file has as JSON."""
    begin = min((one["began"] for passes in everyones for one in passes), default=0.0)
    events = []
    for rank, passes in enumerate(everyones):
        events.append(_named("process_name", rank, 0, f"rank {rank}"))
        rows = {0: "backward pass"}
        for number, one in enumerate(passes):
            for row, name, start, end, told in _bars(one):
                rows.setdefault(row, f"collectives {row}")
                events.append({
                    "name": name, "ph": "X", "cat": "training", "pid": rank, "tid": row,
                    "ts": (one["began"] - begin + start) * _MICROSECONDS,
                    "dur": (end - start) * _MICROSECONDS,
                    "args": {"pass": number, "what": told},
                })  # fmt: skip
        events += [_named("thread_name", rank, row, name) for row, name in rows.items()]
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _named(kind, rank, row, name):
    return {"name": kind, "ph": "M", "pid": rank, "tid": row, "args": {"name": name}}


_STYLE = """
body { font: 14px sans-serif; margin: 2em; color: #222 }
svg { display: block; background: #fafafa; border: 1px solid #ddd }
.scroll { overflow-x: auto }
.backward { fill: #4477aa } .waiting { fill: #cc3311 } .bucket { fill: #228833 }
"""
_ROW, _BAR, _LEFT, _WIDTH = 26, 16, 130, 1500


def page(everyones):
    """The passes of all ranks, by rank, as HTML."""
    begin = min((one["began"] for passes in everyones for one in passes), default=0.0)
    end = max((one["began"] + one["total"] for passes in everyones for one in passes), default=1.0)
    scale = _WIDTH / max(end - begin, 1e-9)
    drawn, y = [], 0
    for rank, passes in enumerate(everyones):
        drawn.append(f'<text x="8" y="{y + _BAR}">rank {rank}</text>')
        rows = 1
        for number, one in enumerate(passes):
            for row, name, start, stop, told in _bars(one):
                rows = max(rows, row + 1)
                x = _LEFT + (one["began"] - begin + start) * scale
                width = max((stop - start) * scale, 1)
                text = f"pass {number}, {name}: {(stop - start) * 1e3:.3f} ms; {told}"
                drawn.append(
                    f'<rect class="{name.split()[0]}" x="{x:.1f}" y="{y + row * _ROW + 4}" '
                    f'width="{width:.1f}" height="{_BAR}"><title>{escape(text)}</title></rect>'
                )
        y += rows * _ROW + 8
    drawn.append(f'<text x="{_LEFT}" y="{y + _BAR}">0</text>')
    last = f"{(end - begin) * 1e3:.3f} ms"
    drawn.append(f'<text x="{_LEFT + _WIDTH}" y="{y + _BAR}" text-anchor="end">{last}</text>')
    return (
        f"<!doctype html><meta charset=utf-8><title>Training</title><style>{_STYLE}</style>"
        "<h1>Backward passes by rank</h1><p>Blue: the backward pass, from the end of the forward pass on; "
        "red: waiting for collectives after it; green: buckets, from their last gradient to the end of their "
        f'collective.</p><div class=scroll><svg width="{_LEFT + _WIDTH + 20}" height="{y + _ROW}">'
        + "\n".join(drawn)
        + "</svg></div>\n"
    )
