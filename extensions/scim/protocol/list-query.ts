import { ScimError } from '../../../src/infrastructure/http';
import { type Equality, equalitiesOf, withoutCoreSchema } from './filter';
import { LIST_SCHEMA, type ListResponse, type ScimResource } from './scim.types';

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
