#!/bin/sh
# Checks the daemon's unit with `systemd-analyze verify`. The programs that it starts need not be installed here: they
# are staged. Any remark of the checker is a failure, since an unknown or misspelled setting is only a remark to it.
# Without systemd-analyze it says so and exits 0, unless CHECK_SYSTEMD_REQUIRED=1.
set -eu
cd "$(dirname "$0")/.."
unit=daemon/systemd/sidelane-daemon.service

if ! command -v systemd-analyze >/dev/null 2>&1; then
  echo "systemd-analyze is not installed (Debian: apt-get install systemd): $unit was not checked" >&2
  [ "${CHECK_SYSTEMD_REQUIRED:-0}" = 1 ] && exit 1
  exit 0
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
printf '#!/bin/sh\n' >"$stage/node"
chmod 755 "$stage" "$stage/node"
sed "s|^ExecStart=/usr/bin/node |ExecStart=$stage/node |" "$unit" >"$stage/sidelane-daemon.service"
grep -q "^ExecStart=$stage/node /opt/sidelane/dist/daemon.js$" "$stage/sidelane-daemon.service" || {
  echo "$unit does not start /usr/bin/node /opt/sidelane/dist/daemon.js" >&2
  exit 1
}

remarks=$(systemd-analyze verify --man=no --recursive-errors=no "$stage/sidelane-daemon.service" 2>&1) || {
  printf '%s\n' "$remarks" >&2
  exit 1
}
if [ -n "$remarks" ]; then
  printf '%s\n' "$remarks" >&2
  exit 1
fi
echo "$unit is fine"
