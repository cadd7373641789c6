"""What schedulers refuse: the types of PyTorch's errors, and the words of ours."""

import re

from reference.table import Table

table = Table(raises=True, grad=False)

# `go` takes steps: some arguments that are refused here when a scheduler is made PyTorch refuses then.
BEGIN = """
S, W = ow.optim.lr_scheduler, ow.optim.swa_utils
a, b, c, d = (ow.nn.Parameter(ow.ones(1)) for _ in range(4))
optimizer = ow.optim.SGD([{'params': [a]}, {'params': [b], 'lr': 0.03}], lr=0.1, momentum=0.9)
other = ow.optim.SGD([c], lr=0.1)
def go(scheduler, *arguments):
    for _ in range(9):
        scheduler.step(*arguments)
def grown(scheduler, *arguments):
    scheduler.step(*arguments)
    optimizer.add_param_group({'params': [d], 'lr': 0.1})
    go(scheduler, *arguments)
"""


def cases(lines):
    for line in filter(None, map(str.strip, lines.splitlines())):
        code, _, says = line.partition("  # ")
        topic = re.search(r"[A-Z]\w+(?=\()", code)[0]
        table.case(topic, BEGIN + code, says=f"{topic} {says} expected got", name=code)


cases(
    """S.StepLR(3, 5)  # optimizer
    go(S.StepLR(optimizer, 'a'))  # step_size 'a'
    go(S.StepLR(optimizer, 0))  # epoch step_size=0
    S.StepLR(optimizer, 0).step(3)  # epoch step_size=0
    go(S.StepLR(optimizer, None))  # step_size None
    go(S.StepLR(optimizer, 5, gamma='x'))  # gamma 'x'
    S.StepLR(optimizer, 5, last_epoch=3)  # last_epoch 3
    S.StepLR(optimizer, 5, last_epoch='x')  # last_epoch 'x'
    S.MultiStepLR(optimizer, 5)  # milestones 5
    S.MultiStepLR(optimizer, [[1]])  # milestones [[1]]
    go(S.MultiStepLR(optimizer, [1], gamma='x'))  # gamma 'x'
    S.ConstantLR(optimizer, 1.5)  # factor 1.5
    S.ConstantLR(optimizer, -0.1)  # factor -0.1
    S.ConstantLR(optimizer, 'x')  # factor 'x'
    go(S.ConstantLR(optimizer, 0))  # epoch factor=0
    S.ConstantLR(optimizer, total_iters='x').step(3)  # total_iters 'x'
    S.LinearLR(optimizer, 0)  # start_factor 0
    S.LinearLR(optimizer, 1.5)  # start_factor 1.5
    S.LinearLR(optimizer, -1)  # start_factor -1
    S.LinearLR(optimizer, end_factor=1.5)  # end_factor 1.5
    S.LinearLR(optimizer, end_factor=-1)  # end_factor -1
    go(S.LinearLR(optimizer, total_iters='x'))  # total_iters 'x'
    S.LinearLR(optimizer, total_iters=0).step(2)  # total_iters=0
    S.LinearLR(optimizer, None)  # start_factor None
    go(S.ExponentialLR(optimizer, 'x'))  # gamma 'x'
    go(S.ExponentialLR(optimizer, None))  # gamma None
    S.ExponentialLR(optimizer, 1e300).step(5)  # epoch gamma=1e+300
    S.ExponentialLR(optimizer, 0).step(-1)  # epoch gamma=0
    S.PolynomialLR(optimizer, 0).step(2)  # epoch total_iters=0
    go(S.PolynomialLR(optimizer, 5, -1))  # epoch total_iters=5, power=-1,
    go(S.PolynomialLR(optimizer, 5, 'x'))  # power 'x'
    go(S.PolynomialLR(optimizer, 'x'))  # total_iters 'x'
    go(S.CosineAnnealingLR(optimizer, 0))  # epoch T_max=0
    go(S.CosineAnnealingLR(optimizer, 'x'))  # T_max 'x'
    go(S.CosineAnnealingLR(optimizer, 5, 'x'))  # eta_min 'x'
    S.CosineAnnealingLR(optimizer, 0).step(2)  # epoch T_max=0
    S.CosineAnnealingWarmRestarts(optimizer, 0)  # T_0 0
    S.CosineAnnealingWarmRestarts(optimizer, -1)  # T_0 -1
    S.CosineAnnealingWarmRestarts(optimizer, 2.5)  # T_0 2.5
    S.CosineAnnealingWarmRestarts(optimizer, 'x')  # T_0 'x'
    S.CosineAnnealingWarmRestarts(optimizer, 5, 0)  # T_mult 0
    S.CosineAnnealingWarmRestarts(optimizer, 5, 1.5)  # T_mult 1.5
    S.CosineAnnealingWarmRestarts(optimizer, 5, 'x')  # T_mult 'x'
    S.CosineAnnealingWarmRestarts(optimizer, 5, eta_min='x')  # eta_min 'x'
    S.CosineAnnealingWarmRestarts(optimizer, 5, eta_min=None)  # eta_min None
    S.CosineAnnealingWarmRestarts(optimizer, 5).step(-1)  # epoch -1
    S.CosineAnnealingWarmRestarts(optimizer, 5).step('x')  # epoch 'x'
    S.CosineAnnealingWarmRestarts(optimizer, 5).step(nan)  # epoch nan
    S.CosineAnnealingWarmRestarts(optimizer, 5).step(inf)  # epoch inf
    S.CosineAnnealingWarmRestarts(optimizer, 5, 2).step(inf)  # epoch inf
    S.CyclicLR(3, 0.1, 0.2)  # optimizer
    S.CyclicLR(optimizer, [0.1], 0.2)  # base_lr 1
    S.CyclicLR(optimizer, 0.1, [0.2])  # max_lr 1
    S.CyclicLR(optimizer, 'x', 0.2)  # base_lr 'x'
    S.CyclicLR(optimizer, 0.1, 'x')  # max_lr 'x'
    S.CyclicLR(optimizer, 0.1, None)  # max_lr None
    S.CyclicLR(optimizer, 0.1, 0.2, 'x')  # step_size_up 'x'
    S.CyclicLR(optimizer, 0.1, 0.2, None)  # step_size_up None
    S.CyclicLR(optimizer, 0.1, 0.2, 0)  # step_size_up 0.0
    S.CyclicLR(optimizer, 0.1, 0.2, 0, 5)  # step_size_up 0
    S.CyclicLR(optimizer, 0.1, 0.2, 5, 'x')  # step_size_down 'x'
    S.CyclicLR(optimizer, 0.1, 0.2, mode='x')  # mode 'x'
    S.CyclicLR(optimizer, 0.1, 0.2, mode=[])  # mode []
    S.CyclicLR(optimizer, 0.1, 0.2, scale_fn=3)  # scale_fn 3
    S.CyclicLR(optimizer, 0.1, 0.2, scale_fn=lambda x: 'x')  # scale_fn 'x'
    S.CyclicLR(optimizer, 0.1, 0.2, scale_fn=lambda x: None)  # scale_fn None
    S.CyclicLR(optimizer, 0.1, 0.2, mode='exp_range', gamma='x')  # gamma 'x'
    S.CyclicLR(optimizer, 0.1, 0.2, base_momentum=[0.1])  # base_momentum 1
    S.CyclicLR(optimizer, 0.1, 0.2, max_momentum=[0.1])  # max_momentum 1
    S.CyclicLR(optimizer, 0.1, 0.2, max_momentum='x')  # max_momentum 'x'
    S.CyclicLR(optimizer, 0.1, 0.2, 1, mode='triangular2').step(3000)  # epoch total_size=2.0
    S.CyclicLR(optimizer, 0.1, 0.2, last_epoch=5)  # last_epoch 5
    S.CyclicLR(optimizer, 0.1, 0.2).load_state_dict({})  # state_dict
    S.CyclicLR(optimizer, 1, 2).load_state_dict({'_scale_fn_custom': {'a': 1}})  # state_dict scale_fn=None
    S.OneCycleLR(3, 0.1, 10)  # optimizer
    S.OneCycleLR(optimizer, 0.1)  # total_steps total_steps=None
    S.OneCycleLR(optimizer, 0.1, epochs=3)  # total_steps total_steps=None
    S.OneCycleLR(optimizer, 0.1, 0)  # total_steps 0
    S.OneCycleLR(optimizer, 0.1, -5)  # total_steps -5
    S.OneCycleLR(optimizer, 0.1, 2.5)  # total_steps 2.5
    S.OneCycleLR(optimizer, 0.1, 'x')  # total_steps 'x'
    S.OneCycleLR(optimizer, 0.1, epochs=0, steps_per_epoch=5)  # epochs 0
    S.OneCycleLR(optimizer, 0.1, epochs='x', steps_per_epoch=5)  # epochs 'x'
    S.OneCycleLR(optimizer, 0.1, epochs=5, steps_per_epoch=2.5)  # steps_per_epoch 2.5
    S.OneCycleLR(optimizer, 0.1, 10, pct_start=1.5)  # pct_start 1.5
    S.OneCycleLR(optimizer, 0.1, 10, pct_start=-0.5)  # pct_start -0.5
    S.OneCycleLR(optimizer, 0.1, 10, pct_start=1)  # pct_start 1
    S.OneCycleLR(optimizer, 0.1, 10, pct_start='x')  # pct_start 'x'
    S.OneCycleLR(optimizer, 0.1, 10, pct_start=None)  # pct_start None
    S.OneCycleLR(optimizer, 0.1, 10, pct_start=0.1)  # pct_start
    S.OneCycleLR(optimizer, 0.1, 10, anneal_strategy='x')  # anneal_strategy 'x'
    S.OneCycleLR(optimizer, 0.1, 10, anneal_strategy=None)  # anneal_strategy None
    S.OneCycleLR(optimizer, [0.1], 10)  # max_lr 1
    S.OneCycleLR(optimizer, 'x', 10)  # max_lr 'x'
    S.OneCycleLR(optimizer, 0.1, 10, div_factor=0)  # div_factor 0
    S.OneCycleLR(optimizer, 0.1, 10, final_div_factor=0)  # final_div_factor 25.0
    S.OneCycleLR(optimizer, 0.1, 10, div_factor='x')  # div_factor 'x'
    S.OneCycleLR(optimizer, 0.1, 10, base_momentum=[0.1])  # base_momentum 1
    S.OneCycleLR(optimizer, 0.1, 10, last_epoch=5)  # last_epoch 5
    S.OneCycleLR(optimizer, 0.1, 10).step(11)  # total_steps
    S.OneCycleLR(optimizer, 0.1, 10, pct_start=1.0).step(10)  # pct_start
    S.LambdaLR(3, lambda e: 1)  # optimizer
    S.LambdaLR(optimizer, 3)  # lr_lambda 3
    S.LambdaLR(optimizer, [lambda e: 1])  # lr_lambda 1
    S.LambdaLR(optimizer, [lambda e: 1, 3])  # lr_lambda 3
    S.LambdaLR(optimizer, lambda e: None)  # lr_lambda None
    S.LambdaLR(optimizer, lambda e: 1, last_epoch=5)  # last_epoch 5
    S.LambdaLR(optimizer, lambda e: 1).load_state_dict({})  # state_dict
    S.LambdaLR(optimizer, lambda e: 1).load_state_dict({'lr_lambdas': [None, None, {}]})  # state_dict 3
    S.MultiplicativeLR(3, lambda e: 1)  # optimizer
    S.MultiplicativeLR(optimizer, 3)  # lr_lambda 3
    S.MultiplicativeLR(optimizer, [lambda e: 1])  # lr_lambda 1
    go(S.MultiplicativeLR(optimizer, lambda e: None))  # lr_lambda None
    S.SequentialLR(optimizer, [], [])  # schedulers
    S.SequentialLR(optimizer, None, [])  # schedulers None
    S.SequentialLR(optimizer, [3], [])  # schedulers 3
    S.SequentialLR(optimizer, [S.StepLR(optimizer, 3)], [3])  # milestones 1
    S.SequentialLR(optimizer, [S.StepLR(optimizer, 3)], None)  # milestones None
    S.SequentialLR(optimizer, [S.StepLR(optimizer, 3)] * 2, ['x'])  # milestones 'x'
    S.SequentialLR(optimizer, [S.StepLR(other, 3)], [])  # schedulers
    S.SequentialLR(3, [S.StepLR(optimizer, 3)], [])  # schedulers
    S.SequentialLR(optimizer, [S.ReduceLROnPlateau(optimizer)], [])  # schedulers
    S.SequentialLR(optimizer, [S.StepLR(optimizer, 3)], []).load_state_dict({})  # state_dict
    S.ChainedScheduler([S.StepLR(optimizer, 3)]).load_state_dict({'_schedulers': [{}] * 2})  # state_dict 2
    S.SequentialLR(optimizer, [S.StepLR(optimizer, 3)], [], 'x')  # last_epoch 'x'
    S.ChainedScheduler([])  # schedulers
    S.ChainedScheduler(None)  # schedulers None
    S.ChainedScheduler([3])  # schedulers 3
    S.ChainedScheduler([S.StepLR(optimizer, 3), 3])  # schedulers 3
    S.ChainedScheduler([S.StepLR(optimizer, 3), S.StepLR(other, 3)])  # schedulers
    S.ChainedScheduler([S.StepLR(optimizer, 3)], other)  # schedulers
    S.ChainedScheduler([S.ReduceLROnPlateau(optimizer)])  # schedulers
    S.ChainedScheduler([S.StepLR(optimizer, 3)]).load_state_dict({})  # state_dict
    S.ReduceLROnPlateau(3)  # optimizer
    S.ReduceLROnPlateau(optimizer, 'x')  # mode
    S.ReduceLROnPlateau(optimizer, 5)  # mode 5
    S.ReduceLROnPlateau(optimizer, factor=1.0)  # factor 1.0
    S.ReduceLROnPlateau(optimizer, factor='x')  # factor 'x'
    S.ReduceLROnPlateau(optimizer, threshold_mode='x')  # threshold_mode
    S.ReduceLROnPlateau(optimizer, threshold_mode=None)  # threshold_mode None
    S.ReduceLROnPlateau(optimizer, min_lr=[0.1])  # min_lr 1
    S.ReduceLROnPlateau(optimizer, min_lr=(0.1, 0.1, 0.1))  # min_lr 3
    go(S.ReduceLROnPlateau(optimizer, patience=0, min_lr='x'), 1.0)  # min_lr 'x'
    S.ReduceLROnPlateau(optimizer).step('x')  # metrics 'x'
    S.ReduceLROnPlateau(optimizer).step(None)  # metrics None
    S.ReduceLROnPlateau(optimizer).step(ow.ones(2))  # metrics tensor([1.
    S.ReduceLROnPlateau(optimizer).get_lr()  # get_lr
    S.ReduceLROnPlateau(optimizer).load_state_dict({'mode': 'x'})  # mode
    S.LRScheduler(3)  # optimizer
    S.LRScheduler(optimizer)  # get_lr
    S.LRScheduler(optimizer, 5)  # last_epoch 5
    W.SWALR(3, 0.1)  # optimizer
    W.SWALR(optimizer, [0.1])  # swa_lr 1
    W.SWALR(optimizer, 'x')  # swa_lr 'x'
    W.SWALR(optimizer, None)  # swa_lr None
    W.SWALR(optimizer, 0.1, -1)  # anneal_epochs -1
    W.SWALR(optimizer, 0.1, 2.5)  # anneal_epochs 2.5
    W.SWALR(optimizer, 0.1, 'x')  # anneal_epochs 'x'
    W.SWALR(optimizer, 0.1, anneal_strategy='x')  # anneal_strategy 'x'
    W.SWALR(optimizer, 0.1, last_epoch=3)  # last_epoch 3
    S.StepLR(optimizer, 3).load_state_dict(5)  # state_dict 5
    S.StepLR(optimizer, 3).load_state_dict(None)  # state_dict None
    S.LambdaLR(optimizer, lambda e: 1).load_state_dict(5)  # state_dict 5
    S.StepLR(optimizer, 3).step('x')  # epoch 'x'
    grown(S.LambdaLR(optimizer, lambda e: 1))  # get_lr 2
    grown(S.CosineAnnealingLR(optimizer, 2))  # optimizer 2
    grown(S.CosineAnnealingLR(optimizer, 5))  # optimizer 2
    grown(S.MultiplicativeLR(optimizer, lambda e: 1))  # lr_lambda 2
    grown(S.CyclicLR(optimizer, 0.1, 0.2, 3))  # optimizer 2
    grown(S.OneCycleLR(optimizer, 0.1, 30))  # initial_lr
    grown(S.CosineAnnealingWarmRestarts(optimizer, 2))  # get_lr 2
    grown(S.ReduceLROnPlateau(optimizer, patience=2, min_lr=[0, 0]), 1.0)  # min_lr 2:
    grown(W.SWALR(optimizer, 0.1))  # swa_lr"""
)

table.case(
    "SequentialLR",
    f"{BEGIN}two = S.StepLR(optimizer, 3), S.ChainedScheduler([S.StepLR(optimizer, 4)])\n"
    "go(S.SequentialLR(optimizer, two, [1]))",
    says="ChainedScheduler get_lr expected got",
    name="a ChainedScheduler that begins later",
)
