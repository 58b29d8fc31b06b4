import { isJsonObject } from '@bellwether/kernel';
import { ScimError } from '../../../src/infrastructure/http';
import { type ElementFilter, elementFilterOf, withoutCoreSchema } from './list-query';

// Invisible characters would let two names look alike.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const invalidValue = (detail: string): ScimError => new ScimError('invalidValue', detail);

/** Null for an absent or empty text. @throws {ScimError} `invalidValue` */
export function textOf(value: unknown, path: string, longest: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalidValue(`${path} must be a text`);
  const text = value.replace(INVISIBLE, '').trim();
  if (text.length > longest) throw invalidValue(`${path} has at most ${longest} characters`);
  return text === '' ? null : text.toWellFormed();
}

const MOST_OPERATIONS = 1_000;
const OPERATIONS = ['add', 'replace', 'remove'] as const;
/** `attribute[filter].sub` (RFC 7644 §3.5.2, Figure 1). */
const PATH = /^([a-z$][\w$-]*)(?:\[([^]*)\])?(?:\.([a-z$][\w$-]*))?$/i;

export type PatchVerb = (typeof OPERATIONS)[number];

/** One change of one attribute. Names are in lower case. */
export interface PatchOperation {
  readonly op: PatchVerb;
  readonly attribute: string;
  readonly filter: ElementFilter | null;
  readonly sub: string | null;
  readonly value: unknown;
}

/**
 * The operations of a body of PATCH (RFC 7644 §3.5.2). Directories write them differently: verbs and names in any case,
 * values without a path, members of a value named with their schema or with dots. Attributes of extensions are left out:
 * nothing here stores them.
 * @throws {ScimError} `invalidSyntax`, `invalidPath`, `invalidFilter`
 */
export function operationsOf(body: unknown): readonly PatchOperation[] {
  const operations = member(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError('invalidSyntax', 'The body needs "Operations", a list with at least one operation');
  }
  if (operations.length > MOST_OPERATIONS) {
    throw new ScimError('tooMany', `A request has at most ${MOST_OPERATIONS} operations`);
  }
  return operations.flatMap(operationOf);
}

function operationOf(operation: unknown, index: number): PatchOperation[] {
  const where = `Operations[${index}]`;
  const verb = member(operation, 'op');
  const op = OPERATIONS.find((each) => typeof verb === 'string' && each === verb.toLowerCase());
  if (op === undefined) throw new ScimError('invalidSyntax', `${where}.op must be add, replace or remove`);
  const [path, value] = [member(operation, 'path'), member(operation, 'value')];
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw new ScimError('invalidPath', `${where}.path must be a text`);
    return atPath(op, path, value, where);
  }
  if (op === 'remove') throw new ScimError('noTarget', `${where} needs a path`);
  if (!isJsonObject(value))
    throw new ScimError('invalidValue', `${where}.value must be an object, as there is no path`);
  return Object.entries(value).flatMap(([name, each]) => atPath(op, name, each, where));
}

function atPath(op: PatchVerb, path: string, value: unknown, where: string): PatchOperation[] {
  const core = withoutCoreSchema(path.trim());
  if (/^urn:/i.test(core)) return [];
  const [, attribute, filter, sub] = PATH.exec(core) ?? [];
  if (attribute === undefined)
    throw new ScimError('invalidPath', `${where}: the path ${path.slice(0, 100)} cannot be read`);
  return [
    {
      op,
      attribute: attribute.toLowerCase(),
      filter: filter === undefined ? null : elementFilterOf(filter),
      sub: sub?.toLowerCase() ?? null,
      value,
    },
  ];
}

/** A member of an object, whatever the case of its name. */
export function member(object: unknown, name: string): unknown {
  if (!isJsonObject(object)) return undefined;
  const key = Object.keys(object).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
}
