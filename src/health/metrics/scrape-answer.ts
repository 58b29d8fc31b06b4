import { createHash, timingSafeEqual } from 'node:crypto';
import { FORMATS, type Format } from '../../infrastructure/metrics';

/** Prometheus asks for OpenMetrics where it can read it. */
export const formatFor = (accept: string | undefined): Format =>
  accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'prometheus';

export const contentTypeOf = (format: Format): string => FORMATS[format];

/** True for `Authorization: Bearer <token>`, compared in constant time; and where no token is set. */
export function mayScrape(token: string | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
