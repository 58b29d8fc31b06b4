import type { IncomingMessage } from 'node:http';

/** An answer of the platform; `hang` never comes, `drop` closes the connection. */
export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'drop';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const LARGEST_BODY = 1_000_000;

export async function readAsked(request: IncomingMessage, base: string): Promise<Asked> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > LARGEST_BODY) throw new Error('The request is too large');
    parts.push(part as Buffer);
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', base);
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(parts).toString(),
  };
}

export const json = (status: number, body: unknown, type = 'application/json'): Reply => ({
  status,
  body,
  headers: { 'content-type': type },
});

export const html = (body: string, status = 200): Reply => ({
  status,
  body,
  headers: { 'content-type': 'text/html; charset=utf-8' },
});

/** RFC 6749 §5.2. */
export const refusal = (error: string, description: string, status = 400): Reply =>
  json(status, { error, error_description: description });

/** The body as JSON; null for anything else. Loose on purpose: the tool wrote it. */
export function jsonOf(asked: Asked): any {
  try {
    return JSON.parse(asked.body);
  } catch {
    return null;
  }
}
