"""ONNX models on the CPU: the runtime without its telemetry, sessions, and one error for what is no model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from retentive.errors import ConfigError, RetentiveError


def read_file(path: Path, raises: type[RetentiveError]) -> bytes:
    """A file's bytes; `raises` says which one cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise raises(message) from error


def load_runtime() -> Any:
    """The onnxruntime module, without its telemetry."""
    # Its official builds send usage data unless this is set before the library is loaded; its own call to switch that
    # off leaves the first events and a device id on disk, but is all that helps where an application loaded it before.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415  0.2 s and 30 MB, so at first use

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def open_session(runtime: Any, weights: bytes, threads: int) -> Any:
    """A model made ready to run on the CPU."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads must not burn a core
    options.log_severity_level = 3  # errors only
    return runtime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


@contextmanager
def model_errors(runtime: Any) -> Iterator[None]:
    """Map what onnxruntime raises for a file that is no usable model: classes without a common base."""
    errors = runtime.capi.onnxruntime_pybind11_state
    try:
        yield
    except (
        errors.Fail,
        errors.InvalidArgument,
        errors.InvalidGraph,
        errors.InvalidProtobuf,
        errors.NotImplemented,
        errors.RuntimeException,
        ValueError,
    ) as error:
        message = f"onnxruntime cannot run this model: {error}"
        raise ConfigError(message) from error
