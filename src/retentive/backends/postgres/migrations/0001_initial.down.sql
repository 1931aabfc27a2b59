-- Takes back what 0001_initial.sql made, where nobody's memories would go with it.
DO $$
DECLARE
    found record;
BEGIN
    IF EXISTS (SELECT FROM partition) THEN
        RAISE EXCEPTION 'the store holds memories: this migration is not taken back' USING ERRCODE = 'RT001';
    END IF;
    FOR found IN SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)
                 AND relkind = 'v' LOOP
        EXECUTE format('DROP VIEW %I', found.relname);
    END LOOP;
    FOR found IN SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)
                 AND relkind IN ('r', 'p') AND NOT relispartition LOOP
        EXECUTE format('DROP TABLE %I', found.relname);
    END LOOP;
    FOR found IN SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)
                 AND relkind = 'S' LOOP
        EXECUTE format('DROP SEQUENCE %I', found.relname);
    END LOOP;
    FOR found IN SELECT CAST(CAST(oid AS regprocedure) AS text) AS called FROM pg_proc
                 WHERE pronamespace = CAST(current_schema() AS regnamespace) LOOP
        EXECUTE format('DROP FUNCTION %s', found.called);
    END LOOP;
END $$;
DROP DOMAIN blob;
