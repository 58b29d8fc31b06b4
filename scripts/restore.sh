#!/usr/bin/env bash
# Brings back what scripts/backup.sh copied, into an empty database and an empty folder: docs/guide/backup.md.
#   DATABASE_URL=… DATA_DIR=… scripts/restore.sh <folder>      without DATABASE_URL: the embedded database
set -euo pipefail
umask 077
source=${1:?usage: scripts/restore.sh <folder of the backup>}
data=${DATA_DIR:-./data}
(cd "$source" && sha256sum --check --quiet SHA256SUMS)
mkdir -p "$data"
if [ -n "$(ls -A "$data")" ]; then
  echo "$data is not empty" >&2
  exit 1
fi

if [ -n "${DATABASE_URL:-}" ]; then
  tables=$(psql "$DATABASE_URL" --no-align --tuples-only \
    --command "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')")
  if [ "$tables" != 0 ]; then
    echo "The database has $tables tables already" >&2
    exit 1
  fi
  # Policies name roles that this server may not have; the service makes both at its start.
  pg_restore --list "$source/database.dump" | grep -v ' POLICY ' >"$data/restore.list"
  pg_restore --use-list "$data/restore.list" --no-owner --no-privileges --exit-on-error --single-transaction \
    --dbname "$DATABASE_URL" "$source/database.dump"
  rm "$data/restore.list"
else
  tar --extract --file "$source/database.tar" --directory "$data"
fi
tar --extract --file "$source/files.tar" --directory "$data"
echo 'Restored. Set SECRETS_KEY to the key of that time and start the service.'
