import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, END_USER_SOURCES, type EndUser, type EndUserSource, invalid, isJsonObject } from '../../kernel';

/*
 * The end user of a request (spec 004 §4): the first of six sources with a name. The guard decides which sources count
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
  const endUser = endUserOfHeaders(headers);
  const mayNameEndUser = mayActAs ? 'anywhere' : 'in_headers';
  return endUser === undefined ? { mayNameEndUser } : { mayNameEndUser, endUser };
}

/** @throws {AppError} `validation_failed` for an unreadable name */
export const endUserOfHeaders = (headers: IncomingHttpHeaders): EndUser | undefined =>
  firstOf(HEADERS, (source) => headers[source], 'headers.');

/** Reads a completion's `metadata`. @throws AppError `validation_failed` */
export const endUserOfMetadata = (metadata: unknown): EndUser | undefined =>
  isJsonObject(metadata) ? firstOf(METADATA, (source) => metadata[source.slice('metadata.'.length)], '') : undefined;

function firstOf(
  sources: readonly EndUserSource[],
  valueOf: (source: EndUserSource) => unknown,
  prefix: string,
): EndUser | undefined {
  for (const source of sources) {
    const id = idIn(valueOf(source));
    if (id === null) continue;
    if (!isReadable(source, id)) {
      throw invalid([
        { path: `${prefix}${source}`, message: `must name one person in at most ${MAX_CHARS} characters` },
      ]);
    }
    return { source, id };
  }
  return undefined;
}

/** Other clients write `default` for an unknown end user. */
function idIn(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const id = String(value).trim();
  return id === '' || id.toLowerCase() === 'default' ? null : id;
}

function isReadable(source: EndUserSource, id: string): boolean {
  if (id.length > MAX_CHARS || CONTROL.test(id) || !id.isWellFormed()) return false;
  return !source.endsWith('email') || ADDRESS.test(id);
}
