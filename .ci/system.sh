#!/usr/bin/env bash
# What the tests need: the Node of the container, in the folder that is named; from Debian, where it is missing, a Chromium,
# nginx, PgBouncer and the programs of a PostgreSQL server.
#
#   .ci/system.sh [folder for Node]
set -euo pipefail

[ -z "${1:-}" ] || npm install --silent --no-audit --no-fund --prefix "$1" node@24

missing=()
if ! command -v chromium >/dev/null && [ -z "${CHROMIUM:-}" ]; then missing+=(chromium); fi
# Debian keeps the server's programs out of the PATH.
if ! command -v initdb >/dev/null && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
  missing+=(postgresql)
  # Without this the package starts a cluster of its own.
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
if [ ! -x /usr/sbin/nginx ]; then missing+=(nginx-light); fi
if [ ! -x /usr/sbin/pgbouncer ]; then missing+=(pgbouncer); fi
if [ "${#missing[@]}" -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
