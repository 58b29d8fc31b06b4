import { calling, calls, callWorld, type CallWorld, good, METADATA, target } from '../support/assistant-calls';
import type { Person } from '../support/people';

const ASSISTANTS = '/api/v1/assistants';
const PATH = 'metadata.functions[0].assistant_id';

let world: CallWorld;
beforeAll(async () => {
  world = await callWorld();
});
afterAll(() => world.stop());

const save = async (who: Pick<Person, 'api'>, body: Record<string, unknown>) => {
  const { status, json } = await who.api('POST', ASSISTANTS, body);
  return [
    status,
    ...(json.errors ?? json.diagnostics.filter(({ severity }: any) => severity === 'error')).map(
      ({ path, code }: { path: string; code: string }) => `${code} ${path}`,
    ),
  ];
};
const publish = (who: Pick<Person, 'api'>, id: number) => good(who.api('PUT', `${ASSISTANTS}/${id}/publication`));
const share = (who: Pick<Person, 'api'>, id: number, ...emails: string[]) =>
  good(who.api('PUT', `${ASSISTANTS}/${id}/shares`, { shares: emails.map((email) => ({ email })) }));
const features = (who: Pick<Person, 'api'>, slug: string, values: object) =>
  good(who.api('PATCH', `/api/v1/organizations/${slug}`, { features: values }));
const missing = [201, `tool.inaccessible ${PATH}`];

describe('saving an assistant that calls another', () => {
  it('is allowed for another one of its owner (A1)', async () => {
    expect(await save(world.owner, calls(await target(world.owner)))).toEqual([201]);
  });

  it('is allowed while the other one is shared with its owner, and not afterwards (A2, A6)', async () => {
    const id = await target(world.colleague);
    expect(await save(world.owner, calls(id))).toEqual(missing);
    await share(world.colleague, id, world.owner.email);
    expect(await save(world.owner, calls(id))).toEqual([201]);
    await share(world.colleague, id);
    expect(await save(world.owner, calls(id))).toEqual(missing);
  });

  it('is allowed for one that is published to the organization (A4)', async () => {
    const id = await target(world.colleague);
    await publish(world.colleague, id);
    expect(await save(world.owner, calls(id))).toEqual([201]);
  });

  it('answers for one out of reach what it answers for an id that never was (A6)', async () => {
    const answers = [await target(world.colleague), 2_000_000_000].map((id) =>
      world.owner.api('POST', ASSISTANTS, calls(id)),
    );
    const [hidden, never] = await Promise.all(answers);
    expect([hidden?.status, never?.status]).toEqual([201, 201]);
    const told = (answer: typeof hidden): string =>
      JSON.stringify(answer?.json.diagnostics).replace(/"\d+\b|\\"\d+/g, '"ID');
    expect(told(hidden)).toContain('tool.inaccessible');
    expect(told(hidden)).toBe(told(never));
  });

  it('refuses an id that no assistant can have, with its path', async () => {
    const tools = [{ plugin: 'assistant', config: { assistant_id: 2_147_483_648 } }];
    for (const [metadata, path] of [
      [calls(2_147_483_648).metadata, PATH],
      [calls(-1).metadata, PATH],
      [{ ...METADATA, assistant_type: 'multi_tool', tools }, 'metadata.tools[0].config.assistant_id'],
    ]) {
      expect(await save(world.owner, { name: 'A', metadata })).toEqual([400, `tool.config_invalid ${path as string}`]);
    }
    const into = await world.owner.api('POST', `${ASSISTANTS}/import?into=2147483648`, { name: 'A' });
    expect([into.status, into.json.errors?.[0].path]).toEqual([400, 'into']);
  });

  it('lets an administrator name only what the owner and they reach (A9)', async () => {
    const id = (await good(world.owner.api('POST', ASSISTANTS, { name: 'O', metadata: METADATA }))).json.id;
    const others = await target(world.colleague);
    const answer = await world.app.api('PATCH', `${ASSISTANTS}/${id}`, { metadata: calls(others).metadata });
    const unread = answer.json.diagnostics.filter(({ code }: { code: string }) => code === 'tool.inaccessible');
    expect([answer.status, unread.map(({ path }: { path: string }) => path)]).toEqual([200, [PATH]]);
    await share(world.colleague, others, world.owner.email);
    await publish(world.colleague, others);
    expect((await world.app.api('PATCH', `${ASSISTANTS}/${id}`, { metadata: calls(others).metadata })).status).toBe(
      200,
    );
  });

  it('gives the assistant of a system administrator no wider reach (A10)', async () => {
    expect(await save(world.app, calls(await target(world.stranger)))).toEqual(missing);
    expect(await save(world.app, calls(await target(world.colleague)))).toEqual(missing);
  });

  it('refuses one that calls anything, whatever its connector is called (B1)', async () => {
    const inner = await target(world.owner);
    const refused = [422, `tool_using_assistant ${PATH}`];
    expect(await save(world.owner, calls(await calling(world.owner, inner)))).toEqual(refused);
    for (const connector of ['openai', 'openai_tools', 'bypass']) {
      const id = await target(world.owner, { metadata: { ...METADATA, connector, tools: ['weather'] } });
      expect(await save(world.owner, calls(id))).toEqual(refused);
    }
    const tools = [{ plugin: 'assistant', config: { assistant_id: inner } }];
    const asking = await target(world.owner, { metadata: { ...METADATA, assistant_type: 'multi_tool', tools } });
    expect(await save(world.owner, calls(asking))).toEqual(refused);
  });

  it('says of one out of reach that calls others only that it is missing (B1)', async () => {
    const id = await target(world.colleague, { metadata: { ...METADATA, tools: ['weather'] } });
    expect(await save(world.owner, calls(id))).toEqual(missing);
  });

  it('is allowed for one with content tools only (B2)', async () => {
    const tools = [{ plugin: 'simple_rag' }, { plugin: 'rubric_rag' }, { plugin: 'single_file_rag' }];
    const id = await target(world.owner, { metadata: { ...METADATA, assistant_type: 'multi_tool', tools } });
    expect(await save(world.owner, calls(id))).toEqual([201]);
  });

  it('refuses that it calls itself (B4)', async () => {
    const id = await target(world.owner);
    const answer = await world.owner.api('PATCH', `${ASSISTANTS}/${id}`, { metadata: calls(id).metadata });
    expect([answer.status, answer.json.errors[0].code]).toEqual([422, 'tool_using_assistant']);
  });

  it('refuses functions to one that another assistant of its owner calls (B6)', async () => {
    const id = await target(world.owner);
    await calling(world.owner, id);
    for (const metadata of [{ ...METADATA, functions: ['weather'] }, calls(await target(world.owner)).metadata]) {
      const answer = await world.owner.api('PATCH', `${ASSISTANTS}/${id}`, { metadata });
      expect([answer.status, answer.json.errors[0].code]).toEqual([422, 'tool_using_assistant']);
    }
    expect(
      (await world.owner.api('PATCH', `${ASSISTANTS}/${id}`, { prompt_template: 'Hm: {user_input}' })).status,
    ).toBe(200);
  });

  it('saves one that is switched off or deleted with a diagnostic (C1)', async () => {
    const id = await target(world.owner);
    await good(world.owner.api('PUT', `${ASSISTANTS}/${id}/suspension`));
    expect(await save(world.owner, calls(id))).toEqual([201, `tool.disabled ${PATH}`]);
    await good(world.owner.api('DELETE', `${ASSISTANTS}/${id}/suspension`));
    expect(await save(world.owner, calls(id))).toEqual([201]);
    await good(world.owner.api('DELETE', `${ASSISTANTS}/${id}`));
    expect(await save(world.owner, calls(id))).toEqual(missing);
  });

  it('saves one without a model with a warning (C5)', async () => {
    const id = await target(world.owner, { metadata: { ...METADATA, connector: 'anthropic' } });
    const { status, json } = await world.owner.api('POST', ASSISTANTS, calls(id));
    expect(status).toBe(201);
    expect(json.diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'warning', code: 'tool.degraded', path: PATH }),
    );
  });

  it('lets neither ownership nor publication leave the organization (D1, D2)', async () => {
    await features(world.stranger, world.foreign, { assistants_export: true });
    await features(world.app, 'default', { assistants_import: true });
    const own = await target(world.ownerAbroad);
    expect(await save(world.owner, calls(own))).toEqual(missing);
    await publish(world.ownerAbroad, own);
    expect(await save(world.owner, calls(own))).toEqual(missing);
  });

  it('is allowed across organizations for public and shared ones that both allow (D3 to D5)', async () => {
    const open = await target(world.stranger);
    expect((await world.app.api('PUT', `${ASSISTANTS}/${open}/publication/everywhere`)).status).toBe(409);
    await publish(world.stranger, open);
    expect((await world.stranger.api('PUT', `${ASSISTANTS}/${open}/publication/everywhere`)).status).toBe(403);
    await good(world.app.api('PUT', `${ASSISTANTS}/${open}/publication/everywhere`));
    const shared = await target(world.stranger);
    await share(world.stranger, shared, world.owner.email);
    for (const [exporting, importing, expected] of [
      [true, true, [201]],
      [true, false, missing],
      [false, true, missing],
    ] as const) {
      await features(world.stranger, world.foreign, { assistants_export: exporting });
      await features(world.app, 'default', { assistants_import: importing });
      expect(await save(world.owner, calls(open))).toEqual(expected);
      expect(await save(world.owner, calls(shared))).toEqual(expected);
    }
  });

  it('refuses two functions of one name (E3)', async () => {
    const id = await target(world.owner);
    expect(await save(world.owner, calls(id, id))).toEqual([422, 'function.duplicate metadata.functions[1]']);
    const twice = { ...METADATA, tools: ['weather'], functions: ['weather'] };
    expect(await save(world.owner, { name: 'x', metadata: twice })).toEqual([
      422,
      'function.duplicate metadata.functions[0]',
    ]);
  });
});

describe('functions of a document', () => {
  const problems = async (functions: unknown[]) => {
    const { json } = await world.owner.api('POST', `${ASSISTANTS}/validate`, { metadata: { ...METADATA, functions } });
    return json.diagnostics.map(
      ({ severity, code, path }: { severity: string; code: string; path: string }) => `${severity} ${code} ${path}`,
    );
  };

  it('are checked like tools: unknown names with the closest, configs with their paths, empty choices', async () => {
    expect(await problems(['wether', { type: 'asistant', assistant_id: 7 }])).toEqual([
      'error tool.unknown metadata.functions[0]',
      'error tool.unknown metadata.functions[1].type',
    ]);
    const { json } = await world.owner.api('POST', ASSISTANTS, { name: 'x', metadata: { tools: ['wether'] } });
    expect(json.errors[0].message).toContain('did you mean "weather"?');
    expect(await problems([{ type: 'assistant', assistant_id: 'seven', colour: 'red' }])).toEqual([
      'error tool.config_invalid metadata.functions[0].colour',
      'error tool.config_invalid metadata.functions[0].assistant_id',
    ]);
    expect(await problems([{ type: 'assistant', assistant_id: null }])).toEqual([
      'warning tool.config_incomplete metadata.functions[0].assistant_id',
    ]);
  });

  it('keep the names of what is out of reach when they are imported, and say so (X9)', async () => {
    const [own, others] = [await target(world.owner), await target(world.stranger)];
    const tools = [{ plugin: 'assistant', placeholder: '1_tool_result', config: { assistant_id: others } }];
    const metadata = { ...(calls(others, own).metadata as object), assistant_type: 'multi_tool', tools };
    const { status, json } = await world.owner.api('POST', `${ASSISTANTS}/import`, { name: 'I', metadata });
    expect(status).toBe(201);
    expect(json.dropped.map(({ path }: { path: string }) => path).sort()).toEqual([
      'metadata.functions[0].assistant_id',
      'metadata.tools[0].config.assistant_id',
    ]);
    expect(json.metadata).toMatchObject({ functions: (metadata as { functions?: object[] }).functions, tools });
  });
});

describe('a name that is not shown as it is stored', () => {
  const NAME = 'two\nlines \u202Eand a turned one';

  it.each<[string, string, object, string]>([
    ['an assistant', ASSISTANTS, { name: NAME }, 'name'],
    ['a copy', `${ASSISTANTS}/import`, { name: NAME }, 'name'],
    ['a prompt template', '/api/v1/prompt-templates', { name: NAME }, 'name'],
    ['a knowledge base', '/api/v1/knowledge-bases', { name: NAME }, 'name'],
    ['an API key', '/api/v1/api-keys', { name: NAME }, 'name'],
    ['a rubric', '/api/v1/rubrics', { title: NAME }, 'title'],
    ['a member', '/api/v1/organizations/default/members', { email: 'n@uni.test', name: NAME, role: 'member' }, 'name'],
    ['an organization', '/api/v1/organizations', { slug: 'named', name: NAME }, 'name'],
  ])('is refused for %s', async (_, path, body, field) => {
    const { status, json } = await world.app.api('POST', path, body);
    const messages = (json.errors as { path: string; message: string }[]).filter((each) => each.path === field);
    expect([status, messages.map(({ message }) => message)]).toEqual([
      400,
      [expect.stringContaining('must not hold line breaks')],
    ]);
  });
});
