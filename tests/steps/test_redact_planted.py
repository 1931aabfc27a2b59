"""Planted secrets: sixty kinds in thirteen containers; none may come through.

Nothing here was ever issued: every value comes from `random.Random`, with the prefix, alphabet and length its provider
documents.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from urllib.parse import quote

import pytest

from retentive.redaction import redact, redact_value

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE64URL = ALNUM + "-_"
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits


class Maker:
    """Random strings of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - the same values each time

    def pick(self, alphabet: str, length: int) -> str:
        """Letters of `alphabet`, with a digit and, where it has both, both cases."""
        while True:
            value = "".join(self.random.choice(alphabet) for _ in range(length))
            if any(c.isdigit() for c in value) and (alphabet == HEX or len(set(value)) >= min(length // 2, 10)):
                return value

    def uuid(self) -> str:
        return "-".join(self.pick(HEX, n) for n in (8, 4, 4, 4, 12))

    def jwt(self) -> str:
        parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps({"sub": self.pick(HEX, 8), "exp": 1893456000})]
        head = ".".join(base64.urlsafe_b64encode(p.encode()).decode().rstrip("=") for p in parts)
        return f"{head}.{self.pick(BASE64URL, 43)}"


Make = Callable[[Maker], str]

# kind -> a fresh value; each is known by its own form, wherever it stands
TOKENS: dict[str, Make] = {
    "openai": lambda m: f"sk-proj-{m.pick(BASE64URL, 120)}",
    "openai_legacy": lambda m: f"sk-{m.pick(ALNUM, 20)}T3BlbkFJ{m.pick(ALNUM, 20)}",
    "anthropic": lambda m: f"sk-ant-api03-{m.pick(BASE64URL, 93)}AA",
    "openrouter": lambda m: f"sk-or-v1-{m.pick(HEX, 64)}",
    "deepseek": lambda m: f"sk-{m.pick(HEX, 32)}",
    "google_api": lambda m: f"AIza{m.pick(BASE64URL, 35)}",
    "google_oauth": lambda m: f"GOCSPX-{m.pick(BASE64URL, 28)}",
    "google_access": lambda m: f"ya29.{m.pick(BASE64URL, 120)}",
    "huggingface": lambda m: f"hf_{m.pick(ALNUM, 34)}",
    "groq": lambda m: f"gsk_{m.pick(ALNUM, 52)}",
    "perplexity": lambda m: f"pplx-{m.pick(ALNUM, 48)}",
    "xai": lambda m: f"xai-{m.pick(ALNUM, 80)}",
    "replicate": lambda m: f"r8_{m.pick(ALNUM, 37)}",
    "langsmith": lambda m: f"lsv2_pt_{m.pick(HEX, 32)}_{m.pick(HEX, 10)}",
    "nvidia": lambda m: f"nvapi-{m.pick(BASE64URL, 64)}",
    "tavily": lambda m: f"tvly-{m.pick(ALNUM, 32)}",
    "pinecone": lambda m: f"pcsk_{m.pick(ALNUM, 6)}_{m.pick(ALNUM, 63)}",
    "zhipu": lambda m: f"{m.pick(HEX, 32)}.{m.pick(ALNUM, 16)}",
    "aws_access": lambda m: f"AKIA{m.pick(string.ascii_uppercase + '234567', 16)}",
    "alibaba": lambda m: f"LTAI{m.pick(ALNUM, 20)}",
    "digitalocean": lambda m: f"dop_v1_{m.pick(HEX, 64)}",
    "azure_ad": lambda m: f"{m.pick(ALNUM, 3)}8Q~{m.pick(ALNUM + '_.', 34)}",
    "supabase": lambda m: f"sbp_{m.pick(HEX, 40)}",
    "planetscale": lambda m: f"pscale_pw_{m.pick(BASE64URL, 43)}",
    "databricks": lambda m: f"dapi{m.pick(HEX, 32)}",
    "netlify": lambda m: f"nfp_{m.pick(ALNUM, 40)}",
    "heroku": lambda m: f"HRKU-{m.uuid()}",
    "vault": lambda m: f"hvs.{m.pick(BASE64URL, 90)}",
    "doppler": lambda m: f"dp.st.dev.{m.pick(ALNUM, 43)}",
    "tailscale": lambda m: f"tskey-auth-{m.pick(ALNUM, 12)}CNTRL-{m.pick(ALNUM, 32)}",
    "age": lambda m: f"AGE-SECRET-KEY-1{m.pick('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}",
    "github": lambda m: f"ghp_{m.pick(ALNUM, 36)}",
    "github_fine": lambda m: f"github_pat_{m.pick(ALNUM, 22)}_{m.pick(ALNUM, 59)}",
    "gitlab": lambda m: f"glpat-{m.pick(BASE64URL, 20)}",
    "bitbucket": lambda m: f"ATBB{m.pick(ALNUM, 32)}",
    "npm": lambda m: f"npm_{m.pick(ALNUM, 36)}",
    "pypi": lambda m: f"pypi-AgEIcHlwaS5vcmc{m.pick(BASE64URL, 150)}",
    "rubygems": lambda m: f"rubygems_{m.pick(HEX, 48)}",
    "docker": lambda m: f"dckr_pat_{m.pick(BASE64URL, 27)}",
    "sonar": lambda m: f"squ_{m.pick(HEX, 40)}",
    "postman": lambda m: f"PMAK-{m.pick(HEX, 24)}-{m.pick(HEX, 34)}",
    "figma": lambda m: f"figd_{m.pick(BASE64URL, 40)}",
    "linear": lambda m: f"lin_api_{m.pick(ALNUM, 40)}",
    "notion": lambda m: f"ntn_{m.pick(ALNUM, 46)}",
    "airtable": lambda m: f"pat{m.pick(ALNUM, 14)}.{m.pick(HEX, 64)}",
    "hubspot": lambda m: f"pat-na1-{m.uuid()}",
    "newrelic": lambda m: f"NRAK-{m.pick(UPPER, 27)}",
    "grafana": lambda m: f"glsa_{m.pick(ALNUM, 32)}_{m.pick(HEX, 8)}",
    "sentry": lambda m: f"sntryu_{m.pick(HEX, 64)}",
    "dynatrace": lambda m: f"dt0c01.{m.pick(UPPER, 24)}.{m.pick(UPPER, 64)}",
    "slack": lambda m: f"xoxb-{m.pick(string.digits, 12)}-{m.pick(string.digits, 13)}-{m.pick(ALNUM, 24)}",
    "sendgrid": lambda m: f"SG.{m.pick(BASE64URL, 22)}.{m.pick(BASE64URL, 43)}",
    "mailgun": lambda m: f"key-{m.pick(HEX, 32)}",
    "mailchimp": lambda m: f"{m.pick(HEX, 32)}-us14",
    "brevo": lambda m: f"xkeysib-{m.pick(HEX, 64)}-{m.pick(ALNUM, 16)}",
    "telegram": lambda m: f"{m.pick('123456789', 10)}:AA{m.pick(BASE64URL, 33)}",
    "discord": lambda m: f"MT{m.pick(ALNUM, 24)}.{m.pick(ALNUM, 6)}.{m.pick(BASE64URL, 38)}",
    "stripe": lambda m: f"sk_live_{m.pick(ALNUM, 24)}",
    "stripe_webhook": lambda m: f"whsec_{m.pick(ALNUM, 32)}",
    "square": lambda m: f"sq0atp-{m.pick(BASE64URL, 22)}",
    "shopify": lambda m: f"shpat_{m.pick(HEX, 32)}",
    "plaid": lambda m: f"access-sandbox-{m.uuid()}",
    "jwt": lambda m: m.jwt(),
}

# The texts a value is met in. Each holds the value once, as its container writes it.
CONTAINERS: dict[str, Callable[[str], str]] = {
    "chat": lambda v: f"ok here it is: {v}, please keep it somewhere",
    "question": lambda v: f"Someone posted ({v}) in the channel - should I worry?",
    "json": lambda v: json.dumps({"service": "x", "config": {"credential": v}, "retries": 3}),
    "env": lambda v: f"DEBUG=0\nSERVICE_CREDENTIAL={v}\nPORT=8080\n",
    "yaml": lambda v: f"env:\n  - name: SERVICE_CREDENTIAL\n    value: {v}\n  - name: PORT\n",
    "shell": lambda v: f"curl -s -H 'X-Service: {v}' https://service.example.net/v2/things | jq .",
    "url": lambda v: f"GET /v1/items?limit=5&credential={v}&page=2 HTTP/1.1",
    "code": lambda v: f'client = Client(\n    credential="{v}",\n    timeout=3,\n)\n',
    "markdown": lambda v: f"## Setup\n\n- **Value**: `{v}`\n- Region: eu\n",
    "log": lambda v: f"2025-11-21T07:45:30Z INFO boot credential={v} zone=b",
    "escaped": lambda v: json.dumps({"result": json.dumps({"credential": v, "ok": True})}),
    "html": lambda v: f"<code>{v}</code><br>",
    "cjk": lambda v: f"这是凭证：{v}，请保存。",
}


@pytest.mark.parametrize("container", sorted(CONTAINERS))
@pytest.mark.parametrize("kind", sorted(TOKENS))
def test_no_planted_token_comes_through(kind: str, container: str) -> None:
    value = TOKENS[kind](Maker(sum(map(ord, kind + container))))
    text = CONTAINERS[container](value)
    result = redact(text)
    start = text.index(value)
    assert value not in result.text
    assert any(s.start <= start and start + len(value) <= s.end for s in result.spans), result


@pytest.mark.parametrize("kind", sorted(TOKENS))
def test_what_surrounds_a_token_stays(kind: str) -> None:
    value = TOKENS[kind](Maker(len(kind)))
    result = redact(CONTAINERS["log"](value))
    assert result.text.startswith("2025-11-21T07:45:30Z INFO boot credential=[REDACTED:")
    assert result.text.endswith("] zone=b")


@pytest.mark.parametrize("kind", sorted(TOKENS))
def test_every_token_is_found_in_structured_values(kind: str) -> None:
    value = TOKENS[kind](Maker(len(kind) + 7))
    given = {"tags": ["a", value], "nested": {"note": f"see {value}."}, value: 1}
    clean, found = redact_value(given)
    assert value not in repr(clean)
    assert {f.path[0] for f in found} == {"tags", "nested", value}
    assert [f.in_key for f in found] == [False, False, True]


@pytest.mark.parametrize("kind", ["github", "stripe", "slack", "openai", "aws_access", "google_api", "jwt", "linear"])
@pytest.mark.parametrize(
    "disguise",
    [
        lambda v: base64.b64encode(f"user:{v}".encode()).decode(),
        lambda v: quote("".join(v), safe="").replace("_", "%5F").replace("-", "%2D"),
        lambda v: v.encode().hex(),
        lambda v: "".join(f"\\u{ord(c):04x}" for c in v),
        lambda v: "".join(f"&#{ord(c)};" for c in v),
        lambda v: "".join(chr(ord(c) + 0xFEE0) for c in v),
        "\u200b".join,
        "\U000e0101".join,
        "\u20dd".join,
        lambda v: "".join(f"&#{ord(c)}" for c in v),
        lambda v: "".join(f"\\U{ord(c):08x}" for c in v),
        lambda v: v.replace("_", "\uff3f").replace("-", "\u2011"),
        lambda v: v[:14] + '" +\n    "' + v[14:],
        lambda v: v[:14] + "\\\n" + v[14:],
        lambda v: v[:14] + "\n    " + v[14:],
    ],
    ids=(
        "base64 percent hex escapes entities wide zero_width selectors circled bare_entities long_escapes look_alike "
        "concatenated continued wrapped"
    ).split(),
)
def test_disguised_tokens_are_found(kind: str, disguise: Callable[[str], str]) -> None:
    value = TOKENS[kind](Maker(len(kind) + 3))
    hidden = disguise(value)
    result = redact(f'first "{hidden}" last')
    assert hidden not in result.text
    assert result.text.startswith('first "[REDACTED:')
    assert result.text.endswith('" last')
