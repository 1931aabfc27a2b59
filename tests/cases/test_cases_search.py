"""CASES 14 to 19: found in any script, whole or in part; and an empty answer says why it is empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from retentive import Memory, ScopedMemory
from retentive.models.embed_none import NoEmbedder


@pytest.fixture(scope="module")
def by_text(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store without an embedder: what is found is found by full text alone."""
    with Memory.open(tmp_path_factory.mktemp("text") / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        yield memory


@pytest.fixture(scope="module")
def by_meaning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store with the embedder that comes with the install."""
    with Memory.open(tmp_path_factory.mktemp("meaning") / "memory.db", background=False) as memory:
        yield memory


def filled(mine: ScopedMemory, texts: list[str] | tuple[str, ...]) -> ScopedMemory:
    """The scope with these messages in it, each in a session of its own so that none lends its words to another."""
    if not len(mine.list()):
        for place, text in enumerate(texts):
            mine.record([{"role": "user", "content": text}], session_id=f"s{place}")
    return mine


# -- 14: every script ------------------------------------------------------------------------------------------------
IN_MANY_SCRIPTS = (
    "今天的早报说地铁三号线延误了",
    "昨晚的晚报没有送到",
    "服务器上的中文watchdog每五分钟检查一次",
    "週末はしりとりをして遊びました",
    "新幹線の切符をオンラインで予約した",
    "ﾊﾟｽﾜｰﾄﾞの再設定をお願いします",
    "동생과 끝말잇기를 하며 놀았다",
    "내일 오전에 치과 예약이 있어요",
    "พรุ่งนี้มีประชุมที่สำนักงานใหญ่",
    "แมวของฉันชอบนอนบนโซฟา",
    "اشتريت كتابًا عن تاريخ الأندلس",
    "المطار مغلق بسبب العاصفة",
    "הרכבת לחיפה יוצאת בשמונה",
    "Die Krankenversicherung hat den Antrag abgelehnt",
    "Der Kühlschrank im Gästezimmer ist kaputt",
    "Nous avons dîné à la brasserie du théâtre",
    "Mañana paso por la panadería del señor Núñez",
    "Собака испугалась фейерверка на набережной",
    "Η συνάντηση έγινε στη βιβλιοθήκη",
    "मेरी बहन दिल्ली में पढ़ती है",
    "Hôm qua tôi ăn phở ở Hà Nội",
    "Yarın İstanbul'da ışık festivali var",
    "Zażółć gęślą jaźń w sobotę",
    "The naïve coöperation of the façade café",
)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("早报", 0),
        ("三号线", 0),
        ("晚报", 1),
        ("watchdog", 2),
        ("中文watchdog", 2),
        ("中文", 2),
        ("しりとり", 3),
        ("シリトリ", 3),
        ("新幹線", 4),
        ("切符", 4),
        ("オンライン", 4),
        ("パスワード", 5),
        ("끝말잇기", 6),
        ("치과", 7),
        ("ประชุม", 8),
        ("แมว", 9),
        ("كتاب", 10),
        ("الأندلس", 10),
        ("الاندلس", 10),
        ("مطار", 11),
        ("חיפה", 12),
        ("Versicherung", 13),
        ("krankenversicherungen", 13),
        ("Antrag", 13),
        ("kuehlschrank", 14),
        ("Kühlschrank", 14),
        ("KÜHLSCHRANK", 14),
        ("theatre", 15),
        ("diner", 15),
        ("panaderia", 16),
        ("Nunez", 16),
        ("nu\u0301n\u0303ez", 16),
        ("собаки", 17),
        ("НАБЕРЕЖНАЯ", 17),
        ("βιβλιοθηκη", 18),
        ("दिल्ली", 19),
        ("pho Ha Noi", 20),
        ("istanbul", 21),
        ("zazolc", 22),
        ("cooperation facade", 23),
    ],
)
def test_case_14_found_by_full_text_alone(by_text: Memory, query: str, place: int) -> None:
    mine = filled(by_text.scope(user_id="polyglot"), IN_MANY_SCRIPTS)
    hits = mine.recall(query, k=3).hits
    assert hits, f"nothing found for {query}"
    assert hits[0].text == IN_MANY_SCRIPTS[place]


# -- 15: codes -------------------------------------------------------------------------------------------------------
WITH_CODES = (
    "Please refund ORD-2024-00123 to the customer",
    "ORD-2023-00456 was delivered on Friday",
    "SKU: AB_9931-XL is out of stock",
    "See report_final.v2.pdf in the shared folder",
    "Docs are at https://docs.example.org/guides/getting-started?lang=en#install",
    "We run Python 3.12.4 and node v20.11.1 on the build machine",
    "The crash is in src/parser/tokenizer.cpp at line 482",
    "Write to the handle @anna.lindqvist_ops about it",
    "getUserProfileById throws ECONNRESET",
    "The router answers at 192.168.178.1",
    "The parcel has the tracking code 1Z.999.AA1-01/23",
    "Ticket JIRA-4711 blocks release 2.0.0-rc.1",
    "Meet me in room B-901820.4 after six",
)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("ORD-2024-00123", 0),
        ("ord-2024-00123", 0),
        ("ORD202400123", 0),
        ("00123", 0),
        ("what about order 00456?", 1),
        ("AB_9931-XL", 2),
        ("9931", 2),
        ("report_final.v2.pdf", 3),
        ("report_final", 3),
        ("report final pdf", 3),
        ("https://docs.example.org/guides/getting-started?lang=en#install", 4),
        ("docs.example.org", 4),
        ("getting-started", 4),
        ("3.12.4", 5),
        ("v20.11.1", 5),
        ("20.11.1", 5),
        ("src/parser/tokenizer.cpp", 6),
        ("tokenizer.cpp", 6),
        ("tokenizer", 6),
        ("@anna.lindqvist_ops", 7),
        ("anna.lindqvist_ops", 7),
        ("lindqvist", 7),
        ("getUserProfileById", 8),
        ("user profile", 8),
        ("ECONNRESET", 8),
        ("192.168.178.1", 9),
        ("JIRA-4711", 11),
        ("4711", 11),
        ("2.0.0-rc.1", 11),
        ("1Z.999.AA1-01/23", 10),
        ("901820", 12),
        ("B-901820", 12),
    ],
)
def test_case_15_codes_are_found_whole_and_by_part(by_text: Memory, query: str, place: int) -> None:
    mine = filled(by_text.scope(user_id="clerk"), WITH_CODES)
    hits = mine.recall(query, k=3).hits
    assert hits, f"nothing found for {query}"
    assert hits[0].text == WITH_CODES[place]


# -- 16: the floor is in the open ------------------------------------------------------------------------------------
@pytest.mark.parametrize("query", ["invoices", "when is the invoice due", "发票"])
def test_case_16_an_empty_answer_says_what_the_floor_kept_out(mine: ScopedMemory, query: str) -> None:
    mine.remember("The invoice of May is due on Friday")
    mine.remember("Invoices go to the tax adviser")
    mine.remember("五月的发票周五到期")
    open_hits = mine.recall(query).hits
    assert open_hits
    best = max(hit.score for hit in open_hits)
    closed = mine.recall(query, min_score=best + 0.01)
    assert closed.hits == ()
    assert closed.below_floor.count == len(open_hits)
    assert closed.below_floor.best_score == pytest.approx(best)
    half_open = mine.recall(query, min_score=best - 1e-6)
    assert len(half_open.hits) + half_open.below_floor.count == len(open_hits)
    assert len(half_open.hits) >= 1


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Alice's daughter started at the conservatory in Leipzig", "what instrument should I buy as a gift?"),
        ("Bob sold his old bike last summer", "bicycle wheels"),
        ("The kitchen tap has been dripping since Monday", "plumber"),
    ],
)
def test_case_16_nothing_is_dropped_in_silence(by_meaning: Memory, text: str, query: str) -> None:
    """Either it is found, or the answer says that something was near and how near."""
    mine = by_meaning.scope(user_id=text)
    mine.remember(text)
    by_meaning.process()
    recall = mine.recall(query)
    assert recall.hits or (recall.below_floor.count == 1 and recall.below_floor.best_score > 0)


def test_case_16_no_floor_is_hidden_for_a_right_answer(by_meaning: Memory) -> None:
    mine = by_meaning.scope(user_id="no-floor")
    facts = {
        "Takes metformin every morning": "diabetes medication",
        "Goes climbing on Thursdays": "what does she do for exercise?",
        "Her sister Ingrid is a nurse in Oslo": "does anyone in the family work in a hospital?",
    }
    for fact in facts:
        mine.remember(fact)
    by_meaning.process()
    for fact, question in facts.items():
        assert fact in [hit.text for hit in mine.recall(question)]


# -- 17: nonsense ----------------------------------------------------------------------------------------------------
ORDINARY = (
    "Prefers TypeScript over JavaScript",
    "Has a dentist appointment on 12 May",
    "Her cat is called Ada",
    "The invoice of May was paid late",
    "Learns to play the cello",
    "Is going to Lisbon in October with her brother",
    "Der Schlüssel liegt unter der Matte",
    "她住在上海",
    "Wants answers in German",
    "My favourite player is Messi",
)


@pytest.mark.parametrize(
    "query",
    [
        "xkcd zzyzx blorb",
        "flimwoggle snorptang",
        "qwertzuiop",
        "asdf jkl; zxcv",
        "wubba lubba",
        "brzęszczykiewicz grzmot",
        "ㅋㅋㅋㅋ ㅎㅎ",
        "৳৳৳",
        "~~~ ??? !!!",
        "🦑🦑",
        "",
        "   ",
        "9f8e7d6c5b4a",
        "snshkvai zhnwxx",
        "qziolu rmrxrc",
        "yqlkmorzy dptfgl",
        "hjkl uiop bnm",
        "gnarf of the blix",
        "asdkjh 8472 qwoiu",
        "zxcv1234 qwer5678",
        "8471 9923 5512",
        "a8f3-12e2-b7c1",
        "xx12yy34zz",
        "cta12vkj3x6y76c f7e12n",
    ],
)
@pytest.mark.parametrize("k", [1, 5, 50])
def test_case_17_nonsense_gives_an_empty_answer(by_meaning: Memory, query: str, k: int) -> None:
    mine = by_meaning.scope(user_id="ordinary")
    if not len(mine.list()):
        for text in ORDINARY:
            mine.remember(text)
        by_meaning.process()
    recall = mine.recall(query, k=k)
    assert [hit.text for hit in recall.hits] == []


# -- 18: hybrid is hybrid, or says so --------------------------------------------------------------------------------
def test_case_18_both_arms_have_their_share(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("The passport is in the blue drawer")
    memory.process()
    recall = mine.recall("where is the passport?")
    assert recall.degraded == ()
    parts = recall.hits[0].parts
    assert parts["text"] > 0
    assert parts["vector"] > 0
    assert sum(parts.values()) == pytest.approx(recall.hits[0].score, rel=1e-5)


def test_case_18_a_missing_arm_is_named(memory: Memory, mine: ScopedMemory) -> None:
    mine.remember("The passport is in the blue drawer")
    waiting = mine.recall("where is the passport?")
    assert waiting.hits
    assert len(waiting.degraded) == 1
    assert "1 of 1" in waiting.degraded[0]
    assert mine.block("where is the passport?").degraded == waiting.degraded
    memory.process()
    assert mine.recall("where is the passport?").degraded == ()


# -- 19: no query is an error ----------------------------------------------------------------------------------------
HOSTILE = [
    '"',
    '"' * 1001,
    "'" * 1001,
    '"passport',
    "passport AND",
    "AND OR NOT NEAR",
    "NEAR(passport drawer, 2)",
    "passport NEAR/2 drawer",
    "passport*",
    "*",
    "^passport",
    "text:passport",
    "a:b",
    "-passport",
    "+passport -drawer",
    "(passport OR",
    "))((",
    "{passport}",
    "pass\0port",
    "\0",
    "\ud800passport",
    "passport\udfff",
    "'; DROP TABLE fact; --",
    "%' OR 1=1 --",
    "\\",
    "\\u0000",
    "passport\r\n\tdrawer",
    "\u202epassport\u202c",
    "🛂" * 500,
    "e\u0301" * 3000,
    "a" * 100_000,
    "(" * 50_000,
    "-" * 50_000,
    "passport " * 20_000,
    " ".join(f"w{number}" for number in range(20_000)),
    "早" * 20_000,
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_case_19_every_query_gets_an_answer(memory: Memory, mine: ScopedMemory, query: str) -> None:
    stored = mine.remember("The passport is in the blue drawer").ids[0]
    mine.record([{"role": "user", "content": "It is raining"}])
    memory.process()
    recall = mine.recall(query, explain=True)
    assert len(recall.hits) <= 2
    mine.block(query)
    if "passport" in query.lower():
        assert recall.hits[0].id == stored


@pytest.mark.parametrize("noise", ['""""""', "AND OR NEAR", "*^:", "\0", "(((", "\ud83d"])
def test_case_19_noise_around_a_word_does_not_hide_it(mine: ScopedMemory, noise: str) -> None:
    stored = mine.remember("The passport is in the blue drawer").ids[0]
    for query in (noise + " passport", "passport " + noise, f"blue {noise} drawer"):
        assert [hit.id for hit in mine.recall(query)] == [stored]


def test_spare_memories_take_the_place_of_repeats(memory: Memory) -> None:
    """Only as many are read as are asked for; where some of them say the same, more are."""
    mine = memory.scope(user_id="ann")
    mine.record([{"content": "the kettle is blue"}] * 3 + [{"content": f"kettle number {n} is red"} for n in range(3)])
    memory.process()
    texts = [hit.text for hit in mine.recall("the kettle is blue", k=3).hits]
    assert texts[0] == "the kettle is blue"
    assert len(set(texts)) == 3
    explained = mine.recall("the kettle is blue", k=3, explain=True)
    assert [hit.text for hit in explained.hits] == texts
