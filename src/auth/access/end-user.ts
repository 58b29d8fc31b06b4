import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, END_USER_SOURCES, type EndUser, type EndUserSource, invalid, isJsonObject } from '../../kernel';

/*
 * Whom a request is made for (spec 004 §4): the first of six sources that names somebody. Which of them count is the guard's
 * decision, `Caller.mayNameEndUser`.
 */

const MAX_CHARS = 254;
/** One address; a list is what two proxies, or a client and a proxy, make of one header together. */
const ADDRESS = /^[^\s@,;<>]+@[^\s@,;<>]+$/;
const CONTROL = /\p{Cc}/u;

const isHeader = (source: EndUserSource): boolean => !source.startsWith('metadata.');
const HEADERS = END_USER_SOURCES.filter(isHeader);
const METADATA = END_USER_SOURCES.filter((source) => !isHeader(source));

/**
 * What a request may say of its end user, and whom its headers name. A proxy vouches for the headers that it sets and not for
 * the body, which it passes on as the end user wrote it; a key with `act_as` is held by who writes both.
 * @throws AppError `validation_failed`
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

/** @throws AppError `validation_failed` for a header that names somebody in a way that cannot be read */
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

/** `default` is what others write for nobody. */
function idIn(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const id = String(value).trim();
  return id === '' || id.toLowerCase() === 'default' ? null : id;
}

function isReadable(source: EndUserSource, id: string): boolean {
  if (id.length > MAX_CHARS || CONTROL.test(id) || !id.isWellFormed()) return false;
  return !source.endsWith('email') || ADDRESS.test(id);
}
