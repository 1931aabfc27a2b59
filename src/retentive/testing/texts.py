"""Text of twelve scripts, and what has broken stores before: kept to the letter, found by its words."""

from __future__ import annotations

from retentive.testing.made import ALICE, put, said
from retentive.testing.suite import Place, check
from retentive.types import Partition, PutSession, SessionInfo

#: Script -> a sentence, and a word of it to look for.
SCRIPTS: dict[str, tuple[str, str]] = {
    "Latin": ("Zoë keeps the naïve façade of the café", "façade"),
    "Greek": ("Το διαβατήριο είναι στο συρτάρι", "διαβατήριο"),
    "Cyrillic": ("Паспорт лежит в ящике стола", "паспорт"),
    "Armenian": ("Անձնագիրը դարակում է", "դարակում"),
    "Hebrew": ("הדרכון נמצא במגירה", "במגירה"),
    "Arabic": ("جواز السفر في الدرج", "السفر"),
    "Devanagari": ("पासपोर्ट दराज में है", "दराज"),
    "Tamil": ("கடவுச்சீட்டு இழுப்பறையில் உள்ளது", "உள்ளது"),
    "Thai": ("หนังสือเดินทางอยู่ในลิ้นชัก", "หนังสือเดินทางอยู่ในลิ้นชัก"),
    "Han": ("护照在抽屉里", "护照"),
    "Kana": ("パスポートはひきだしにあります", "パスポート"),
    "Hangul": ("여권은 서랍에 있습니다", "서랍에"),
}
#: Markup, quotes of SQL, emoji with joiners, right-to-left marks inside a line, what a driver might take for its own.
AWKWARD = (
    "a\\_b \\% c%s %(x)s ?1 :name $1 {brace} ''quoted'' \"double\"",
    "**bold** [link](x) `code` <b>tag</b> &amp; # heading",
    "👩‍👩‍👧‍👦 family, flag 🇳🇴, é as e\u0301, \u200fmarked\u200e",
    "line one\nline two\r\n\ttabbed \u2028 separated \ufeff",
)


@check("text in 12 scripts")
def every_script_is_kept_and_found(place: Place) -> None:
    """A sentence of each of twelve scripts comes back to the letter, and is found by a word of it."""
    with place.memory() as memory:
        for script, (sentence, word) in SCRIPTS.items():
            mine = memory.scope(user_id=script)
            (stored,) = mine.remember(sentence, metadata={"sentence": sentence}).ids
            item = mine.get(stored)
            assert (item.text, item.metadata) == (sentence, {"sentence": sentence}), script
            assert [hit.id for hit in mine.recall(word)] == [stored], script
            assert [one.id for one in mine.list(where={"sentence": sentence})] == [stored], script


@check("text in 12 scripts")
def awkward_text_is_kept_to_the_letter(place: Place) -> None:
    """Markup, percent signs, quotes, emoji, line ends and marks of direction come back as they were, also in names."""
    with place.backend() as backend:
        store = backend.store
        for number, text in enumerate(AWKWARD):
            owner = Partition("default", "user", text.split(maxsplit=1)[0])
            episode = said(text, name=text, session_id=text, source_id=text, metadata={text: text})
            (row,) = put(store, owner, [episode])
            found = store.fetch(owner, [row])[row]
            assert found.text == found.name == found.session_id == text, number  # type: ignore[union-attr]
            assert found.metadata == {text: text}
            assert store.sources(owner, [episode.id]) == {episode.id: text}
            assert store.matching(owner, {text: text}) == {row}
            with store.transaction(owner) as transaction:
                assert len(transaction.said_before(text, text)) == 1
        assert {one.owner for one in store.partitions()} == {text.split(maxsplit=1)[0] for text in AWKWARD}


@check("text in 12 scripts")
def names_sort_the_same_everywhere(place: Place) -> None:
    """Sessions of one moment come in the order of their names' code points, whatever the machine's language."""
    with place.backend() as backend:
        names = ["Zebra", "apple", "Äpfel", "été", "Ωmega", "яблоко", "早", "_x", "10", "9"]
        with backend.store.transaction(ALICE) as transaction:
            transaction.apply([PutSession(SessionInfo(name, 1, 2)) for name in names])
        found = [one.id for one in backend.store.sessions(ALICE, limit=99)]
        assert found == sorted(names, reverse=True)


CHECKS = (every_script_is_kept_and_found, awkward_text_is_kept_to_the_letter, names_sort_the_same_everywhere)
