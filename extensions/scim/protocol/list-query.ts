import { type Filter, parse } from 'scim2-parse-filter';
import { ScimError } from '../../../src/infrastructure/http';

/** Deep nesting overflows the stack of the parser. */
const MOST_CHARACTERS = 1_000;
const QUOTED = /"(?:[^"\\]|\\[^])*"/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?/g;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/i;

/** `attribute eq value`; the attribute in lower case. */
export interface Equality {
  readonly attribute: string;
  readonly value: string | boolean;
}

export const withoutCoreSchema = (path: string): string => path.replace(CORE, '');

/** Texts of a filter are JSON (RFC 7644 §3.4.2.2). A backslash that escapes nothing is one: `CORP\ada` is sent so. */
const textIn = (quoted: string): string =>
  JSON.parse(quoted.replace(ESCAPE, (escape) => (escape === '\\' ? '\\\\' : escape))) as string;

/** The parser knows no escape but that of the quotation mark, so it reads numbers in the place of texts. */
function parsed(text: string): Filter {
  if (text.length > MOST_CHARACTERS) throw new ScimError('invalidFilter', 'The filter is too long');
  try {
    const texts: string[] = [];
    const tree = parse(text.replace(QUOTED, (quoted) => `"${texts.push(textIn(quoted)) - 1}"`));
    const isText = (key: string, value: unknown): value is string => key === 'compValue' && typeof value === 'string';
    return JSON.parse(JSON.stringify(tree), (key, value: unknown) =>
      isText(key, value) ? texts[Number(value)] : value,
    ) as Filter;
  } catch (error) {
    throw new ScimError('invalidFilter', `The filter cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

const refused = (): ScimError =>
  new ScimError('invalidFilter', 'A filter compares attributes with "eq", joined by "and"');

/** The conditions of a filter of a list (RFC 7644 §3.4.2.2), all of which must hold. */
export function equalitiesOf(text: string): readonly Equality[] {
  const walk = (filter: Filter): Equality[] => {
    if (filter.op === 'and') return filter.filters.flatMap(walk);
    // The type of an address does not tell people apart.
    if (filter.op === '[]' && ['emails', 'members'].includes(filter.attrPath.toLowerCase())) {
      return walk(filter.valFilter)
        .filter(({ attribute }) => attribute === 'value')
        .map(({ value }) => ({ attribute: `${filter.attrPath.toLowerCase()}.value`, value }));
    }
    if (filter.op !== 'eq') throw refused();
    const { compValue } = filter;
    if (typeof compValue !== 'string' && typeof compValue !== 'boolean') throw refused();
    return [{ attribute: withoutCoreSchema(filter.attrPath).toLowerCase(), value: compValue }];
  };
  return walk(parsed(text));
}

type ElementTest = (element: Readonly<Record<string, unknown>>) => boolean;

/** The condition in `members[value eq "…"]`, and the values that an element made for it has. */
export interface ElementFilter {
  readonly matches: ElementTest;
  readonly template: Readonly<Record<string, unknown>>;
}

export function elementFilterOf(text: string): ElementFilter {
  const filter = parsed(text);
  return { matches: testOf(filter), template: templateOf(filter) };
}

function testOf(filter: Filter): ElementTest {
  if (filter.op === 'and' || filter.op === 'or') {
    const tests = filter.filters.map(testOf);
    if (filter.op === 'and') return (element) => tests.every((test) => test(element));
    return (element) => tests.some((test) => test(element));
  }
  if (filter.op === 'not') {
    const test = testOf(filter.filter);
    return (element) => !test(element);
  }
  if (filter.op === 'eq' || filter.op === 'ne') {
    const { attrPath, compValue, op } = filter;
    return (element) => isSame(valueAt(element, attrPath), compValue) === (op === 'eq');
  }
  if (filter.op === 'pr') return (element) => valueAt(element, filter.attrPath) !== undefined;
  throw new ScimError('invalidFilter', `The operator ${filter.op} is not supported in a path`);
}

function templateOf(filter: Filter): Readonly<Record<string, unknown>> {
  if (filter.op === 'eq') return { [filter.attrPath.toLowerCase()]: filter.compValue };
  if (filter.op !== 'and') return {};
  return Object.fromEntries(filter.filters.flatMap((each) => Object.entries(templateOf(each))));
}

function valueAt(element: Readonly<Record<string, unknown>>, name: string): unknown {
  const key = Object.keys(element).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : element[key];
}

/** Texts are compared without regard to case: no attribute here is `caseExact`. Entra ID writes booleans as texts. */
const isSame = (one: unknown, other: unknown): boolean => comparable(one) === comparable(other);

const comparable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase() : typeof value === 'boolean' ? String(value) : value;

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A resource as clients read it. */
export type ScimResource = Readonly<Record<string, unknown>>;

export interface ListResponse {
  readonly schemas: readonly string[];
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly ScimResource[];
}

const DEFAULT_COUNT = 100;
export const MOST_RESULTS = 200;
/** Larger offsets than any organization has people. */
const MOST_START = 10_000_000;

export interface ScimQuery {
  readonly filter?: unknown;
  readonly startIndex?: unknown;
  readonly count?: unknown;
  readonly attributes?: unknown;
  readonly excludedAttributes?: unknown;
}

export interface ListQuery {
  readonly conditions: readonly Equality[];
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** RFC 7644 §3.4.2.4: a start below 1 is 1, a negative count is 0. */
export function listQueryOf({ filter, startIndex, count }: ScimQuery): ListQuery {
  if (filter !== undefined && typeof filter !== 'string') throw new ScimError('invalidFilter', 'Send one filter');
  return {
    conditions: filter === undefined || filter.trim() === '' ? [] : equalitiesOf(filter),
    startIndex: Math.min(Math.max(1, integerOf('startIndex', startIndex, 1)), MOST_START),
    count: Math.min(Math.max(0, integerOf('count', count, DEFAULT_COUNT)), MOST_RESULTS),
  };
}

function integerOf(name: string, value: unknown, fallback: number): number {
  if (value === undefined || value === '') return fallback;
  if (typeof value !== 'string' || !/^[+-]?\d{1,9}$/.test(value)) {
    throw new ScimError('invalidValue', `${name} must be an integer`);
  }
  return Number(value);
}

export const listResponse = (
  Resources: readonly ScimResource[],
  totalResults: number,
  startIndex: number,
): ListResponse => ({ schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: Resources.length, Resources });

/** Attributes that every answer has (RFC 7643 §3.1). */
const ALWAYS = new Set(['schemas', 'id']);

/** The attributes that the client asked for (RFC 7644 §3.9). Parts of an attribute are answered with the whole. */
export function projected(resource: ScimResource, { attributes, excludedAttributes }: ScimQuery): ScimResource {
  const [only, without] = [namesOf(attributes), namesOf(excludedAttributes)];
  if (only === null && without === null) return resource;
  const isKept = (name: string): boolean =>
    ALWAYS.has(name) || (only === null ? without?.has(name.toLowerCase()) !== true : only.has(name.toLowerCase()));
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isKept(name)));
}

function namesOf(value: unknown): Set<string> | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const names = value.split(',').map((name) => withoutCoreSchema(name.trim()).toLowerCase());
  return new Set(names.map((name) => name.split('.')[0] ?? name));
}
