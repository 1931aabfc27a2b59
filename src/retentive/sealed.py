"""A sealed file: what a backup is written in. Compressed, in numbered chunks, and whole or refused.

    head    magic, version, seal (0 none, 1 passphrase), salt
    chunk   length, 1 if it is the last, sealed bytes      ... again and again

Each chunk is bound to the head, its number and whether it is the last, so that a change, a chunk left out, put
elsewhere or cut off is found before anything is made of the file. Without a passphrase the seal is SHA-256 (it finds
damage, and stops nobody); with one it is AES-256-GCM under a key by scrypt (n 2^17, r 8, p 1:
https://www.rfc-editor.org/rfc/rfc7914).
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final

from retentive.errors import BackupDamaged, MissingExtra, WrongPassphrase

CHUNK_BYTES: Final = 1 << 20
_MAGIC: Final = b"retentive backup\n"
_VERSION: Final = 1
_HEAD: Final = struct.Struct(f">{len(_MAGIC)}sBB16s")
_CHUNK: Final = struct.Struct(">I?")
_PLACE: Final = struct.Struct(">Q?")
_DIGEST_BYTES: Final = 32
#: A sealed chunk is never longer: a length beyond it is damage, not a reason to read a file into memory.
_MOST_BYTES: Final = CHUNK_BYTES + (CHUNK_BYTES >> 8) + 1024

_Seal = Callable[[bytes, int, bytes], bytes]  # place, number, bytes


def write_sealed(file: BinaryIO, parts: Iterable[bytes], passphrase: str | None = None) -> None:
    """Write `parts` (each of at most CHUNK_BYTES) to a file, sealed. Raises MissingExtra."""
    salt = os.urandom(16)
    head = _HEAD.pack(_MAGIC, _VERSION, passphrase is not None, salt)
    seal, _ = _seals(passphrase, salt)
    file.write(head)
    for number, (part, last) in enumerate(_with_last(parts)):
        sealed = seal(head + _PLACE.pack(number, last), number, zlib.compress(part, 3))
        file.write(_CHUNK.pack(len(sealed), last) + sealed)


def read_sealed(file: BinaryIO, passphrase: str | None = None) -> Iterator[bytes]:
    """The parts of a sealed file. Raises BackupDamaged, WrongPassphrase, MissingExtra: use nothing before the end.

    >>> import io
    >>> sealed = io.BytesIO()
    >>> write_sealed(sealed, [b"one", b"two"])
    >>> list(read_sealed(io.BytesIO(sealed.getvalue())))
    [b'one', b'two']
    """
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(_MAGIC):
        raise BackupDamaged
    _, version, encrypted, salt = _HEAD.unpack(head)
    if version != _VERSION:
        message = f"the backup has format {version}, this Retentive reads {_VERSION}: pip install -U retentive"
        raise BackupDamaged(message)
    if bool(encrypted) != (passphrase is not None):
        message = "the backup needs its passphrase" if encrypted else "the backup has no passphrase: leave it out"
        raise WrongPassphrase(message)
    _, opened = _seals(passphrase, salt)
    number, last = 0, False
    while not last:
        length, last = _CHUNK.unpack(_exactly(file, _CHUNK.size))
        if length > _MOST_BYTES:
            raise BackupDamaged
        plain = opened(head + _PLACE.pack(number, last), number, _exactly(file, length))
        yield zlib.decompress(plain)
        number += 1
    if file.read(1):
        raise BackupDamaged


def _with_last(parts: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each part, and whether it is the last; a file without any has one that is empty."""
    held: bytes | None = None
    for part in parts:
        if held is not None:
            yield held, False
        held = part
    yield held or b"", True


def _exactly(file: BinaryIO, count: int) -> bytes:
    found = file.read(count)
    if len(found) < count:
        raise BackupDamaged
    return found


# -- seals -----------------------------------------------------------------------------------------------------------
def _seals(passphrase: str | None, salt: bytes) -> tuple[_Seal, _Seal]:
    """What closes a chunk, and what opens it."""
    return (_digested, _undigested) if passphrase is None else _encryption(passphrase, salt)


def _digested(place: bytes, _: int, plain: bytes) -> bytes:
    return hashlib.sha256(place + plain).digest() + plain


def _undigested(place: bytes, number: int, sealed: bytes) -> bytes:
    plain = sealed[_DIGEST_BYTES:]
    if _digested(place, number, plain) != sealed:
        raise BackupDamaged
    return plain


def _encryption(passphrase: str, salt: bytes) -> tuple[_Seal, _Seal]:
    try:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
    except ImportError as error:
        message = "a backup with a passphrase needs an extra: pip install 'retentive[encryption]'"
        raise MissingExtra(message) from error
    key = hashlib.scrypt(passphrase.encode(), salt=salt, n=1 << 17, r=8, p=1, maxmem=1 << 28, dklen=32)
    cipher = AESGCM(key)  # the salt is new for each file, so a number is a nonce that never comes again under its key

    def close(place: bytes, number: int, plain: bytes) -> bytes:
        return cipher.encrypt(number.to_bytes(12, "big"), plain, place)

    def open_(place: bytes, number: int, sealed: bytes) -> bytes:
        try:
            return cipher.decrypt(number.to_bytes(12, "big"), sealed, place)
        except InvalidTag as error:
            if number == 0:
                raise WrongPassphrase from error
            raise BackupDamaged from error

    return close, open_
