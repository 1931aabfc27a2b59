"""What text search finds by terms alone: a query finds a text when they share a term that says something."""

import unicodedata

import pytest

from retentive.analyze import MAX_TERMS, fold, index_terms, query_terms

FUNCTION_WORD_WEIGHT = 0.2


def score(query: str, text: str) -> float:
    """The summed weights of the query's words that the text holds, each by its best alternative."""
    terms = set(index_terms(text))
    return sum(
        term.weight * max((weight for name, weight in term.alternatives if name in terms), default=0.0)
        for term in query_terms(query)
    )


def finds(query: str, text: str) -> bool:
    terms = set(index_terms(text))
    return any(
        name in terms
        for term in query_terms(query)
        if term.weight > FUNCTION_WORD_WEIGHT
        for name, _ in term.alternatives
    )


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Rechnungen", "Die Rechnung liegt auf dem Tisch"),
        ("Rechnung", "Alle Rechnungen sind bezahlt"),
        ("Rechnung", "Offene Rechnungen"),
        ("Häuser", "Das Haus am See"),
        ("Gitarre", "Blaue Gitarren"),
        ("facturas", "La factura está pagada"),
        ("facturas", "Factura pendiente"),
        ("reuniones", "La reunión es el martes"),
        ("factures", "La facture est payée"),
        ("fatture", "La fattura è pagata"),
        ("livros", "O livro está na mesa"),
        ("reunião", "As reuniões foram longas"),
        ("viagens", "A viagem foi longa"),
        ("rekeningen", "De rekening is betaald"),
        ("книги", "Я читаю книгу"),
        ("счета", "Счёт оплачен"),
        ("fakturor", "Fakturan är betald"),
        ("faktury", "Faktura jest zapłacona"),
        ("laskut", "Lasku on maksettu"),
        ("kitap", "Kitaplarım çok eski"),
        ("φίλος", "Οι φίλοι μου ήρθαν"),
        ("كتاب", "قرأت الكتاب أمس"),
        ("בית", "הבית שלנו גדול"),
        ("किताब", "मेरी किताबें पुरानी हैं"),
        ("புத்தகம்", "புத்தகங்கள் பழையவை"),
        ("წიგნი", "წიგნები ძველია"),
        ("invoices", "The invoice was sent"),
        ("bought", "Where did she buy the lamp?"),
        ("child", "The children are asleep"),
        ("naïve", "It was a naive plan"),
        ("Caroline's", "Caroline said so"),
        ("Caroline", "Caroline'll come"),
        ("adresse", "J'ai noté l'adresse"),
        ("email", "Send it by e-mail"),
        ("e-mail", "My email is new"),
    ],
)
def test_other_forms_of_a_word_are_found_by_that_word_alone(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Versicherung", "Meine Krankenversicherung ist teuer"),
        ("Rechnungsexport", "Die Rechnung fehlt noch"),
        ("Rechnung", "Der Rechnungsexport klappt nicht"),
        ("Arzt", "Ich war beim Zahnarzt"),
        ("Zahnarzt", "Der Arzt hat angerufen"),
        ("verzekering", "Mijn ziektekostenverzekering is duur"),
        ("försäkring", "Min sjukförsäkring är dyr"),
        ("vakuutus", "Minun sairausvakuutus on kallis"),
    ],
)
def test_compounds_find_their_parts_and_are_found_by_them(query: str, text: str) -> None:
    assert finds(query, text)
    assert score(query, text) < score(query, f"{text} {query}"), "the word itself must count for more than a part"


def test_english_text_carries_no_compound_terms() -> None:
    terms = index_terms("We talked about the photosynthesis presentation and her international relationships")
    assert len(terms) == 10
    assert not any(term.startswith("^") or term.endswith("$") for term in terms)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("早报", "我每天早上看早报"),
        ("しりとり", "昨日しりとりをした"),
        ("끝말잇기", "어제 끝말잇기를 했다"),
        ("中文", "修复中文watchdog问题"),
        ("watchdog", "修复中文watchdog问题"),
        ("中文watchdog", "the watchdog restarted"),
        ("リンゴ", "りんごを買った"),
        ("ﾘﾝｺﾞ", "リンゴ"),
        ("猫", "我有一只猫"),
        ("โรงพยาบาล", "พรุ่งนี้ฉันต้องไปโรงพยาบาลกับแม่"),
        ("หมา", "ฉันมีหมาสองตัว"),
        ("ໂຮງໝໍ", "ຂ້ອຍໄປໂຮງໝໍມື້ອື່ນ"),
        ("មន្ទីរពេទ្យ", "ខ្ញុំទៅមន្ទីរពេទ្យថ្ងៃស្អែក"),
        ("ဆေးရုံ", "မနက်ဖြန်ဆေးရုံသွားမယ်"),
    ],
)
def test_scripts_without_spaces_are_found(query: str, text: str) -> None:
    assert finds(query, text)


def test_a_two_character_word_ranks_above_its_scattered_characters() -> None:
    assert score("早报", "我每天早上看早报") > score("早报", "早上好,我在报社") > 0


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ORD-2024-00123", "order ORD-2024-00123 shipped"),
        ("ord-2024-00123", "order ORD-2024-00123, shipped"),
        ("00123", "order ORD-2024-00123 shipped"),
        ("ORD202400123", "order ORD-2024-00123 shipped"),
        ("A1-B2", "bin A1-B2."),
        ("report_final.v2.pdf", "see report_final.v2.pdf"),
        ("report_final", "see report_final.v2.pdf"),
        ("pdf", "see report_final.v2.pdf"),
        ("github.com", "at https://github.com/foo/bar-baz?x=1#top"),
        ("bar-baz", "at https://github.com/foo/bar-baz?x=1#top"),
        ("jane.doe@example.com", "mail <jane.doe@example.com>, please"),
        ("example.com", "mail jane.doe@example.com"),
        ("jane", "mail jane.doe@example.com"),
        ("1.2.3", "upgrade to v1.2.3"),
        ("v1.2.3", "upgrade to 1.2.3"),
        ("getUserName", "call getUserName()"),
        ("get_user_name", "call getUserName()"),
        ("user", "call getUserName()"),
        ("2024-05-01", "due on 2024-05-01."),
        ("20240501", "due on 2024-05-01."),
        ("+491701234567", "call +49 170 1234567"),
        ("(555) 012-3456", "call 5550123456"),
        ("555-0123", "call 5550123"),
        ("30mg", "take 30 mg"),
        ("30 mg", "take 30mg"),
        ("5km", "a 5km run"),
        ("machine", "#MachineLearning"),
        ("#machinelearning", "#MachineLearning rocks"),
        ("@anna_k", "ask @anna_k"),
        ("C++", "I write C++"),
        (r"foo\_bar", "the foo_bar flag"),
        ("3000", "it cost 3,000 euro"),
        ("/usr/local/bin", "in /usr/local/bin/python3"),
        ("550e8400-e29b-41d4-a716-446655440000", "id 550e8400-e29b-41d4-a716-446655440000"),
    ],
)
def test_codes_are_found_whole_and_by_part(code: str, text: str) -> None:
    assert finds(code, text)


@pytest.mark.parametrize(
    ("code", "near_miss"),
    [
        ("ORD-2024-00123", "order ORD-2024-00124"),
        ("v1.2.3", "version v1.3.2"),
        ("jane.doe@example.com", "joe.doe@example.com"),
        ("C++", "C"),
    ],
)
def test_the_whole_code_ranks_above_one_that_shares_parts(code: str, near_miss: str) -> None:
    assert score(code, f"see {code}") > 1.5 * score(code, f"see {near_miss}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("É", "e"),
        ("e\u0301", "é"),
        ("Straße", "STRASSE"),
        ("ØRSTED", "orsted"),
        ("İSTANBUL", "istanbul"),
        ("ISPANAK", "ıspanak"),
        ("Ｆｕｌｌ", "full"),
        ("ёлка", "елка"),
        ("ΑΘΗΝΑ", "αθήνα"),
        ("مُحَمَّد", "محمد"),
        ("كـتـاب", "كتاب"),
        ("أحمد", "احمد"),
        ("مدرسة", "مدرسه"),
        ("מזל־טוֹב", "מזל־טוב"),
        ("१५", "15"),
        ("pass\u200bword", "password"),
    ],
)
def test_fold_gives_one_spelling(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("text", ["が", "й", "हिन्दी", "ไม้"])
def test_fold_keeps_marks_that_make_another_letter(text: str) -> None:
    assert fold(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize(
    ("query", "text"), [("🎉", "party 🎉!"), ("❤️", "love ❤"), ("👍🏽", "ok 👍"), ("🇩🇪", "from 🇩🇪")]
)
def test_emoji_are_searchable(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    "query",
    ["", " \n", '"' * 1001, "' OR 1=1 --", "AND OR NEAR(", "a:b *^", "\x00", "a\x00b", "\ud800", "**bold** _x_ `y`",
     r"back\_slash", "\u202eevil\u202c", "\u200b\u200d", "مرحبا (שלום)", "%%%", "(((", "\u0301\u0301"],
)  # fmt: skip
def test_any_query_and_text_gives_an_answer(query: str) -> None:
    sought = [name for term in query_terms(query) for name, _ in term.alternatives]
    for name in sought + index_terms(query):
        assert name
        assert not any(char.isspace() or unicodedata.category(char) in {"Cc", "Cs"} for char in name)


@pytest.mark.parametrize("query", ["", "...", '"' * 1001, "\x00\ud800"])
def test_a_query_without_content_looks_for_nothing(query: str) -> None:
    assert query_terms(query) == []


@pytest.mark.parametrize("query", ["where is it", "was ist das", "¿qué es esto?", "что это", "的"])
def test_a_query_of_function_words_still_looks_for_something(query: str) -> None:
    assert query_terms(query)


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("what is the name of my dentist", "dentist"),
        ("wie heißt mein Zahnarzt", "zahnarzt"),
        ("como se llama mi dentista", "dentista"),
        ("как зовут моего стоматолога", "стоматолога"),
    ],
)
def test_content_words_outweigh_function_words(query: str, content: str) -> None:
    weights = {term.text: term.weight for term in query_terms(query)}
    assert weights[content] == max(weights.values())
    assert min(weights.values()) <= FUNCTION_WORD_WEIGHT


def test_nonsense_finds_nothing() -> None:
    texts = [
        "The invoice was sent on Monday",
        "Die Krankenversicherung ist teuer",
        "我每天早上看早报",
        "Offene Rechnungen",
    ]
    assert not any(finds("xqzvwk blorftrand", text) for text in texts)


def test_a_long_query_keeps_the_most_informative_words_in_order() -> None:
    query = "please and then the of " * 4_000 + "ORD-2024-00123 " + " ".join(f"word{i:05d}" for i in range(20_000))
    terms = query_terms(query, limit=48)
    assert len(terms) == 48
    assert terms == query_terms(query, limit=48)
    assert terms[0].text == "ord-2024-00123"
    assert query_terms(query, limit=0) == []


def test_a_short_content_word_is_kept_before_a_long_function_word() -> None:
    assert [term.text for term in query_terms("because of cats", limit=1)] == ["cats"]


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [(r"foo\_bar", "foo_bar", "the foo_bar flag"), ("1.2.3", "v1.2.3", "upgrade to 1.2.3 or v1.2.3")],
)
def test_two_ways_of_writing_a_code_find_it_whole(one: str, other: str, text: str) -> None:
    assert min(score(one, text), score(other, text)) > 1.5


def test_a_version_is_found_whole_without_its_v() -> None:
    assert score("1.2.3", "upgrade to v1.2.3") == score("1.2.3", "upgrade to 1.2.3")


def test_repeats_count_in_a_text_but_not_in_a_query() -> None:
    assert index_terms("cat cats Cat").count("cat") == 3
    assert len(query_terms("cat cats Cat")) == 1


@pytest.mark.parametrize("unit", ["word ", "a", "a-", "a'", "中", "é ", "1 ", "👍", "a@", ".a", "e\u0301", "ไ"])
def test_a_huge_text_is_capped(unit: str) -> None:
    terms = index_terms(unit * (10_000_000 // len(unit)))
    assert len(terms) <= MAX_TERMS
    assert max(map(len, terms), default=0) <= 100


@pytest.mark.parametrize(
    ("short", "bare"), [("Caroline'll", "Caroline"), ("Maria’s", "Maria"), ("l'adresse", "adresse")]
)
def test_contractions_and_elided_articles_add_no_terms(short: str, bare: str) -> None:
    assert index_terms(short) == index_terms(bare)


def test_index_size_of_english_chat_is_small() -> None:
    messages = [
        "I've been meaning to ask you about that pottery class on Thursday, is it still running?",
        "Yes! We moved it to 6:30pm because Maria's train was late, and she brings the clay.",
        "Great, then I'll pick up the kids first and see you there. Don't forget the receipts.",
        "Thanks so much for the photos, they look amazing",
    ]
    words = sum(len(message.split()) for message in messages)
    assert sum(len(index_terms(message)) for message in messages) <= 1.4 * words
