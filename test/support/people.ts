import type { ApiAnswer, TestApp } from './app';

/** A person with an API key; `api` calls the service with it. */
export interface Person {
  readonly email: string;
  readonly userId: string;
  readonly key: string;
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
}

export interface PersonOptions {
  readonly role?: 'owner' | 'admin' | 'teacher' | 'member';
  /** Slug; `default` when absent. */
  readonly organization?: string;
  readonly scopes?: readonly string[];
  readonly assistantIds?: readonly number[];
}

let serial = 0;

const made = <T extends ApiAnswer>(answer: T): T => {
  if (answer.status >= 300) throw new Error(`HTTP ${answer.status}: ${answer.text}`);
  return answer;
};

/** A new member with a key, made by the administrator. */
export async function person(app: TestApp, options: PersonOptions = {}): Promise<Person> {
  const { role = 'teacher', organization = 'default' } = options;
  const email = `person-${++serial}@example.edu`;
  const member = made(
    await app.api('POST', `/api/v1/organizations/${organization}/members`, { email, name: `Person ${serial}`, role }),
  );
  return { email, userId: member.json.user_id, ...(await keyOf(app, email, options)) };
}

/** Another key of a member. */
export async function keyOf(
  app: TestApp,
  owner: string,
  { organization = 'default', scopes = ['chat', 'read', 'write'], assistantIds }: PersonOptions = {},
): Promise<Pick<Person, 'key' | 'api'>> {
  const answer = made(
    await app.api('POST', '/api/v1/api-keys', {
      name: 'test',
      owner,
      scopes,
      ...(organization === 'default' ? {} : { organization }),
      ...(assistantIds === undefined ? {} : { assistant_ids: assistantIds }),
    }),
  );
  const key: string = answer.json.key;
  const api: Person['api'] = (method, path, body, headers = {}) =>
    app.api(method, path, body, { authorization: `Bearer ${key}`, ...headers });
  return { key, api };
}

/** A second organization. */
export async function foreignOrganization(app: TestApp, slug = `foreign-${++serial}`): Promise<string> {
  made(await app.api('POST', '/api/v1/organizations', { slug, name: slug }));
  return slug;
}
