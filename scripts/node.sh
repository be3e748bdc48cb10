# Puts Node 20.19 or newer and npm first in PATH. Distributions often have an older one or none; the one on PyPI is the same everywhere
# and needs no root.
is_new_node() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null &&
    command -v npm >/dev/null
}
if ! is_new_node; then
  pinned="$(pwd)/tests/agents/pinned/node/requirements.lock"
  node_home="${XDG_CACHE_HOME:-$HOME/.cache}/hark-agents/node-$(cksum < "$pinned" | cut -d' ' -f1)"
  if [ ! -e "$node_home/installed" ]; then
    echo "installing Node into $node_home" >&2
    python3 -m venv --clear "$node_home"
    "$node_home/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pinned"
    touch "$node_home/installed"
  fi
  PATH="$node_home/bin:$PATH"
fi
