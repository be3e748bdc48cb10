/** The story of a message: its receipts as they come, and the agent's answer. */
import type { JSX } from "preact";
import { holdOf } from "../attention/holds";
import { formatClock, formatLatency } from "../format/time";
import { cancelMessage, complain, retryMessage, say } from "../state/actions";
import { clock, isReadOnly } from "../state/live";
import { addressOf } from "../state/route";
import { getText } from "../wire/calls";
import type { Message, Receipt } from "../wire/types";
import { Age, Pill, toneOf } from "./marks";

const isWaiting = (message: Message): boolean => message.status === "queued" || message.status === "held";
const isRepeatable = (message: Message): boolean => ["uncertain", "dead", "failed", "expired", "cancelled"].includes(message.status);

function explain(receipt: Receipt): string {
  const parts = [
    receipt.reason === null ? "" : holdOf(receipt.reason).label,
    receipt.channel === null ? "" : `by ${receipt.channel}`,
    receipt.carrier === null || receipt.carrier === "none" ? "" : `carrier ${receipt.carrier}`,
    receipt.had_draft ? "draft carried" : "",
    receipt.detail,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

export function Receipts({ message }: { message: Message }): JSX.Element {
  const began = Date.parse(message.queued_at);
  return (
    <ol class="receipts" aria-label="Receipts">
      {message.receipts.map((receipt, index) => (
        <li key={index} data-group={toneOf(receipt.status)}>
          <b>{receipt.status}</b>
          <span class="detail">{explain(receipt)}</span>
          <time class="age" dateTime={receipt.at} title={formatClock(receipt.at, clock.value)}>
            +{formatLatency(Math.max(0, (Date.parse(receipt.at) - began) / 1000))}
          </time>
        </li>
      ))}
    </ol>
  );
}

/** Save the story of the message as a Markdown file. */
export async function exportStory(id: string): Promise<void> {
  try {
    const text = await getText(`/messages/${encodeURIComponent(id)}/story`);
    const address = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `hark-${id}.md`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(`The story of message ${id} is saved as hark-${id}.md.`);
  } catch (error) {
    complain(error);
  }
}

export function StoryActions({ message }: { message: Message }): JSX.Element {
  return (
    <div class="row-of-things">
      {!isReadOnly.value && isWaiting(message) && <button onClick={() => void cancelMessage(message.id)}>Cancel message</button>}
      {!isReadOnly.value && isRepeatable(message) && <button onClick={() => void retryMessage(message.id)}>Send again</button>}
      <button onClick={() => void exportStory(message.id)}>Export as Markdown</button>
      <a href={addressOf.message(message.id)}>{message.id}</a>
    </div>
  );
}

export function Story({ message, isOpen }: { message: Message; isOpen: boolean }): JSX.Element {
  return (
    <details class="story" open={isOpen}>
      <summary>
        <Pill status={message.status}>{message.status === "held" ? holdOf(message.reason).label : message.status}</Pill>
        <span class="text">
          <span class="muted">{message.sender ?? "unknown"}: </span>
          {message.text}
        </span>
        <Age at={message.queued_at} title="queued" />
      </summary>
      <div class="more">
        <Receipts message={message} />
        {message.answer !== null && message.answer.text !== "" && <p class="answer">{message.answer.text}</p>}
        <StoryActions message={message} />
      </div>
    </details>
  );
}
