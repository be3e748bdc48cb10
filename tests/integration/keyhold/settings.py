"""A human whose tmux is set up with everything that is hard to print, and all that tmux says about it."""

from tests.support.terminals import PrivateTmux

# tmux reads this as a configuration file: each key in a different kind of quoting.
CONFIGURATION = r"""
set -g prefix C-a
set -g prefix2 M-\;
set -g @plugin '#{?#{==:#{pane_id},"$x"},${y},~/z} #[fg=red] %H:%M'
set -g @words "it's \"quoted\" \\ \$HOME \${y} ; { } ünï🦊"
set -g status-right '#(echo "$x" ${y}) #{@plugin} %H'
set -g assume-paste-time 3
set -s command-alias[50] zz='display-message "$x ; ${y}"'
set -ga terminal-overrides ',*:Tc'
setw -g mode-keys vi
setw -g @each '~ $x'
bind-key -n C-n send-keys 'from the binding'
bind-key -n M-a display-message '$x ${y} ~ "double" #{pane_id} ; \; { braces }'
bind-key -n M-b run-shell "echo \"it's\" '\$x' \${y} `z` \\n > /dev/null"
bind-key -n M-c if-shell -F '#{==:a,b}' { display-message '$x {' } { send-keys -l '~ ; ${y}' }
bind-key -n M-d { set -gF @seen '#{pane_id} "$x"' ; send-keys -l '~ # $x ; }' }
bind-key -n -N 'a note with $x and "quotes"' M-e confirm-before -p 'kill #W? (y/n)' kill-window
bind-key -nr C-Up resize-pane -U 2
bind-key -n \; display-message semicolon
bind-key -n \' display-message quote
bind-key -n '"' display-message 'double quote'
bind-key -n \# display-message hash
bind-key -n \$ display-message '$dollar'
bind-key -n \~ command-prompt -I '#W' { rename-window -- '%%' }
bind-key -n \{ display-message '{'
bind-key -n \} display-message '}'
bind-key -n % display-message '%H %%'
bind-key -n 'M-\' display-message '\'
bind-key -n ü display-message 'ü 漢 🦊'
bind-key -n 漢 send-keys -l '漢'
bind-key -n 🦊 send-keys -l 'fox'
bind-key -n User768 display-message 'a key of the human'
bind-key -n C-User769 display-message 'another key of the human'
bind-key -T prefix '$' run-shell 'echo "$x" > /dev/null'
bind-key -T mine Any display-message '${y}'
bind-key -T mine '~' switch-client -T root
"""


def configure(tmux: PrivateTmux) -> None:
    path = tmux.directory / "human.conf"
    path.write_text(CONFIGURATION)
    tmux.run("source-file", str(path))


def described(tmux: PrivateTmux) -> dict[str, str]:
    """All key tables and all options, in the very bytes that tmux prints."""
    questions: dict[str, tuple[str, ...]] = {
        "keys": ("list-keys",),
        "notes": ("list-keys", "-N"),
        "options of the server": ("show-options", "-s"),
        "options of all sessions": ("show-options", "-g"),
        "options of all windows": ("show-options", "-gw"),
        "hooks": ("show-hooks", "-g"),
        "clients": ("list-clients", "-F", "#{?client_control_mode,,#{client_name} #{client_key_table}}"),
    }
    for pane in tmux.run("list-panes", "-a", "-f", "#{!=:#{session_name},_hark}", "-F", "#{pane_id}").split():
        questions |= {
            f"session of {pane}": ("show-options", "-A", "-t", pane),
            f"window of {pane}": ("show-options", "-A", "-w", "-t", pane),
            f"options of {pane}": ("show-options", "-A", "-p", "-t", pane),
        }
    return {what: tmux.run(*words).strip() for what, words in questions.items()}
