"""Cases 39 and 41 as a program meets them: through the server, with OpenAI's own client and with plain requests."""

from __future__ import annotations

from pathlib import Path

import httpx2
import openai
import pytest

from chat_server import serving, words
from gateways import asked, client, gateway, said, whole


def test_case_39_a_tenant_s_hour_is_a_hard_limit_that_usage_shows(tmp_path: Path) -> None:
    """A program that asks again and again: it is stopped, nothing it says is lost, and no other tenant is."""
    with serving(whole("Yes.")) as model, gateway(tmp_path, model.url, limit_tokens_hour=10_000) as (memory, url):
        rights = ("read", "write", "admin")
        busy, calm = (memory.keys.create(name, rights=rights, tenant=name).text for name in ("busy", "calm"))
        refused: list[openai.RateLimitError] = []
        for number in range(30):
            with client(url, busy, default_headers={"X-Session-Id": f"s{number}"}) as chat:
                try:
                    chat.chat.completions.create(**asked(f"Is it {number}?"), max_tokens=100)
                except openai.RateLimitError as error:
                    refused.append(error)
        assert 0 < len(model.requests) < 15
        assert len(model.requests) + len(refused) == 30
        assert 0 < int(refused[-1].response.headers["retry-after"]) <= 3600
        with client(url, calm) as chat:
            assert chat.chat.completions.create(**asked("Is it?"), max_tokens=100).choices
        for key, calls in ((busy, len(model.requests) - 1), (calm, 1)):
            headers = {"authorization": f"Bearer {key}"}
            shown = httpx2.get(f"{url}/usage", params={"by": "owner"}, headers=headers).json()
            tokens = [line["usage"]["prompt_tokens"] + line["usage"]["completion_tokens"] for line in shown]
            assert ([line["calls"] for line in shown], tokens) == ([calls], [920 * calls])
            assert 920 * (calls - 1) < 10_000  # the stand-in says that prompts took more than they can: once
        kept = memory.scope(user_id="alice", tenant="busy").list("episodic", limit=100)
        assert {f"Is it {number}?" for number in range(30)} <= {item.text for item in kept}


@pytest.mark.parametrize("streamed", [False, True])
def test_case_41_the_prompt_begins_with_what_stays_and_ends_with_what_was_recalled(
    tmp_path: Path, streamed: bool
) -> None:
    """Another question, another hour, another process: the same facts are the same bytes before it."""
    sent = []
    for question in ("Which seats do I like?", "Which meals do I like?"):
        with (
            serving(words("Yes.") if streamed else whole("Yes.")) as model,
            gateway(tmp_path, model.url) as (memory, url),
        ):
            mine = memory.scope(user_id="alice")
            mine.update_profile({"name": "Alice"})
            mine.remember("Never by plane", evergreen=True)
            mine.remember("Likes window seats")
            mine.remember("Likes vegetarian meals")
            with client(url, default_headers={"X-Session-Id": question}) as chat:
                messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
                list(chat.chat.completions.create(model="tiny", messages=messages, stream=streamed))  # type: ignore[arg-type,call-overload]
            assert said(memory)
            sent.append(model.requests[0]["raw"])
    begin = sent[0].index(b'{"role": "user"') if b'{"role": "user"' in sent[0] else sent[0].index(b'{"role":"user"')
    assert sent[0][:begin] == sent[1][:begin]
    assert b"Never by plane" in sent[0][:begin]
    assert (b"window seats" in sent[0][begin:], b"window seats" in sent[0][:begin]) == (True, False)
