import { isJsonObject, type Problem } from '../../kernel';

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

interface Place {
  readonly path: string;
  readonly depth: number;
  /** Inside the second argument of `map` and its like, where `var` names parts of one element. */
  readonly inList: boolean;
}

class Reader {
  readonly problems: Problem[] = [];
  readonly results: ResultReference[] = [];
  private nodes = 0;

  read(value: unknown, place: Place): void {
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

  private operation(value: object, place: Place): void {
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

  private arguments(operator: string, args: readonly unknown[], listed: boolean, inside: Place): void {
    const pathOf = (index: number): Place => (listed ? at(inside, `[${index}]`) : inside);
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

  private variable(name: unknown, { path, inList }: Place): void {
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

const at = (place: Place, step: string): Place => ({ ...place, path: place.path + step, depth: place.depth + 1 });
