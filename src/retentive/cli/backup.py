"""Commands for the whole store: backup, restore."""

from __future__ import annotations

from pathlib import Path

import click

from retentive.cli.output import show
from retentive.cli.shared import Verb, opened
from retentive.errors import InvalidInput

_PASSPHRASE_FILE = click.option(
    "--passphrase-file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the passphrase from the first line of FILE.",
)


@click.command(cls=Verb, example="retentive backup monday.backup --encrypt")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--encrypt", is_flag=True, help="Ask for a passphrase and encrypt the file with it.")
@_PASSPHRASE_FILE
def backup(path: Path, passphrase_file: Path | None, *, encrypt: bool) -> None:
    """Write all of the store to FILE, while others go on writing.

    FILE must not be there yet. Encryption needs `pip install 'retentive[encryption]'`; without the passphrase nobody
    can read the file again.
    """
    passphrase = _passphrase(passphrase_file, ask=encrypt, twice=True)
    with opened() as memory:
        size = memory.backup(path, passphrase=passphrase)
    what = {"path": str(path), "bytes": size, "encrypted": passphrase is not None}
    show(what, lambda: [f"{size:,} bytes in {path}{', encrypted' if passphrase is not None else ''}"])


@click.command(cls=Verb, example="retentive restore monday.backup --to memory.db")
@click.argument("path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--to", "url", metavar="URL", required=True, help="The store to restore to: a path or sqlite:///path.")
@click.option("--replace", is_flag=True, help="Replace the memories that this store holds.")
@click.option("--decrypt", is_flag=True, help="Ask for the passphrase of an encrypted file.")
@click.option(
    "--erasures",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What was forgotten since: the .erasures file of the store that was backed up, if this one has none.",
)
@_PASSPHRASE_FILE
def restore(
    path: Path, url: str, erasures: Path | None, passphrase_file: Path | None, *, replace: bool, decrypt: bool
) -> None:
    """Make a store what it was when FILE was written: all of it or, if anything is wrong, nothing."""
    from retentive.backup import restore as restored  # noqa: PLC0415  the database loads only when needed

    passphrase = _passphrase(passphrase_file, ask=decrypt, twice=False)
    restored(path, url, passphrase=passphrase, replace=replace, erasures=erasures)
    show({"path": str(path), "store": url}, lambda: [f"{url} is what it was when {path} was written"])


def _passphrase(file: Path | None, *, ask: bool, twice: bool) -> str | None:
    """From a file or a prompt, never from the command line, where other users of the machine would see it."""
    if file is not None:
        try:
            passphrase = file.read_text("utf-8").partition("\n")[0].rstrip("\r")
        except UnicodeDecodeError as error:
            message = f"{file.name} is not UTF-8 text: its first line should be the passphrase"
            raise InvalidInput(message) from error
        if not passphrase:
            message = f"the first line of {file.name} is empty: it should be the passphrase"
            raise InvalidInput(message)
        return passphrase
    if not ask:
        return None
    return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=twice, err=True))
