"""What a provider's prompt cache can keep of a conversation with memory, by where the block stands in the prompt.

    python scripts/prompt_cache_saving.py [--turns 20] [--cached-price 0.1]

Each turn is compared with the one before: what they begin with in common is what a cache has seen. Two layouts: the
gateway's (stable part behind the instructions, volatile part before the last question) and the usual one (the whole
block behind the instructions). `cached-price` is what a cached token costs of a fresh one's price.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from retentive import Memory
from retentive.block import halves
from retentive.models.tokens import default_counter
from retentive.results import Block
from retentive.server.chat_request import with_memory

Messages = list[dict[str, Any]]
INSTRUCTIONS = "You are the assistant of a warehouse. Answer briefly, and name the crate and the aisle. " * 5
ALWAYS = [f"Crates of colour number {number} are handled with gloves" for number in range(8)]
FACTS = [f"Crate {number} stands in aisle {number * 7 % 31} since week {number % 12}" for number in range(60)]


def by_gateway(messages: Messages, block: Block, tag: str) -> Messages:
    """Each half where it is cheapest."""
    made: Messages = with_memory({"messages": messages}, *halves(block, tag), None)["messages"]
    return made


def in_one_piece(messages: Messages, block: Block, _: str) -> Messages:
    """The whole block behind the instructions."""
    return [{"role": "system", "content": f"{messages[0]['content']}\n\n{block.text}"}, *messages[1:]]


def common(one: str, other: str) -> str:
    """What both begin with."""
    return "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def measure(memory: Memory, turns: int, layout: Callable[[Messages, Block, str], Messages]) -> tuple[int, int]:
    """Tokens of all prompts, and how many of them a cache had seen."""
    mine, count = memory.scope(user_id="alice"), default_counter().count
    messages: Messages = [{"role": "system", "content": INSTRUCTIONS}]
    all_tokens = cached = 0
    before = ""
    for turn in range(turns):
        question = f"Where does crate {turn * 3} stand, and since when?"
        messages.append({"role": "user", "content": question})
        sent = json.dumps(layout(messages, mine.block(question), memory.settings.tag))
        all_tokens += count(sent)
        cached += count(common(before, sent))
        before = sent
        messages.append({"role": "assistant", "content": f"It stands in aisle {turn * 21 % 31}. " * 8})
    return all_tokens, cached


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--cached-price", type=float, default=0.1)
    asked = parser.parse_args()
    with Memory.open(":memory:", background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.update_profile({"name": "Alice", "role": "shift leader"})
        for text in ALWAYS:
            mine.remember(text, evergreen=True)
        for text in FACTS:
            mine.remember(text)
        memory.process()
        costs = []
        for name, layout in (("whole block behind the instructions", in_one_piece), ("gateway", by_gateway)):
            tokens, cached = measure(memory, asked.turns, layout)
            costs.append(tokens - cached * (1 - asked.cached_price))
            print(f"{name}: {tokens} tokens, {cached / tokens:.0%} seen before, costs {costs[-1]:.0f} fresh tokens")
        print(f"saved by the gateway's layout: {1 - costs[1] / costs[0]:.0%}")


if __name__ == "__main__":
    main()
