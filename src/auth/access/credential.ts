import { AppError } from '@bellwether/kernel';
import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^Bearer +([^\s]+)$/i;

export const unauthenticated = (detail = 'A valid credential is required'): AppError =>
  new AppError('unauthenticated', detail);

/**
 * The one credential of a request, whatever carried it.
 * @throws {AppError} `unauthenticated` when there is none, when it is malformed, or when two carriers disagree.
 */
export function credentialOf(headers: IncomingHttpHeaders): string {
  const { authorization, 'x-api-key': header } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined) throw unauthenticated();
  if (Array.isArray(header)) throw unauthenticated();
  if (bearer !== undefined && header !== undefined && bearer !== header) {
    throw unauthenticated('Two different credentials were sent');
  }
  const credential = bearer ?? header;
  if (credential === undefined || credential === '') throw unauthenticated('A credential is required');
  return credential;
}
