import createClient, { type Middleware } from 'openapi-fetch';
import { problemOf } from './problem';
import type { components, paths } from './schema';

/** A schema of the OpenAPI document by its name: `Schema<'AssistantDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

let whenSignedOut: () => void = () => undefined;
/** What happens when the service no longer knows the session. */
export const onSignedOut = (action: () => void): void => {
  whenSignedOut = action;
};

const errors: Middleware = {
  async onResponse({ response, request }) {
    if (response.ok || response.status === 304) return;
    if (response.status === 401 && !request.url.endsWith('/api/v1/session')) whenSignedOut();
    throw await problemOf(response);
  },
};

/**
 * The service's API with the types of its OpenAPI document. Every answer that is no success throws a `ProblemError`, so
 * `data` is there where the document promises one: `const { data } = await api.GET('/api/v1/me')`.
 */
export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });
api.use(errors);

/** The data of an answer that the document promises. */
export function must<Data>({ data }: { data?: Data }): NonNullable<Data> {
  if (data === undefined || data === null) throw new Error('The service answered without content');
  return data;
}

/** A fresh value for `Idempotency-Key`, also on plain http where `crypto.randomUUID` is missing. */
export const idempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
