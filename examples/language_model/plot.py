"""A line of losses as a picture in SVG, which every browser shows."""

import pathlib

_WIDTH, _HEIGHT, _EDGE = 640, 320, 40


def draw(losses: list[float], path: pathlib.Path) -> None:
    """Writes the picture; losses from zero up, steps from left to right."""
    most = max(losses)
    across = (_WIDTH - 2 * _EDGE) / max(len(losses) - 1, 1)
    up = (_HEIGHT - 2 * _EDGE) / most
    points = " ".join(
        f"{_EDGE + i * across:.1f},{_HEIGHT - _EDGE - loss * up:.1f}"
        for i, loss in enumerate(losses)
    )
    bottom, right = _HEIGHT - _EDGE, _WIDTH - _EDGE
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" font-size="12">\n'
        f'<path d="M{_EDGE},{_EDGE}V{bottom}H{right}" fill="none" stroke="gray"/>\n'
        f'<text x="4" y="{_EDGE}">{most:.2f}</text><text x="4" y="{bottom}">0</text>\n'
        f'<text x="{right}" y="{bottom + 16}" text-anchor="end">step {len(losses)}</text>\n'
        f'<polyline points="{points}" fill="none" stroke="steelblue" stroke-width="2"/>\n</svg>\n',
        encoding="utf-8",
    )
