"""Token counters: the estimate is never far under the true count, and the exact one is exact."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retentive.contracts import TokenCounter
from retentive.errors import MissingExtra
from retentive.models.tokens import EstimatedTokenCounter, ExactTokenCounter, default_counter

ESTIMATE, EXACT = EstimatedTokenCounter(), ExactTokenCounter()

ENGLISH = {
    "chat": "hey! did you manage to call the landlord about the heating? it's been freezing "
    "in here since Sunday and I "
    "really can't work like this. Sam said he'd lend us his little heater, but only until the weekend lol",
    "diary": "We finally picked a name for the puppy. My sister wanted something grand, and "
    "I thought a short name would "
    "be easier to shout across a field, so now she is called Pip. She has already eaten one of my slippers.",
    "work": "Thanks for joining on short notice. The migration is done, but two customers reported "
    "that invoices from "
    "before March do not show up in their dashboard. Could you check whether the archive job has finished, and "
    "let them know by tomorrow morning?",
    "preferences": "I prefer window seats on long flights, and I would rather fly early in the morning than late at "
    "night. Please never book a connection shorter than an hour. I'm vegetarian, so ask for a meal that fits.",
}
TEXTS = {
    **{f"English {name}": text for name, text in ENGLISH.items()},
    "German": "Am Wochenende wollen wir endlich das alte Gartenhäuschen streichen, falls das Wetter mitspielt. Meine "
    "Schwiegermutter bringt selbstgebackenen Pflaumenkuchen mit. Übrigens habe ich die Haftpflichtversicherung "
    "gekündigt, weil die Beiträge schon wieder gestiegen sind.",
    "French": "Ma fille vient de commencer des cours de guitare et elle répète chaque soir "
    "après le dîner. Les voisins "
    "n'ont encore rien dit, heureusement. L'été prochain, nous aimerions louer une maison près de la mer, "
    "peut-être en Bretagne, si les prix restent raisonnables.",
    "Spanish": "Mañana tengo una entrevista de trabajo y estoy un poco nerviosa. Mi hermano me prestó su chaqueta, "
    "aunque me queda grande. Después iremos a comer al restaurante peruano que abrieron hace dos semanas "
    "cerca de la estación; dicen que el ceviche está buenísimo.",
    "Russian": "Вчера мы переехали в новую квартиру, и я до сих пор не могу найти свои зимние "
    "ботинки. Соседка сверху "
    "принесла нам пирог с яблоками и рассказала, где поблизости хорошая булочная. Летом хотим поставить на "
    "балконе стол и посадить помидоры.",
    "Chinese": "我上个月换了工作，现在每天骑自行车去公司，大概需要二十五分钟。同事们都很热情"
    "，中午经常一起吃面条。周末我想带父母去杭州看荷花，"
    "不过妈妈说她的膝盖最近有点疼，可能走不了太远。",
    "Japanese": "来月から新しいマンションに引っ越すことになりました。駅から歩いて七分で、近"
    "くに大きな公園があります。犬を飼いたいと思って"
    "いますが、妻はアレルギーがあるので、まずは病院で相談するつもりです。",
    "Korean": "지난주에 동생이 결혼해서 온 가족이 부산에 다녀왔어요. 바다가 보이는 식당에서"
    " 저녁을 먹었는데 생선구이가 정말 맛있었습니다. "
    "다음 달부터는 매일 아침 수영을 배우기로 했는데 일찍 일어날 수 있을지 걱정이에요.",
    "Thai": "เมื่อวานนี้ฉันไปตลาดกับแม่เพื่อซื้อผลไม้และดอกไม้สำหรับวันเกิดของยาย ฝนตกหนักมากตอนขากลับ "
    "เราเลยนั่งรอในร้านกาแฟเกือบหนึ่งชั่วโมง "
    "พรุ่งนี้พี่ชายจะมารับที่สถานีรถไฟ",
    "Arabic": "انتقلنا إلى بيت جديد قرب الجامعة قبل ثلاثة أسابيع، والجيران لطفاء جدا معنا. "
    "أخي الصغير يدرس الطب ويعود متأخرا "
    "كل مساء. في العطلة القادمة نريد أن نزور جدتي في القرية ونساعدها في قطف الزيتون.",
    "Hindi": "पिछले हफ्ते मेरी बहन ने अपनी पहली किताब पूरी की और हम सब बहुत खुश हैं। उसे सुबह "
    "जल्दी उठकर लिखना पसंद है। अगले महीने हम "
    "पहाड़ों में घूमने जाएंगे, लेकिन पिताजी को ठंड से थोड़ी परेशानी होती है।",
    "Python": "def schedule(self, *, delay_s: float = 0.5) -> None:\n    if self._timer is not None:\n        "
    "self._timer.cancel()\n    for name, hook in sorted(self.hooks.items()):\n        "
    "hook(name, retries=self.max_retries + 1)\n    self._timer = Timer(delay_s, self.run_pending)\n",
    "JavaScript": "export const fetchOrders = async (userId, { limit = 20 } = {}) => {\n  const res = await "
    "fetch(`/api/users/${userId}/orders?limit=${limit}`);\n  if (!res.ok) throw new Error(res.statusText);\n"
    "  return (await res.json()).map(({ id, total }) => ({ id, total: total / 100 }));\n};\n",
    "C": "static int ring_push(struct ring *r, const uint8_t *buf, size_t len)\n{\n\tif (r->cap "
    "- r->used < len)\n\t\t"
    "return -ENOSPC;\n\twhile (len--) {\n\t\tr->data[(r->head++) & (r->cap - 1)] = *buf++;\n\t\tr->used++;\n\t}\n"
    "\treturn 0;\n}\n",
    "log": "2026-04-17T08:31:09.482Z WARN  [worker-3] c.a.s.Outbox - retry 4/5 for job 8f14e45f after 1520ms "
    "(HTTP 503)\n2026-04-17T08:31:11.002Z INFO  [worker-3] c.a.s.Outbox - job 8f14e45f done in 212ms\n",
    "Markdown": "## To do\n\n- [x] order paint (**2 tins**)\n- [ ] ring the [plumber](https://pipes.example/contact)\n"
    "\n| item | price |\n|------|------:|\n| tap  | 39.90 |\n| hose | 12.50 |\n\n```sh\nmake test\n```\n",
}
EMOJI = "😀 😂 🥰 👍 🎉 ❤️ 🔥 ✨ 🙏 😭 🚀 💯 👀 🤔 👏🏽 👨‍👩‍👧‍👦 🇩🇪 ☕️ 🍕 🐶 🌍 ⚽️ ✅ 🧑🏿‍💻 🫠 🥹 🦜 🪅 🏴‍☠️".split()
BASES = (base64.b64encode, base64.urlsafe_b64encode, base64.b32encode, base64.b16encode, base64.b85encode)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(0, 1e6).map(lambda x: round(x, 3))
    | st.sampled_from(["Ana", "user_17", "ana@mail.example", "2026-02-03", "a short note about lunch"]),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["id", "name", "userId", "created_at", "is_active", "tags"]), inner)
    ),
    max_leaves=40,
)
generated = settings(derandomize=True, deadline=None, max_examples=150)


def assert_not_under(text: str) -> None:
    """Never under the true count by more than 5 %, or 3 tokens where 5 % is less."""
    true = EXACT.count(text)
    assert ESTIMATE.count(text) >= min(0.95 * true, true - 3), (ESTIMATE.count(text), true, text)


# -- the estimate ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", TEXTS)
def test_the_estimate_is_not_under_the_count_of_a_written_text(kind: str) -> None:
    true = EXACT.count(TEXTS[kind])
    assert true >= 40
    assert 0.95 * true <= ESTIMATE.count(TEXTS[kind]) <= 1.75 * true


def test_the_estimate_takes_little_from_an_english_budget() -> None:
    true, estimated = (sum(counter.count(text) for text in ENGLISH.values()) for counter in (EXACT, ESTIMATE))
    assert true <= estimated <= 1.25 * true


@generated
@given(st.lists(st.sampled_from(sorted(TEXTS)), min_size=2, unique=True))
def test_the_estimate_is_not_under_the_count_of_mixed_text(kinds: list[str]) -> None:
    assert_not_under("\n".join(TEXTS[kind] for kind in kinds))


@generated
@given(st.binary(min_size=1, max_size=200), st.sampled_from(BASES), st.booleans())
def test_the_estimate_is_not_under_the_count_of_keys_and_hashes(
    data: bytes, encode: Callable[[bytes], bytes], lower: bool
) -> None:
    text = encode(data).decode()
    assert_not_under(text.lower() if lower else text)


@pytest.mark.parametrize("encode", BASES)
def test_the_estimate_is_not_under_the_count_of_long_keys(encode: Callable[[bytes], bytes]) -> None:
    keys = " ".join(encode(hashlib.sha512(bytes([n])).digest()).decode() for n in range(40))
    for text in (keys, keys.lower(), keys.upper()):
        assert 0.97 * EXACT.count(text) <= ESTIMATE.count(text) <= 1.3 * EXACT.count(text)


@generated
@given(st.integers(0, 10**300), st.lists(st.floats(-1e9, 1e9, width=32), max_size=30))
def test_the_estimate_is_not_under_the_count_of_numbers(long: int, many: list[float]) -> None:
    assert_not_under(f"{long} {many}")


@generated
@given(JSON, st.sampled_from([None, 2, 4]))
def test_the_estimate_is_not_under_the_count_of_json(value: object, indent: int | None) -> None:
    assert_not_under(json.dumps(value, indent=indent))
    assert_not_under(json.dumps(value, separators=(",", ":")))


@generated
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["https://api.example.com/v2/users", "http://shop.example.co.uk/watch", "ftp://files.example"]
            ),
            st.uuids(),
            st.integers(0, 10**6),
        ),
        max_size=8,
    )
)
def test_the_estimate_is_not_under_the_count_of_urls(parts: list[tuple[str, object, int]]) -> None:
    assert_not_under(" ".join(f"{base}/{key}?page={page}&sort=-created_at#top" for base, key, page in parts))


@generated
@given(st.lists(st.sampled_from([*EMOJI, " ", "so happy ", "thanks"]), max_size=60))
def test_the_estimate_is_not_under_the_count_of_emoji(parts: list[str]) -> None:
    assert_not_under("".join(parts))


@generated
@given(st.lists(st.tuples(st.sampled_from([" ", "\t", "\n", "\r\n", "\u00a0", "\u3000"]), st.integers(1, 90))))
def test_the_estimate_is_not_under_the_count_of_white_space(runs: list[tuple[str, int]]) -> None:
    assert_not_under("x".join(character * times for character, times in runs))


@generated
@given(st.text(st.characters(codec="ascii"), max_size=300))
def test_the_estimate_is_not_under_the_count_of_any_ascii(text: str) -> None:
    assert_not_under(text)


@generated
@given(st.text(max_size=300))
def test_the_estimate_of_any_text_at_all_is_at_least_a_third(text: str) -> None:
    assert ESTIMATE.count(text) >= EXACT.count(text) / 3


@generated
@given(st.text(max_size=80) | st.sampled_from(sorted(TEXTS.values())), st.sampled_from(sorted(TEXTS.values())))
def test_parts_that_meet_at_a_space_may_be_counted_one_by_one(left: str, right: str) -> None:
    for between in (" ", "\n"):
        assert ESTIMATE.count(left + between + right) <= ESTIMATE.count(left + between) + ESTIMATE.count(right) + 1
        assert ESTIMATE.count(left + between + right) <= ESTIMATE.count(left) + ESTIMATE.count(between + right) + 1


@pytest.mark.parametrize("counter", [ESTIMATE, EXACT])
def test_no_text_costs_nothing(counter: TokenCounter) -> None:
    assert counter.count("") == 0


# -- the exact count -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("お誕生日おめでとう", 8),
        ("12345", 2),
        ("<|endoftext|>", 7),
        ("\ud800", 1),
    ],
)
def test_the_exact_counter_counts_as_o200k_base(text: str, tokens: int) -> None:
    assert EXACT.count(text) == tokens


def test_a_very_long_text_is_counted_in_parts() -> None:
    text = "The river was high, and we walked home along the old road. " * 20_000
    assert EXACT.count(text) == pytest.approx(20_000 * 14, rel=0.001)
    assert EXACT.count("深" * 100_000) <= 400_000


# -- which one -------------------------------------------------------------------------------------------------------
def test_the_default_is_exact_where_it_is_installed() -> None:
    assert default_counter().name == "o200k_base"


def test_the_default_is_the_estimate_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    assert default_counter().name == "estimate"
    with pytest.raises(MissingExtra, match=re.escape("pip install 'retentive[tokens]'")):
        ExactTokenCounter()
