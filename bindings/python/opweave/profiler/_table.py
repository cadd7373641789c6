"""The table of a profile."""

__all__ = ["table"]

_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}


def time_text(microseconds):
    """ "1.500ms": with the unit that keeps the number small."""
    for limit, unit, scale in ((1e6, "s", 1e6), (1e3, "ms", 1e3)):
        if abs(microseconds) >= limit:
            return f"{microseconds / scale:.3f}{unit}"
    return f"{microseconds:.3f}us"


def _shortened(text, width):
    return text if width is None or len(text) <= width else text[: width - 3] + "..."


def _rows(events, sort_by, row_limit, top_level_events_only):
    rows = list(events)
    if top_level_events_only:
        rows = [e for e in rows if getattr(e, "cpu_parent", None) is None]
    if sort_by is not None:
        rows.sort(key=lambda e: getattr(e, _newer_name(sort_by)), reverse=True)
    return rows if row_limit < 0 else rows[:row_limit]


def _newer_name(attribute):
    """PyTorch's names for times on CUDA devices are those of devices now."""
    return attribute.replace("cuda", "device").replace("xpu", "device")


def _times(event, time_unit):
    """Own time, whole time and that of one call, as text."""
    if time_unit is None:
        return event.self_cpu_time_total_str, event.cpu_time_total_str, event.cpu_time_str
    scale = _UNITS[time_unit]
    found = event.self_cpu_time_total, event.cpu_time_total, event.cpu_time
    return tuple(f"{value / scale:.3f}{time_unit}" for value in found)


def _lines(rows, whole, widths, time_unit):
    for event in rows:
        own, all_in_all, one = _times(event, time_unit)
        part = (lambda value: f"{100 * value / whole:.2f}%") if whole else (lambda _: "NaN")
        cells = [
            _shortened(event.key, widths[0]),
            part(event.self_cpu_time_total), own,
            part(event.cpu_time_total), all_in_all, one,
            str(event.count),
        ]  # fmt: skip
        if widths[1] is not None:
            cells.append(_shortened(str(list(event.input_shapes)), widths[1]))
        yield cells


def table(
    events, sort_by, row_limit, name_width, shapes_width, header, top_level_events_only, time_unit
):
    """EventList.table(), which says what the arguments are."""
    if time_unit is not None and time_unit not in _UNITS:
        raise ValueError(
            f"table(): time_unit must be one of {', '.join(_UNITS)}, not {time_unit!r}"
        )
    if not events:
        return ""
    rows = _rows(events, sort_by, row_limit, top_level_events_only)
    titles = [
        "Name",
        "Self CPU %",
        "Self CPU",
        "CPU total %",
        "CPU total",
        "CPU time avg",
        "# of Calls",
    ]
    has_shapes = any(len(event.input_shapes) > 0 for event in rows)
    titles += ["Input Shapes"] if has_shapes else []
    whole = sum(event.self_cpu_time_total for event in events)
    lines = [
        titles,
        *_lines(rows, whole, (name_width, shapes_width if has_shapes else None), time_unit),
    ]
    columns = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    columns = [max(12, width) for width in columns]
    rule = "  ".join("-" * width for width in columns)
    text = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, columns, strict=True))
        for line in lines
    ]
    above = ["=" * len(rule), header] if header is not None else []
    total = f"Self CPU time total: {_times(_Total(whole), time_unit)[0]}"
    return "\n".join([*above, rule, text[0], rule, *text[1:], rule, total, ""])


class _Total:
    """The time of all events, as one."""

    def __init__(self, whole):
        self.self_cpu_time_total = self.cpu_time_total = self.cpu_time = whole
        text = time_text(whole)
        self.self_cpu_time_total_str = self.cpu_time_total_str = self.cpu_time_str = text
