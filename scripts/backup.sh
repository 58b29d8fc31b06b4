#!/usr/bin/env bash
# Copies database and files of a service into a new folder: docs/guide/backup.md.
#   DATABASE_URL=… DATA_DIR=… scripts/backup.sh <new folder>      without DATABASE_URL: the embedded database, stopped
set -euo pipefail
umask 077
target=${1:?usage: scripts/backup.sh <new folder>}
data=${DATA_DIR:-./data}
mkdir "$target"

# The database first: the service writes a file before the row that names it, so every row finds its file.
if [ -n "${DATABASE_URL:-}" ]; then
  pg_dump --format=custom --no-owner --no-privileges --file "$target/database.dump" "$DATABASE_URL"
else
  # The service holds this lock: a copy beside it would be torn.
  if [ -e "$data/database.lock" ]; then
    echo "Stop the service first: $data/database.lock says that it runs" >&2
    rmdir "$target"
    exit 1
  fi
  tar --create --file "$target/database.tar" --directory "$data" postgres
fi

# Without the key that opens stored secrets: who has both can read them.
folders=()
for folder in files knowledge-bases; do if [ -d "$data/$folder" ]; then folders+=("$folder"); fi; done
tar --create --file "$target/files.tar" --directory "$data" --files-from <(printf '%s\n' "${folders[@]}")
(cd "$target" && sha256sum -- *.dump *.tar 2>/dev/null >SHA256SUMS || true)
(cd "$target" && sha256sum --check --quiet SHA256SUMS && du --bytes --total -- * | tail -n 1)
if [ -n "${S3_BUCKET:-}" ]; then echo "Uploads in the bucket $S3_BUCKET are not in this copy: docs/guide/files-in-s3.md"; fi
echo "Keep SECRETS_KEY (or $data/secrets-key) elsewhere: without it stored keys of vendors are lost."
