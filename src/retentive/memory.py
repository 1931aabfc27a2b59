"""Memory: an open store, its background work, and the way to a scope."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from retentive import plugins
from retentive.arms import Ranking, ranking_of
from retentive.audit import Audit
from retentive.checking import checked_cursor, checked_flag, checked_limit, checked_url, checked_usage_keys
from retentive.cleaning import checked_actor, refuse_secret_names
from retentive.clock import Timestamp, optional_us
from retentive.config import Settings, default_url
from retentive.contracts import Backend, Embedder, Extractor, Model, Reranker, StoreStatus, TokenCounter
from retentive.contracts.audit import LOCAL, WORKER, AuditCheck, AuditPage, AuditQuery
from retentive.contracts.ledger import Account, Spent, UsageKey
from retentive.embedders import Embedders
from retentive.errors import EmbedderMismatch
from retentive.given import checked_object, checked_objects
from retentive.jobs import Runner
from retentive.keys import Keys
from retentive.lifecycle import reindex
from retentive.lifecycle.archive import archive_beside
from retentive.lifecycle.difference import RebuildReport
from retentive.lifecycle.mirror import Mirrors
from retentive.lifecycle.plan import Plan
from retentive.lifecycle.rebuild import Rebuild
from retentive.lifecycle.reembed import Reembedding, begin
from retentive.lifecycle.rescan import RescanReport, rescan
from retentive.lifecycle.retention import Retention
from retentive.lifecycle.upkeep import Upkeep
from retentive.mirroring import mirrors_of
from retentive.models.cache import CachedEmbedder
from retentive.models.tokens import default_counter
from retentive.parts import Parts
from retentive.read_log import GATHER_S, ReadLog
from retentive.results import ProcessReport, ReembedReport
from retentive.review import Review
from retentive.scope_base import rules_of, warn_of_plain_copies
from retentive.scoped import ScopedMemory
from retentive.session import end_abandoned, is_gone, process_mark
from retentive.types import Scope
from retentive.upkeep_verbs import UpkeepVerbs
from retentive.worker import Background, Every

#: How long `close` lets the background thread finish what waits, so that a short script leaves nothing half done.
_DRAIN_S = 5.0
#: How often a worker looks for upkeep that is due.
_SCHEDULE_S = 60.0


class Memory(UpkeepVerbs):
    """An open store. Safe to share between threads; each process opens its own.

    >>> with Memory.open(":memory:", background=False) as memory:
    ...     mine = memory.scope(user_id="alice")
    ...     receipt = mine.remember("Prefers answers in German")
    ...     [hit.text for hit in mine.recall("which language for answers?")]
    ['Prefers answers in German']
    """

    def __init__(
        self,
        backend: Backend,
        embedders: Embedders,
        extractor_for: Callable[[Account], Extractor] | None,
        counter: TokenCounter,
        settings: Settings,
        *,
        ranking: Ranking,
        model: Model | None,
        background: bool,
    ) -> None:
        """Use `Memory.open` instead: it makes these parts from a URL and the settings."""
        self.settings = settings
        self._backend = backend
        self._embedders = embedders
        policy = plugins.make_policy(settings)
        reads = ReadLog(backend.audit, GATHER_S if background else 0) if settings.audit_reads else None
        self._audit = Audit(backend.audit, reads)
        jobs = replace(backend, store=backend.store.acting(WORKER))
        rules, plan = rules_of(settings, policy), Plan.read(settings.upkeep)
        models = plugins.make_upkeep_models(settings, backend.ledger, plan.model, model)
        retention = Retention.read(settings.retention)
        self._upkeep = Upkeep(jobs, retention, plan, rules, models)
        self._runner = Runner(jobs, embedders, extractor_for, rules, self._upkeep, process_mark(), is_gone)
        self._reembedding = Reembedding(backend, embedders, self._runner.embed_rows)
        warn_of_plain_copies(settings, retention)
        self._mirrors = mirrors_of(backend.store, settings, policy)
        storing = retention.storing
        self._parts = Parts(
            backend, embedders, counter, settings, ranking, policy, storing, reads, self._mirrors, self.wake
        )
        self.review = Review(backend.store, plugins.make_policy(settings), self.wake)
        self.keys, self.ledger, self.beside = Keys(backend.keys, backend.audit), backend.ledger, backend.beside
        self._running = threading.Lock()
        self._background = Background(self._run_jobs) if background else None
        if background and self.pending():
            self.wake()

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        model: Model | None = None,
        reranker: Reranker | None = None,
        settings: Settings | None = None,
        background: bool | None = None,
        change_embedder: bool = False,
    ) -> Memory:
        """Open a store, or create it.

        Args:
            url: a path, `sqlite:///path`, `file:folder/`, `:memory:` or `postgresql://...`, perhaps followed by
                `+qdrant://host:port/collection` (docs/backends.md); else RETENTIVE_URL; else a file in the user's data
                directory.
            embedder: instead of the one the settings name (two small models, offline, by default).
            model: whom upkeep asks, instead of the one the settings name (rules by default).
            reranker: has the last look at the first hits, such as `retentive.models.rerank_http.HttpReranker`.
            settings: instead of those read from RETENTIVE_*.
            background: run jobs (vectors, session ends) in a thread of this process; settings say by default yes.
                With False, call `process()`.
            change_embedder: take this embedder for a store whose vectors another one made, as `reembed` does.

        Raises InvalidInput, ConfigError, EmbedderMismatch, StoreError (StoreUnavailable, NotAStore, StoreNewer, ...).
        """
        url = None if url is None else checked_url(url)
        checked_objects(embedder=(embedder, Embedder), model=(model, Model), reranker=(reranker, Reranker))
        checked_objects(settings=(settings, Settings))
        settings = settings or Settings.from_env()
        ranking = ranking_of(settings.ranking)
        embedder = embedder or plugins.make_embedder(settings)
        backend = plugins.make_backend(str(url or settings.url or default_url()), settings)
        try:
            _check_embedder(backend, embedder, change=change_embedder)
        except BaseException:
            backend.store.close()
            raise
        cached = partial(CachedEmbedder, store=backend.vector_cache)
        embedders = Embedders(embedder, cached, partial(plugins.find_embedder, settings), reranker)
        embedders.serving = (backend.store.embedder() or (embedder.name,))[0]
        background = settings.background if background is None else checked_flag(background, "background")
        extractor_for = plugins.make_extractors(settings, backend)
        counter = default_counter()
        return cls(
            backend, embedders, extractor_for, counter, settings, ranking=ranking, model=model, background=background
        )

    def scope(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        project_id: str | None = None,
        tenant: str | None = None,
        *,
        actor: str = LOCAL,
    ) -> ScopedMemory:
        """One user's or agent's memory. Raises InvalidScope without either, InvalidInput for a name that is none.

        actor: who acts, for the audit: the id of an API key, of a service. It is kept when what it did is forgotten.
        """
        scope = Scope(user_id, agent_id, project_id, self.settings.tenant if tenant is None else tenant)
        refuse_secret_names(scope)
        return ScopedMemory(self._parts, scope, checked_actor(actor))

    # -- background work ---------------------------------------------------------------------------------------------
    def process(self, max_jobs: int | None = None) -> ProcessReport:
        """Run waiting background jobs here and now, and end sessions whose process died or that went quiet."""
        if max_jobs is not None:
            checked_limit(max_jobs, "max_jobs")
        return self._run_jobs(max_jobs)

    def work(self, stop: Callable[[], bool] = lambda: False, poll_s: float = 1.0, *, schedule: bool = False) -> None:
        """Be a worker: run jobs as they come until `stop()` is true. Asked between batches of jobs.

        schedule: and do the upkeep that is due, looking for it once a minute.
        """
        checked_object("stop", stop, Callable)
        look = Every(_SCHEDULE_S, self.schedule) if schedule else None
        Background(self._run_jobs, self._backend.queue.wait).loop(stop, poll_s, look)

    def _run_jobs(self, max_jobs: int | None = None, stop: Callable[[], bool] = lambda: False) -> ProcessReport:
        with self._running:  # one runner a process: the others would only wait for the same processor
            reindex.mend(self._backend)
            end_abandoned(self._backend, self.settings.session_idle_s)
            report = self._runner.run(max_jobs, stop)
            if self._mirrors is not None:
                report = _synced(self._mirrors, report)
            while not stop() and (max_jobs is None or report.tried < max_jobs):
                if (turn := self._reembedding.turn()) is None:
                    return report
                report = report.then(turn)
                if not turn.done:
                    break
                left = None if max_jobs is None else max_jobs - report.tried
                if left != 0:  # what is written meanwhile does not wait for the whole change
                    report = report.then(self._runner.run(left, stop))
            return replace(report, waiting=self.pending())

    def pending(self) -> int:
        """How many jobs wait or run."""
        depth = self._backend.queue.depth()
        return sum(n for state, n in depth.items() if state != "dead") + self._reembedding.batches_left()

    def usage(self, by: Sequence[UsageKey] = ("session", "operation"), *, tenant: str | None = None) -> list[Spent]:
        """What model calls took, told apart `by` tenant, owner, session, operation, model or hour."""
        return self._backend.ledger.usage(checked_usage_keys(by), tenant=tenant)

    def audit(
        self,
        *,
        actor: str | None = None,
        verb: str | None = None,
        memory_id: str | None = None,
        scope: Scope | None = None,
        tenant: str | None = None,
        since: Timestamp | None = None,
        until: Timestamp | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> AuditPage:
        """Who did what to which memories, newest first: entries that match all that is given.

        scope: whose memories, whatever their agent and project. until: exclusive. cursor: the last page's.
        """
        checked_objects(scope=(scope, Scope))
        asked = AuditQuery(
            actor,
            verb,
            memory_id,
            tenant,
            None if scope is None else scope.partition,
            optional_us(since),
            optional_us(until),
            checked_limit(limit, "limit"),
            None if cursor is None else checked_cursor(cursor),
        )
        return self._audit.page(asked)

    def audit_verify(self, head: str | None = None) -> AuditCheck:
        """Follow the audit's chain and name entries that were changed, moved or removed.

        head: an `AuditCheck.head` kept elsewhere; with it, entries cut off at the end are found too.
        """
        return self._audit.verify(head)

    def requeue(self) -> int:
        """Give jobs that gave up another chance; returns how many."""
        return self._backend.queue.requeue()

    def wake(self) -> None:
        """Tell the background thread, if there is one, that there is work."""
        if self._background is not None:
            self._background.wake()

    # -- the store ---------------------------------------------------------------------------------------------------
    def doctor(self, *, fix: bool = False) -> StoreStatus:
        """Check every page and hold the index against the truth; `fix` makes the index anew from the text."""
        if fix:
            for partition in list(self._backend.store.partitions()):
                reindex.reindex(self._backend, partition)
            self.wake()
        return self._backend.store.status(deep=True)

    def rescan(self) -> RescanReport:
        """Put everything stored through today's redactor, with what was derived from it."""
        archive = archive_beside(self._backend.store, self._upkeep.retention)
        report = rescan(self._backend, self._parts.policy, archive)
        self.wake()
        return report

    def reembed(
        self,
        embedder: str | Embedder | None = None,
        *,
        wait: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> ReembedReport:
        """Change the embedder while the store is in use: search stays with the old vectors until the new are complete.

        Args:
            embedder: `minilm`, `http` or `none`, made by the settings, or one of your own; by default the one that a
                change under way is for. The present one gives a change under way up.
            wait: make all vectors here and now; otherwise the background or `process()` does, in a process that has
                this embedder. Either may be killed: the next goes on.
            progress: told how many vectors were made, after each commit.

        Raises EmbedderUnavailable, with what was made kept; EmbedderMismatch for another embedder of the same name.
        """
        if isinstance(embedder, str):
            embedder = plugins.make_embedder(replace(self.settings, embedder=embedder))
        checked_objects(embedder=(embedder, Embedder), progress=(progress, Callable))
        if embedder is not None:
            begin(self._backend, embedder)
            self._embedders.add(embedder)
        report = self._reembedding.run(self._running, progress) if wait else self._reembedding.report(0)
        self.wake()
        return report

    def rebuild(
        self,
        *,
        dry_run: bool = True,
        extractor: str | Extractor | None = None,
        scope: Scope | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> RebuildReport:
        """Draw all facts from the log anew, and compare; without `dry_run`, put them in the place of those there are.

        What a person said, changed, approved or turned down stands, and what was forgotten stays so. Killed or stopped,
        the same call goes on.

        Args:
            dry_run: read the log and say what would be added, lost and changed; recall shows nothing of it.
            extractor: `rules` or `model`, made by the settings, or one of your own; the settings' by default.
            scope: of one user or agent, whatever agent and project it names; of everyone by default.
            progress: told how many messages were read, after each commit.

        Raises ModelUnavailable, LimitReached (what was read is kept), ModelBadReply, StoreBusy, ConfigError.
        """
        checked_objects(progress=(progress, Callable))
        if not dry_run:
            self.process()
        rebuild = self._rebuild(extractor, scope)
        report = rebuild.compare(progress) if dry_run else rebuild.promote(progress)
        self.wake()
        return report

    def rebuild_discard(self) -> RebuildReport:
        """Throw away what a rebuild that was not put in place has read."""
        return self._rebuild("rules", None).discard()

    def rebuild_restore(self, *, scope: Scope | None = None) -> RebuildReport:
        """Put back the facts that the last rebuild took out; what was said or decided since stands. Raises NotFound."""
        report = self._rebuild("rules", scope).restore()
        self.wake()
        return report

    def _rebuild(self, extractor: str | Extractor | None, scope: Scope | None) -> Rebuild:
        checked_objects(scope=(scope, Scope), extractor=(None if isinstance(extractor, str) else extractor, Extractor))
        partitions = list(self._backend.store.partitions()) if scope is None else [scope.partition]
        makers = plugins.make_rebuild_extractors(self.settings, self._backend, extractor)
        rules = rules_of(self.settings, self._parts.policy)
        scratch = partial(plugins.make_backend, ":memory:", self.settings)
        return Rebuild(self._backend, partitions, makers, rules, scratch)

    def status(self) -> StoreStatus:
        """Where the store is and what it holds, without the checks of `doctor`."""
        return self._backend.store.status()

    def close(self) -> None:
        """Close the store. A background thread may finish what waits, for a few seconds; the rest is run next time."""
        if self._background is not None:
            self._background.stop(_DRAIN_S)
        self._audit.flush()
        self._embedders.close()
        if self.beside is not None:
            self.beside.close()
        self._backend.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _synced(mirrors: Mirrors, report: ProcessReport) -> ProcessReport:
    """The report, with what kept the mirrors from being written; it is tried again at the next run."""
    try:
        noted = mirrors.sync()
    except OSError as error:
        return replace(report, errors=(*report.errors, f"mirrors: {error.strerror or type(error).__name__}"))
    said = f"mirrors: {noted} edits could not be applied as they are: see notes.txt beside the files"
    return replace(report, errors=(*report.errors, said)) if noted else report


def _check_embedder(backend: Backend, embedder: Embedder, *, change: bool) -> None:
    """Vectors of two models are never mixed: the first embedder stays until someone says otherwise."""
    wanted, stored = (embedder.name, embedder.dimension), backend.store.embedder()
    if stored is None:
        backend.store.set_embedder(*wanted)
    elif change:
        begin(backend, embedder)
    elif wanted not in backend.store.embedders()[:2]:
        message = (
            f"the store's vectors are of {stored[0]} ({stored[1]} numbers), the embedder is {wanted[0]} ({wanted[1]}): "
            f"run `retentive reembed`, or open the store with {stored[0]} (RETENTIVE_EMBEDDER)"
        )
        raise EmbedderMismatch(message)
