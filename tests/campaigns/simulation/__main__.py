import sys
import time

from tests.campaigns.simulation.batch import count_on_all_cores, describe, tell


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["show"]:
        print(tell(int(arguments[1])))
        return 0
    count = int(arguments[0]) if arguments else 1_000_000
    base = int(arguments[1]) if len(arguments) > 1 else time.time_ns() % 10**12
    started = time.perf_counter()
    tally = count_on_all_cores(base, count)
    print(f"{tally.runs:9,}  runs from seed {base}, {tally.runs / (time.perf_counter() - started):,.0f} a second")
    print(*describe(tally), sep="\n")
    return bool(tally.failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
