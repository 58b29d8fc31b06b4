/** One comparison of a condition, as the form shows it. */
export type Test =
  | { readonly kind: 'question'; readonly is: 'contains' | 'lacks'; readonly text: string }
  | { readonly kind: 'length'; readonly is: '<' | '>'; readonly n: number }
  | { readonly kind: 'result'; readonly placeholder: string; readonly is: 'ok' | 'failed' | 'found' | 'empty' }
  | { readonly kind: 'confidence'; readonly placeholder: string; readonly is: '<' | '>='; readonly n: number }
  | { readonly kind: 'role'; readonly is: 'has' | 'lacks'; readonly role: string }
  | { readonly kind: 'metadata'; readonly name: string; readonly is: '==' | '!='; readonly text: string };

export type TestKind = Test['kind'];
export const TEST_KINDS: readonly TestKind[] = ['question', 'length', 'result', 'confidence', 'role', 'metadata'];
export const ROLES = ['owner', 'admin', 'teacher', 'member', 'system_admin'] as const;

/** Comparisons of which all or one must hold. */
export interface Condition {
  readonly join: 'and' | 'or';
  readonly tests: readonly Test[];
}

type Json = Readonly<Record<string, unknown>>;

const variable = (name: string): Json => ({ var: name });
const not = (rule: unknown): Json => ({ '!': rule });

const WRITERS: { readonly [Kind in TestKind]: (test: Extract<Test, { kind: Kind }>) => Json } = {
  question: ({ is, text }) => {
    const holds = { in: [text, variable('user_input')] };
    return is === 'contains' ? holds : not(holds);
  },
  length: ({ is, n }) => ({ [is]: [variable('user_input.length'), n] }),
  result: ({ placeholder, is }) => {
    const holds =
      is === 'ok' || is === 'failed'
        ? variable(`results.${placeholder}.ok`)
        : { '>': [variable(`results.${placeholder}.chars`), 0] };
    return is === 'ok' || is === 'found' ? holds : not(holds);
  },
  confidence: ({ placeholder, is, n }) => ({ [is]: [variable(`results.${placeholder}.confidence`), n] }),
  role: ({ is, role }) => {
    const holds = { in: [role, variable('caller.roles')] };
    return is === 'has' ? holds : not(holds);
  },
  metadata: ({ name, is, text }) => ({ [is]: [variable(`metadata.${name}`), text] }),
};

const writeTest = <Kind extends TestKind>(test: Extract<Test, { kind: Kind }>): Json =>
  (WRITERS[test.kind] as (test: Extract<Test, { kind: Kind }>) => Json)(test);

/** The condition as JSON Logic; undefined (always) without comparisons. */
export function toLogic({ join, tests }: Condition): unknown {
  const [first, ...others] = tests;
  if (first === undefined) return undefined;
  return others.length === 0 ? writeTest(first) : { [join]: tests.map((test) => writeTest(test)) };
}

function onlyPair(rule: unknown): readonly [string, unknown] | null {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return null;
  const [pair, ...others] = Object.entries(rule);
  return pair === undefined || others.length > 0 ? null : pair;
}

function nameIn(operand: unknown): string | null {
  const pair = onlyPair(operand);
  return pair !== null && pair[0] === 'var' && typeof pair[1] === 'string' ? pair[1] : null;
}

const below = (name: string, start: string, end = ''): string | null =>
  name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length
    ? name.slice(start.length, name.length - end.length)
    : null;

function readIn([wanted, holder]: readonly unknown[], negated: boolean): Test | null {
  if (typeof wanted !== 'string') return null;
  const name = nameIn(holder);
  if (name === 'user_input') return { kind: 'question', is: negated ? 'lacks' : 'contains', text: wanted };
  if (name === 'caller.roles') return { kind: 'role', is: negated ? 'lacks' : 'has', role: wanted };
  return null;
}

function readNumber(operator: string, name: string, n: number): Test | null {
  if (name === 'user_input.length' && (operator === '<' || operator === '>'))
    return { kind: 'length', is: operator, n };
  const chars = below(name, 'results.', '.chars');
  if (chars !== null && operator === '>' && n === 0) return { kind: 'result', placeholder: chars, is: 'found' };
  const confidence = below(name, 'results.', '.confidence');
  if (confidence !== null && (operator === '<' || operator === '>='))
    return { kind: 'confidence', placeholder: confidence, is: operator, n };
  return null;
}

function readComparison(operator: string, [left, right]: readonly unknown[]): Test | null {
  const name = nameIn(left);
  if (name === null) return null;
  if (typeof right === 'number') return readNumber(operator, name, right);
  const key = below(name, 'metadata.');
  if (key === null || typeof right !== 'string' || (operator !== '==' && operator !== '!=')) return null;
  return { kind: 'metadata', name: key, is: operator, text: right };
}

function readPlain(rule: unknown): Test | null {
  const pair = onlyPair(rule);
  if (pair === null) return null;
  const [operator, operands] = pair;
  if (operator === 'var' && typeof operands === 'string') {
    const placeholder = below(operands, 'results.', '.ok');
    return placeholder === null ? null : { kind: 'result', placeholder, is: 'ok' };
  }
  if (!Array.isArray(operands)) return null;
  return operator === 'in' ? readIn(operands, false) : readComparison(operator, operands);
}

const OPPOSITES = { ok: 'failed', found: 'empty' } as const;

function readNegated(rule: unknown): Test | null {
  const test = readPlain(rule);
  if (test?.kind === 'question') return { ...test, is: 'lacks' };
  if (test?.kind === 'role') return { ...test, is: 'lacks' };
  if (test?.kind === 'result' && (test.is === 'ok' || test.is === 'found')) return { ...test, is: OPPOSITES[test.is] };
  return null;
}

function readTest(rule: unknown): Test | null {
  const pair = onlyPair(rule);
  return pair !== null && pair[0] === '!' ? readNegated(pair[1]) : readPlain(rule);
}

/** Equal as JSON, the order of members aside. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Json];
  return (
    left.length === Object.keys(b).length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isEqual(value, right[key]))
  );
}

function readTests(logic: unknown): Condition | null {
  const pair = onlyPair(logic);
  const isJoin = pair !== null && (pair[0] === 'and' || pair[0] === 'or') && Array.isArray(pair[1]);
  const rules = isJoin ? (pair[1] as readonly unknown[]) : [logic];
  const tests = rules.map(readTest);
  if (tests.some((test) => test === null)) return null;
  return { join: isJoin && pair[0] === 'or' ? 'or' : 'and', tests: tests as readonly Test[] };
}

/** JSON Logic as comparisons; null where only JSON can show it: what is read is written again to the letter. */
export function fromLogic(logic: unknown): Condition | null {
  if (logic === undefined) return { join: 'and', tests: [] };
  const condition = readTests(logic);
  return condition !== null && isEqual(toLogic(condition), logic) ? condition : null;
}

/** Whether a comparison compares with something: a text that is empty is contained in every question. */
export const isComplete = (test: Test): boolean =>
  !('text' in test) || (test.text.trim() !== '' && (test.kind !== 'metadata' || test.name.trim() !== ''));

/** First value of a new comparison of a kind. */
export function newTest(kind: TestKind, placeholder: string): Test {
  switch (kind) {
    case 'question':
      return { kind, is: 'contains', text: '' };
    case 'length':
      return { kind, is: '>', n: 100 };
    case 'result':
      return { kind, placeholder, is: 'found' };
    case 'confidence':
      return { kind, placeholder, is: '<', n: 0.5 };
    case 'role':
      return { kind, is: 'has', role: 'teacher' };
    case 'metadata':
      return { kind, name: 'course', is: '==', text: '' };
  }
}
