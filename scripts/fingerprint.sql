-- Rows and a checksum of every table: psql -XAtq -f scripts/fingerprint.sql. Equal on both sides of a restore, while nothing writes.
SELECT format(
  $$SELECT '%1$s.%2$s', count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM %1$I.%2$I t$$,
  namespace.nspname, class.relname)
  FROM pg_class class JOIN pg_namespace namespace ON namespace.oid = class.relnamespace
 WHERE class.relkind = 'r' AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
 ORDER BY 1 \gexec
