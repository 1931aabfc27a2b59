-- A partition is whose memory it is. Its number is the upper half of every row id below it
-- (row = partition << 32 | seq), so one user's rows lie together in every table.
CREATE TABLE partition (
    no        INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given out again after an erasure
    tenant    TEXT NOT NULL,
    kind      TEXT NOT NULL,
    owner     TEXT NOT NULL,
    last_seq  INTEGER NOT NULL DEFAULT 0,
    revision  INTEGER NOT NULL DEFAULT 0,  -- raised by every transaction that touches the partition
    UNIQUE (tenant, kind, owner)
);

-- The log: append-only, the source of truth.
CREATE TABLE episode (
    row          INTEGER PRIMARY KEY,
    id           BLOB NOT NULL UNIQUE,
    text         TEXT NOT NULL,
    timestamp_us INTEGER NOT NULL,
    recorded_us  INTEGER NOT NULL,
    zone_min     INTEGER NOT NULL,
    role         TEXT NOT NULL,
    name         TEXT,
    type         TEXT NOT NULL,
    session_id   TEXT,
    agent_id     TEXT,
    project_id   TEXT,
    source_id    TEXT,
    trust        TEXT NOT NULL,
    metadata     TEXT,
    quoted       INTEGER NOT NULL DEFAULT 0  -- its time is over: only the words that facts cite are left; not indexed
);
CREATE INDEX episode_source ON episode (source_id, row) WHERE source_id IS NOT NULL;
CREATE INDEX episode_session ON episode (session_id, row) WHERE session_id IS NOT NULL;

-- Facts: a row a version. The current version is the one that is not retired.
CREATE TABLE fact (
    row              INTEGER PRIMARY KEY,
    id               BLOB NOT NULL,
    version          INTEGER NOT NULL,
    text             TEXT NOT NULL,
    valid_from_us    INTEGER NOT NULL,
    valid_to_us      INTEGER,
    recorded_us      INTEGER NOT NULL,
    retired_us       INTEGER,
    expires_us       INTEGER,
    zone_min         INTEGER NOT NULL,
    category         TEXT NOT NULL,
    field            TEXT,
    status           TEXT NOT NULL,
    confidence       REAL NOT NULL,
    evergreen        INTEGER NOT NULL,
    source           TEXT NOT NULL,
    trust            TEXT NOT NULL,
    agent_id         TEXT,
    project_id       TEXT,
    session_id       TEXT,
    seen_count       INTEGER NOT NULL,
    last_verified_us INTEGER,
    reason           TEXT,
    supersedes_id    BLOB,
    superseded_by_id BLOB,
    idempotency_key  TEXT,
    subject          TEXT,
    attribute        TEXT,
    digest           BLOB NOT NULL,  -- of the folded text and the narrower scope: the same fact by any path is one row
    metadata         TEXT,
    UNIQUE (id, version)
);
CREATE INDEX fact_digest ON fact (digest, row) WHERE retired_us IS NULL;
CREATE INDEX fact_attribute ON fact (subject, attribute, row) WHERE retired_us IS NULL AND attribute IS NOT NULL;
CREATE INDEX fact_always ON fact (row) WHERE retired_us IS NULL AND (field IS NOT NULL OR evergreen);
CREATE INDEX fact_reason ON fact (reason, row) WHERE reason IS NOT NULL AND retired_us IS NULL;
CREATE INDEX fact_pending ON fact (row) WHERE status = 'pending' AND retired_us IS NULL;
CREATE INDEX fact_rejected ON fact (digest, row) WHERE status = 'rejected';
CREATE INDEX fact_key ON fact (idempotency_key, row) WHERE idempotency_key IS NOT NULL;

CREATE TABLE evidence (
    fact_id    BLOB NOT NULL,
    episode_id BLOB NOT NULL,
    quote      TEXT NOT NULL,
    PRIMARY KEY (fact_id, episode_id, quote)
) WITHOUT ROWID;
CREATE INDEX evidence_episode ON evidence (episode_id);

CREATE TABLE session (
    partition  INTEGER NOT NULL,
    id         TEXT NOT NULL,
    started_us INTEGER NOT NULL,
    last_us    INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    state      TEXT NOT NULL,
    ended_us   INTEGER,
    summary    TEXT,
    zone_min   INTEGER NOT NULL,
    agent_id   TEXT NOT NULL,      -- '' where there is none: one of another agent or project is another session
    project_id TEXT NOT NULL,
    owner      TEXT,               -- the process that holds it open
    touched_us INTEGER NOT NULL,   -- when a message last arrived, by our own clock
    unread_row INTEGER,            -- the first message no extraction was asked for yet
    unread_count INTEGER NOT NULL, -- how many there are
    summary_by TEXT,               -- the extractor that wrote the summary; NULL: rules
    PRIMARY KEY (partition, id, agent_id, project_id)
) WITHOUT ROWID;
CREATE INDEX session_recent ON session (partition, last_us);
CREATE INDEX session_open ON session (state) WHERE state = 'open';

-- A rebuild: what another extractor drew from an episode; the facts that were there before, as they stood; and the words
-- whose facts were forgotten while their episode stays, by place alone, so that nothing draws those facts again.
CREATE TABLE shadow (
    row        INTEGER PRIMARY KEY,  -- of the episode that was read
    candidates TEXT NOT NULL
);
CREATE TABLE former_fact AS SELECT * FROM fact WHERE 0;  -- its columns follow those of fact
CREATE INDEX former_fact_row ON former_fact (row);
CREATE INDEX former_fact_id ON former_fact (id);
CREATE TABLE former_evidence (
    fact_id    BLOB NOT NULL,
    episode_id BLOB NOT NULL,
    quote      TEXT NOT NULL,
    PRIMARY KEY (fact_id, episode_id, quote)
) WITHOUT ROWID;
CREATE TABLE forgotten (
    episode_id BLOB NOT NULL,
    start      INTEGER NOT NULL,
    stop       INTEGER NOT NULL,
    PRIMARY KEY (episode_id, start, stop)
) WITHOUT ROWID;

-- The index: derived from episodes and facts, rebuilt by `retentive doctor --fix`.
CREATE TABLE entry (
    row          INTEGER PRIMARY KEY,
    tier         INTEGER NOT NULL,
    timestamp_us INTEGER NOT NULL,
    recorded_us  INTEGER NOT NULL,
    retired_us   INTEGER,
    valid_to_us  INTEGER,
    expires_us   INTEGER,
    current      INTEGER NOT NULL,
    evergreen    INTEGER NOT NULL,
    session_id   TEXT,
    agent_id     TEXT,
    project_id   TEXT,
    own          INTEGER NOT NULL,  -- the owner's own words or knowledge of them; 0: an assistant's, a tool's
    terms        BLOB NOT NULL
);
-- While the embedding model is changed a row has vectors of two; the setting `embedder` says which are searched.
CREATE TABLE vector (
    row   INTEGER NOT NULL,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (row, model)
);
-- Made in the same pass as the vector: a short state for each word piece, 8 bits a number. Read for candidates only.
CREATE TABLE token_state (
    row   INTEGER NOT NULL,
    model TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (row, model)
);
-- Which rows a revision touched, so that other processes read only those again.
CREATE TABLE touched (
    revision INTEGER PRIMARY KEY,  -- partition << 32 | revision
    rows     BLOB NOT NULL         -- 64-bit row ids
);

-- The outbox is the queue. Payloads hold ids and numbers, never text.
CREATE TABLE job (
    id        INTEGER PRIMARY KEY,
    kind      TEXT NOT NULL,
    partition INTEGER NOT NULL,
    payload   TEXT NOT NULL,
    state     TEXT NOT NULL DEFAULT 'ready',  -- ready | dead
    attempts  INTEGER NOT NULL DEFAULT 0,
    not_before_s REAL NOT NULL DEFAULT 0,     -- on the machine's monotonic clock
    lease_until_s REAL NOT NULL DEFAULT 0,    -- on the machine's monotonic clock
    worker    TEXT,
    error     TEXT
);

-- What an embedder said of a text, by the text's digest.
CREATE TABLE embedding (
    no     INTEGER PRIMARY KEY,
    model  TEXT NOT NULL,
    digest BLOB NOT NULL,
    value  BLOB NOT NULL,
    UNIQUE (model, digest)
);

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What model calls took, by the hour. A limit is checked against what is spent and what is held for calls under way.
CREATE TABLE usage (
    hour       INTEGER NOT NULL,           -- hours since 1970 UTC
    tenant     TEXT NOT NULL,
    partition  INTEGER NOT NULL,           -- 0 where the partition was erased
    session_id TEXT NOT NULL,              -- '' where there is none
    agent_id   TEXT NOT NULL,              -- of the session, as there
    project_id TEXT NOT NULL,
    operation  TEXT NOT NULL,
    model      TEXT NOT NULL,              -- '' for what is held
    calls      INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens     INTEGER NOT NULL,
    cost       REAL NOT NULL,              -- US dollars, of the calls whose price is known
    priced     INTEGER NOT NULL,           -- how many those are
    held_tokens INTEGER NOT NULL,
    held_cost   REAL NOT NULL,
    PRIMARY KEY (hour, tenant, partition, session_id, agent_id, project_id, operation, model)
) WITHOUT ROWID;

-- Which memories the prompts of a session's model calls carried: goes with the memory, and with the session.
CREATE TABLE carried (
    partition  INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    agent_id   TEXT NOT NULL,              -- of the session, as there
    project_id TEXT NOT NULL,
    memory_id  BLOB NOT NULL,              -- x'' for what is no memory's: the block's frame, titles, summaries
    calls      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    cost       REAL NOT NULL,              -- US dollars, of the calls whose price is known
    priced     INTEGER NOT NULL,           -- how many those are
    PRIMARY KEY (partition, session_id, agent_id, project_id, memory_id)
) WITHOUT ROWID;

-- Who did what, when: ids, verbs and counts, never text. Each hash covers its entry and the hash before it.
-- No index by partition: each write would pay for it, and a million entries are read through in a tenth of a second.
CREATE TABLE audit (
    no        INTEGER PRIMARY KEY,  -- 1, 2, 3 ... without gaps
    at_us     INTEGER NOT NULL,
    tenant    TEXT NOT NULL,
    partition INTEGER NOT NULL,     -- 0 where there was none yet; stays when its owner was forgotten
    actor     TEXT NOT NULL,
    verb      TEXT NOT NULL,
    count     INTEGER NOT NULL,
    ids       BLOB NOT NULL,        -- 16 bytes each
    hash      BLOB NOT NULL
);
CREATE VIEW last_audit AS SELECT no, hash FROM audit ORDER BY no DESC LIMIT 1;

-- Who may do what over a network: of a key only an HMAC of its secret is kept. A key that ended stays, as a record.
CREATE TABLE api_key (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    tenant      TEXT NOT NULL,
    rights      TEXT NOT NULL,     -- words, with spaces between
    created_us  INTEGER NOT NULL,
    users       TEXT NOT NULL,     -- a JSON list, empty for all of the tenant's
    expires_us  INTEGER,
    ended_us    INTEGER,           -- revoked, or rotated
    rate_minute INTEGER,
    made_by     TEXT NOT NULL,
    digest      BLOB NOT NULL
) WITHOUT ROWID;
-- What a request under an Idempotency-Key came to: ids and outcomes, for a day. NULL while it is being answered.
CREATE TABLE answered (
    caller  TEXT NOT NULL,
    name    BLOB NOT NULL,         -- a digest of the Idempotency-Key
    at_us   INTEGER NOT NULL,
    request BLOB NOT NULL,         -- a digest of what was asked
    status  INTEGER NOT NULL,
    body    TEXT,
    PRIMARY KEY (caller, name)
) WITHOUT ROWID;
CREATE INDEX answered_at ON answered (at_us);
