"""What a mutation run found: a share for each operator, and every survivor."""

import json
from collections import Counter
from dataclasses import asdict


class Result:
    """Mutants by their fate: noticed, equivalent (explained, or proved to be), survived."""

    def __init__(self, mutants, noticed_by, reached, equivalent):
        self.mutants = mutants
        self.noticed_by = noticed_by
        self.reached = reached
        self.reasons = {m.id: equivalent[m.key] for m in mutants if m.key in equivalent}
        self.noticed = [m for m in mutants if m.id in noticed_by]
        self.unnoticed = [m for m in mutants if m.id not in noticed_by]
        excused = {m.id for m in mutants if m.equal} | self.reasons.keys()
        self.excused = [m for m in self.unnoticed if m.id in excused]
        self.survivors = [m for m in self.unnoticed if m.id not in excused]
        self.refuted = [m for m in self.noticed if m.id in self.reasons]

    @property
    def explained(self):
        """How many were not noticed because they compute the same."""
        return len(self.excused)

    @property
    def share(self):
        """Noticed ones among those that could be: the usual mutation score."""
        possible = len(self.mutants) - self.explained
        return len(self.noticed) / possible if possible else 1.0

    def by_operator(self):
        """(operator, mutants, noticed, explained), those with most unnoticed first."""
        count = Counter(m.operator for m in self.mutants)
        noticed = Counter(m.operator for m in self.noticed)
        explained = Counter(m.operator for m in self.excused)
        rows = [(op, n, noticed[op], explained[op]) for op, n in count.items()]
        return sorted(rows, key=lambda row: (row[2] - row[1], row[0]))

    def text(self):
        lines = [f"{'operator':44} mutants noticed equivalent  share"]
        for operator, count, noticed, explained in self.by_operator():
            if noticed < count:
                share = 100 * noticed / count
                lines.append(f"{operator:44} {count:7} {noticed:7} {explained:10} {share:5.1f}%")
        whole = sum(noticed == count for _, count, noticed, _ in self.by_operator())
        lines.append(f"{whole} other operators: all mutants noticed")
        if self.survivors:
            lines += ["", "Survivors:"]
            lines += [f"  {m.label}{self.remark(m)}" for m in self.survivors]
        if self.refuted:
            lines += ["", "Explained in equivalent.json, but noticed:"]
            lines += [f"  {m.label}" for m in self.refuted]
        lines += ["", self.summary()]
        return "\n".join(lines)

    def remark(self, mutant):
        return "" if mutant.id in self.reached else "  (no test reaches it)"

    def summary(self):
        raw = len(self.noticed) / len(self.mutants) if self.mutants else 1.0
        return (
            f"{len(self.mutants)} mutants, {len(self.noticed)} noticed ({100 * raw:.1f} %), "
            f"{self.explained} equivalent, {len(self.survivors)} survived: "
            f"{100 * self.share:.1f} % of what can be noticed"
        )

    def as_json(self):
        def entry(mutant):
            return {
                **asdict(mutant),
                "noticed_by": self.noticed_by.get(mutant.id),
                "reached": mutant.id in self.reached,
                "explained": self.reasons.get(mutant.id),
            }

        operators = [
            {"operator": op, "mutants": count, "noticed": noticed, "explained": explained}
            for op, count, noticed, explained in self.by_operator()
        ]
        return json.dumps(
            {"share": self.share, "operators": operators, "mutants": [*map(entry, self.mutants)]},
            indent=1,
        )
