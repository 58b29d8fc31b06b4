import jsonLogic from 'json-logic-js';
import type { PipelineTool, ToolOutcome } from '../../tools';
import type { StrategyContext } from '../contract';
import { Facts } from './condition-facts';
import { checkCondition } from './condition-grammar';

/** Milliseconds for all conditions of one run. They block the event loop. */
const RUN_MS = 250;
/** Longest text that `in` searches for: a search can take the product of both lengths. */
const SOUGHT_CHARS = 1_000;

/** The conditions of the run have used up their time. */
class OutOfTime extends Error {}

/** Deadline (`performance.now()`) of the current evaluation. Evaluation is synchronous, so one variable serves all. */
let stopAt = Infinity;

/** Replaces the library's `var`, which also reads inherited properties. Rules read own properties only. */
jsonLogic.add_operation('var', function (this: unknown, name?: unknown, otherwise?: unknown): unknown {
  // The deadline is checked here because rules reach large data through `var` only.
  if (performance.now() > stopAt) throw new OutOfTime();
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

jsonLogic.add_operation('in', (sought: unknown, among: unknown): boolean => {
  if (Array.isArray(among)) return among.includes(sought);
  if (typeof among !== 'string') return false;
  const text = String(sought);
  if (text.length > SOUGHT_CHARS) throw new RangeError('the text looked for is too long');
  return among.includes(text);
});

/** A tool's `when`, checked once. */
export interface CompiledCondition {
  /** Of the tool, for messages. */
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
