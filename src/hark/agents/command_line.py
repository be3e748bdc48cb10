"""What the words of an agent's command line say, as far as several agents agree about them."""

from collections.abc import Collection

Words = tuple[str, ...]


def is_option(word: str, option: str) -> bool:
    return word == option or word.startswith(f"{option}=")


def is_print(words: Words) -> bool:
    """Return True if the agent is asked to print one answer: it then has no conversation."""
    options = _options(words)
    return any(is_option(word, "--print") or is_option(word, "--prompt") or _is_short(word, "p") for word in options)


def opens_conversation(words: Words, plain_commands: Collection[str]) -> bool:
    """Return True if the first word that is not an option opens a conversation. That word may be an option's value: then the agent has no
    hooks at worst."""
    return next((word for word in words if not word.startswith("-")), "") not in plain_commands


def with_system_prompt(words: Words, text: str, plain_commands: Collection[str]) -> Words | None:
    """Return the words with a text that `--append-system-prompt` adds to the agent's own prompt, or None if the user has such a text, or
    if there is no conversation."""
    is_taken = any(word.startswith(("--append-system-prompt", "--system-prompt")) for word in words)
    if is_taken or is_print(words) or not opens_conversation(words, plain_commands):
        return None
    return ("--append-system-prompt", text, *words)


def _options(words: Words) -> Words:
    """Return the words before `--`, which ends the options."""
    return words[: words.index("--")] if "--" in words else words


def _is_short(word: str, letter: str) -> bool:
    """Return True if the word has this short option, alone or with others: -pc"""
    return len(word) > 1 and word[0] == "-" and word[1] != "-" and word[1:].isalpha() and letter in word[1:]
