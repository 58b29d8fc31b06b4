import jsonLogic from 'json-logic-js';
import { type ChatMessage, textOf } from '../../kernel';
import type { PipelineTool, ToolOutcome } from '../../tools';
import type { StrategyContext, StrategyRequest } from '../contract';
import { checkCondition } from './condition-grammar';

const READ_MESSAGES = 200;
const READ_CHARS = 100_000;

/** The library follows any property, inherited ones included; rules may follow what the data itself holds. */
jsonLogic.add_operation('var', function (this: unknown, name?: unknown, otherwise?: unknown): unknown {
  if (name === '') return this;
  const named = typeof name === 'string' || typeof name === 'number';
  return (named ? follow(this, String(name)) : undefined) ?? otherwise ?? null;
});

function follow(data: unknown, path: string): unknown {
  let value = data;
  for (const part of path.split('.')) {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return undefined;
    if (!Object.hasOwn(value as object, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Of each rule whether it can be evaluated; a stored rule lives as long as the cached assistant. */
const sound = new WeakMap<object, boolean>();

function isSound(rule: unknown): boolean {
  if (typeof rule !== 'object' || rule === null) return typeof rule === 'boolean';
  const known = sound.get(rule);
  if (known !== undefined) return known;
  const found = checkCondition(rule).problems.length === 0;
  sound.set(rule, found);
  return found;
}

/**
 * The `when` of tools, JSON Logic over the request and the results so far. A condition that cannot be evaluated is a
 * reason not to run as well, and a warning.
 */
export class Conditions {
  private readonly emit: StrategyContext['emit'];
  private readonly facts: Facts;

  constructor({ request, emit }: Pick<StrategyContext, 'request' | 'emit'>) {
    this.emit = emit;
    this.facts = new Facts(request);
  }

  /** Why the tool does not run, given the outcomes that it may look at; null: it runs. */
  reasonAgainst(tool: PipelineTool, outcomes: readonly ToolOutcome[]): string | null {
    const { when } = tool;
    if (when === null) return null;
    try {
      if (!isSound(when)) return this.failed(tool, 'it is not one that can be evaluated');
      const met: unknown = jsonLogic.apply(when as jsonLogic.RulesLogic, this.facts.with(outcomes));
      return jsonLogic.truthy(met) ? null : 'its condition is not met';
    } catch {
      return this.failed(tool, 'a value in it is of the wrong kind');
    }
  }

  private failed({ plugin, placeholder }: PipelineTool, why: string): string {
    const name = placeholder ?? plugin;
    this.emit({ type: 'warning', code: 'condition.failed', message: `The condition of ${name} failed: ${why}` });
    return 'its condition failed';
  }
}

/** What conditions may look at; the conversation is made readable when the first one looks. */
class Facts {
  private readonly messages: () => readonly object[];

  constructor(private readonly request: StrategyRequest) {
    let read: readonly object[] | null = null;
    this.messages = () => (read ??= request.messages.slice(-READ_MESSAGES).map(readable));
  }

  with(outcomes: readonly ToolOutcome[]): object {
    const { request, messages } = this;
    return {
      user_input: request.question.slice(0, READ_CHARS),
      caller: { roles: rolesOf(request.caller) },
      metadata: request.metadata,
      results: Object.fromEntries(outcomes.flatMap((outcome) => resultOf(outcome))),
      get messages() {
        return messages();
      },
    };
  }
}

function resultOf(outcome: ToolOutcome): [string, object][] {
  const { placeholder } = outcome;
  if (placeholder === null) return [];
  return outcome.status === 'completed'
    ? [[placeholder, { ok: true, chars: outcome.chars, confidence: outcome.confidence }]]
    : [[placeholder, { ok: false, chars: 0, confidence: null }]];
}

const readable = ({ role, content }: ChatMessage): object => ({ role, content: textOf(content).slice(0, READ_CHARS) });

const rolesOf = ({ role, systemAdmin }: StrategyRequest['caller']): string[] =>
  systemAdmin ? [role, 'system_admin'] : [role];
