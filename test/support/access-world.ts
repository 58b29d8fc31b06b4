import { DataSource } from 'typeorm';
import supertest from 'supertest';
import { filesForm, type TestApp } from './app';
import { user } from './chat';
import { ingested } from './ingested';
import { type Person, person } from './people';
import { until } from './until';

/** False for an operation without requirements, and for one that also goes without (OpenAPI 3.1, Security Requirement). */
export const asksForCredential = (security: readonly object[]): boolean =>
  security.length > 0 && security.every((each) => Object.keys(each).length > 0);

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** It asks for a credential. */
  readonly isClosed: boolean;
  /** It changes nothing: a GET, or a POST that searches or answers with an archive. */
  readonly isReading: boolean;
  readonly body: Schema | 'form' | null;
  readonly choices: ReadonlyMap<string, string>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** What the walk reads of the document. Loose where OpenAPI is. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, any>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function operationsOf({ paths }: OpenApi): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { security, requestBody, responses, parameters = [] }]): Operation => {
        const content = requestBody?.content ?? {};
        const json = Object.keys(content).find((type) => type.includes('json'));
        const isForm = Object.hasOwn(content, 'multipart/form-data');
        const isArchive = responses?.['200']?.content?.['application/zip'] !== undefined;
        const chosen = parameters.filter(({ in: at, schema }: any) => at === 'path' && schema?.enum !== undefined);
        return {
          method: method.toUpperCase(),
          path,
          isClosed: asksForCredential(security),
          isReading: method === 'get' || isArchive || /\/(query|evaluation)$/.test(path),
          body: isForm ? 'form' : json === undefined ? null : content[json].schema,
          choices: new Map(chosen.map(({ name, schema }: any) => [name, schema.enum[0]])),
        };
      }),
  );
}

/** Values of schemas without members. */
const SIMPLE: Readonly<Record<string, (schema: Schema) => unknown>> = {
  integer: ({ minimum }) => minimum ?? 1,
  number: ({ minimum }) => minimum ?? 1,
  boolean: () => false,
  string: ({ format }) => (format === 'date-time' ? '2026-01-01T00:00:00Z' : 'x'),
};

const givenIn = ({ example, default: usual, enum: choices }: Schema): unknown => example ?? usual ?? choices?.[0];
const optionIn = ({ oneOf, anyOf }: Schema): Schema | undefined => (oneOf ?? anyOf ?? [])[0];

/** The least body that a schema allows; `model` and `assistant_id` name the assistant of the objects. */
export function bodyOf(schema: Schema, document: OpenApi, objects: Objects, depth = 0): unknown {
  const next = (each: Schema): unknown => (depth > 8 ? null : bodyOf(each, document, objects, depth + 1));
  const { $ref, items } = schema;
  if ($ref !== undefined) return next(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const given = givenIn(schema);
  if (given !== undefined) return given;
  const option = optionIn(schema);
  if (option !== undefined) return next(option);
  const simple = SIMPLE[String([schema.type].flat()[0])];
  if (simple !== undefined) return simple(schema);
  if (items !== undefined) return schema.minItems === undefined ? [] : [next(items)];
  return membersOf(schema, objects, next);
}

function membersOf(
  { required = [], properties = {}, allOf = [] }: Schema,
  objects: Objects,
  next: (each: Schema) => unknown,
): object {
  const assistant = objects.of('assistants');
  const known: Record<string, unknown> = { model: `lamb_assistant.${assistant}`, assistant_id: Number(assistant) };
  const wanted = required.map((name) => [name, known[name] ?? next(properties[name] ?? {})]);
  return Object.assign({}, ...allOf.map(next), Object.fromEntries(wanted));
}

/** The ids of one organization's objects, by the part of a path before them. */
export class Objects {
  constructor(
    private readonly ids: Readonly<Record<string, string>>,
    readonly author: Person,
  ) {}

  /** @throws {Error} for a kind of object that nobody has made here */
  of(kind: string): string {
    const id = this.ids[kind];
    if (id === undefined) throw new Error(`access-world.ts has no object for a parameter after "${kind}"`);
    return id;
  }

  with(ids: Readonly<Record<string, string>>): Objects {
    return new Objects({ ...this.ids, ...ids }, this.author);
  }

  /** The address of an operation on these objects. @throws {Error} as `of` */
  address({ path, choices }: Operation): string {
    const parts = path.split('/');
    const filled = parts.map((part, at) => {
      if (!part.startsWith('{')) return part;
      return encodeURIComponent(choices.get(part.slice(1, -1)) ?? this.of(parts[at - 1] ?? ''));
    });
    return filled.join('/');
  }

  /** Ids that no answer to strangers may have. Numbers of assistants are too short to be looked for. */
  get secretIds(): readonly string[] {
    return Object.values(this.ids).filter((id) => /^[0-9a-f]{8}-/.test(id) && id !== NOBODY);
  }
}

/** The id of no object: these come from work of machines elsewhere (launches, fetched pages, erasures, migrations). */
const NOBODY = '01a20082-0000-7000-8000-000000000000';
const UNMADE = ['grades', 'deep-linking', 'erasures', 'migrations', 'sources', 'judgements', 'keys'];

export interface Canaries {
  /** Texts in the settings of the unpublished assistant. */
  readonly settings: readonly string[];
  /** Text in the settings of the published assistant. */
  readonly live: string;
  /** Text of a private document that previews do not show. */
  readonly passage: string;
  /** Text of a conversation. */
  readonly words: string;
}

export interface Furnished {
  readonly objects: Objects;
  readonly canaries: Canaries;
  /** Number of a published assistant. */
  readonly live: number;
  /** The token of the organization's directory. */
  readonly directory: string;
}

const made = <T extends { status: number; text: string; json: any }>(answer: T): any => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json;
};

/** Something private in every kind of object of an organization, made by one of its teachers. */
export async function furnish(app: TestApp, slug: string, mark: string): Promise<Furnished> {
  const author = await person(app, { organization: slug, scopes: ['chat', 'read', 'write'] });
  const canaries: Canaries = {
    settings: [`CANARY-${mark}-SYSTEM`, `CANARY-${mark}-TEMPLATE`],
    live: `CANARY-${mark}-LIVE`,
    passage: `CANARY-${mark}-PASSAGE`,
    words: `CANARY-${mark}-WORDS`,
  };
  const organization = `/api/v1/organizations/${slug}`;
  const post = async (path: string, body: unknown): Promise<any> => made(await author.api('POST', path, body));
  const base = (await post('/api/v1/knowledge-bases', { name: 'Private', passages_shown: false })).id;
  const text = `Osmosis moves water. ${'It goes on and on about membranes. '.repeat(30)}${canaries.passage}`;
  await ingested(author, base, { 'solutions.md': text });
  const file = made(await author.api('POST', '/api/v1/files', filesForm(['notes.md', text]))).items[0].id;
  const assistant = async (name: string, [system, template]: readonly string[]): Promise<number> => {
    const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [base] } };
    const metadata = { connector: 'openai', llm: 'gpt-4o-mini', assistant_type: 'multi_tool', tools: [tool] };
    const prompt = { system_prompt: system, prompt_template: `${template} {1_context} {user_input}` };
    return (await post('/api/v1/assistants', { name, ...prompt, metadata })).id;
  };
  const [draft, live] = [
    await assistant('Draft', canaries.settings),
    await assistant('Live', [canaries.live, canaries.live]),
  ];
  made(await author.api('PUT', `/api/v1/assistants/${live}/publication`, {}));
  const ask = { messages: [user(`What is osmosis? ${canaries.words}`)] };
  const run = (await post(`/api/v1/assistants/${draft}/completions`, ask)).run_id;
  const conversation = (await post('/api/v1/conversations', { assistant_id: draft })).id;
  await post(`/api/v1/conversations/${conversation}/messages`, { content: canaries.words });
  await until(async () => (await author.api('GET', '/api/v1/runs?status=completed')).json.total === 2);
  const turns = [{ question: canaries.words, expectations: [{ kind: 'contains', config: { text: 'x' } }] }];
  const test = (await post(`/api/v1/assistants/${draft}/tests`, { name: 'Test', turns })).id;
  const testRun = (await post(`/api/v1/assistants/${draft}/test-runs`, {})).id;
  const replay = (await post('/api/v1/replays', { mode: 'fresh', run_ids: [run] })).id;
  const kept = { name: 'Template', type: 'classic', prompt_template: `${canaries.passage} {user_input}` };
  const directory = made(await app.api('POST', `${organization}/scim/tokens`, { name: 'Directory' }));
  const scim = { authorization: `Bearer ${directory.token}` };
  const listed = { userName: `${mark.toLowerCase()}@directory.example`, externalId: `e-${mark}` };
  const scimUser = made(await app.api('POST', '/scim/v2/Users', listed, scim)).id;
  const scimGroup = made(await app.api('POST', '/scim/v2/Groups', { displayName: `Group ${mark}` }, scim)).id;
  const platform = {
    name: 'Campus',
    issuer: `https://${slug}.lms.example`,
    client_id: 'client',
    authorization_endpoint: 'https://lms.example/authorize',
    token_endpoint: 'https://lms.example/token',
    jwks_uri: 'https://lms.example/jwks',
    deployment_ids: ['1'],
  };
  const platformId = made(await app.api('POST', `${organization}/lti/platforms`, platform)).id;
  const launched = await course(app, { slug, platformId, live, author });
  const link = await post(`${organization}/join-links`, { name: 'Class' });
  const objects = new Objects(
    {
      ...Object.fromEntries(UNMADE.map((kind) => [kind, NOBODY])),
      ...launched,
      organizations: slug,
      assistants: String(draft),
      models: `lamb_assistant.${draft}`,
      runs: run,
      replays: replay,
      conversations: conversation,
      tests: test,
      'test-runs': testRun,
      versions: '1',
      'api-keys': (await author.api('GET', '/api/v1/api-keys')).json.items[0].id,
      sessions: await session(app, author),
      files: file,
      'knowledge-bases': base,
      documents: (await author.api('GET', `/api/v1/knowledge-bases/${base}/documents`)).json.items[0].id,
      rubrics: (await post('/api/v1/rubrics', RUBRIC)).id,
      'prompt-templates': (await post('/api/v1/prompt-templates', kept)).id,
      groups: (await post(`${organization}/groups`, { name: `Private group ${mark}` })).id,
      'join-links': link.id,
      join: link.code,
      members: author.userId,
      tokens: directory.id,
      platforms: platformId,
      issuers: 'campus',
      Users: scimUser,
      Groups: scimGroup,
      tools: 'simple_rag',
      providers: 'openai',
      servers: 'library',
      ResourceTypes: 'User',
      Schemas: 'urn:ietf:params:scim:schemas:core:2.0:User',
    },
    author,
  );
  return { objects, canaries, live, directory: directory.token };
}

const LEVELS = [1, 4].map((score) => ({ id: `l${score}`, score, label: `Level ${score}`, description: 'Work' }));
const RUBRIC = {
  rubricId: 'private-rubric',
  title: 'Private',
  description: 'For reports',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z', subject: 'Biology' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [{ id: 'c1', name: 'Clear', description: 'Clarity', weight: 100, levels: LEVELS }],
};

async function session(app: TestApp, { key }: Person): Promise<string> {
  await supertest(app.url).post('/api/v1/session').send({ api_key: key });
  const { items } = (await app.api('GET', '/api/v1/sessions', undefined, { authorization: `Bearer ${key}` })).json;
  return items[0].id;
}

interface Launch {
  readonly slug: string;
  readonly platformId: string;
  readonly live: number;
  readonly author: Person;
}

/** A course with an activity, as a launch of the author would make them. */
async function course(app: TestApp, { slug, platformId, live, author }: Launch): Promise<Record<string, string>> {
  const sql = `
    WITH place AS (SELECT id AS organization_id FROM organizations WHERE slug = $1), course AS (
      INSERT INTO lti_courses (id, organization_id, platform_id, deployment_id, context_id, title)
      SELECT gen_random_uuid(), organization_id, $2, '1', 'c', 'Biology' FROM place RETURNING id, organization_id
    ), activity AS (
      INSERT INTO lti_activities
        (id, organization_id, platform_id, course_id, deployment_id, resource_link_id, title, assistant_ids)
      SELECT gen_random_uuid(), organization_id, $2, id, '1', 'r', 'Osmosis', ARRAY[$3::int] FROM course
      RETURNING id, course_id, organization_id
    ), taught AS (
      INSERT INTO lti_course_people (course_id, user_id, organization_id, instructor, last_launch_at)
      SELECT course_id, $4, organization_id, true, now() FROM activity
    )
    SELECT id AS activities, course_id AS courses FROM activity`;
  const [ids] = await app.get(DataSource).query<[Record<string, string>]>(sql, [slug, platformId, live, author.userId]);
  return ids;
}
