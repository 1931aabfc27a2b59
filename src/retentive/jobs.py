"""What background jobs do: make vectors, end sessions. Each effect can be repeated without harm."""

from __future__ import annotations

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retentive.across import contained
from retentive.blas import one_thread
from retentive.clock import now_us
from retentive.contracts import Backend, Embedder, Extractor
from retentive.contracts.ledger import Account
from retentive.embedders import EMBED_BATCH, Embedders
from retentive.errors import EmbedderUnavailable, LimitReached, StoreBusy
from retentive.learn import Rules, batches, learn
from retentive.lifecycle.upkeep import Upkeep
from retentive.redaction import redact
from retentive.results import ProcessReport
from retentive.summary import summarise
from retentive.tracing import Told, span
from retentive.types import Job, NewJob, Partition, PutSession, SessionKey, indexed_text

log = logging.getLogger("retentive")

CLAIM_LIMIT = 32
LEASE_S = 300.0
MAX_ATTEMPTS = 8
_LONGEST_DELAY_S = 300.0


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs waiting jobs in this thread until none waits; `gone` tells of a worker whether it has ended."""

    backend: Backend
    embedders: Embedders
    extractor_for: Callable[[Account], Extractor] | None
    rules: Rules
    upkeep: Upkeep
    worker: str
    gone: Callable[[str], bool]

    def run(self, max_jobs: int | None = None, stop: Callable[[], bool] = lambda: False) -> ProcessReport:
        """Run up to `max_jobs` jobs; a job that fails is kept with its reason, and never stops the others."""
        report, depth = ProcessReport(), None
        while not stop() and (max_jobs is None or report.tried < max_jobs):
            limit = CLAIM_LIMIT if max_jobs is None else min(CLAIM_LIMIT, max_jobs - report.done - report.retried)
            jobs = self.backend.queue.claim(self.worker, limit=limit, lease_s=LEASE_S)
            for group in self._held(jobs, stop):
                report = self._run_group(group, report)
            depth = self.backend.queue.depth() if len(jobs) < limit else None
            if depth is None or (depth["leased"] and self.backend.queue.release(self.gone)):
                continue  # there may be more, or what a worker left that has ended
            if not jobs or not depth["ready"]:  # what these jobs asked for is run too
                break
        self.backend.store.fold()
        depth = depth or self.backend.queue.depth()
        return replace(report, waiting=sum(n for state, n in depth.items() if state != "dead"))

    def _held(self, jobs: Sequence[Job], stop: Callable[[], bool]) -> Iterator[Sequence[Job]]:
        """Claimed jobs in groups while they are ours: leases are made longer in time, and given back at a stop."""
        groups, leased_s = _groups(jobs), time.monotonic()
        while groups:
            yield groups.pop(0)
            rest = [job for group in groups for job in group]
            if rest and stop():
                self.backend.queue.extend(rest, lease_s=0)
                return
            if rest and time.monotonic() - leased_s > LEASE_S / 2:
                groups, leased_s = _groups(self.backend.queue.extend(rest, lease_s=LEASE_S)), time.monotonic()

    def _run_group(self, jobs: Sequence[Job], report: ProcessReport) -> ProcessReport:
        try:
            what: Told = {"retentive.kind": jobs[0].kind, "retentive.jobs": len(jobs)}
            with one_thread(), span("retentive.process", what):
                refused = contained(lambda: _HANDLERS[jobs[0].kind](self, jobs))
        except Exception as error:  # noqa: BLE001  whatever a job died of is kept as its reason, and stops no other
            if len(jobs) > 1:  # find out which of them it was
                for job in jobs:
                    report = self._run_group([job], report)
                return report
            return self._failed(jobs[0], error, report)
        return report.then(ProcessReport(done=len(jobs), refused=refused or {}))

    def _failed(self, job: Job, error: Exception, report: ProcessReport) -> ProcessReport:
        reason = redact(f"{type(error).__name__}: {error}").text  # an error may quote what it failed on
        report = replace(report, errors=(*report.errors, f"{job.kind}: {reason}"))
        outage = isinstance(error, EmbedderUnavailable | LimitReached | StoreBusy)  # passes by itself: never given up
        if job.attempts >= MAX_ATTEMPTS and not outage:
            log.error("job %d (%s) gave up: %s", job.id, job.kind, type(error).__name__)
            self.backend.queue.dead(job, reason)
            return replace(report, dead=report.dead + 1)
        asked_s: float | None = getattr(error, "retry_after_s", None)  # what an endpoint said itself
        delay_s = asked_s or min(2.0 ** min(job.attempts, 16), _LONGEST_DELAY_S) * random.uniform(0.75, 1.25)  # noqa: S311
        log.warning("job %d (%s) failed, again in %.0f s: %s", job.id, job.kind, delay_s, type(error).__name__)
        self.backend.queue.retry(job, delay_s=delay_s, error=reason)
        return replace(report, retried=report.retried + 1)

    # -- the kinds: each one ends its jobs itself ----------------------------------------------------------------------
    def embed(self, jobs: Sequence[Job]) -> None:
        """Vectors for the rows of these jobs that have none yet: of the store's embedder, and of one that is to follow.

        The last of them and the end of the jobs are one commit. Raises EmbedderUnavailable where this process does not
        have the store's: the job is kept for one that has.
        """
        serving, coming, _ = self.backend.store.embedders()
        wanted = [known[0] for known in (serving, coming) if known is not None]
        have = [embedder for embedder in map(self.embedders.get, wanted) if embedder is not None]
        batches = [(embedder, *batch) for embedder in have for batch in self._batches(jobs, embedder.name)]
        lacking = bool(wanted) and wanted[0] not in {embedder.name for embedder in have}
        last = [] if lacking else batches[-1:]
        for batch in batches[: len(batches) - len(last)]:
            self.embed_rows(*batch)
        if lacking:
            message = f"the store is searched with {wanted[0]}, which this process does not have"
            raise EmbedderUnavailable(message)
        with self.backend.store.together():
            for batch in last:
                self.embed_rows(*batch)
            self.backend.queue.done(jobs)

    def embed_rows(self, embedder: Embedder, partition: Partition, rows: Sequence[int]) -> int:
        """Make and store the vectors of these memories, in one commit; returns of how many, those erased left out."""
        memories = self.backend.store.fetch(partition, rows)
        if memories:
            with self.backend.store.together():  # with what the embedder keeps of them
                vectors, tokens = embedder.embed_tokens([indexed_text(memory) for memory in memories.values()])
                by_row, states = dict(zip(memories, vectors, strict=True)), dict(zip(memories, tokens, strict=True))
                self.backend.index.put_vectors(partition, embedder.name, by_row, states)
        return len(memories)

    def _batches(self, jobs: Iterable[Job], model: str) -> Iterator[tuple[Partition, Sequence[int]]]:
        """Rows that have no vector of a model, as many as are embedded in one go."""
        for partition, rows in self._rows_by_partition(jobs, model).items():
            for start in range(0, len(rows), EMBED_BATCH):
                yield partition, rows[start : start + EMBED_BATCH]

    def _rows_by_partition(self, jobs: Iterable[Job], model: str) -> Mapping[Partition, list[int]]:
        rows: dict[Partition, list[int]] = {}
        for job in jobs:
            first, last = job.payload["first_row"], job.payload["last_row"]
            found = self.backend.index.without_vector(job.partition, first, last, model)
            rows.setdefault(job.partition, []).extend(found)
        return {partition: list(dict.fromkeys(found)) for partition, found in rows.items()}

    def extract(self, jobs: Sequence[Job]) -> Mapping[str, int]:
        """Facts from the messages of these jobs, a batch at a time; returns what was refused, by reason."""
        refused: Counter[str] = Counter()
        if self.extractor_for is None:
            self.backend.queue.done(jobs)
            return refused
        for (partition, key), ranges in _by_session(jobs).items():
            episodes = self.backend.store.episodes_between(partition, min(ranges), max(ranges), key)
            for batch in batches(episodes):
                extractor = self.extractor_for(Account(partition, "extract", *key))
                refused += Counter(learn(self.backend.store, extractor, partition, batch, self.rules).refused)
        if refused:
            log.info("candidates refused: %s", ", ".join(f"{why} {count}" for why, count in refused.items()))
        self.backend.queue.done(jobs)
        return refused

    def end_session(self, jobs: Sequence[Job]) -> None:
        """Say what each session was about."""
        for job in jobs:
            end_session(self.backend, job.partition, SessionKey.of_payload(job.payload))
        self.backend.queue.done(jobs)

    def keep_up(self, jobs: Sequence[Job]) -> None:
        """Retention and its like, of a partition each."""
        for job in jobs:
            self.upkeep.run(job.kind, job.partition)
        self.backend.queue.done(jobs)


_HANDLERS: Mapping[str, Callable[[Runner, Sequence[Job]], Mapping[str, int] | None]] = {
    "embed": Runner.embed,
    "extract": Runner.extract,
    "end_session": Runner.end_session,
    "consolidate": Runner.keep_up,
    "verify": Runner.keep_up,
    "retain": Runner.keep_up,
}


def _groups(jobs: Iterable[Job]) -> list[list[Job]]:
    """Jobs that are run as one: all of a kind; of extraction one session's, whose failure asks no model again."""
    groups: dict[object, list[Job]] = {}
    for job in jobs:
        session = (job.partition, SessionKey.of_payload(job.payload)) if job.kind == "extract" else None
        groups.setdefault((job.kind, session), []).append(job)
    return list(groups.values())


def _by_session(jobs: Iterable[Job]) -> Mapping[tuple[Partition, SessionKey], list[int]]:
    """Rows named by extraction jobs, by session: jobs of one session are read as one."""
    rows: dict[tuple[Partition, SessionKey], list[int]] = {}
    for job in jobs:
        key = job.partition, SessionKey.of_payload(job.payload)
        rows.setdefault(key, []).extend((job.payload["first_row"], job.payload["last_row"]))
    return rows


_SUMMARY_READS = 500


def end_session(backend: Backend, partition: Partition, key: SessionKey) -> None:
    """Summarise a session and mark it ended, unless someone went on with it."""
    if backend.store.session(partition, key) is None:
        return
    episodes = backend.store.session_episodes(partition, key, limit=_SUMMARY_READS)
    summary = summarise(episodes)
    with backend.store.transaction(partition) as transaction:
        session = transaction.session(key)
        if not transaction.has_episodes([episode.id for episode in episodes]):
            transaction.enqueue(NewJob("end_session", key.payload))  # something was forgotten meanwhile
        elif session is not None and session.state == "ending":
            if not session.summary or not session.summary_by:  # what a model said of it stays
                session = replace(session, summary=summary, summary_by=None)
            ended = replace(session, state="ended", ended_us=session.ended_us or now_us())
            transaction.apply([PutSession(ended)])
