# Installs tmux where it is missing; sudo only where we are not root.
if ! command -v tmux >/dev/null 2>&1; then
  echo "installing tmux" >&2
  root=""; [ "$(id -u)" = 0 ] || root=sudo
  if command -v apt-get >/dev/null 2>&1; then $root apt-get update -qq && $root apt-get install -y -qq tmux
  elif command -v brew >/dev/null 2>&1; then brew install tmux
  else echo "hark needs tmux 3.3 or newer: install it with your package manager, then run this again" >&2; exit 1; fi
fi
case "$(tmux -V)" in
  "tmux 3.3"*|"tmux 3.4"*|"tmux 3.5"*|"tmux 3.6"*|"tmux 3.7"*|"tmux 3.8"*|"tmux 3.9"*|"tmux 4"*|"tmux next-"*|"tmux master") ;;
  *) echo "hark needs tmux 3.3 or newer, this machine has $(tmux -V): upgrade it with apt or brew" >&2; exit 1 ;;
esac
