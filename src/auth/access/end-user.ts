import {
  type Caller,
  END_USER_SOURCES,
  type EndUser,
  type EndUserName,
  type EndUserSource,
  invalid,
  isJsonObject,
} from '@bellwether/kernel';
import type { IncomingHttpHeaders } from 'node:http';

/*
 * The end user of a request: the first of six sources with a name. The guard decides which sources count
 * (`Caller.mayNameEndUser`).
 */

const MAX_CHARS = 254;
/** One address: two proxies can merge headers into a list. */
const ADDRESS = /^[^\s@,;<>]+@[^\s@,;<>]+$/;
const CONTROL = /\p{Cc}/u;

const isHeader = (source: EndUserSource): boolean => !source.startsWith('metadata.');
const HEADERS = END_USER_SOURCES.filter(isHeader);
const METADATA = END_USER_SOURCES.filter((source) => !isHeader(source));

/**
 * Reads who the headers name, and where the request may name an end user. A proxy vouches for its headers, not for the
 * body of the end user. The holder of a key with `act_as` writes both.
 * @throws {AppError} `validation_failed`
 */
export function namedBy(
  headers: IncomingHttpHeaders,
  { isProxied, scopes }: Pick<Caller, 'scopes'> & { readonly isProxied: boolean },
): Pick<Caller, 'mayNameEndUser' | 'endUser'> {
  const mayActAs = scopes.includes('act_as');
  if (!isProxied && !mayActAs) return {};
  const named = endUserOfHeaders(headers);
  const mayNameEndUser = mayActAs ? 'anywhere' : 'in_headers';
  // A proxy sets one header: the other one may be the end user's own.
  const endUser = named === undefined || mayActAs ? named : { source: named.source, id: named.id };
  return endUser === undefined ? { mayNameEndUser } : { mayNameEndUser, endUser };
}

/** @throws {AppError} `validation_failed` for an unreadable name */
export const endUserOfHeaders = (headers: IncomingHttpHeaders): EndUser | undefined =>
  firstOf(HEADERS, (source) => headers[source], 'headers.');

/**
 * Reads a completion's `metadata`, where the headers name nobody: a gateway writes the headers, and may pass on the body
 * of the end user.
 * @throws AppError `validation_failed`
 */
export function endUserOfMetadata(metadata: unknown): EndUser | undefined {
  if (!isJsonObject(metadata)) return undefined;
  return firstOf(METADATA, (source) => metadata[source.slice('metadata.'.length)], '');
}

/** The first name counts for limits and records, and is refused when it cannot be read; others serve where it is unknown. */
function firstOf(
  sources: readonly EndUserSource[],
  valueOf: (source: EndUserSource) => unknown,
  prefix: string,
): EndUser | undefined {
  const given = sources.flatMap((source): EndUserName[] => {
    const id = idIn(valueOf(source));
    return id === null ? [] : [{ source, id }];
  });
  const first = given.shift();
  if (first === undefined) return undefined;
  if (!isReadable(first)) {
    const message = `must name one person in at most ${MAX_CHARS} characters`;
    throw invalid([{ path: `${prefix}${first.source}`, message }]);
  }
  const others = given.filter(isReadable);
  return others.length === 0 ? first : { ...first, others };
}

/** Other clients write `default` for an unknown end user. */
function idIn(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const id = String(value).trim();
  return id === '' || id.toLowerCase() === 'default' ? null : id;
}

function isReadable({ source, id }: EndUserName): boolean {
  if (id.length > MAX_CHARS || CONTROL.test(id) || !id.isWellFormed()) return false;
  return !source.endsWith('email') || ADDRESS.test(id);
}
