"""opweave.utils.benchmark.Compare: measurements side by side."""

from opweave.utils.benchmark._measurement import Measurement, in_english, select_unit, trim_sigfig

__all__ = ["Compare"]

_BEST, _GOOD, _END = "\033[92m\033[1m", "\033[34m\033[1m", "\033[0m\033[0m"
_NEAR = 1.2  # times the best of its row


class Compare:
    """Measurements as a table for each label: a row for each sub_label, a column for each description.

    Args:
        results: an iterable of Measurement.

    Raises:
        ValueError: anything else among them.
    """

    def __init__(self, results):
        self._results = []
        self._trims = self._colors = self._highlights = False
        self.extend_results(results)

    def extend_results(self, results):
        """Takes more measurements in."""
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(
                    f"Expected an instance of `Measurement`, got {type(result)} instead."
                )
            self._results.append(result)

    def trim_significant_figures(self):
        """Shows as many digits as the spread of times leaves."""
        self._trims = True

    def colorize(self, rowwise=False):
        """Marks the best of each row, and what is near to it."""
        self._colors = True

    def highlight_warnings(self):
        """Says of times how far they spread, where that is much."""
        self._highlights = True

    def print(self):
        """Prints it."""
        print(str(self))

    def __str__(self):
        results = Measurement.merge(self._results)
        labels = dict.fromkeys(r.task_spec.label for r in results)
        return "\n".join(
            self._table(label, [r for r in results if r.task_spec.label == label])
            for label in labels
        )

    def _table(self, label, results):
        unit, scale = select_unit(min(r.median for r in results))
        columns = list(dict.fromkeys(r.task_spec.description or "" for r in results))
        cells = {}
        for r in results:
            key = r.task_spec.env, r.task_spec.num_threads, r.as_row_name
            cells.setdefault(key, {})[r.task_spec.description or ""] = r
        rows = [(key, [found.get(c) for c in columns]) for key, found in cells.items()]
        rows.sort(key=lambda row: row[0][1])
        return self._text(label, columns, rows, unit, scale)

    def _text(self, label, columns, rows, unit, scale):
        shown = [(key, [self._number(r, scale) for r in found]) for key, found in rows]
        widths = [
            max(len(c), *(len(texts[i]) for _, texts in shown)) for i, c in enumerate(columns)
        ]
        left = max(len(f"      {name}") for (_, _, name), _ in rows)
        head = " | ".join(
            [" " * left, *(c.center(w) for c, w in zip(columns, widths, strict=True))]
        )
        lines = [f"[{f' {label or chr(32)} '.center(len(head) - 2, '-')}]", head]
        threads = None
        for ((_, n, name), found), (_, texts) in zip(rows, shown, strict=True):
            if n != threads:
                threads = n
                lines.append(f"{n} threads: ".ljust(len(head), "-"))
            padded = [text.rjust(w) for text, w in zip(texts, widths, strict=True)]
            lines.append(" | ".join([f"      {name}".ljust(left), *self._marked(found, padded)]))
        return "\n".join([*lines, "", f"Times are in {in_english(unit)}s ({unit}).", ""])

    def _number(self, result, scale):
        if result is None:
            return ""
        value = result.median / scale
        if self._trims:
            value = trim_sigfig(value, result.significant_figures)
            digits = result.significant_figures - len(str(int(value)))
            text = f"{value:.{max(0, digits)}f}"
        else:
            text = f"{value:.1f}"
        if self._highlights and result.has_warnings:
            text += f" (! {100 * result.iqr / result.median:.0f}%)"
        return text

    def _marked(self, results, texts):
        best = min(r.median for r in results if r is not None)
        for result, text in zip(results, texts, strict=True):
            if not self._colors or result is None or result.median > _NEAR * best:
                yield text
            else:
                yield (_BEST if result.median == best else _GOOD) + text + _END
