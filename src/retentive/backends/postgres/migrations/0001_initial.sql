-- The tables of the SQLite store, with the same names and columns, and one more at the end of each: the tenant. It is
-- filled from the transaction's own setting, and row-level security shows a transaction its tenant's rows alone.

-- What the shared SQL calls by SQLite's names.
CREATE DOMAIN blob AS bytea;
CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT strpos($1, $2)';
CREATE FUNCTION instr(bytea, bytea) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT position($2 IN $1)';

-- A partition is whose memory it is. Its number is the upper half of every row id below it
-- (row = partition << 32 | seq), so one user's rows lie together in every index.
CREATE TABLE partition (
    no        bigint PRIMARY KEY,  -- never given out again after an erasure
    tenant    text NOT NULL,
    kind      text NOT NULL,
    owner     text COLLATE "C" NOT NULL,
    last_seq  bigint NOT NULL DEFAULT 0,
    revision  bigint NOT NULL DEFAULT 0,  -- raised by every transaction that touches the partition
    UNIQUE (tenant, kind, owner)
);

-- The big tables are divided into 16 shards by a hash of the owner. It is the upper 4 of the 31 bits of a partition's
-- number, so a shard is a range of rows: what names a partition's rows reads one table of each sixteen, the key is the
-- row alone, and a shard can be moved to a disk of its own. Each counts its own owners, up to 134 million.
CREATE FUNCTION number_partition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shard bigint := hashtextextended(concat_ws(chr(31), NEW.tenant, NEW.kind, NEW.owner), 0) & 15;
BEGIN
    NEW.no := shard << 27 | nextval(format('%I.%I', TG_TABLE_SCHEMA, 'partition_no_' || lpad(CAST(shard AS text), 2, '0')));
    RETURN NEW;
END $$;
CREATE TRIGGER numbered BEFORE INSERT ON partition FOR EACH ROW EXECUTE FUNCTION number_partition();

-- The log: append-only, the source of truth.
CREATE TABLE episode (
    row          bigint PRIMARY KEY,
    id           blob NOT NULL,
    text         text NOT NULL,
    timestamp_us bigint NOT NULL,
    recorded_us  bigint NOT NULL,
    zone_min     integer NOT NULL,
    role         text NOT NULL,
    name         text,
    type         text NOT NULL,
    session_id   text,
    agent_id     text,
    project_id   text,
    source_id    text,
    trust        text NOT NULL,
    metadata     text,
    quoted       boolean NOT NULL DEFAULT FALSE  -- only the words that facts cite are left; not indexed
) PARTITION BY RANGE (row);
CREATE INDEX episode_source ON episode (source_id, row) WHERE source_id IS NOT NULL;
CREATE INDEX episode_session ON episode (session_id, row) WHERE session_id IS NOT NULL;

-- Facts: a row a version. The current version is the one that is not retired.
CREATE TABLE fact (
    row              bigint PRIMARY KEY,
    id               blob NOT NULL,
    version          integer NOT NULL,
    text             text NOT NULL,
    valid_from_us    bigint NOT NULL,
    valid_to_us      bigint,
    recorded_us      bigint NOT NULL,
    retired_us       bigint,
    expires_us       bigint,
    zone_min         integer NOT NULL,
    category         text NOT NULL,
    field            text,
    status           text NOT NULL,
    confidence       double precision NOT NULL,
    evergreen        boolean NOT NULL,
    source           text NOT NULL,
    trust            text NOT NULL,
    agent_id         text,
    project_id       text,
    session_id       text,
    seen_count       integer NOT NULL,
    last_verified_us bigint,
    reason           text,
    supersedes_id    blob,
    superseded_by_id blob,
    idempotency_key  text,
    subject          text,
    attribute        text,
    digest           blob NOT NULL,
    metadata         text
) PARTITION BY RANGE (row);
CREATE INDEX fact_digest ON fact (digest, row) WHERE retired_us IS NULL;
CREATE INDEX fact_attribute ON fact (attribute, row) WHERE retired_us IS NULL AND attribute IS NOT NULL;
CREATE INDEX fact_always ON fact (row) WHERE retired_us IS NULL AND (field IS NOT NULL OR evergreen);
CREATE INDEX fact_reason ON fact (reason, row) WHERE reason IS NOT NULL AND retired_us IS NULL;
CREATE INDEX fact_pending ON fact (row) WHERE status = 'pending' AND retired_us IS NULL;
CREATE INDEX fact_rejected ON fact (digest, row) WHERE status = 'rejected';
CREATE INDEX fact_key ON fact (idempotency_key, row) WHERE idempotency_key IS NOT NULL;
CREATE INDEX fact_superseded ON fact (superseded_by_id) WHERE superseded_by_id IS NOT NULL;

CREATE TABLE evidence (
    fact_id    blob NOT NULL,
    episode_id blob NOT NULL,
    quote      text COLLATE "C" NOT NULL
);
CREATE INDEX evidence_episode ON evidence (episode_id);

-- The ids of messages (version -1) and of facts' versions.
CREATE TABLE taken (
    id      bytea NOT NULL,
    version integer NOT NULL,
    tenant  text NOT NULL,
    PRIMARY KEY (id, version, tenant)
) PARTITION BY HASH (id);

CREATE TABLE session (
    partition  bigint NOT NULL,
    id         text COLLATE "C" NOT NULL,
    started_us bigint NOT NULL,
    last_us    bigint NOT NULL,
    message_count integer NOT NULL,
    state      text NOT NULL,
    ended_us   bigint,
    summary    text,
    zone_min   integer NOT NULL,
    agent_id   text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    owner      text,
    touched_us bigint NOT NULL,
    unread_row bigint,
    unread_count integer NOT NULL,
    summary_by text,
    PRIMARY KEY (partition, id, agent_id, project_id)
);
CREATE INDEX session_recent ON session (partition, last_us);
CREATE INDEX session_open ON session (state) WHERE state = 'open';

-- A rebuild: what another extractor drew from an episode; the facts that were there before; and the words whose facts
-- were forgotten while their episode stays, by place alone.
CREATE TABLE shadow (
    row        bigint PRIMARY KEY,
    candidates text NOT NULL
);
CREATE TABLE former_fact (LIKE fact);
CREATE INDEX former_fact_row ON former_fact (row);
CREATE INDEX former_fact_id ON former_fact (id);
CREATE TABLE former_evidence (LIKE evidence);
CREATE TABLE forgotten (
    episode_id blob NOT NULL,
    start      bigint NOT NULL,
    stop       bigint NOT NULL
);

-- The index: derived from episodes and facts, rebuilt by `retentive doctor --fix`.
CREATE TABLE entry (
    row          bigint PRIMARY KEY,
    tier         smallint NOT NULL,
    timestamp_us bigint NOT NULL,
    recorded_us  bigint NOT NULL,
    retired_us   bigint,
    valid_to_us  bigint,
    expires_us   bigint,
    current      boolean NOT NULL,
    evergreen    boolean NOT NULL,
    session_id   text,
    agent_id     text,
    project_id   text,
    own          boolean NOT NULL,
    terms        blob NOT NULL,
    words        bigint[],  -- in large scopes: the codes under which it stands in `word`
    word_count   integer    -- and how many words it has in all
) PARTITION BY RANGE (row);
CREATE INDEX entry_unfilled ON entry (row) WHERE words IS NULL;
-- An inverted index of large scopes. The partition's number is the upper half of a code too, so shards are the same. It is a
-- table, since no other index than one over plain numbers may be asked before the policy has let a row through.
CREATE TABLE word (
    code   bigint NOT NULL,  -- partition << 32 | the term's code
    row    bigint NOT NULL,
    times  integer NOT NULL,
    tenant text NOT NULL DEFAULT current_setting('retentive.tenant'),
    PRIMARY KEY (code, row) INCLUDE (times, tenant)  -- all that is asked: the table itself is not read
) PARTITION BY RANGE (code);
CREATE TABLE vector (
    row       bigint NOT NULL,
    model     text NOT NULL,
    dimension integer NOT NULL,
    value     blob NOT NULL,
    near      halfvec,  -- the same for pgvector, in scopes so large that their vectors are found by its graph
    UNIQUE (row, model)
) PARTITION BY RANGE (row);
CREATE INDEX vector_unfilled ON vector (row) WHERE near IS NULL;
CREATE TABLE token_state (
    row   bigint NOT NULL,
    model text NOT NULL,
    value blob NOT NULL,
    UNIQUE (row, model)
) PARTITION BY RANGE (row);
CREATE TABLE touched (
    revision bigint PRIMARY KEY,  -- partition << 32 | revision
    rows     blob NOT NULL
);

-- The outbox is the queue. Payloads hold ids and numbers, never text. Times are the server's, in seconds since 1970.
CREATE TABLE job (
    id        bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    kind      text NOT NULL,
    partition bigint NOT NULL,
    payload   json NOT NULL,
    state     text NOT NULL DEFAULT 'ready',
    attempts  integer NOT NULL DEFAULT 0,
    not_before_s  double precision NOT NULL DEFAULT 0,
    lease_until_s double precision NOT NULL DEFAULT 0,
    worker    text,
    error     text
);
CREATE INDEX job_ready ON job (id) WHERE state = 'ready';
CREATE INDEX job_partition ON job (partition);
-- Workers that wait hear of new jobs when they are committed.
CREATE FUNCTION ring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('retentive', CAST(current_schema() AS text));
    RETURN NULL;
END $$;
CREATE TRIGGER job_rings AFTER INSERT ON job FOR EACH STATEMENT EXECUTE FUNCTION ring();

-- What an embedder said of a text, by the text's digest: nobody's in particular.
CREATE TABLE embedding (
    no     bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    model  text NOT NULL,
    digest blob NOT NULL,
    value  blob NOT NULL,
    UNIQUE (model, digest)
);

CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL);

-- What model calls took, by the hour.
CREATE TABLE usage (
    hour       integer NOT NULL,
    tenant     text COLLATE "C" NOT NULL,
    partition  bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    agent_id   text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    operation  text COLLATE "C" NOT NULL,
    model      text COLLATE "C" NOT NULL,
    calls      integer NOT NULL,
    failed     integer NOT NULL,
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    cached_tokens     integer NOT NULL,
    cost       double precision NOT NULL,
    priced     integer NOT NULL,
    held_tokens integer NOT NULL,
    held_cost   double precision NOT NULL,
    PRIMARY KEY (tenant, hour, partition, session_id, agent_id, project_id, operation, model)
);

-- Which memories the prompts of a session's model calls carried.
CREATE TABLE carried (
    partition  bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    agent_id   text COLLATE "C" NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    memory_id  blob NOT NULL,
    calls      integer NOT NULL,
    tokens     bigint NOT NULL,
    cost       double precision NOT NULL,
    priced     integer NOT NULL,
    PRIMARY KEY (partition, session_id, agent_id, project_id, memory_id)
);

-- Who did what, when: ids, verbs and counts, never text. One chain for the whole store.
CREATE TABLE audit (
    no        bigint PRIMARY KEY,
    at_us     bigint NOT NULL,
    tenant    text NOT NULL,
    partition bigint NOT NULL,
    actor     text NOT NULL,
    verb      text NOT NULL,
    count     bigint NOT NULL,
    ids       blob NOT NULL,
    hash      blob NOT NULL
);
CREATE INDEX audit_partition ON audit (partition, no);

-- The chain's end: a number and a hash, which every tenant's writer needs and which tell nothing. Whoever asks for it
-- holds it until the commit, so that entries follow each other without gaps.
CREATE TABLE audit_end (no bigint NOT NULL, hash blob NOT NULL);
CREATE UNIQUE INDEX audit_one_end ON audit_end ((TRUE));
CREATE FUNCTION move_audit_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_end VALUES (NEW.no, NEW.hash) ON CONFLICT ((TRUE))
    DO UPDATE SET no = excluded.no, hash = excluded.hash;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_moves_end AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION move_audit_end();
CREATE FUNCTION held_audit_end() RETURNS TABLE (no bigint, hash bytea) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ' audit', 0));
    RETURN QUERY SELECT e.no, CAST(e.hash AS bytea) FROM audit_end e;
END $$;
CREATE VIEW last_audit AS SELECT * FROM held_audit_end();

-- Who may do what over a network: of a key only an HMAC of its secret is kept. A key that ended stays, as a record.
CREATE TABLE api_key (
    id          text COLLATE "C" PRIMARY KEY,
    name        text NOT NULL,
    tenant      text NOT NULL,
    rights      text NOT NULL,
    created_us  bigint NOT NULL,
    users       text NOT NULL,
    expires_us  bigint,
    ended_us    bigint,
    rate_minute integer,
    made_by     text NOT NULL,
    digest      blob NOT NULL
);
-- What a request under an Idempotency-Key came to: ids and outcomes, for a day. NULL while it is being answered.
CREATE TABLE answered (
    caller  text NOT NULL,
    name    blob NOT NULL,
    at_us   bigint NOT NULL,
    request blob NOT NULL,
    status  integer NOT NULL,
    body    text,
    PRIMARY KEY (caller, name)
);
CREATE INDEX answered_at ON answered (at_us);

-- Vectors may be made for everyone at once, when the embedder is changed: each belongs to its row's tenant.
CREATE FUNCTION take_tenant_of_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.tenant = '*' THEN
        SELECT e.tenant INTO STRICT NEW.tenant FROM entry e WHERE e.row = NEW.row;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION outdate_near() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.value IS DISTINCT FROM OLD.value THEN
        NEW.near := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER outdated BEFORE UPDATE ON vector FOR EACH ROW EXECUTE FUNCTION outdate_near();
CREATE FUNCTION outdate_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := NULL;
    RETURN NEW;
END $$;
CREATE FUNCTION drop_words() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM word w WHERE w.code = ANY(OLD.words) AND w.row = OLD.row
        AND w.code BETWEEN (OLD.row >> 32) << 32 AND ((OLD.row >> 32) + 1) << 32;
    RETURN NULL;
END $$;
CREATE TRIGGER drops_words AFTER DELETE ON entry FOR EACH ROW WHEN (OLD.words IS NOT NULL)
    EXECUTE FUNCTION drop_words();
CREATE TRIGGER moves_words AFTER UPDATE ON entry FOR EACH ROW WHEN (OLD.words IS NOT NULL AND NEW.words IS NULL)
    EXECUTE FUNCTION drop_words();
CREATE TRIGGER outdated BEFORE UPDATE ON entry FOR EACH ROW WHEN (NEW.terms IS DISTINCT FROM OLD.terms)
    EXECUTE FUNCTION outdate_words();

-- Row-level security: a transaction sees the rows of its tenant; '*', which no tenant can be called, is for work that
-- visits all. Without the setting there are no rows. FORCE binds the owner of the tables too.
-- So do the shards, which somebody may ask by their own names.
DO $$
DECLARE
    named text;
    leaf text;
    leaves text[] := ARRAY[]::text[];
BEGIN
    FOREACH named IN ARRAY ARRAY['episode', 'fact', 'evidence', 'session', 'shadow', 'former_fact', 'former_evidence',
                                 'forgotten', 'entry', 'vector', 'token_state', 'touched', 'job', 'carried'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN tenant text NOT NULL DEFAULT current_setting(''retentive.tenant'')', named);
    END LOOP;
    FOREACH named IN ARRAY ARRAY['episode', 'fact', 'entry', 'word', 'vector', 'token_state'] LOOP
        FOR shard IN 0..15 LOOP
            leaf := format('%s_%s', named, lpad(CAST(shard AS text), 2, '0'));
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)', leaf, named,
                           CASE shard WHEN 0 THEN 'MINVALUE' ELSE CAST(CAST(shard AS bigint) << 59 AS text) END,
                           CASE shard WHEN 15 THEN 'MAXVALUE' ELSE CAST(CAST(shard + 1 AS bigint) << 59 AS text) END);
            leaves := leaves || leaf;
        END LOOP;
    END LOOP;
    FOR shard IN 0..15 LOOP
        EXECUTE format('CREATE SEQUENCE %I MAXVALUE 134217727', 'partition_no_' || lpad(CAST(shard AS text), 2, '0'));
        leaf := format('taken_%s', lpad(CAST(shard AS text), 2, '0'));
        EXECUTE format('CREATE TABLE %I PARTITION OF taken FOR VALUES WITH (MODULUS 16, REMAINDER %s)', leaf, shard);
        leaves := leaves || leaf;
    END LOOP;
    FOREACH named IN ARRAY ARRAY['vector', 'token_state'] LOOP
        EXECUTE format('CREATE TRIGGER belongs BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION take_tenant_of_entry()', named);
    END LOOP;
    FOREACH named IN ARRAY leaves || ARRAY['partition', 'taken', 'episode', 'fact', 'evidence', 'session', 'shadow', 'former_fact',
                                 'former_evidence', 'forgotten', 'entry', 'word', 'vector', 'token_state', 'touched', 'job',
                                 'usage', 'carried', 'audit', 'api_key'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', named);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format('CREATE POLICY own ON %I USING (tenant = (SELECT current_setting(''retentive.tenant'', TRUE)) '
                       'OR (SELECT current_setting(''retentive.tenant'', TRUE)) = ''*'')', named);
    END LOOP;
END $$;

-- A conflict of one of these must not tell of another tenant: each has the tenant in it, and last, so that an id finds its
-- row. (Row ids begin with the partition's own number.) Quotes may be long: their digest stands for them.
CREATE INDEX episode_id ON episode (id);
CREATE INDEX fact_id ON fact (id, version);
CREATE UNIQUE INDEX evidence_once ON evidence (fact_id, episode_id, md5(quote), tenant);
CREATE UNIQUE INDEX former_evidence_once ON former_evidence (fact_id, episode_id, md5(quote), tenant);
CREATE UNIQUE INDEX forgotten_once ON forgotten (episode_id, start, stop, tenant);

-- An id is unique in a tenant, whichever shard its owner is in: `taken` has it, and loses it with the row.
CREATE FUNCTION take_ids() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_TABLE_NAME = 'episode' THEN
        INSERT INTO taken SELECT id, -1, tenant FROM added;
    ELSE
        INSERT INTO taken SELECT id, version, tenant FROM added;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION free_ids() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_TABLE_NAME = 'episode' THEN
        DELETE FROM taken t USING gone g WHERE t.id = g.id AND t.version = -1 AND t.tenant = g.tenant;
    ELSE
        DELETE FROM taken t USING gone g WHERE t.id = g.id AND t.version = g.version AND t.tenant = g.tenant;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER takes_ids AFTER INSERT ON episode REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION take_ids();
CREATE TRIGGER takes_ids AFTER INSERT ON fact REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION take_ids();
CREATE TRIGGER frees_ids AFTER DELETE ON episode REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION free_ids();
CREATE TRIGGER frees_ids AFTER DELETE ON fact REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION free_ids();
