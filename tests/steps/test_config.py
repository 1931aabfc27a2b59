"""Settings: the only reader of the environment, and a typo never passes in silence."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from retentive import Memory, Settings
from retentive.config import default_url
from retentive.errors import ConfigError
from retentive.models.embed_none import NoEmbedder


def test_without_variables_the_defaults_hold() -> None:
    assert Settings.from_env({}) == Settings()
    assert Settings.from_env({"PATH": "/bin", "retentive_url": "x", "XRETENTIVE_URL": "x"}) == Settings()


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("RETENTIVE_URL", "sqlite:///x.db", "url", "sqlite:///x.db"),
        ("RETENTIVE_BUDGET_TOKENS", "1200", "budget_tokens", 1200),
        ("RETENTIVE_SESSION_IDLE_S", "0.5", "session_idle_s", 0.5),
        ("RETENTIVE_BACKGROUND", "off", "background", False),
        ("RETENTIVE_DURABLE", "FALSE", "durable", False),
        ("RETENTIVE_BACKGROUND", "1", "background", True),
        ("RETENTIVE_PROFILE_FIELDS", "name, shoe_size ,", "profile_fields", ("name", "shoe_size")),
        ("RETENTIVE_EMBEDDER_DIMENSIONS", "512", "embedder_dimensions", 512),
        ("RETENTIVE_TAG", "RUSH_MEMORY", "tag", "RUSH_MEMORY"),
        ("RETENTIVE_USER", "早", "user", "早"),
    ],
)
def test_each_is_read_as_what_it_is(variable: str, text: str, name: str, value: object) -> None:
    read = Settings.from_env({variable: text})
    assert getattr(read, name) == value
    assert [f.name for f in dataclasses.fields(read) if getattr(read, f.name) != getattr(Settings(), f.name)] in (
        [],
        [name],
    )


@pytest.mark.parametrize(
    "name", ["RETENTIVE_TYPO", "RETENTIVE_", "RETENTIVE__URL", "RETENTIVE_URL ", "RETENTIVE_OPENAI_KEY"]
)
def test_an_unknown_one_stops_the_start_by_name(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.from_env({"RETENTIVE_URL": "x.db", name: "secret-value"})
    assert name in str(caught.value)
    assert "secret-value" not in str(caught.value)


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("RETENTIVE_BUGDET_TOKENS", "RETENTIVE_BUDGET_TOKENS"), ("RETENTIVE_EMBEDDERS", "RETENTIVE_EMBEDDER")],
)
def test_a_near_miss_is_told_what_was_meant(typo: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=rf"did you mean {meant}\?"):
        Settings.from_env({typo: "1"})


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("RETENTIVE_BUDGET_TOKENS", "many"),
        ("RETENTIVE_BUDGET_TOKENS", "0"),
        ("RETENTIVE_BUDGET_TOKENS", "-5"),
        ("RETENTIVE_BUDGET_TOKENS", ""),
        ("RETENTIVE_BUDGET_TOKENS", "1.5"),
        ("RETENTIVE_SESSION_IDLE_S", "soon"),
        ("RETENTIVE_SESSION_IDLE_S", "nan"),
        ("RETENTIVE_BACKGROUND", "perhaps"),
        ("RETENTIVE_CACHE_MB", "1e3"),
        ("RETENTIVE_EMBEDDER_DIMENSIONS", "big"),
    ],
)
def test_a_value_that_cannot_be_used_names_the_variable_and_hides_the_value(variable: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"{variable} must be") as caught:
        Settings.from_env({variable: text})
    assert len(text) < 3 or text not in str(caught.value)


def test_keys_are_not_shown() -> None:
    shown = repr(Settings(embedder_key="sk-123", model_key="sk-456", url="x.db"))
    assert "sk-" not in shown
    assert "x.db" in shown
    assert "***" in shown


def test_every_setting_is_described_and_there_are_at_most_forty() -> None:
    names = [field.name for field in dataclasses.fields(Settings)]
    assert len(names) <= 40
    for name in names:
        assert name in (Settings.__doc__ or ""), name


def test_the_default_store_is_in_the_users_data_directory(tmp_path_factory: pytest.TempPathFactory) -> None:
    code = "from retentive.config import default_url; print(default_url())"
    home = tmp_path_factory.mktemp("home")
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PATH": "/bin:/usr/bin"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip().startswith("sqlite:///")
    assert str(home) in done.stdout
    assert done.stdout.strip().endswith("memory.db")
    assert default_url().endswith("memory.db")


def test_importing_reads_no_variable_and_opens_nothing() -> None:
    """A wrong variable is found when a store is opened, not when the package is imported."""
    code = "import retentive, sys; print('numpy' in sys.modules, 'apsw' in sys.modules, 'onnxruntime' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"RETENTIVE_TYPO": "1"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"] * 3


def test_what_of_an_encrypted_store_is_written_in_plain_text_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for key, told in (("a long passphrase", True), (None, False)):
        caplog.clear()
        settings = Settings(store_key=key, mirror_dir=str(tmp_path / "mirrors"), retention=("episodes=30d+archive",))
        with Memory.open(":memory:", embedder=NoEmbedder(), settings=settings, background=False):
            assert ("its mirrors (RETENTIVE_MIRROR_DIR) and archives are not" in caplog.text) is told
