"""Outlooks as a table, and as a picture."""

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 360, 60, 30, 20, 45


def units(seconds):
    """For example "1.52 ms"."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def table(profile, outlooks):
    """Lines of text."""
    alone = f"one process: {units(profile.seconds)} a step, {profile.nbytes / 2**20:.2f} MiB of gradients"
    heads = ("ranks", 6), ("step", 10), ("efficiency", 11), ("speedup", 9), ("reductions", 11)
    heads += (("exposed", 9),)
    lines = [alone, " ".join(f"{head:>{width}}" for head, width in heads) + "  best bucket"]
    for o in outlooks:
        best = f"{o.bucket_mb:g} MiB, {units(o.best_seconds)}"
        lines.append(
            f"{o.ranks:>6} {units(o.seconds):>10} {o.efficiency:>10.1%} {o.speedup:>8.1f}x"
            f" {units(o.communication):>11} {units(o.exposed):>9}  {best}"
        )
    return "\n".join(lines)


def rows(outlooks):
    """For JSON."""
    fields = ("ranks", "seconds", "efficiency", "speedup", "bucket_mb", "best_seconds")
    fields += ("communication", "exposed")
    return [{field: getattr(o, field) for field in fields} for o in outlooks]


def picture(outlooks, title):
    """An SVG: efficiency over ranks, with the usual buckets and with the best."""
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    at = lambda i, e: (  # noqa: E731
        LEFT + wide * i / max(len(outlooks) - 1, 1),
        TOP + high * (1 - e),
    )
    usual = [at(i, o.efficiency) for i, o in enumerate(outlooks)]
    best = [at(i, o.efficiency * o.seconds / o.best_seconds) for i, o in enumerate(outlooks)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        ' font-size="11"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="13">{_escaped(title)}</text>',
    ]
    for tenth in range(0, 11, 2):
        y = at(0, tenth / 10)[1]
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tenth * 10}%</text>')
    for i, o in enumerate(outlooks):
        x = at(i, 0)[0]
        parts.append(
            f'<text x="{x:.1f}" y="{TOP + high + 16}" text-anchor="middle">{o.ranks}</text>'
        )
    parts.append(f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 8}" text-anchor="middle">ranks</text>')
    for points, color, name, y in (
        (best, "#d08020", "best buckets", 0),
        (usual, "#2060c0", "usual", 14),
    ):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{LEFT + 8}" y="{TOP + high - 24 + y}" fill="{color}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")
