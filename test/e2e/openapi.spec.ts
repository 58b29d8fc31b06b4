import { getMetadataStorage } from 'class-validator';
import { asksForCredential } from '../support/access-world';
import document from '../../docs/reference/openapi.json';
import { startApp, type TestApp } from '../support/app';

type Answer = { readonly content?: Record<string, { readonly schema?: { $ref?: string } }>; readonly $ref?: string };

interface Operation {
  /** Empty, or with an empty choice, where no credential is asked for. */
  readonly security: readonly object[];
  readonly responses: Record<string, Answer>;
}

describe('the OpenAPI document', () => {
  let app: TestApp;
  let shared: Record<string, Answer>;
  let operations: { readonly path: string; readonly operation: Operation }[];

  beforeAll(async () => {
    app = await startApp();
    const { paths, components } = (await app.api('GET', '/api/openapi.json')).json as {
      paths: Record<string, Record<string, Operation>>;
      components: { responses: Record<string, Answer> };
    };
    shared = components.responses;
    operations = Object.entries(paths)
      .filter(([path]) => !/^\/(?:health|metrics)/.test(path))
      .flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
  }, 60_000);
  afterAll(() => app.stop());

  const answerOf = ({ responses }: Operation, status: string): Answer | undefined => {
    const name = responses[status]?.$ref?.split('/').at(-1);
    return name === undefined ? responses[status] : shared[name];
  };

  it('describes the errors of each door in the shape that the door really answers', () => {
    const wrong = operations.filter(({ path, operation }) => {
      const openAi = /^\/((v1|lamb)\/|models$|chat\/completions$)/.test(path);
      const scim = path.startsWith('/scim/');
      const expected = scim
        ? { 'application/scim+json': { schema: { $ref: '#/components/schemas/ScimErrorDto' } } }
        : openAi
          ? { 'application/json': { schema: { $ref: '#/components/schemas/OpenAiErrorDto' } } }
          : { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDto' } } };
      const statuses = asksForCredential(operation.security) ? ['401', 'default'] : ['default'];
      return statuses.some(
        (status) => JSON.stringify(answerOf(operation, status)?.content) !== JSON.stringify(expected),
      );
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(operations.length).toBeGreaterThan(50);
  });

  it('takes no name or title with control characters, in whatever body', () => {
    const storage = getMetadataStorage() as unknown as {
      validationMetadatas: Map<
        unknown,
        { target: { name: string }; propertyName: string; type: string; name?: string }[]
      >;
    };
    const rules = new Map<string, Set<string>>();
    for (const { target, propertyName, name } of [...storage.validationMetadatas.values()].flat()) {
      if (!/(^|_)(name|title|label)$/.test(propertyName)) continue;
      const member = `${target.name}.${propertyName}`;
      rules.set(member, (rules.get(member) ?? new Set()).add(String(name)));
    }
    const texts = [...rules].filter(([, names]) => names.has('isString'));
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter(([, names]) => !names.has('isPlainName')).map(([member]) => member)).toEqual([]);
  });

  it('keeps the shapes of two rooms apart', () => {
    const { paths } = document;
    const json = 'application/json';
    expect(paths['/api/v1/assistants/{id}/shares'].get.responses['200'].content[json].schema.$ref).toBe(
      '#/components/schemas/SharesDto',
    );
    expect(paths['/api/v1/assistants/{id}/stats'].get.responses['200'].content[json].schema.$ref).toBe(
      '#/components/schemas/AssistantStatsDto',
    );
  });
});
