"""openbox on PyTorch modules: any shape, or a refusal that names what is in the way."""

import copy
import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from facetwise.errors import InputError
from facetwise.models import openbox
from facetwise.models.whitebox import modules

SHAPE = (2, 16, 16)


class Residual(nn.Module):
    """Two convolutions beside a shortcut, as in a ResNet."""

    def __init__(self, inputs, outputs, stride=1):
        """With a convolution on the shortcut where shapes change."""
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = (
            nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )
            if stride > 1
            else nn.Identity()
        )

    def forward(self, x):
        """Added in place, as many do."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return self.relu(out)


class MaxOut(nn.Module):
    """The largest of k affine functions for each unit."""

    def __init__(self, inputs, units, k, way):
        """`way` is how the largest is taken."""
        super().__init__()
        self.linear = nn.Linear(inputs, units * k)
        self.k, self.way = k, way

    def forward(self, x):
        """Largest of each group of k."""
        return self.way(self.linear(x).unflatten(1, (-1, self.k)))


class Calls(nn.Module):
    """A linear layer, a function, and a linear layer."""

    def __init__(self, function, middle=6):
        """`function` takes (n, 6) and gives (n, middle)."""
        super().__init__()
        self.function = function
        self.first = nn.Linear(8, 6)
        self.last = nn.Linear(middle, 3)

    def forward(self, x):
        """Straight through."""
        return self.last(self.function(self.first(x)))


def alexnet():
    """Large strides, overlapping pools, dropout."""
    return nn.Sequential(
        nn.Conv2d(2, 6, 5, stride=2, padding=2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, stride=2),
        nn.Conv2d(6, 8, 3, padding=1, groups=2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.AdaptiveAvgPool2d((2, 2)),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(32, 12),
        nn.ReLU(inplace=True),
        nn.Dropout(),
        nn.Linear(12, 4),
    )


def vgg():
    """Blocks of convolutions with batch normalisation."""
    return nn.Sequential(
        *(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU()),
        *(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU()),
        nn.MaxPool2d(2, 2),
        *(nn.Conv2d(4, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU()),
        nn.MaxPool2d(2, 2, padding=1),
        nn.Flatten(),
        nn.Linear(150, 10),
        nn.LeakyReLU(0.2),
        nn.Linear(10, 4),
    )


def resnet():
    """Two residual blocks, one of which changes the shape."""
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1, bias=False),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        Residual(4, 4),
        Residual(4, 6, stride=2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, 4),
    )


def mixed():
    """Every activation there is, and average pooling."""
    return nn.Sequential(
        *(nn.Conv2d(2, 4, 3), nn.PReLU(4), nn.AvgPool2d(2)),
        *(nn.Conv2d(4, 4, 3), nn.ReLU6(), nn.AdaptiveMaxPool2d(3)),
        *(nn.Flatten(), nn.Linear(36, 10), nn.Hardtanh(-0.3, 0.4)),
        MaxOut(10, 6, 3, lambda z: z.amax(dim=2)),
        MaxOut(6, 5, 2, lambda z: z.max(dim=-1).values),
        nn.Linear(5, 4),
    )


def signals():
    """In one dimension."""
    return nn.Sequential(
        nn.Unflatten(1, (1, -1)),
        *(nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.MaxPool1d(2)),
        *(nn.Conv1d(4, 4, 3), nn.ReLU(), nn.AvgPool1d(2), nn.AdaptiveAvgPool1d(3)),
        *(nn.Flatten(), nn.Linear(12, 3)),
    )


def settled(model, seed=0):
    """Random parameters and running statistics, in evaluation mode."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            fan = parameter[0].numel() if parameter.ndim > 1 else 4
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(noise * math.sqrt(2 / fan))
        for part in model.modules():
            if hasattr(part, "running_var") and part.running_var is not None:
                part.running_mean.normal_(generator=generator)
                part.running_var.uniform_(0.5, 2.0, generator=generator)
    return model.eval()


def rows(n, d, seed=0):
    """Standard normal instances."""
    return np.random.default_rng(seed).standard_normal((n, d))


def gradients(model, X, shape):
    """Gradients (n, C, d) of the module itself by PyTorch, a row at a time."""
    wide = copy.deepcopy(model).double()
    jacobian = torch.autograd.functional.jacobian
    parts = [jacobian(lambda x: wide(x)[0], torch.tensor(x).view(1, *shape)) for x in X]
    return torch.stack(parts).flatten(2).numpy()


SHAPES = {
    "alexnet": (alexnet, SHAPE),
    "vgg": (vgg, SHAPE),
    "resnet": (resnet, SHAPE),
    "mixed": (mixed, SHAPE),
    "signals": (signals, (24,)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_modules_of_ones_own(name):
    """W is the gradient, and W x + b what the module answers, to 1e-10."""
    make, shape = SHAPES[name]
    model = settled(make())
    X = rows(12, math.prod(shape))
    local = openbox(model, input_shape=shape)(X)
    answers = copy.deepcopy(model).double()(torch.tensor(X).view(12, *shape))
    told = np.einsum("ncd,nd->nc", local.W, X) + local.b
    assert np.allclose(told, answers.detach().numpy(), rtol=1e-10, atol=1e-10)
    assert np.allclose(local.W, gradients(model, X, shape), rtol=1e-10, atol=1e-12)
    assert len(set(local.region)) == 12
    assert np.abs(local.b).max() > 0.1


@pytest.mark.parametrize("name", SHAPES)
def test_a_region_has_one_affine_function(name):
    """Close by, the key stays and W x + b goes on holding; farther, both change."""
    make, shape = SHAPES[name]
    box = openbox(settled(make()), input_shape=shape)
    x = rows(1, math.prod(shape))
    here = box(x)
    near = x + 1e-9 * rows(5, x.size, seed=1)
    assert (box.regions(near) == here.region[0]).all()
    assert np.allclose(near @ here.W[0].T + here.b[0], box.logits(near), atol=1e-12)
    far = x + rows(5, x.size, seed=1)
    assert (box.regions(far) != here.region[0]).all()
    assert not np.allclose(far @ here.W[0].T + here.b[0], box.logits(far), atol=1e-3)


def every_sign(h):
    """In place, through a view."""
    h = h.clone()
    h[:, 3:].relu_()
    return h


FUNCTIONS = {
    "F.relu": (F.relu, 6),
    "torch.relu_": (torch.relu_, 6),
    "Tensor.clamp": (lambda h: h.clamp(min=0), 6),
    "clamp_max": (lambda h: torch.clamp_max(h, 0.1), 6),
    "clip": (lambda h: h.clip(-0.2, 0.3), 6),
    "F.leaky_relu_": (lambda h: F.leaky_relu(h, 0.3, inplace=True), 6),
    "F.hardtanh": (F.hardtanh, 6),
    "relu through a view": (every_sign, 6),
    "maximum": (lambda h: torch.maximum(h, -0.5 * h + 1), 6),
    "max of two": (lambda h: torch.max(h, h.flip(1)), 6),
    "F.max_pool1d": (lambda h: F.max_pool1d(h[:, None], 2).flatten(1), 3),
    "amax, kept": (lambda h: h.view(-1, 2, 3).amax(-1, keepdim=True)[..., 0], 2),
    "amax over two": (lambda h: h.view(-1, 1, 2, 3).amax((2, 3)), 1),
    "amax over two, kept": (
        lambda h: h.view(-1, 2, 3).amax((-1, 1), keepdim=True).flatten(1),
        1,
    ),
    "unbind": (lambda h: torch.stack(h.unbind(1)[::2], 1).relu() / 2, 3),
    "chunk, cat, stack": (
        lambda h: torch.stack(torch.cat(h.chunk(2, 1), 1).split(3, 1), 2).amax(2),
        3,
    ),
    "detached": (lambda h: h + F.relu(h).detach(), 6),
    "without gradients": (torch.no_grad()(lambda h: F.relu(2 * h)), 6),
    "constants": (lambda h: h * torch.ones(6).softmax(0) / 2 - torch.arange(6), 6),
    "no dropout": (lambda h: F.dropout(h, training=False).relu(), 6),
    "sum and mean": (
        lambda h: F.relu(h - h.mean(1, keepdim=True) + h.sum(1)[:, None]),
        6,
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_count_as_layers_do(name):
    """However an operation is called, its pieces are in the key and W is right."""
    function, middle = FUNCTIONS[name]
    model = settled(Calls(function, middle))
    X = rows(60, 8)
    box = openbox(model, input_shape=(8,))
    local = box(X)
    step = 1e-7 * rows(60, 8, seed=1)
    change = np.einsum("ncd,nd->nc", local.W, step)
    assert (box.regions(X + step) == local.region).all()
    assert np.allclose(box.logits(X + step) - box.logits(X), change, atol=1e-14)
    bends = name not in ("constants",)
    assert (len(set(local.region)) > 1) == bends


def test_rows_may_be_changed_in_place():
    """A module whose first layer writes over its input is read all the same."""
    model = settled(nn.Sequential(nn.ReLU(inplace=True), nn.Linear(8, 3)))
    X = rows(5, 8)
    kept = X.copy()
    local = openbox(model, input_shape=(8,))(X)
    weight = model[1].weight.detach().double().numpy()
    assert np.array_equal(X, kept)
    assert np.array_equal(local.W, weight * (X > 0)[:, None])


def test_ties_take_one_piece():
    """Where two pieces are equal, W is that of one of them and no mean of both."""
    model = settled(Calls(lambda h: h.view(-1, 3, 2).amax(2), 3))
    with torch.no_grad():
        model.first.bias.zero_()
    origin = np.zeros((1, 8))
    local = openbox(model, input_shape=(8,))(origin)
    first = model.last.weight.double() @ model.first.weight.double()[::2]
    assert np.allclose(local.W[0], first.detach().numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (F.relu, 0.0),
        (lambda h: F.leaky_relu(h, 0.25), 0.25),
        (lambda h: F.hardtanh(h, 0.0, 1.0), 0.0),
        (lambda h: F.hardtanh(h, -1.0, 0.0), 0.0),
    ],
)
def test_on_a_boundary(function, slope):
    """A rectifier at zero is off, and a number at a limit counts as clipped."""
    model = settled(Calls(function))
    with torch.no_grad():
        model.first.bias.zero_()
    local = openbox(model, input_shape=(8,))(np.zeros((1, 8)))
    through = model.last.weight.double() @ model.first.weight.double()
    assert np.allclose(local.W[0], slope * through.detach().numpy(), rtol=0, atol=1e-12)


def test_a_module_without_slopes():
    """Logits that do not depend on the instance have slopes of zero."""
    model = settled(Calls(lambda h: h.clamp(max=-1e6), 6))
    local = openbox(model, input_shape=(8,))(rows(3, 8))
    assert (local.W == 0.0).all()
    assert len(set(local.region)) == 1


def test_chunks_do_not_show(monkeypatch):
    """Rows taken one, two or all at a time give the same."""
    model, X = settled(vgg()), rows(7, 512)
    whole = openbox(model, input_shape=SHAPE)(X)
    for budget, at_once in [(1, 1), (30_000, 2)]:
        monkeypatch.setattr(modules, "BUDGET", budget)
        box = openbox(model, input_shape=SHAPE)
        assert box.inside.rows == at_once
        parts = box(X)
        assert np.allclose(parts.W, whole.W, rtol=1e-12, atol=1e-13)
        assert np.array_equal(parts.region, whole.region)


def test_the_module_stays_as_it_is():
    """Nothing of the user's module changes: numbers, types, modes, hooks, gradients."""
    model = settled(resnet())
    before = copy.deepcopy(model.state_dict())
    openbox(model, input_shape=SHAPE)(rows(2, 512))
    assert all(torch.equal(a, before[key]) for key, a in model.state_dict().items())
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert all(p.requires_grad and p.grad is None for p in model.parameters())
    for part in model.modules():
        assert not part.training
        assert not part._forward_hooks
        assert not part._forward_pre_hooks


# What is refused ---------------------------------------------------------------------


def by_numpy(h):
    """Where no tracer sees."""
    return h + torch.from_numpy(np.tanh(h.detach().numpy()))


LAYERS = {
    "tanh": (nn.Tanh(), r"tanh in part '1' \(Tanh\)"),
    "gelu": (nn.GELU(), r"gelu in part '1' \(GELU\)"),
    "softmax": (nn.Softmax(1), r"_softmax in part '1' \(Softmax\)"),
    "sigmoid": (nn.Sigmoid(), "sigmoid in part '1'"),
    "silu": (nn.SiLU(), "silu in part '1'"),
    "softplus": (nn.Softplus(), "softplus in part '1'"),
    "layer norm": (nn.LayerNorm(6), r"layer_norm in part '1' \(LayerNorm\)"),
    "batch statistics": (
        nn.BatchNorm1d(6, track_running_stats=False),
        r"batch_norm in part '1' \(BatchNorm1d\)",
    ),
    "instance norm": (
        nn.Sequential(nn.Unflatten(1, (2, 3)), nn.InstanceNorm1d(2), nn.Flatten()),
        r"batch_norm in part '1\.1' \(InstanceNorm1d\)",
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_that_bend_are_named(name):
    """A layer that is not piecewise linear is named, with its place in the module."""
    layer, says = LAYERS[name]
    model = settled(nn.Sequential(nn.Linear(8, 6), layer, nn.Linear(6, 3)))
    with pytest.raises(InputError, match=says):
        openbox(model, input_shape=(8,))


class Attention(nn.Module):
    """Self-attention over two tokens of four features."""

    def __init__(self):
        """One head."""
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 1, batch_first=True)

    def forward(self, x):
        """Flat again."""
        tokens = x.view(-1, 2, 4)
        return self.attention(tokens, tokens, tokens)[0].flatten(1)


def test_attention_is_named():
    """Attention multiplies what depends on the instance, before its softmax."""
    with pytest.raises(InputError, match=r"in part 'attention' \(MultiheadAttention\)"):
        openbox(settled(Attention()), input_shape=(8,))


REFUSED = {
    "F.gelu": (F.gelu, "gelu in Calls"),
    "torch.tanh": (torch.tanh, "tanh in Calls"),
    "in place": (torch.sigmoid_, "sigmoid in Calls"),
    "product": (lambda h: h * h, "mul in Calls"),
    "product with a detached copy": (lambda h: h * h.detach(), "mul in Calls"),
    "product with data": (lambda h: h * h.data, "mul in Calls"),
    "quotient": (lambda h: 1 / (h + 9), "reciprocal in Calls"),
    "division to whole numbers": (
        lambda h: torch.div(h, 0.5, rounding_mode="floor"),
        "div in Calls",
    ),
    "matrix product": (lambda h: h @ h.T @ h, "mm in Calls"),
    "rounding": (lambda h: h.float().double(), "_to_copy in Calls"),
    "dropout left on": (lambda h: F.dropout(h, training=True), "bernoulli in Calls"),
    "noise": (lambda h: h + torch.randn(6), "randn in Calls"),
    "norm of the batch": (
        lambda h: F.batch_norm(h, None, None, training=True),
        "batch_norm in Calls",
    ),
    "norm of a row": (lambda h: F.normalize(h), "norm in Calls"),
    "sorting by place": (lambda h: h.gather(1, h.argsort(1)), "sort in Calls"),
    "places of maxima": (
        lambda h: h + h.max(1, keepdim=True).indices.double(),
        "getitem",
    ),
    "an if": (lambda h: h if h.sum() > 0 else -h, "Values decide"),
    "item": (lambda h: h * h.sum().item(), "Values decide"),
    "mixed rows": (lambda h: h - h.mean(0), "Rows of a batch influence one another"),
    "turned rows": (
        lambda h: h.T.reshape(3, -1).relu().reshape(6, -1).T,
        "Rows of a batch influence one another",
    ),
    "beyond PyTorch": (by_numpy, "does not follow the affine functions"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_calls_that_bend_are_named(name):
    """So are functions that no layer shows, down to those that no tracer sees."""
    function, says = REFUSED[name]
    with pytest.raises(InputError, match=says):
        openbox(settled(Calls(function)), input_shape=(8,))


def test_training_mode_is_refused():
    """A part left in training mode is named, even if all others are not."""
    model = settled(vgg())
    model[1].train()
    with pytest.raises(InputError, match=r"part '1' \(BatchNorm2d\) is in training"):
        openbox(model, input_shape=SHAPE)
    with pytest.raises(InputError, match=r"Sequential is in training mode.*eval\(\)"):
        openbox(vgg(), input_shape=SHAPE)


def test_the_shape_of_a_row_is_needed():
    """A module does not tell what it takes."""
    with pytest.raises(InputError, match="needs input_shape"):
        openbox(settled(vgg()))


def test_the_shape_of_a_row_is_checked():
    """A shape that the module cannot take is told, with PyTorch's own words."""
    with pytest.raises(InputError, match=r"input_shape \(7,\): .*shapes"):
        openbox(settled(Calls(F.relu)), input_shape=(7,))


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (nn.Conv2d(2, 3, 3), r"2 rows gave \(2, 3, 14, 14\)"),
        (nn.Sequential(nn.Flatten(0)), r"2 rows gave \(1024,\)"),
        (nn.LSTM(16, 3), "logits|gave tuple"),
    ],
)
def test_answers_have_two_dimensions(model, says):
    """A module has to give a row of logits for each row."""
    shape = (5, 16) if isinstance(model, nn.LSTM) else SHAPE
    with pytest.raises(InputError, match=says):
        openbox(model.eval(), input_shape=shape)
