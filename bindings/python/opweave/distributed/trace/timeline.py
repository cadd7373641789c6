"""The timeline of a group's ranks: one HTML page that needs nothing else."""

from html import escape

_ROW, _BAR, _LEFT, _WIDTH = 34, 20, 130, 1500
_COLOURS = ["#4477aa", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#999933", "#77aadd"]
_FAILED = "#cc3311"

_STYLE = """
body { font: 14px sans-serif; margin: 2em; color: #222 }
svg { display: block; background: #fafafa; border: 1px solid #ddd }
.scroll { overflow-x: auto }
.first { stroke: #cc3311; stroke-width: 2 }
code { background: #f0f0f0; padding: 0 .3em }
"""


def page(traces, groups, findings):
    """`findings` are (group, text), the first place where it went apart, or that it did not."""
    parts = [
        f"<!doctype html><meta charset=utf-8><title>Collectives</title><style>{_STYLE}</style>"
    ]
    parts.append("<h1>Collectives by rank</h1><table>")
    for trace in traces:
        parts.append(
            f"<tr><td>rank {int(trace.rank)}<td>{escape(trace.host)}<td>{escape(trace.reason)}"
        )
    parts.append("</table>")
    for name, members in groups.items():
        parts.append(f"<h2>{escape(name)}</h2>")
        parts += [f"<p>{escape(text)}</p>" for group, text in findings if group == name]
        parts.append(_drawing(members, {t.rank: t.written for t in traces}))
    return "\n".join(parts) + "\n"


def _end(call, written):
    return call.ended if call.ended is not None else written


def _drawing(members, written):
    calls = [(part, call) for part in members for call in part.calls]
    if not calls:
        return "<p>Nothing was called.</p>"
    begin = min(call.queued for _, call in calls)
    end = max(max(_end(call, written[part.world_rank]), call.queued) for part, call in calls)
    scale = _WIDTH / max(end - begin, 1)
    names = sorted({call.name for _, call in calls})
    colour = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}
    rows = {part.rank: i for i, part in enumerate(members)}
    height = _ROW * (len(rows) + 1)
    out = [f'<div class=scroll><svg width="{_LEFT + _WIDTH + 20}" height="{height}">']
    for rank, row in rows.items():
        out.append(f'<text x="8" y="{_ROW * row + 24}">rank {int(rank)}</text>')
    for part, call in calls:
        x = _LEFT + (call.queued - begin) * scale
        width = max((_end(call, written[part.world_rank]) - call.queued) * scale, 1.5)
        fill = _FAILED if not call.is_done else colour[call.name]
        out.append(
            f'<rect x="{x:.1f}" y="{_ROW * rows[part.rank] + 8}" width="{width:.1f}" height="{_BAR}" '
            f'fill="{fill}"><title>{escape(_told(call))}</title></rect>'
        )
    y = _ROW * len(rows) + 22
    out.append(f'<text x="{_LEFT}" y="{y}">0</text>')
    out.append(
        f'<text x="{_LEFT + _WIDTH}" y="{y}" text-anchor="end">{(end - begin) / 1e6:.3f} ms</text>'
    )
    out.append("</svg></div>")
    legend = "".join(
        f'<span style="color:{colour[name]}">&#9632;</span> {escape(name)} &nbsp;' for name in names
    )
    out.append(f'<p>{legend}<span style="color:{_FAILED}">&#9632;</span> not done</p>')
    return "\n".join(out)


def _told(call):
    lines = [
        f"{call.described()}, number {call.sequence}, {call.state}",
        call.line,
        call.error or "",
    ]
    if call.started is not None and call.ended is not None:
        lines.append(f"waited {(call.started - call.queued) / 1e6:.3f} ms")
        lines.append(f"took {(call.ended - call.started) / 1e6:.3f} ms")
    return "\n".join(line for line in lines if line)
