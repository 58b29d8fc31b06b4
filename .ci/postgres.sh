# Sourced: starts a throw-away PostgreSQL and exports TEST_DATABASE_URL; stops and removes it when the shell exits.
# A server refuses to run as root, so there it runs as the user `postgres` (or `nobody`).

postgres_bin() {
  if command -v initdb >/dev/null; then
    dirname "$(readlink -f "$(command -v initdb)")"
  else
    # Debian keeps the server's programs out of the PATH.
    find /usr/lib/postgresql -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1
  fi
}

PG_BIN=$(postgres_bin)
PG_HOME=$(mktemp -d)
PG_PORT=$(node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')

as_postgres() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  elif id postgres >/dev/null 2>&1; then
    runuser -u postgres -- "$@"
  else
    runuser -u nobody -- "$@"
  fi
}

stop_postgres() {
  as_postgres "$PG_BIN/pg_ctl" -D "$PG_HOME/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$PG_HOME"
}
trap stop_postgres EXIT

if [ "$(id -u)" -eq 0 ]; then
  chown "$(id postgres >/dev/null 2>&1 && echo postgres || echo nobody)" "$PG_HOME"
fi
(
  cd "$PG_HOME"
  as_postgres "$PG_BIN/initdb" -D "$PG_HOME/data" -U bellwether -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
  # Nothing in it outlives the tests, so nothing waits for the disk.
  as_postgres "$PG_BIN/pg_ctl" -D "$PG_HOME/data" -l "$PG_HOME/log" -w start \
    -o "-p $PG_PORT -k $PG_HOME -h 127.0.0.1 -c fsync=off -c full_page_writes=off -c synchronous_commit=off" >/dev/null
)

export TEST_DATABASE_URL="postgres://bellwether@127.0.0.1:$PG_PORT/postgres"
echo "PostgreSQL $("$PG_BIN/postgres" --version | awk '{print $3}') for the tests at $TEST_DATABASE_URL"
