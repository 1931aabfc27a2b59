-- What a recall in a large scope chooses from, found from both sides in one statement. Each row of the answer is
--   'near', a memory's row, its vector       the memories nearest to the query in meaning
--   'word', a term's code, rows and counts   the memories that hold a term of the query, and how often each does
-- The same terms as everywhere (`retentive.analyze`) are then scored by the same arithmetic, over all of the scope.
WITH near AS MATERIALIZED (
    -- By meaning: the graph of pgvector (HNSW) over 16-bit vectors of one embedder, of large scopes alone, one a shard. It
    -- knows no scopes, so an iterative scan goes on through it until enough of this one are found.
    SELECT v.row, v.value
    FROM vector v
    WHERE v.model = :model AND v.near IS NOT NULL AND v.row BETWEEN :first AND :last
      -- What is of another agent or project is not for this caller.
      AND ((CAST(:agent AS text) IS NULL AND CAST(:project AS text) IS NULL) OR EXISTS (
          SELECT 1 FROM entry e WHERE e.row = v.row AND e.row BETWEEN :first AND :last
            AND (CAST(:agent AS text) IS NULL OR e.agent_id IS NULL OR e.agent_id = :agent)
            AND (CAST(:project AS text) IS NULL OR e.project_id IS NULL OR e.project_id = :project)))
    ORDER BY CAST(v.near AS halfvec({dimension})) <#> CAST(:query AS halfvec({dimension}))
    LIMIT :limit
), held AS MATERIALIZED (
    -- By words: an inverted index. A term's code has the scope's number in it, so its list is of this scope alone. Rows of
    -- 8 bytes and counts of 4, highest byte first, stand behind each other in the order of rows.
    SELECT w.code, string_agg(int8send(w.row) || int4send(w.times), CAST('' AS bytea) ORDER BY w.row) AS found
    FROM word w
    WHERE w.code = ANY(CAST(:codes AS bigint[])) AND w.code BETWEEN :first AND :last
    GROUP BY w.code
)
SELECT 'near' AS side, row AS what, CAST(value AS bytea) AS found FROM near
UNION ALL
SELECT 'word', code, found FROM held
