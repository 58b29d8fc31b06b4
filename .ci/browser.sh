# Sourced: a Chromium for the browser tests; Debian's, where there is none.
if ! command -v chromium >/dev/null && [ -z "${CHROMIUM:-}" ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
