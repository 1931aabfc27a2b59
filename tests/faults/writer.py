"""A process that writes and says what was acknowledged, one line each, until it is killed or done.

python writer.py STORE NAME [COUNT]
"""

from __future__ import annotations

import sys
from itertools import count, islice

from retentive import Memory
from retentive.models.embed_none import NoEmbedder


def main(store: str, name: str, limit: int | None) -> None:
    """Alternate record and remember in a partition that every writer shares."""
    memory = Memory.open(store, embedder=NoEmbedder(), background=False)
    mine = memory.scope(user_id="shared")
    chat = mine.session()
    for number in islice(count(), limit):
        if number % 2:
            receipt = mine.remember(f"Writer {name} keeps note {number}", metadata={"writer": name})
        else:
            receipt = chat.add("user", f"Writer {name} says {number}", id=f"{name}-{number}")
        print(receipt.ids[0], flush=True)  # noqa: T201  the acknowledgement
    memory.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
