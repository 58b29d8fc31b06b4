import { idsCsv, NO_CHOICES } from '../../extensions/lamb-import';
import { keyOf, person } from '../support/people';
import { lambImports } from '../support/lamb-imports';
import { assistant, place } from '../support/lamb-source';

const { app, run, runOne, rows } = lambImports();

const ask = (who: Awaited<ReturnType<typeof keyOf>>, model: string, path = '/v1/chat/completions') =>
  who.api('POST', path, { model, messages: [{ role: 'user', content: 'Hi' }] });

/** Prompts name the assistant, since `debug-bypass` answers with the prompt. */
const called = (id: number, name: string, changes: object = {}) =>
  assistant(id, { name, systemPrompt: `I am ${name}.`, published: true, ...changes });

describe('an assistant of LAMB', () => {
  it('keeps its number where it is free, and new assistants come above', async () => {
    const { organizations, sourceName, slug } = place();
    const report = await run(
      { organizations, assistants: [called(70, 'seventy'), called(3, '=three')] },
      { sourceName },
    );
    expect(report.organizations[0]?.assistants.map(({ origin, id }) => [origin, id])).toEqual([
      [70, 70],
      [3, 3],
    ]);
    expect(idsCsv(report).split('\r\n')).toEqual([
      'source,organization,old_id,new_id,old_model,new_model,name',
      `${sourceName},${slug},70,70,lamb_assistant.70,lamb_assistant.70,seventy`,
      `${sourceName},${slug},3,3,lamb_assistant.3,lamb_assistant.3,'=three`,
      '',
    ]);
    const ana = await keyOf(app(), 'user2@biology.example', { organization: slug });
    const made = await ana.api('POST', '/api/v1/assistants', { name: 'New' });
    // Some numbers stay free for assistants that are made in LAMB until the last import.
    expect(made.json.id).toBeGreaterThan(1_000);
    const again = await runOne(
      { organizations, assistants: [called(70, 'seventy'), called(3, '=three'), called(71, 'later')] },
      { sourceName },
    );
    expect(again.assistants.map(({ id }) => id)).toEqual([70, 3, 71]);
  });

  it('gets a new number when the operator asks for it, or when the old one is taken or too high', async () => {
    const { organizations, sourceName } = place();
    const first = await runOne({ organizations, assistants: [called(200, 'a')] }, { sourceName });
    expect(first.assistants).toMatchObject([{ id: 200 }]);
    const other = place();
    const second = await runOne(
      { organizations: other.organizations, assistants: [called(200, 'b'), called(2_000_000_000, 'c')] },
      { sourceName: other.sourceName },
    );
    for (const { id, origin } of second.assistants) expect(id).not.toBe(origin);
    const third = place();
    const choices = { ...NO_CHOICES, newIds: true };
    const result = await runOne(
      { organizations: third.organizations, assistants: [called(300, 'd')] },
      { sourceName: third.sourceName, choices },
    );
    expect(result.assistants[0]?.id).not.toBe(300);
  });

  it('answers to its old number in its own organization alone', async () => {
    const here = place();
    const there = place();
    await run({ organizations: here.organizations, assistants: [called(400, 'ours')] }, here);
    const moved = await runOne({ organizations: there.organizations, assistants: [called(400, 'theirs')] }, there);
    const ours = await keyOf(app(), 'user2@biology.example', { organization: here.slug });
    const theirs = await keyOf(app(), 'user2@biology.example', { organization: there.slug });
    expect((await ask(ours, 'lamb_assistant.400')).text).toContain('I am ours.');
    for (const model of ['lamb_assistant.400', '400', `lamb:${there.sourceName}.400`, 'theirs', 'LAMB:theirs']) {
      expect((await ask(theirs, model)).text).toContain('I am theirs.');
    }
    const lamb = await theirs.api('POST', '/lamb/v1/completions?assistant=400', {
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(lamb.text).toContain('I am theirs.');
    const moved400 = '/api/v1/assistants/400';
    expect((await theirs.api('GET', `${moved400}/chat`)).json.assistant).toMatchObject({
      id: moved.assistants[0]?.id,
      name: 'theirs',
    });
    const messages = [{ role: 'user', content: 'Hi' }];
    expect((await theirs.api('POST', `${moved400}/completions`, { messages })).text).toContain('I am theirs.');
    expect((await theirs.api('POST', `${moved400}/runs`, { messages })).status).toBe(202);
    expect((await ours.api('GET', `${moved400}/chat`)).json.assistant).toMatchObject({ id: 400, name: 'ours' });
    for (const model of [
      'assistant.400',
      `lamb:${here.sourceName}.400`,
      'ours',
      'LAMB:400',
      'lamb:x.400',
      '401',
      'LAMB:',
    ]) {
      const refused = await ask(theirs, model);
      expect([model, refused.status, refused.json.error.code]).toEqual([model, 404, 'model_not_found']);
    }
    const { json } = await theirs.api('GET', `/v1/models/lamb_assistant.400`);
    expect(json.id).toBe(`lamb_assistant.${moved.assistants[0]?.id}`);
  });

  it('is never mistaken for another one: a number or name of two is refused with both', async () => {
    const { organizations, sourceName, slug } = place();
    await run({ organizations }, { sourceName });
    const ana = await keyOf(app(), 'user2@biology.example', { organization: slug });
    const own: number = (await ana.api('POST', '/api/v1/assistants', { name: 'Own' })).json.id;
    const report = await runOne(
      { organizations, assistants: [called(own, 'Imported'), called(90_001, 'Own'), called(90_002, String(own))] },
      { sourceName },
    );
    const idOf = (origin: number) => report.assistants.find((each) => each.origin === origin)?.id ?? 0;
    const refusal = async (model: string): Promise<string> => {
      const { status, json } = await ask(ana, model);
      expect([model, status, json.error.code]).toEqual([model, 400, 'validation_failed']);
      return json.error.message;
    };
    const numbered = await refusal(`lamb_assistant.${own}`);
    expect(numbered).toContain(`assistant.${own} ("Own"), assistant.${idOf(own)} ("Imported")`);
    expect(await refusal(String(own))).toContain('means 3 assistants');
    expect(await refusal('Own')).toContain(`assistant.${own} ("Own"), assistant.${idOf(90_001)} ("Own")`);
    expect((await ask(ana, `lamb:${sourceName}.${own}`)).text).toContain('I am Imported.');
    // An address of this service means its own id first.
    expect((await ana.api('GET', `/api/v1/assistants/${own}/chat`)).json.assistant.name).toBe('Own');
    expect((await ask(ana, `LAMB:${own}`)).text).toContain(`I am ${own}.`);
    expect((await ana.api('GET', `/v1/models/assistant.${own}`)).json.name).toBe('Own');

    const listed = (await ana.api('GET', '/v1/models')).json.data.map(({ id }: { id: string }) => id);
    expect(listed).toEqual(expect.arrayContaining([`assistant.${own}`, `lamb_assistant.${idOf(own)}`]));
    for (const model of listed) expect((await ana.api('GET', `/v1/models/${model}`)).json.id).toBe(model);

    // Ana's draft is out of reach for a student, so one is left.
    const student = await person(app(), { organization: slug, role: 'member' });
    expect((await ask(student, `lamb_assistant.${own}`)).text).toContain('I am Imported.');
    expect((await ask(student, 'Own')).text).toContain('I am Own.');
  });

  it('is found at the root as under v1, with OpenAI’s errors', async () => {
    const { organizations, sourceName, slug } = place();
    await run({ organizations, assistants: [called(500, 'root')] }, { sourceName });
    const ana = await keyOf(app(), 'user2@biology.example', { organization: slug });
    const [root, v1] = await Promise.all(['/models', '/v1/models'].map((path) => ana.api('GET', path)));
    expect(root?.json.data.map(({ id }: { id: string }) => id)).toEqual(['lamb_assistant.500']);
    expect(root?.json.data[0].id).toEqual(v1?.json.data[0].id);
    expect((await ask(ana, 'root', '/chat/completions')).text).toContain('I am root.');
    const refused = await ask(ana, 'nobody', '/chat/completions');
    expect([refused.status, refused.json.error.code]).toEqual([404, 'model_not_found']);
    const anonymous = await app().api('GET', '/models', undefined, { authorization: '' });
    expect([anonymous.status, anonymous.json.error.code]).toEqual([401, expect.any(String)]);
    expect((await app().api('DELETE', '/models')).status).toBe(405);
  });

  it('has an alias for each number that an import knows', async () => {
    expect(
      await rows(`SELECT count(*)::int AS n FROM assistant_aliases a JOIN origins o
      ON o.kind = 'assistant' AND o.organization_id = a.organization_id AND o.source = a.source
      AND o.origin_id = a.number::text AND o.local_id = a.assistant_id::text`),
    ).toEqual(await rows(`SELECT count(*)::int AS n FROM origins WHERE kind = 'assistant'`));
  });
});
