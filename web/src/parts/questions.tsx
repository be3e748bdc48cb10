/** What an agent asks a human, with the exact words, and buttons that answer where the daemon can answer. */
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { say } from "../state/actions";
import { isReadOnly, world } from "../state/live";
import { addressOf } from "../state/route";
import { describe, post, type Problem } from "../wire/calls";
import type { Question, Session } from "../wire/types";
import { Age } from "./marks";

/** The daemon has no call to answer questions. */
const isMissing = (problem: Problem): boolean => problem.status === 404 || problem.status === 405 || problem.status === 501;

function whyNot(problem: Problem): string {
  if (isMissing(problem)) return "This daemon cannot answer agents' questions from here. Answer it in the agent's terminal.";
  return `The answer was not given: ${problem.detail} ${problem.hint}`;
}

function Choices({ session, question }: { session: Session; question: Question }): JSX.Element {
  const [given, setGiven] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const answer = async (choice: string): Promise<void> => {
    setGiven(choice);
    setProblem(null);
    try {
      const answered_as = world.value.me?.user ?? "";
      await post(`/questions/${encodeURIComponent(question.id)}/answer`, { answers: [choice], answered_as });
      say(`${session.name} got the answer: ${choice}`);
    } catch (error) {
      setProblem(describe(error));
      setGiven(null);
    }
  };
  return (
    <>
      <div class="row-of-things">
        {question.answers.map((choice) => (
          <button key={choice} disabled={given !== null || isReadOnly.value} onClick={() => void answer(choice)}>
            {choice}
          </button>
        ))}
      </div>
      {given !== null && <p class="muted">Answering: {given}</p>}
      {problem !== null && <p class="problem" role="alert">{whyNot(problem)}</p>}
    </>
  );
}

const ONLY_ASKED = "the agent has only told hark that it asks, not how to answer";

function Unanswerable({ session, isHere, why }: { session: Session; isHere: boolean; why: string }): JSX.Element {
  return (
    <p class="muted">
      It cannot be answered here: {why}.{" "}
      {isHere ? "Take the keyboard to answer in its terminal." : <a href={addressOf.session(session.id)}>Open its terminal to answer.</a>}
    </p>
  );
}

export function Questions({ session, isHere = false }: { session: Session; isHere?: boolean }): JSX.Element | null {
  const asked = session.open_questions;
  const text = session.question || session.waiting_for;
  if (asked.length === 0 && session.need !== "permission" && session.phase !== "waiting") return null;
  return (
    <section class="panel question" aria-label="The agent asks">
      {asked.map((question) => (
        <div class="body" key={question.id}>
          <div class="row-of-things">
            <h2>{question.kind === "permission" ? "Asks for permission" : "Asks"}</h2>
            <Age at={question.asked_at} title="since" />
          </div>
          <p class="command">{question.text}</p>
          {question.detail !== "" && <p class="muted">{question.detail}</p>}
          {question.answers.length > 0 && <Choices session={session} question={question} />}
          {question.answers.length === 0 && (
            <Unanswerable session={session} isHere={isHere} why={question.cannot_answer || ONLY_ASKED} />
          )}
        </div>
      ))}
      {asked.length === 0 && (
        <div class="body">
          <div class="row-of-things">
            <h2>Asks for permission</h2>
            <Age at={session.need_since} title="since" />
          </div>
          <p class="command">{text || "The agent has not said for what."}</p>
          <Unanswerable session={session} isHere={isHere} why={ONLY_ASKED} />
        </div>
      )}
    </section>
  );
}
