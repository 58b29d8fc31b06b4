#!/usr/bin/env bash
# Copies database and files of a service into a new folder: docs/guide/backup.md.
#   DATABASE_URL=… DATA_DIR=… scripts/backup.sh <new folder>      without DATABASE_URL: the embedded database, stopped
set -euo pipefail
umask 077
target=${1:?usage: scripts/backup.sh <new folder>}
data=${DATA_DIR:-./data}
mkdir "$target"

# Whether a process holds the lock: by pid and start time, in another container by its heartbeat of the last 10 s.
is_held() {
  local stat
  value() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$data/database.lock"; }
  if [ "$(value realm)" = "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) $(readlink /proc/self/ns/pid)" ]; then
    stat=$(cat "/proc/$(value pid)/stat" 2>/dev/null) || return 1
    # Fields after the name of the program, which may hold blanks: state first, start time as the twentieth.
    read -ra stat <<<"${stat##*) }"
    [ "${stat[0]}" != Z ] && [ "${stat[19]}" = "$(value startTime)" ]
  else
    [ -n "$(find "$data/database.lock" -newermt '10 seconds ago')" ]
  fi
}

# The database first: the service writes a file before the row that names it, so every row finds its file.
if [ -n "${DATABASE_URL:-}" ]; then
  pg_dump --format=custom --no-owner --no-privileges --file "$target/database.dump" "$DATABASE_URL"
else
  # The service holds this lock: a copy beside it would be torn.
  if [ -e "$data/database.lock" ] && is_held; then
    echo "Stop the service first: process $(value pid) uses $data" >&2
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
