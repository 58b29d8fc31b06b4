import { type ChatMessage, textOf } from '../../kernel';
import type { ToolOutcome } from '../../tools';
import type { StrategyRequest } from '../contract';

const READ_MESSAGES = 200;
/** Of the question, and of all messages together: a condition may look through each of them dozens of times. */
const READ_CHARS = 100_000;
const METADATA_VALUES = 200;
const METADATA_CHARS = 20_000;

/** The data of conditions. The bounded copies are made on first access. */
export class Facts {
  private readonly messages: () => readonly object[];
  private readonly metadata: () => unknown;

  constructor(private readonly request: StrategyRequest) {
    this.messages = once(() => readable(request.messages.slice(-READ_MESSAGES)));
    this.metadata = once(() => new Cut().copy(request.metadata));
  }

  with(outcomes: readonly ToolOutcome[]): object {
    const { request, messages, metadata } = this;
    return {
      user_input: request.question.slice(0, READ_CHARS),
      caller: { roles: rolesOf(request.caller) },
      results: Object.fromEntries(outcomes.flatMap((outcome) => resultOf(outcome))),
      get messages() {
        return messages();
      },
      get metadata() {
        return metadata();
      },
    };
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The newest messages have their texts first; one for whose text nothing is left keeps its role. */
function readable(messages: readonly ChatMessage[]): readonly object[] {
  let left = READ_CHARS;
  return messages
    .toReversed()
    .map(({ role, content }) => {
      const text = left > 0 ? textOf(content).slice(0, left) : '';
      left -= text.length;
      return { role, content: text };
    })
    .toReversed();
}

/** Copies a value as far as its budgets reach: texts are cut, and what comes after the last value is left out. */
class Cut {
  private values = METADATA_VALUES;
  private chars = METADATA_CHARS;

  copy(value: unknown): unknown {
    this.values -= 1;
    if (typeof value === 'string') {
      const text = value.slice(0, this.chars);
      this.chars -= text.length;
      return text;
    }
    if (Array.isArray(value)) return value.slice(0, this.values).flatMap((each) => this.member(each));
    if (typeof value !== 'object' || value === null) return value;
    // From entries, as `__proto__` may be a name like any other.
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]) => this.member(each).map((copy): [string, unknown] => [name, copy])),
    );
  }

  private member(value: unknown): unknown[] {
    return this.values > 0 ? [this.copy(value)] : [];
  }
}

function resultOf(outcome: ToolOutcome): [string, object][] {
  const { placeholder } = outcome;
  if (placeholder === null) return [];
  return outcome.status === 'completed'
    ? [[placeholder, { ok: true, chars: outcome.chars, confidence: outcome.confidence }]]
    : [[placeholder, { ok: false, chars: 0, confidence: null }]];
}

const rolesOf = ({ role, systemAdmin }: StrategyRequest['caller']): string[] =>
  systemAdmin ? [role, 'system_admin'] : [role];
