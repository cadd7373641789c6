"""LBFGS."""

from opweave import _C
from opweave._grad_mode import enable_grad, no_grad
from opweave.optim._for_subclasses import _to_scalar
from opweave.optim._line_search import Point, Search
from opweave.optim._stateful import check_learning_rate
from opweave.optim.optimizer import Optimizer

_CURVED = 1e-10  # below, a step says nothing of the curvature


class LBFGS(Optimizer):
    """Liu and Nocedal, "On the limited memory BFGS method for large scale optimization" (Mathematical
    Programming 45, 1989). `step` needs a closure, which it calls up to `max_eval` times (5/4 of `max_iter`
    for None), and takes one group of parameters.

    Args:
        tolerance_grad: it ends where no element of the gradient is larger,
        tolerance_change: or where neither a parameter nor the loss changes by more.
        history_size: how many steps it remembers.
        line_search_fn: "strong_wolfe", or None for steps of length `lr`.
    """

    _of_older_states = {"maximize": False}

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
        *,
        maximize=False,
    ):
        check_learning_rate(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn, "maximize": maximize,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def step(self, closure):
        """Several updates; what `closure`, which computes the loss and its gradients, returned first."""
        with no_grad():
            return self._steps(enable_grad()(closure))

    def _steps(self, closure):
        group, state = self.param_groups[0], self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError(
                f"only 'strong_wolfe' is supported, got line_search_fn={group['line_search_fn']!r}"
            )
        first = closure()
        state["func_evals"] += 1
        sign = -1.0 if group["maximize"] else 1.0
        loss, gradient = sign * float(first), self._gradient(group)
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first

        def evaluated():
            with enable_grad():
                value = sign * float(closure())
            return value, self._gradient(group)

        self._iterate(group, state, loss, gradient, evaluated)
        return first

    def _iterate(self, group, state, loss, gradient, evaluated):
        calls, turn, lr = 1, 0, _to_scalar(group["lr"])
        while turn < group["max_iter"]:
            turn += 1
            state["n_iter"] += 1
            self._choose_direction(group, state, gradient)
            direction, before = state["d"], loss
            state["prev_flat_grad"], state["prev_loss"] = gradient.clone(), loss
            slope = gradient.dot(direction)
            is_first = state["n_iter"] == 1
            state["t"] = min(1.0, 1.0 / gradient.abs().sum()) * lr if is_first else lr
            if slope > -group["tolerance_change"]:
                break
            is_last = turn == group["max_iter"]
            loss, gradient, more = self._move(
                group, state, Point(0, loss, gradient, slope), evaluated, is_last, calls
            )
            calls += more
            state["func_evals"] += more
            if (
                is_last
                or calls >= group["max_eval"]
                or gradient.abs().max() <= group["tolerance_grad"]
                or (direction * state["t"]).abs().max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break

    def _choose_direction(self, group, state, gradient):
        """Against the gradient, times what the steps before say of the inverse of the Hessian."""
        if state["n_iter"] == 1:
            state.update(d=gradient.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1, al=None)
            return
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change = gradient - state["prev_flat_grad"]
        step = state["d"] * state["t"]
        product = change.dot(step)
        if product > _CURVED:
            if len(changes) == group["history_size"]:
                for kept in (changes, steps, inverses):
                    kept.pop(0)
            changes.append(change)
            steps.append(step)
            inverses.append(1.0 / product)
            state["H_diag"] = product / change.dot(change)
        weights = state["al"] = [None] * group["history_size"]
        direction = gradient.neg()
        for i in reversed(range(len(changes))):
            weights[i] = steps[i].dot(direction) * inverses[i]
            direction.add_(changes[i] * -weights[i])
        direction = direction * state["H_diag"]
        for change, step, inverse, weight in zip(changes, steps, inverses, weights, strict=False):
            direction.add_(step * (weight - change.dot(direction) * inverse))
        state["d"] = direction

    def _move(self, group, state, start, evaluated, is_last, calls):
        """(loss, gradient, calls of the closure) where a step along the direction ends."""
        direction = state["d"]
        if group["line_search_fn"] is None:
            self._add(direction, state["t"])
            if is_last:
                return start.value, start.gradient, 0
            return *evaluated(), 1
        kept = [p.clone() for p in self._params]

        def at(t):
            self._add(direction, t)
            value, gradient = evaluated()
            for param, old in zip(self._params, kept, strict=True):
                param.copy_(old)
            return Point(t, value, gradient, gradient.dot(direction))

        most = group["max_eval"] - calls
        search = Search(at, start, direction.abs().max(), group["tolerance_change"], most)
        found = search.run(state["t"])
        state["t"] = found.t
        self._add(direction, found.t)
        return found.value, found.gradient, search.turns + 1

    def _gradient(self, group):
        """Of all parameters, one after another; zeros of those that have none."""
        views = [
            (p.new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1)) for p in self._params
        ]
        flat = _C.cat(views)
        return -flat if group["maximize"] else flat

    def _add(self, direction, t):
        offset = 0
        for param in self._params:
            part = direction[offset : offset + param.numel()]
            param.add_(part.view_as(param) * t)
            offset += param.numel()
