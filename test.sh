#!/usr/bin/env bash
# Runs every test of the workspace. A fresh machine needs Rust, a C compiler and Python 3 with venv;
# on Debian as root a missing Python is installed. Arguments go to the test runner (a test's name, say).
set -euo pipefail
cd "$(dirname "$0")"

if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq python3 python3-venv >/dev/null
  else
    echo "test.sh: install Python 3 with its venv module first; other programs check ours in it" >&2
    exit 1
  fi
fi
# Peers that are not ours: aioquic speaks QUIC to the server, python-chess reads its games, Gacrux checks its reports.
venv=target/interop-venv
if [ ! -f "$venv/ready" ] || [ tests/interop/requirements.txt -nt "$venv/ready" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check -r tests/interop/requirements.txt
  touch "$venv/ready"
fi
export ZEITNOT_TEST_PYTHON="$PWD/$venv/bin/python"

# The end-to-end tests start the real programs.
cargo build --workspace --all-targets
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --workspace "$@"
else
  cargo test --workspace --all-targets "$@"
fi
cargo test --workspace --doc -q
