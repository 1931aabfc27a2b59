"""CASE 20: difficult texts come back as they were given."""

from __future__ import annotations

import pytest

from retentive import Memory, ScopedMemory, parse_block
from stubs import StubEmbedder

# -- 20: one corpus, byte for byte -----------------------------------------------------------------------------------
DIFFICULT = (
    "# Heading\n\n- **bold** _it\\_alic_ `code` [link](http://x.test/a_b_(c)) ~~gone~~ <p>\n\n```py\nprint('hi')\n```",
    "Family: 👨\u200d👩\u200d👧\u200d👦 flag: 🏳️\u200d🌈 🇩🇪 skin: 👍🏽 keycap: 1️⃣",
    "مرحبا abc שלום 123 \u200fעברית\u200f end",
    "file\\_name\\_with\\_underscores and C:\\new\\table",
    "tabs\tand\r\nwindows lines\rand old mac\x0bvertical\x0cfeed",
    "\u200bzero\u200cwidth\u200djoined\ufeff",
    "combining: Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘",
    "𝕄𝕒𝕥𝕙 𠜎𠜱 \U0010ffff private",
    '{"json": ["quoted \\"text\\""], "null": null}',
    "SELECT * FROM fact WHERE text LIKE '%_\\_%' ESCAPE '\\'; --",
    "line\u2028separator\u2029paragraph\u0085next",
    "  leading and trailing  ",
    "ſtraße İstanbul ŉ ǰ ﬁligree",
    "$1,000 & 50% @home #tag ^caret |pipe| ~tilde~ \\\\server\\share",
)


@pytest.mark.parametrize("text", DIFFICULT, ids=range(len(DIFFICULT)))
def test_case_20_comes_back_as_it_was_given(memory: Memory, mine: ScopedMemory, text: str) -> None:
    metadata = {"note": text, text[:40].strip(): [text]}
    episode = mine.record([{"role": "user", "content": text, "name": "Zoë", "metadata": metadata}], "s1").ids[0]
    fact = mine.remember(text + " remembered", evergreen=True, metadata=metadata).ids[0]
    memory.process()
    assert mine.get(episode).text == text
    assert mine.get(fact).text == (text + " remembered").strip()
    assert mine.get(episode).metadata == mine.get(fact).metadata == metadata
    assert {hit.id for hit in mine.recall(text)} >= {episode}
    shown = parse_block(mine.block(text, budget_tokens=5000).text)
    assert shown["Always"] == [(text + " remembered").strip()]
    assert shown["Recalled"] == [text]


def test_case_20_all_of_it_in_one_store(memory: Memory, mine: ScopedMemory, stub_embedder: StubEmbedder) -> None:
    receipt = mine.record([{"role": "user", "content": text} for text in DIFFICULT])
    memory.process()
    assert [mine.get(one).text for one in receipt.ids] == list(DIFFICULT)
    assert sorted(item.text for item in mine.list()) == sorted(DIFFICULT)
    assert memory.doctor().problems == ()
    assert {text for _, texts in stub_embedder.calls for text in texts} == {f"user: {text}" for text in DIFFICULT}
