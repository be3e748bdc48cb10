import { beforeEach, describe, expect, it } from "vitest";
import { listTopics, pruneAcks, readAck, removeAck, writeAck, type Topic } from "../src/alerts/acks";

beforeEach(() => localStorage.clear());

describe("acknowledgements", () => {
  it("of signals stand under the key of schmux", () => {
    writeAck(localStorage, "session:abc", 7);

    expect(localStorage.getItem("schmux:ack:abc")).toBe("7");
  });

  it("of everything else stand under the key of hark", () => {
    writeAck(localStorage, "message:m1", 1);

    expect(localStorage.getItem("hark:ack:message:m1")).toBe("1");
  });

  it("never fall", () => {
    writeAck(localStorage, "session:abc", 7);
    writeAck(localStorage, "session:abc", 3);

    expect(readAck(localStorage, "session:abc")).toBe(7);
  });

  it.each(["", "none", "-4", "NaN"])("are 0 where the entry is %j", (entry) => {
    localStorage.setItem("schmux:ack:abc", entry);

    expect(readAck(localStorage, "session:abc")).toBe(0);
  });

  it("are not pruned before a complete list has come", () => {
    writeAck(localStorage, "session:abc", 7);

    expect(pruneAcks(localStorage, null)).toEqual([]);
    expect(readAck(localStorage, "session:abc")).toBe(7);
  });

  it("of unknown sessions are pruned against a complete list, and nothing else is", () => {
    writeAck(localStorage, "session:known", 1);
    writeAck(localStorage, "session:unknown", 2);
    localStorage.setItem("somebody:else", "3");

    const removed = pruneAcks(localStorage, new Set<Topic>(["session:known"]));

    expect(removed).toEqual(["session:unknown"]);
    expect(listTopics(localStorage)).toEqual(["session:known"]);
    expect(localStorage.getItem("somebody:else")).toBe("3");
  });

  it("of a session that is gone are removed", () => {
    writeAck(localStorage, "session:abc", 7);
    removeAck(localStorage, "session:abc");

    expect(localStorage.length).toBe(0);
  });
});
