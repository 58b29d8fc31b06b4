import { getMetadataStorage } from 'class-validator';
import { asksForCredential } from '../support/access-world';
import { startApp, type TestApp } from '../support/app';

interface Operation {
  /** Empty, or with an empty choice, where no credential is asked for. */
  readonly security: readonly object[];
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: { $ref?: string } }> }>;
}

describe('the OpenAPI document', () => {
  let app: TestApp;
  let operations: { readonly path: string; readonly operation: Operation }[];

  beforeAll(async () => {
    app = await startApp();
    const { paths } = (await app.api('GET', '/api/openapi.json')).json as {
      paths: Record<string, Record<string, Operation>>;
    };
    operations = Object.entries(paths)
      .filter(([path]) => !/^\/(?:health|metrics)/.test(path))
      .flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
  }, 60_000);
  afterAll(() => app.stop());

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
        (status) => JSON.stringify(operation.responses[status]?.content) !== JSON.stringify(expected),
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
    const shapeOf = (end: string): string | undefined =>
      operations.find(({ path }) => path.endsWith(end))?.operation.responses['200']?.content?.['application/json']
        ?.schema?.$ref;
    expect(shapeOf('/assistants/{id}/shares')).toBe('#/components/schemas/SharesDto');
    expect(shapeOf('/assistants/{id}/stats')).toBe('#/components/schemas/AssistantStatsDto');
  });
});
