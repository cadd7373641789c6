"""Settings of a run and what came of them, as summaries."""

from __future__ import annotations

from typing import Any

from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams import metadata
from tensorboard.plugins.hparams.api_pb2 import (
    DataType,
    Experiment,
    HParamInfo,
    MetricInfo,
    MetricName,
    Status,
)
from tensorboard.plugins.hparams.plugin_data_pb2 import (
    HParamsPluginData,
    SessionEndInfo,
    SessionStartInfo,
)

from opweave import _C
from opweave.utils.tensorboard._values import metadata_of


def _check_dict(name: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise TypeError(f"parameter: {name} should be a dictionary, got {type(value).__name__}")


def _check_domains(domains: dict[str, Any], settings: dict[str, Any]) -> None:
    for name, values in domains.items():
        fits = name in settings and isinstance(values, list)
        if not fits or not all(isinstance(v, type(settings[name])) for v in values):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                f"hparam_dict[{name}]."
            )


def _field_of(name: str, value: Any) -> tuple[str, str, Any]:
    """The type of a setting, the field for its values, and its value."""
    if isinstance(value, _C.Tensor):
        value = (value[0] if value.dim() == 1 and value.numel() else value).item()
    if isinstance(value, (int, float)):
        return "DATA_TYPE_FLOAT64", "number_value", value
    if isinstance(value, str):
        return "DATA_TYPE_STRING", "string_value", value
    raise ValueError(
        f"hparam_dict[{name!r}]: value should be one of int, float, str, bool, or torch.Tensor, got "
        f"{type(value).__name__}"
    )


def _summary(tag: str, **content: Any) -> Summary:
    data = HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content).SerializeToString()
    value = Summary.Value(tag=tag, metadata=metadata_of(metadata.PLUGIN_NAME, data))
    return Summary(value=[value])


def hparams(
    hparam_dict: dict[str, Any] | None = None,
    metric_dict: dict[str, Any] | None = None,
    hparam_domain_discrete: dict[str, list[Any]] | None = None,
) -> tuple[Summary, Summary, Summary]:
    """Three summaries: which settings and metrics there are, the settings of this run, and that it ended.

    Args:
        hparam_dict: the settings by name: numbers, text or tensors, of a vector its first element; None is
            left out.
        metric_dict: whose keys are the names of metrics.
        hparam_domain_discrete: all values that a setting may have.

    Raises:
        TypeError: no dictionaries, or values of other types than the setting.
        ValueError: a setting of another type.
    """
    _check_dict("hparam_dict", hparam_dict)
    _check_dict("metric_dict", metric_dict)
    domains = hparam_domain_discrete or {}
    _check_dict("hparam_domain_discrete", domains)
    assert hparam_dict is not None
    assert metric_dict is not None
    _check_domains(domains, hparam_dict)
    start, infos = SessionStartInfo(), []
    for name, given in hparam_dict.items():
        if given is None:
            continue
        kind, field, value = _field_of(name, given)
        setattr(start.hparams[name], field, value)
        values = [struct_pb2.Value(**{field: v}) for v in domains.get(name, [])]
        domain = struct_pb2.ListValue(values=values) if name in domains else None
        info = HParamInfo(name=name, type=DataType.Value(kind), domain_discrete=domain)
        infos.append(info)
    metrics = [MetricInfo(name=MetricName(tag=name)) for name in metric_dict]
    experiment = Experiment(hparam_infos=infos, metric_infos=metrics)
    end = SessionEndInfo(status=Status.Value("STATUS_SUCCESS"))
    return (
        _summary(metadata.EXPERIMENT_TAG, experiment=experiment),
        _summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        _summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )
