# Makes .venv from requirements.lock, again only when the lock or pyproject.toml changed.
want="$(cat requirements.lock pyproject.toml | cksum) $(pwd)"
[ "$(cat .venv/installed 2>/dev/null)" = "$want" ] && return 0
for python in python3 python3.14 python3.13 python3.12 python3.11 none; do
  "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
done
[ "$python" = none ] && { echo "hark needs Python 3.11 or newer with the venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
echo "setting up .venv with $("$python" --version)" >&2
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
echo "$want" > .venv/installed
