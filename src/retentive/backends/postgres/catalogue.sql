-- What a schema is made of, a line a thing, as the server itself tells it: what `schema.txt` has of a sound store.
-- Shards are counted; their graphs over vectors (near_...) are made as each store needs them, and left out.
WITH relation AS (
    SELECT c.oid, c.relname, c.relkind, pg_get_partkeydef(c.oid) AS divided
    FROM pg_class c
    WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT c.relispartition AND c.relkind IN ('r', 'p', 'v', 'S')
)
SELECT line FROM (
    SELECT format('%s %s', CASE relkind WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' ELSE 'table' END, relname)
    FROM relation
    UNION ALL
    SELECT format('table %s in %s shards by %s', r.relname,
                  (SELECT count(*) FROM pg_inherits WHERE inhparent = r.oid), r.divided)
    FROM relation r WHERE r.divided IS NOT NULL
    UNION ALL
    SELECT format('column %s.%s %s%s%s', r.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                  CASE WHEN a.attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid))
    FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
    WHERE r.relkind IN ('r', 'p')
    UNION ALL
    SELECT 'index ' || pg_get_indexdef(i.indexrelid, 0, true)
    FROM relation r JOIN pg_index i ON i.indrelid = r.oid
    UNION ALL
    SELECT format('constraint %s: %s', r.relname, pg_get_constraintdef(c.oid, true))
    FROM relation r JOIN pg_constraint c ON c.conrelid = r.oid AND c.contype IN ('p', 'u', 'c', 'f')
    UNION ALL
    SELECT 'trigger ' || pg_get_triggerdef(t.oid, true)
    FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
    UNION ALL
    SELECT format('policy %s on %s: %s', p.polname, r.relname, pg_get_expr(p.polqual, p.polrelid))
    FROM relation r JOIN pg_policy p ON p.polrelid = r.oid
    UNION ALL
    SELECT format('function %s(%s) %s', proname, pg_get_function_arguments(oid), md5(prosrc))
    FROM pg_proc WHERE pronamespace = CAST(current_schema() AS regnamespace)
) AS found(line)
ORDER BY line COLLATE "C"
