import { filesForm } from '../support/app';
import { ask, call, calling, callWorld, type CallWorld, good, METADATA, target } from '../support/assistant-calls';
import { callDecisions, type Maker, features, publish, share, unpublish } from '../support/call-decisions';
import { mcpClient, textsOf } from '../support/mcp-client';

const ASSISTANTS = '/api/v1/assistants';

let world: CallWorld;
beforeAll(async () => {
  world = await callWorld();
});
afterAll(() => world.stop());
const { allowed, deniedOnce } = callDecisions(() => world);

describe('calling an assistant of another organization', () => {
  const consent = async (exporting: boolean, importing: boolean) => {
    await features(world.stranger, world.foreign, { assistants_export: exporting });
    await features(world.app, 'default', { assistants_import: importing });
  };
  const open = async (maker: Maker = world.stranger, more: Record<string, unknown> = {}): Promise<number> => {
    const id = await target(maker, more);
    await publish(maker, id);
    await good(world.app.api('PUT', `${ASSISTANTS}/${id}/publication/everywhere`));
    return id;
  };
  beforeEach(() => consent(true, true));

  it('runs on what that organization has and pays; the asker’s organization is in the record (D3)', async () => {
    const id = await open();
    const caller = await calling(world.owner, id);
    const { runId } = await allowed(caller, id);
    const [nested] = (await world.owner.api('GET', `/api/v1/runs/${runId}`)).json.runs;
    expect((await world.owner.api('GET', `/api/v1/runs/${nested.id}`)).status).toBe(404);
    const paid = (await world.stranger.api('GET', `/api/v1/runs/${nested.id}`)).json;
    const { json: home } = await world.app.api('GET', '/api/v1/organizations/default');
    expect(paid).toMatchObject({ assistant: { id }, caller_organization_id: home.id, parent_run_id: runId });
  });

  it('is refused once either organization withdraws its consent (D4)', async () => {
    const id = await open();
    const caller = await calling(world.owner, id);
    await deniedOnce(caller, id, 'D4', () => consent(false, true));
    await consent(true, true);
    await deniedOnce(caller, id, 'D4', () => consent(true, false));
  });

  it('is refused where it is only published there, or only the owner’s own there (D2, D1)', async () => {
    const id = await open();
    const caller = await calling(world.owner, id);
    await deniedOnce(caller, id, 'D2', () =>
      good(world.app.api('DELETE', `${ASSISTANTS}/${id}/publication/everywhere`)),
    );
    const own = await open(world.ownerAbroad);
    const other = await calling(world.owner, own);
    await deniedOnce(other, own, 'D1', () => unpublish(world.ownerAbroad, own));
  });

  it('is allowed while it is shared by name with the owner and both allow it (D5)', async () => {
    const id = await target(world.stranger);
    await share(world.stranger, id, world.owner.email);
    const caller = await calling(world.owner, id);
    await allowed(caller, id);
    await deniedOnce(caller, id, 'D4', () => consent(false, true));
  });

  it('has a quota for every pair of organizations (E4)', async () => {
    const id = await open();
    const caller = await calling(world.owner, id);
    const limit = (assistant_calls: object | null) =>
      good(world.stranger.api('PATCH', `/api/v1/organizations/${world.foreign}`, { limits: { assistant_calls } }));
    await limit({ per_organization: 0 });
    const asked = await ask(world, world.student, caller, { calls: [call(id)] });
    await limit(null);
    expect(asked.results).toEqual([expect.stringContaining('quota_exceeded')]);
  });

  it('keeps the quota for calls at the same time, too (E4)', async () => {
    const id = await open();
    const caller = await calling(world.owner, id);
    const limit = (assistant_calls: object | null) =>
      good(world.stranger.api('PATCH', `/api/v1/organizations/${world.foreign}`, { limits: { assistant_calls } }));
    await limit({ per_day: 1_000, per_assistant: 3, per_organization: 1_000 });
    const eight = Array.from({ length: 8 }, (_, at) => call(id, `at once ${at}`));
    const asked = await ask(world, world.student, caller, { calls: eight });
    await limit(null);
    expect(asked.toTargets).toHaveLength(3);
    expect(asked.results.filter((text) => text.includes('quota_exceeded'))).toHaveLength(5);
  });

  describe('asked itself, without an assistant in between', () => {
    const body = { messages: [{ role: 'user', content: 'why?' }] };
    const doors = (id: number): readonly (readonly [string, object])[] => [
      ['/v1/chat/completions', { model: `lamb_assistant.${id}`, ...body }],
      [`/lamb/v1/completions?assistant=${id}`, body],
      [`${ASSISTANTS}/${id}/completions`, body],
    ];
    const modelsOf = async (who: Maker): Promise<string[]> =>
      (await good(who.api('GET', '/v1/models'))).json.data.map((model: { id: string }) => model.id);
    const statuses = async (who: Maker, id: number): Promise<readonly number[]> => {
      world.vendor.think(() => ({ content: 'the target says 42' }));
      const found: number[] = [];
      for (const [path, asked] of doors(id)) found.push((await who.api('POST', path, asked)).status);
      found.push((await who.api('GET', `/v1/models/lamb_assistant.${id}`)).status);
      return found;
    };
    const reached = [200, 200, 200, 200];
    const hidden = [404, 404, 404, 404];

    it('answers callers whose organization imports, and is in their list of models', async () => {
      const id = await open();
      expect(await statuses(world.student, id)).toEqual(reached);
      expect(await modelsOf(world.student)).toContain(`lamb_assistant.${id}`);
      const { json } = await world.student.api('GET', `/v1/models/lamb_assistant.${id}`);
      expect(json.owned_by).toBe(world.foreign);
      expect((await world.student.api('GET', `${ASSISTANTS}/${id}`)).status).toBe(404);
    });

    it('is paid by its organization, which reads the record; the asker reads their own run without contents', async () => {
      const id = await open();
      world.vendor.think(() => ({ content: 'the target says 42' }));
      const before = world.vendor.requests.length;
      const answer = await world.student.api('POST', `${ASSISTANTS}/${id}/completions`, { ...body, verbose: true });
      expect(answer.json.choices[0].message.content).toBe('the target says 42');
      expect(answer.json.sources ?? []).toEqual([]);
      expect(world.vendor.requests.slice(before)).toHaveLength(1);
      const run = `/api/v1/runs/${answer.headers.get('x-run-id') ?? ''}`;
      const { json: home } = await world.app.api('GET', '/api/v1/organizations/default');
      expect((await good(world.stranger.api('GET', run))).json).toMatchObject({
        caller_organization_id: home.id,
        user_id: world.student.userId,
      });
      const own = await good(world.student.api('GET', run));
      expect(own.json).not.toHaveProperty('events');
      expect((await good(world.student.api('GET', `${run}/report`))).text).not.toContain('I am the target');
      const listed = (await good(world.student.api('GET', `/api/v1/runs?assistant_id=${id}`))).json.items;
      expect(listed.map((item: { id: string }) => `/api/v1/runs/${item.id}`)).toContain(run);
      for (const other of [world.app, world.colleague]) expect((await other.api('GET', run)).status).toBe(404);
    });

    it('runs in the background, where its asker may follow and cancel it', async () => {
      const id = await open();
      world.vendor.think(() => ({ content: 'the target says 42' }));
      const started = await good(world.student.api('POST', `${ASSISTANTS}/${id}/runs`, body));
      const events = await world.student.api('GET', `/api/v1/runs/${started.json.id as string}/events`);
      expect([events.status, events.text]).toEqual([200, expect.stringContaining('event: run.completed')]);
      expect((await world.student.api('POST', `/api/v1/runs/${started.json.id as string}/cancel`)).status).toBe(409);
    });

    it('tells the asker that tools run, but neither their plugins nor what they read', async () => {
      const names = ['private-gone.md', 'private-kept.md'];
      const form = filesForm(...names.map((name) => [name, 'private'] as const));
      const [gone] = (await good(world.stranger.api('POST', '/api/v1/files', form))).json.items;
      const file = (file_path: string) => ({ plugin: 'single_file_rag', config: { file_path } });
      const metadata = { ...METADATA, assistant_type: 'multi_tool', tools: names.map(file) };
      const id = await open(world.stranger, { prompt_template: '{1_file}{2_file}{user_input}', metadata });
      await good(world.stranger.api('DELETE', `/api/v1/files/${gone.id as string}`));
      const naming = /single_file_rag|[12]_file|private/;
      world.vendor.think(() => ({ content: 'the target says 42' }));
      const streamed = (progress: string) => async (who: Maker) =>
        who.api('POST', `${ASSISTANTS}/${id}/completions`, { ...body, stream: true, stream_options: { progress } });
      const followed = async (who: Maker) => {
        const started = await good(who.api('POST', `${ASSISTANTS}/${id}/runs`, body));
        return who.api('GET', `/api/v1/runs/${started.json.id as string}/events`);
      };
      for (const told of [...['comment', 'chunk', 'status'].map(streamed), followed]) {
        const { text } = await told(world.student);
        expect(text).toMatch(/tool[ ._]complete/i);
        expect(text).toMatch(/tool[ ._](failed|error)/i);
        expect(text).not.toMatch(naming);
        expect((await told(world.stranger)).text).toMatch(naming);
      }
      const client = await mcpClient(world.app, world.owner.key);
      const told: unknown[] = [];
      const onprogress = (progress: object) => void told.push(progress);
      await client.callTool({ name: `assistant_${id}`, arguments: { query: 'why?' } }, undefined, { onprogress });
      await client.close();
      expect(JSON.stringify(told)).toContain('Tool completed');
      expect(JSON.stringify(told)).not.toMatch(naming);
    });

    it('is a tool over MCP, and never a prompt', async () => {
      const id = await open();
      world.vendor.think(() => ({ content: 'the target says 42' }));
      const client = await mcpClient(world.app, world.owner.key);
      try {
        const name = `assistant_${id}`;
        expect((await client.listTools()).tools.map((tool) => tool.name)).toContain(name);
        expect(textsOf(await client.callTool({ name, arguments: { query: 'why?' } }))).toEqual(['the target says 42']);
        expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).not.toContain(name);
        await expect(client.getPrompt({ name, arguments: { query: 'why?' } })).rejects.toThrow('Unknown prompt');
      } finally {
        await client.close();
      }
    });

    it('is out of reach once it is not published everywhere, or one organization does not want it', async () => {
      const id = await open();
      const everywhere = `${ASSISTANTS}/${id}/publication/everywhere`;
      for (const [off, on] of [
        [() => consent(false, true), () => consent(true, true)],
        [() => consent(true, false), () => consent(true, true)],
        [() => good(world.app.api('DELETE', everywhere)), () => good(world.app.api('PUT', everywhere))],
        [
          () => good(world.stranger.api('PUT', `${ASSISTANTS}/${id}/suspension`)),
          () => good(world.stranger.api('DELETE', `${ASSISTANTS}/${id}/suspension`)),
        ],
        [
          () => good(world.app.api('PUT', `/api/v1/organizations/${world.foreign}/suspension`)),
          () => good(world.app.api('DELETE', `/api/v1/organizations/${world.foreign}/suspension`)),
        ],
      ] as const) {
        await off();
        expect(await statuses(world.student, id)).toEqual(hidden);
        expect(await modelsOf(world.student)).not.toContain(`lamb_assistant.${id}`);
        await on();
        expect(await statuses(world.student, id)).toEqual(reached);
      }
      await unpublish(world.stranger, id);
      expect(await statuses(world.student, id)).toEqual(hidden);
    });

    it('counts in the quotas of its organization', async () => {
      const id = await open();
      const limit = (assistant_calls: object | null) =>
        good(world.stranger.api('PATCH', `/api/v1/organizations/${world.foreign}`, { limits: { assistant_calls } }));
      await limit({ per_assistant: 2 });
      world.vendor.think(() => ({ content: 'the target says 42' }));
      const asked = await Promise.all(
        Array.from({ length: 5 }, () => world.student.api('POST', `${ASSISTANTS}/${id}/completions`, body)),
      );
      await limit(null);
      expect(asked.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
    });
  });

  it('is refused while either organization is suspended (C4)', async () => {
    const id = await open();
    const caller = await calling(world.owner, id);
    const suspension = `/api/v1/organizations/${world.foreign}/suspension`;
    await deniedOnce(caller, id, 'C4', () => good(world.app.api('PUT', suspension)));
    expect((await world.stranger.api('GET', '/api/v1/me')).status).toBe(401);
    expect((await world.stranger.api('DELETE', suspension)).status).toBe(401);
    await good(world.app.api('DELETE', suspension));
    await allowed(caller, id);
    expect((await world.app.api('PUT', '/api/v1/organizations/default/suspension')).status).toBe(409);
  });
});
