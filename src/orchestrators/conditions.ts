import { type ChatMessage, type Problem, isJsonObject, textOf } from '@bellwether/kernel';
import jsonLogic from 'json-logic-js';
import type { PipelineTool, ToolOutcome } from '../tools';
import type { StrategyContext, StrategyRequest } from './contract';

const READ_MESSAGES = 200;
/** Limit for the question, and for all messages together: a condition may look through each of them dozens of times. */
const READ_CHARS = 100_000;
const METADATA_VALUES = 200;
const METADATA_CHARS = 20_000;

/** The data of conditions. The bounded copies are made on first access. */
class Facts {
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

const MAX_NODES = 200;
const MAX_DEPTH = 12;
const MAX_TEXT = 1000;
/** Most arguments of operators that take any number. */
const MANY = 50;

/**
 * The operators of JSON Logic that a condition may use, each with its least and greatest number of arguments. No
 * operator makes a text or list longer, and each list is read once. `reduce`, `merge` and `cat` could fill the memory
 * from a short rule; nested lists could take hours.
 */
const OPERATORS: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['var', [1, 2]],
  ['if', [2, MANY]],
  ['?:', [3, 3]],
  ['and', [1, MANY]],
  ['or', [1, MANY]],
  ['!', [1, 1]],
  ['!!', [1, 1]],
  ['==', [2, 2]],
  ['===', [2, 2]],
  ['!=', [2, 2]],
  ['!==', [2, 2]],
  ['>', [2, 2]],
  ['>=', [2, 2]],
  ['<', [2, 3]],
  ['<=', [2, 3]],
  ['in', [2, 2]],
  ['substr', [2, 3]],
  ['+', [1, MANY]],
  ['-', [1, 2]],
  ['*', [1, MANY]],
  ['/', [2, 2]],
  ['%', [2, 2]],
  ['min', [1, MANY]],
  ['max', [1, MANY]],
  ['map', [2, 2]],
  ['filter', [2, 2]],
  ['all', [2, 2]],
  ['none', [2, 2]],
  ['some', [2, 2]],
]);
const OVER_LISTS: ReadonlySet<string> = new Set(['map', 'filter', 'all', 'none', 'some']);

/** Names that `var` may start with. */
const ROOTS =
  /^(?:user_input(?:\.length)?|messages(?:\..+)?|results\.[^.]+(?:\.(?:ok|chars|confidence))?|metadata\..+)$/;
const ROLES = /^caller\.roles(?:\..+)?$/;
const RESULT = /^results\.([^.]+)/;

/** A tool's result that a condition looks at, and where it says so. */
export interface ResultReference {
  readonly path: string;
  readonly placeholder: string;
}

export interface ConditionCheck {
  /** Paths are relative to the condition, `and[1].in[0]`. Empty: it can be evaluated. */
  readonly problems: readonly Problem[];
  readonly results: readonly ResultReference[];
}

/** Reads a condition without evaluating it: JSON Logic, or true or false. */
export function checkCondition(rule: unknown): ConditionCheck {
  if (typeof rule === 'boolean') return { problems: [], results: [] };
  if (!isJsonObject(rule)) {
    return { problems: [{ path: '', message: 'must be a condition in JSON Logic, true or false' }], results: [] };
  }
  const reader = new Reader();
  reader.read(rule, { path: '', depth: 1, inList: false });
  return { problems: reader.problems, results: reader.results };
}

interface NodePosition {
  readonly path: string;
  readonly depth: number;
  /** Inside the second argument of `map` and its like, where `var` names parts of one element. */
  readonly inList: boolean;
}

class Reader {
  readonly problems: Problem[] = [];
  readonly results: ResultReference[] = [];
  private nodes = 0;

  read(value: unknown, place: NodePosition): void {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) {
      if (this.nodes === MAX_NODES + 1) this.say('', `must not have more than ${MAX_NODES} parts`);
      return;
    }
    if (place.depth > MAX_DEPTH) {
      this.say(place.path, `must not be nested deeper than ${MAX_DEPTH}`);
      return;
    }
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.read(item, at(place, `[${index}]`));
    } else if (isJsonObject(value)) this.operation(value, place);
    else if (typeof value === 'string' && value.length > MAX_TEXT)
      this.say(place.path, `must not be longer than ${MAX_TEXT} characters`);
  }

  private operation(value: object, place: NodePosition): void {
    const [operator, ...others] = Object.keys(value);
    if (operator === undefined || others.length > 0) {
      this.say(place.path, 'must hold one operator');
      return;
    }
    const arity = OPERATORS.get(operator);
    if (arity === undefined) {
      this.say(place.path, `there is no operator "${operator.slice(0, 32)}"`);
      return;
    }
    const given: unknown = (value as Record<string, unknown>)[operator];
    const args: readonly unknown[] = Array.isArray(given) ? given : [given];
    const inside = at(place, place.path === '' ? operator : `.${operator}`);
    const [least, most] = arity;
    if (args.length < least || args.length > most) {
      const wanted = least === most ? String(least) : `${least} to ${most}`;
      this.say(inside.path, `takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}`);
      return;
    }
    this.arguments(operator, args, Array.isArray(given), inside);
  }

  private arguments(operator: string, args: readonly unknown[], listed: boolean, inside: NodePosition): void {
    const pathOf = (index: number): NodePosition => (listed ? at(inside, `[${index}]`) : inside);
    if (operator === 'var') this.variable(args[0], pathOf(0));
    if (OVER_LISTS.has(operator) && inside.inList) {
      this.say(inside.path, 'must not stand inside another operation over a list');
      return;
    }
    for (const [index, item] of args.entries()) {
      if (operator === 'var' && index === 0) continue;
      const place = pathOf(index);
      this.read(item, OVER_LISTS.has(operator) && index === 1 ? { ...place, inList: true } : place);
    }
  }

  private variable(name: unknown, { path, inList }: NodePosition): void {
    if (typeof name !== 'string' || name.length > MAX_TEXT) {
      if (!(inList && Number.isInteger(name))) this.say(path, 'must name a value');
      return;
    }
    if (inList) return;
    if (!ROOTS.test(name) && !ROLES.test(name)) {
      this.say(
        path,
        'must be user_input, messages, results.{placeholder}.ok, .chars or .confidence, caller.roles, or metadata.{name}',
      );
      return;
    }
    const placeholder = RESULT.exec(name)?.[1];
    if (placeholder !== undefined) this.results.push({ path, placeholder });
  }

  private say(path: string, message: string): void {
    this.problems.push({ path, message });
  }
}

const at = (place: NodePosition, step: string): NodePosition => ({
  ...place,
  path: place.path + step,
  depth: place.depth + 1,
});

/** Milliseconds for all conditions of one run. They block the event loop. */
const RUN_MS = 250;
/** Longest text that `in` searches for: a search can take the product of both lengths. */
const SOUGHT_CHARS = 1_000;

/** The conditions of the run have used up their time. */
class OutOfTime extends Error {}

/** Deadline (`performance.now()`) of the current evaluation. Evaluation is synchronous, so one variable serves all. */
let stopAt = Infinity;

/** Replaces the library's `var`, which also reads inherited properties. Rules read own properties only. */
function readVar(this: unknown, name?: unknown, otherwise?: unknown): unknown {
  // The deadline is checked here because rules reach large data through `var` only.
  if (performance.now() > stopAt) throw new OutOfTime();
  if (name === '') return this;
  const named = typeof name === 'string' || typeof name === 'number';
  return (named ? follow(this, String(name)) : undefined) ?? otherwise ?? null;
}

function follow(data: unknown, path: string): unknown {
  let value = data;
  for (const part of path.split('.')) {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return undefined;
    if (!Object.hasOwn(value as object, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

jsonLogic.add_operation('in', (sought: unknown, among: unknown): boolean => {
  if (Array.isArray(among)) return among.includes(sought);
  if (typeof among !== 'string') return false;
  const text = String(sought);
  if (text.length > SOUGHT_CHARS) throw new RangeError('the text looked for is too long');
  return among.includes(text);
});

/** A tool's `when`, checked once. */
export interface CompiledCondition {
  /** Name of the tool, for messages. */
  readonly name: string;
  readonly rule: unknown;
  /** False for a stored rule that the grammar no longer accepts. */
  readonly isValid: boolean;
}

/** null for a tool that always runs. */
export const compileCondition = ({ when, placeholder, plugin }: PipelineTool): CompiledCondition | null =>
  when === null
    ? null
    : { name: placeholder ?? plugin, rule: when, isValid: checkCondition(when).problems.length === 0 };

/**
 * The `when` of tools, JSON Logic over the request and the results so far. A condition that cannot be evaluated is a
 * reason not to run as well, and a warning.
 */
export class Conditions {
  private readonly emit: StrategyContext['emit'];
  private readonly facts: Facts;
  private left = RUN_MS;

  constructor({ request, emit }: Pick<StrategyContext, 'request' | 'emit'>) {
    this.emit = emit;
    this.facts = new Facts(request);
  }

  /** The reason why the tool does not run, judged by the visible outcomes; null when it runs. */
  reasonAgainst(condition: CompiledCondition | null, outcomes: readonly ToolOutcome[]): string | null {
    if (condition === null) return null;
    const { name, rule } = condition;
    if (!condition.isValid) return this.failed(name, 'it is not one that can be evaluated');
    if (this.left <= 0) return this.failed(name, TOO_LONG);
    const began = performance.now();
    stopAt = began + this.left;
    // The library has one set of operations for all its users. Another one may have replaced this since.
    jsonLogic.add_operation('var', readVar);
    try {
      const met: unknown = jsonLogic.apply(rule as jsonLogic.RulesLogic, this.facts.with(outcomes));
      return jsonLogic.truthy(met) ? null : 'its condition is not met';
    } catch (error) {
      return this.failed(name, error instanceof OutOfTime ? TOO_LONG : 'a value in it is of the wrong kind');
    } finally {
      stopAt = Infinity;
      this.left -= performance.now() - began;
    }
  }

  private failed(name: string, why: string): string {
    this.emit({ type: 'warning', code: 'condition.failed', message: `The condition of ${name} failed: ${why}` });
    return 'its condition failed';
  }
}

const TOO_LONG = 'the conditions of this run have taken too long';
