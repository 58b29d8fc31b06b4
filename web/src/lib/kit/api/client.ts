import type { Client } from 'openapi-fetch';
import { ProblemError, problemOf } from './problem';
import type { components, paths } from './schema';

/** A schema of the OpenAPI document by its name: `Schema<'AssistantDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

let whenSignedOut: () => void = () => undefined;
/** Sets what happens when the service no longer knows the session. */
export const onSignedOut = (action: () => void): void => {
  whenSignedOut = action;
};

/** The problem of an answer that is no success; a session that the service no longer knows is told of. */
export function refused(response: Response): Promise<ProblemError> {
  if (response.status === 401) whenSignedOut();
  return problemOf(response);
}

/** Answer or content that the network promised. @throws {ProblemError} `offline` when it does not come. */
export async function received<Value>(promised: Promise<Value>): Promise<Value> {
  try {
    return await promised;
  } catch (error) {
    // What `fetch` and the readers of a body say of a connection that fails; an abort is none of it.
    throw error instanceof TypeError ? new ProblemError(0, 'offline', error.message) : error;
  }
}

/** The content of a success, `undefined` when it is empty. @throws {ProblemError} `unexpected_answer` when it is no JSON. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await received(response.text());
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // The page of a proxy or of a network's own sign-in.
    const requestId = response.headers.get('x-request-id');
    throw new ProblemError(response.status, 'unexpected_answer', 'The answer is no JSON', [], requestId);
  }
}

interface Sent {
  readonly params?: {
    readonly path?: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, unknown>>;
  };
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly parseAs?: 'json' | 'text' | 'blob';
}
const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined && value !== null;
const words = (values: Sent['headers'] = {}): [string, string][] =>
  Object.entries(values)
    .filter(isGiven)
    .flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));

function addressOf(path: string, params: Sent['params'] = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.path?.[name])));
  const query = new URLSearchParams(words(params.query)).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

async function contentOf(response: Response, parseAs: Sent['parseAs'] = 'json'): Promise<unknown> {
  if (response.status === 204 || response.headers.get('content-length') === '0') return undefined;
  return parseAs === 'json' ? jsonOf(response) : received<unknown>(response[parseAs]());
}

const asks =
  (method: string) =>
  async (path: string, { params, headers, body, signal, parseAs }: Sent = {}): Promise<unknown> => {
    const init: RequestInit = {
      method,
      credentials: 'same-origin',
      headers: [
        ...(body === undefined ? [] : [['content-type', 'application/json'] as [string, string]]),
        ...words(params?.header),
        ...words(headers),
      ],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await received(fetch(addressOf(path, params), init));
    if (response.ok || response.status === 304) return { data: await contentOf(response, parseAs), response };
    // There a refusal says that a key is wrong, not that a session has ended.
    throw await (path === '/api/v1/session' ? problemOf(response) : refused(response));
  };

type Api = Pick<Client<paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>;

/**
 * The service's API with the types of its OpenAPI document; openapi-fetch lends its types, and its code stays out of the
 * scripts. Every answer that is no success throws a `ProblemError`, so `data` is there where the document promises one:
 * `const { data } = await api.GET('/api/v1/me')`.
 */
export const api = Object.fromEntries(
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, asks(method)]),
) as unknown as Api;

/** The data of an answer that the document promises. */
export function must<Data>({ data }: { data?: Data }): NonNullable<Data> {
  if (data === undefined || data === null) throw new Error('The service answered without content');
  return data;
}

/** A fresh value for `Idempotency-Key`, also on plain http where `crypto.randomUUID` is missing. */
export const idempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
