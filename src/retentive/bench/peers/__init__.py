"""Other memory systems on the same texts and the same stub vectors. One file each; nothing is installed by us.

Each is measured in an interpreter of its own (`--python NAME=PATH`), since what they need collides: `worker.py` runs
there, loads one of these files by its path and imports nothing of Retentive. A file has `REQUIRES`, the module whose
absence means that the peer is not there, `DURABLE`, whether an add outlasts a power cut once it returned, and
`start(folder, vectors)`, which gives an object with `add(text)`, `add_many(texts)`, `search(query, k) -> texts` and
`close()`.
"""
