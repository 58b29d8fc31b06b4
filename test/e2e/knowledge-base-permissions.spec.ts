import fc from 'fast-check';
import { SourceLinks } from '../../src/knowledge-bases';
import { type ApiAnswer, filesForm, startApp, type TestApp } from '../support/app';
import { multiTool, streamed, user } from '../support/chat';
import { until } from '../support/until';
import { foreignOrganization, type Person, person } from '../support/people';

const KNOWLEDGE_BASES = '/api/v1/knowledge-bases';
const ASSISTANTS = '/api/v1/assistants';
const MISSING = '01a20082-0000-7000-8000-000000000000';
/** Words that only the document, its name or its knowledge base's name hold. */
const CANARIES = ['zirconbluff', 'quokkadossier', 'larkspurvault'] as const;
const [SECRET, FILENAME, NAME] = CANARIES;
/** More histories than a usual run tries. */
const HISTORIES = Number(process.env['PERMISSION_HISTORIES'] ?? 6);

let app: TestApp;
let organizationId: string;
let owner: Person;
let teacher: Person;
let student: Person;
let foreigner: Person;

beforeAll(async () => {
  app = await startApp();
  owner = await person(app);
  teacher = await person(app);
  student = await person(app, { role: 'member' });
  foreigner = await person(app, {
    organization: await foreignOrganization(app),
    role: 'owner',
    scopes: ['chat', 'read', 'write', 'admin'],
  });
  organizationId = (await app.api('GET', '/api/v1/organizations/default')).json.id;
});
afterAll(() => app.stop());

interface Filed {
  readonly id: string;
  readonly documentId: string;
}

/** A knowledge base with one document that can be found. */
async function filed(who: Person): Promise<Filed> {
  const { json } = await who.api('POST', KNOWLEDGE_BASES, { name: NAME });
  const path = `${KNOWLEDGE_BASES}/${json.id}`;
  const form = filesForm([`${FILENAME}.md`, `# Geology\n\nThe granite of ${SECRET} is old.\n`]);
  const documentId: string = (await who.api('POST', `${path}/documents`, form)).json.items[0].id;
  await until(
    async () => (await who.api('GET', `${path}/documents/${documentId}`)).json.status === 'completed',
    20_000,
  );
  return { id: json.id, documentId };
}

const share = (who: Person, id: string, ...users: Person[]) =>
  who.api('PUT', `${KNOWLEDGE_BASES}/${id}/shares`, { users: users.map(({ userId }) => userId) });
const show = (who: Person, id: string, visibility: 'private' | 'organization') =>
  who.api('PATCH', `${KNOWLEDGE_BASES}/${id}`, { visibility });
const setMember = (who: Person, changes: object) =>
  app.api('PATCH', `/api/v1/organizations/default/members/${who.userId}`, changes);
const click = (link: string): Promise<Response> => fetch(link.startsWith('/') ? app.url + link : link);
const linkTo = ({ id, documentId }: Filed, onRightsOf: Person, reader: Person): string =>
  app.get(SourceLinks).sign({
    organizationId,
    knowledgeBaseId: id,
    documentId,
    ownerId: onRightsOf.userId,
    readerId: reader.userId,
    assistantId: null,
  });

/** Puts what it was sent into its answer: the prompt is seen as the model would see it. */
const bypass = { connector: 'bypass', llm: 'debug-bypass' };

async function published(who: Person, body: object): Promise<number> {
  const made = await who.api('POST', ASSISTANTS, {
    name: 'Tutor',
    prompt_template: 'Context: {1_context} {context} Question: {user_input}',
    ...body,
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  await who.api('PUT', `${ASSISTANTS}/${made.json.id}/publication`);
  return made.json.id;
}
const reading = (id: string, more: object = {}): object => ({
  metadata: multiTool(
    [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [id] }, ...more }],
    bypass,
  ),
});
const classic = (id: string): object => ({
  prompt_template: 'Context: {context} Question: {user_input}',
  metadata: { ...bypass, prompt_processor: 'simple_augment', rag_processor: 'simple_rag' },
  RAG_collections: [id],
});
const question = (id: number, more: object = {}): object => ({
  model: `lamb_assistant.${id}`,
  messages: [user('How old is the granite?')],
  ...more,
});
const ask = (who: Person, id: number): Promise<ApiAnswer> => who.api('POST', '/v1/chat/completions', question(id));

const holdsNone = (text: string, what: string): void => {
  for (const canary of CANARIES) expect([what, text.includes(canary)]).toEqual([what, false]);
};

const errorsIn = ({ json }: ApiAnswer): string[] =>
  json.diagnostics.flatMap(({ severity, code }: any) => (severity === 'error' ? [code] : []));

describe('the rights on a knowledge base', () => {
  const reads = (id: string, documentId: string) =>
    [
      ['GET', id, undefined],
      ['GET', `${id}/documents`, undefined],
      ['GET', `${id}/documents/${documentId}`, undefined],
      ['GET', `${id}/documents/${documentId}/content`, undefined],
      ['POST', `${id}/query`, { query: 'granite' }],
    ] as const;
  const changes = (id: string, documentId: string) =>
    [
      ['PATCH', id, { name: 'mine' }],
      ['GET', `${id}/shares`, undefined],
      ['PUT', `${id}/shares`, { users: [] }],
      ['POST', `${id}/documents`, filesForm(['x.md', 'x'])],
      ['POST', `${id}/documents/${documentId}/retry`, undefined],
      ['DELETE', `${id}/documents/${documentId}`, undefined],
      ['DELETE', id, undefined],
    ] as const;

  // An administrator looks after the organization, not into its members' own collections.
  it.each([
    ['private', { teacher: 404, administrator: 404 }, async () => undefined],
    ['shared', { teacher: 200, administrator: 404 }, ({ id }: Filed) => share(owner, id, teacher)],
    ['shown', { teacher: 200, administrator: 200 }, ({ id }: Filed) => show(owner, id, 'organization')],
  ] as const)('a %s one: %o', async (_, statuses, open) => {
    const target = await filed(owner);
    await open(target);
    const others = [
      [teacher, statuses.teacher],
      [{ api: app.api }, statuses.administrator],
      [foreigner, 404],
    ] as const;
    for (const [who, expected] of others) {
      for (const [method, path, body] of reads(target.id, target.documentId)) {
        const answer = await who.api(method, `${KNOWLEDGE_BASES}/${path}`, body);
        expect([method, path, answer.status]).toEqual([method, path, expected]);
        if (expected === 404) holdsNone(answer.text, path);
      }
      for (const [method, path, body] of changes(target.id, target.documentId)) {
        const answer = await who.api(method, `${KNOWLEDGE_BASES}/${path}`, body);
        expect([method, path, answer.status]).toEqual([method, path, expected === 404 ? 404 : 403]);
      }
      const { text } = await who.api('GET', `${KNOWLEDGE_BASES}?limit=100&q=${NAME}`);
      expect(text.includes(target.id)).toBe(expected === 200);
    }
    for (const [method, path, body] of reads(target.id, target.documentId))
      expect((await owner.api(method, `${KNOWLEDGE_BASES}/${path}`, body)).status).toBe(200);
  });

  it('make what belongs to another organization look like what does not exist', async () => {
    const target = await filed(owner);
    await show(owner, target.id, 'organization');
    const mine = await filed(foreigner);
    const same = ({ status, json }: ApiAnswer) => [status, json.code, json.detail];
    const pairs = [
      ...reads(target.id, target.documentId).map((each, n) => [each, reads(MISSING, MISSING)[n]] as const),
      ...changes(target.id, target.documentId).map((each, n) => [each, changes(MISSING, MISSING)[n]] as const),
      // A document of theirs under a knowledge base of one's own, and the other way round.
      ...reads(mine.id, target.documentId)
        .filter(([, path]) => path.includes(target.documentId))
        .map((each) => [each, ['GET', `${mine.id}/documents/${MISSING}`, undefined]] as const),
      ...reads(target.id, mine.documentId).map((each, n) => [each, reads(MISSING, mine.documentId)[n]] as const),
    ];
    for (const [foreign, missing] of pairs) {
      if (missing === undefined) throw new Error('no counterpart');
      const [there, nowhere] = [
        await foreigner.api(foreign[0], `${KNOWLEDGE_BASES}/${foreign[1]}`, foreign[2]),
        await foreigner.api(missing[0], `${KNOWLEDGE_BASES}/${missing[1]}`, missing[2]),
      ];
      expect([foreign[0], foreign[1], ...same(there)]).toEqual([foreign[0], foreign[1], ...same(nowhere)]);
      expect(there.status).toBe(404);
    }
    const saved = await foreigner.api('POST', ASSISTANTS, { name: 'x', ...reading(target.id) });
    expect([saved.status, errorsIn(saved)]).toEqual([201, ['tool.inaccessible']]);
  });

  it('are not widened by a slug', async () => {
    const made = await owner.api('POST', KNOWLEDGE_BASES, { name: NAME, slug: 'the-vault' });
    expect(made.status).toBe(201);
    for (const who of [teacher, foreigner]) {
      expect((await who.api('GET', `${KNOWLEDGE_BASES}/the-vault`)).status).toBe(404);
      const saved = await who.api('POST', ASSISTANTS, { name: 'x', ...reading('the-vault') });
      expect([saved.status, errorsIn(saved)]).toEqual([201, ['tool.inaccessible']]);
      holdsNone((await ask(who, saved.json.id)).text, 'answer');
    }
  });
});

describe('an assistant reads with its owner’s rights', () => {
  it('for whoever may use it, and gives them links that work', async () => {
    const target = await filed(owner);
    await share(owner, target.id, teacher);
    expect((await student.api('GET', `${KNOWLEDGE_BASES}/${target.id}`)).status).toBe(404);
    for (const definition of [reading(target.id), classic(target.id)]) {
      const answer = await ask(student, await published(teacher, definition));
      expect(answer.text).toContain(SECRET);
      expect(answer.json.sources).toMatchObject([{ type: 'knowledge_base', document: `${FILENAME}.md`, n: 1 }]);
      const original = await click(answer.json.sources[0].url);
      expect([original.status, (await original.text()).includes(SECRET)]).toEqual([200, true]);
      const run = await student.api('GET', `/api/v1/runs/${answer.json.run_id}`);
      expect((await click(run.json.sources[0].url)).status).toBe(200);
    }
  });

  it('a run that others read later gives them links on their own rights', async () => {
    const target = await filed(owner);
    await share(owner, target.id, teacher);
    const { json } = await ask(student, await published(teacher, reading(target.id)));
    const path = `/api/v1/runs/${json.run_id}`;
    const administrator = (await app.api('GET', path)).json.sources[0].url;
    expect((await click(administrator)).status).toBe(404);
    for (const report of [path, `${path}/report`]) {
      const { url } = (await teacher.api('GET', report)).json.sources[0];
      expect((await click(url)).status).toBe(200);
    }
    await share(owner, target.id);
    expect((await click((await student.api('GET', path)).json.sources[0].url)).status).toBe(404);
  });

  it.each([
    ['a share taken back', ({ id }: Filed) => share(owner, id)],
    ['a knowledge base deleted', ({ id }: Filed) => owner.api('DELETE', `${KNOWLEDGE_BASES}/${id}`)],
  ])('%s: the tool fails with a clear reason and nothing leaks', async (_, end) => {
    const target = await filed(owner);
    await share(owner, target.id, teacher);
    const [tools, plain] = [await published(teacher, reading(target.id)), await published(teacher, classic(target.id))];
    const before = (await ask(student, tools)).json.sources[0].url as string;
    expect((await click(before)).status).toBe(200);
    await end(target);

    for (const [assistant, who] of [
      [tools, student],
      [tools, teacher],
      [plain, student],
    ] as const) {
      const answer = await ask(who, assistant);
      expect([answer.status, answer.json.sources]).toEqual([200, []]);
      holdsNone(answer.text, 'answer');
      const run = await who.api('GET', `/api/v1/runs/${answer.json.run_id}`);
      holdsNone(run.text, 'run');
      expect(run.text).not.toContain('/api/v1/sources');
    }
    const report = await teacher.api('GET', `/api/v1/runs/${(await ask(student, tools)).json.run_id}/report`);
    holdsNone(report.text, 'report');
    expect(report.json.results[0]).toMatchObject({ status: 'failed', code: 'tool.inaccessible' });
    expect(report.json.results[0].message).toContain('not accessible');

    const path = `/v1/chat/completions`;
    const stream = await streamed(app, path, question(tools), { authorization: `Bearer ${student.key}` });
    holdsNone(JSON.stringify(stream), 'stream');
    expect((await click(before)).status).toBe(404);

    const strict = await teacher.api('PATCH', `${ASSISTANTS}/${tools}`, reading(target.id, { on_error: 'fail' }));
    expect([strict.status, errorsIn(strict)]).toEqual([200, ['tool.inaccessible']]);
  });

  it('a tool that must not fail ends the run without a word of what it would have read', async () => {
    const target = await filed(owner);
    await share(owner, target.id, teacher);
    const assistant = await published(teacher, reading(target.id, { on_error: 'fail' }));
    await share(owner, target.id);
    const answer = await ask(student, assistant);
    expect([answer.status, answer.json.error.code]).toEqual([502, 'tool_failed']);
    holdsNone(answer.text, 'error');
  });
});

describe('rights on knowledge bases, whatever happens in whatever order', () => {
  const PEOPLE = ['ada', 'ben', 'cem'] as const;
  type Name = (typeof PEOPLE)[number];
  type Step =
    | { readonly kind: 'share'; readonly with: readonly Name[] }
    | { readonly kind: 'show'; readonly visibility: 'private' | 'organization' }
    | { readonly kind: 'role'; readonly who: Name; readonly role: 'teacher' | 'member' }
    | { readonly kind: 'disable'; readonly who: Name; readonly disabled: boolean }
    | { readonly kind: 'sharing'; readonly on: boolean };

  const anybody = fc.constantFrom(...PEOPLE);
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('share' as const), with: fc.uniqueArray(anybody) }),
    fc.record({
      kind: fc.constant('show' as const),
      visibility: fc.constantFrom('private' as const, 'organization' as const),
    }),
    fc.record({
      kind: fc.constant('role' as const),
      who: anybody,
      role: fc.constantFrom('teacher' as const, 'member' as const),
    }),
    fc.record({ kind: fc.constant('disable' as const), who: anybody, disabled: fc.boolean() }),
    fc.record({ kind: fc.constant('sharing' as const), on: fc.boolean() }),
  );

  /** The rules in a few lines. Ada owns the knowledge base, Ben an assistant that reads it. */
  class Model {
    shared = new Set<Name>(['ben']);
    shown = false;
    sharing = true;
    readonly disabled = new Set<Name>();
    readonly members = new Set<Name>();

    active = (who: Name): boolean => !this.disabled.has(who);
    mayRead = (who: Name): boolean => who === 'ada' || this.shown || this.shared.has(who);
    /** Ada can change it while she is there and a teacher; more people may read only where sharing is allowed. */
    private owns = (opens: boolean): boolean =>
      this.active('ada') && !this.members.has('ada') && (this.sharing || !opens);

    take(step: Step): void {
      if (step.kind === 'share' && this.owns(step.with.length > 0)) {
        this.shared = new Set(step.with.filter((who) => who !== 'ada'));
      }
      if (step.kind === 'show' && this.owns(step.visibility === 'organization')) {
        this.shown = step.visibility === 'organization';
      }
      if (step.kind === 'role') this.members[step.role === 'member' ? 'add' : 'delete'](step.who);
      if (step.kind === 'disable') this.disabled[step.disabled ? 'add' : 'delete'](step.who);
      if (step.kind === 'sharing') this.sharing = step.on;
    }
  }

  let cast: Record<Name, Person>;
  let target: Filed;
  let assistant: number;

  beforeAll(async () => {
    cast = { ada: await person(app), ben: await person(app), cem: await person(app) };
    target = await filed(cast.ada);
    await share(cast.ada, target.id, cast.ben);
    assistant = await published(cast.ben, reading(target.id));
  });

  async function start(): Promise<void> {
    await app.api('PATCH', '/api/v1/organizations/default', { features: { sharing: true } });
    for (const who of PEOPLE) await setMember(cast[who], { role: 'teacher', disabled: false });
    await show(cast.ada, target.id, 'private');
    await share(cast.ada, target.id, cast.ben);
  }

  async function take(step: Step): Promise<void> {
    if (step.kind === 'share') await share(cast.ada, target.id, ...step.with.map((who) => cast[who]));
    if (step.kind === 'show') await show(cast.ada, target.id, step.visibility);
    if (step.kind === 'role') await setMember(cast[step.who], { role: step.role });
    if (step.kind === 'disable') await setMember(cast[step.who], { disabled: step.disabled });
    if (step.kind === 'sharing') {
      await app.api('PATCH', '/api/v1/organizations/default', { features: { sharing: step.on } });
    }
  }

  async function agrees(model: Model): Promise<void> {
    for (const who of PEOPLE) {
      const expected = model.active(who) ? (model.mayRead(who) ? 200 : 404) : 401;
      const { api } = cast[who];
      const direct = await api('GET', `${KNOWLEDGE_BASES}/${target.id}`);
      const found = await api('POST', `${KNOWLEDGE_BASES}/${target.id}/query`, { query: 'granite' });
      expect([who, direct.status, found.status]).toEqual([who, expected, expected]);
      const link = await click(linkTo(target, cast[who], cast.cem));
      const open = model.active(who) && model.mayRead(who) && model.active('cem');
      expect([who, 'link', link.status]).toEqual([who, 'link', open ? 200 : 404]);
    }
    const answer = await ask(student, assistant);
    expect(['answer', answer.status]).toEqual(['answer', model.active('ben') ? 200 : 404]);
    const knows = model.active('ben') && model.mayRead('ben');
    expect(['secret', answer.text.includes(SECRET)]).toEqual(['secret', knows]);
    if (!knows) holdsNone(answer.text, 'answer');
    expect((await foreigner.api('GET', `${KNOWLEDGE_BASES}/${target.id}`)).status).toBe(404);
  }

  it('let everybody read exactly what the rules say, after every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), async (history) => {
        await start();
        const model = new Model();
        for (const step of history) {
          await take(step);
          model.take(step);
          await agrees(model);
        }
      }),
      { numRuns: HISTORIES, interruptAfterTimeLimit: 100_000 },
    );
  }, 120_000);
});
