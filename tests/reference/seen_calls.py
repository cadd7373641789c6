"""Expressions, for any module with PyTorch's interface: which functions a mode sees in them."""

EXPRESSIONS = """
x+1
1+x
x-1
1-x
1/x
x/2
2**x
x**2
x//2
5//x
5%x
x%2
x@w
-x
abs(x)
~i
i&1
1&i
i<<1
1<<i
x!=x
x<1
1<x
x>=1
len(x)
x[0]
x[0,1]
x[i]
bool(x[0,0])
float(x.sum())
int(i.sum())
i[0].__index__()
repr(x)
str(x)
format(x)
x.shape
x.size()
x.size(0)
x.dim()
x.ndim
x.dtype
x.device
x.grad
x.requires_grad
x.data
x.T
x.mT
x.is_leaf
x.grad_fn
x.stride()
x.numel()
x.sum().item()
x.tolist()
x.numpy()
x.__array__()
x.is_contiguous()
x.contiguous()
x.to(ow.float64)
x.double()
x.cpu()
x.view(6)
x.reshape(-1)
x.permute(1,0)
x.clone()
x.detach()
x.sum()
x.sum(dim=0)
x.max(0)
ow.add(x,1)
ow.add(x,1,alpha=2)
ow.zeros(2)
ow.ones(2,2)
ow.rand(2)
ow.tensor([1.])
ow.as_tensor([1.])
ow.arange(3)
ow.linspace(0,1,3)
ow.full((2,),1.)
ow.eye(2)
ow.randperm(3)
ow.randint(3,(2,))
ow.empty(2)
ow.zeros_like(x)
ow.cat([x,x])
ow.stack([x,x])
ow.where(x>0,x,x)
ow.einsum('ij,jk->ik',x,w)
ow.split(x,1)
x.split(1)
x.chunk(2)
ow.unique(i)
ow.norm(x)
x.norm()
ow.meshgrid(i,i)
ow.broadcast_tensors(x,x)
ow.tensordot(x,w,1)
ow.nonzero(x)
F.relu(x)
F.linear(x,w)
F.softmax(x,-1)
F.dropout(x)
F.cross_entropy(x,i)
F.mse_loss(x,x)
F.layer_norm(x,(3,))
F.gelu(x)
F.silu(x)
F.conv2d(ow.ones(1,1,3,3),ow.ones(1,1,2,2))
F.max_pool2d(ow.ones(1,1,4,4),2)
F.embedding(i,w)
F.normalize(x)
F.pad(x,(1,1))
F.one_hot(i,3)
F.scaled_dot_product_attention(x[None],x[None],x[None])
F.batch_norm(x,ow.zeros(3),ow.ones(3))
lin(x)
y.sum().backward()
y.grad
y.register_hook(lambda g:g)
y.requires_grad_()
y.retain_grad()
copy.deepcopy(x)
x.add_(1)
x.__iadd__(1)
x.zero_()
x.fill_(1.)
x.__setitem__(0,1)
x.copy_(x)
x.data_ptr()
x.storage_offset()
x.element_size()
x.type()
x.new_zeros(2)
x.new_tensor([1.])
x.unbind()
x.is_floating_point()
x.expand(2,2,3)
x.__contains__(1)
1 in x
x.__reversed__()
x.half()
ow.allclose(x,x)
ow.equal(x,x)
x.is_sparse
x.layout
x.itemsize
x.nbytes
x.untyped_storage()
x.H
x.real
ow.Tensor.add(x,1)
ow.utils.data.default_collate([x,x])
x.is_pinned()
x.unflatten(1,(1,3))
x.unique()
x.nelement()
x.__len__()
x.__dlpack_device__()
x.__dlpack__()
ow.vstack([x,x])
ow.atleast_1d(x)
ow.block_diag(x,x)
ow.cartesian_prod(i,i)
ow.cdist(x,x)
ow.logspace(0,1,3)
ow.multinomial(x,2)
ow.bernoulli(x)
ow.normal(0.,1.,(2,))
ow.tril_indices(2,2)
ow.empty_like(x)
ow.empty_strided((2,),(1,))
ow.scalar_tensor(1.)
x.masked_fill(x>0,1)
ow.var_mean(x)
x.topk(1)
ow.sort(x)
F.interpolate(ow.ones(1,1,2,2),scale_factor=2)
ow.is_floating_point(x)
ow.numel(x)
""".strip().split("\n")


def _names(ow):
    import copy

    return {
        "ow": ow,
        "F": ow.nn.functional,
        "copy": copy,
        "x": ow.ones(2, 3),
        "y": ow.ones(2, 3, requires_grad=True),
        "w": ow.ones(3, 3),
        "i": ow.tensor([0, 1]),
        "lin": ow.nn.Linear(3, 3),
    }


def _short(name):
    """Without the package, and the module of functions that are the package's as well."""
    return (name or "?").partition(".")[2].removeprefix("functional.")


def answer(ow, overrides, expression):
    """The names of the functions that a mode sees, in order."""
    seen = []

    class Watching(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(_short(overrides.resolve_name(func)))
            return func(*args, **(kwargs or {}))

    names = _names(ow)
    with Watching():
        eval(expression, names)
    return seen


def record(ow, overrides):
    return {e: answer(ow, overrides, e) for e in EXPRESSIONS}
