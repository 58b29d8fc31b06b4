import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { verifyLog } from '../../src/cli/receipts/verify-log';
import type { Config } from '../../src/infrastructure/config';
import { OrganizationExports } from '../../src/privacy/organization/organization-export.service';
import { entriesIn, RunsService } from '../../src/runs';
import { RunRepository } from '../../src/runs/run.repository';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { type Person, person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';

const QUESTION = 'What does chlorophyll do in a leaf?';
const ANSWER = 'It absorbs light.';

describe('the log of runs', () => {
  let app: TestApp;
  let upstream: Upstream;
  let student: Person;
  let assistant: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-log' } });
    student = await person(app, { role: 'member' });
    const metadata = { connector: 'openai', llm: 'gpt-4o-mini' };
    assistant = await makeAssistant(app, { name: 'Logged', system_prompt: 'Answer shortly.', metadata });
    const shares = [{ email: student.email, access: 'use' }];
    await app.api('PUT', `/api/v1/assistants/${assistant}/shares`, { shares });
    upstream.always({ content: ANSWER });
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
  const ask = async (): Promise<string> => {
    const body = { model: `lamb_assistant.${assistant}`, messages: [user(QUESTION)] };
    return String((await student.api('POST', '/v1/chat/completions', body)).json.run_id);
  };
  const receiptOf = async (id: string) => (await student.api('GET', `/api/v1/runs/${id}/receipt`)).json;
  const verify = async (receipt: unknown) => (await student.api('POST', '/api/v1/receipts/verify', receipt)).json;
  const bodies = async (): Promise<string> => {
    const rows = await sql('SELECT body FROM run_segments');
    return (await Promise.all(rows.map(({ body }) => entriesIn(body)))).flat().join('\n');
  };
  /** Segments and keys as an export and the published page have them. */
  const exported = async (): Promise<{ folder: string; segments: any[]; check: () => Promise<any> }> => {
    const [{ id }] = await sql(`SELECT id FROM organizations WHERE slug = 'default'`);
    const folder = await mkdtemp(join(tmpdir(), 'run-log-'));
    let text = '';
    for await (const file of app.get(OrganizationExports).files(id)) {
      for await (const part of file.content) if (file.path === 'data/run_segments.json') text += part.toString();
    }
    const segments = JSON.parse(text);
    const [file, keys] = [join(folder, 'run_segments.json'), join(folder, 'keys.json')];
    await writeFile(keys, await (await fetch(`${app.url}/.well-known/bellwether-receipt-keys.json`)).text());
    const check = async () => {
      await writeFile(file, JSON.stringify(segments));
      return verifyLog({} as Config, { segments: file, keys });
    };
    return { folder, segments, check };
  };

  it('holds a run in less than 2,000 bytes, as one line, with one signature for the lines that end together', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => ask()));
    await app.get(RunsService).flush();
    const [sums] = await sql(
      `SELECT count(*)::int AS runs, sum(pg_column_size(runs.*))::int AS rows,
         (SELECT sum(pg_column_size(s.*))::int FROM run_segments s) AS segments,
         (SELECT count(*)::int FROM run_segments WHERE signature IS NOT NULL) AS signatures,
         (SELECT sum(count)::int FROM run_segments) AS lines,
         count(*) FILTER (WHERE report IS NULL AND recording IS NULL AND receipt IS NULL AND plan IS NULL
           AND events::text = '[]')::int AS narrow
       FROM runs WHERE id = ANY($1)`,
      [ids],
    );
    expect([sums.runs, sums.narrow, sums.lines]).toEqual([40, 40, 40]);
    expect((sums.rows + sums.segments) / sums.runs).toBeLessThan(2_000);
    expect(sums.signatures).toBeLessThan(sums.runs / 2);
    const run = (await app.api('GET', `/api/v1/runs/${ids[7]}`)).json;
    expect(run).toMatchObject({ status: 'completed', question: QUESTION, tools: [], sources: [] });
    expect(run.events.map(({ type, seq }: any) => [type, seq])).toEqual([
      ['run.started', 1],
      ...run.events.slice(1, -1).map(({ type, seq }: any) => [type, seq]),
      ['run.completed', run.events.length],
    ]);
    const report = await app.api('GET', `/api/v1/runs/${ids[7]}/report`);
    expect(report.text).toContain(QUESTION);
    expect(report.text).toContain('Answer shortly.');
  });

  it('gives a receipt whose line is under the signed seal, and refuses one that was moved in the log', async () => {
    const [id, other] = await Promise.all([ask(), ask()]);
    const receipt = await receiptOf(id);
    expect(receipt.receipt).toMatchObject({ format: 'bellwether-receipt/2', run_id: id });
    expect(await verify(receipt)).toEqual({ valid: true });
    expect(await receiptOf(id)).toEqual(receipt);
    const { log } = (await receiptOf(other)).receipt;
    expect(await verify({ ...receipt, receipt: { ...receipt.receipt, log } })).toMatchObject({ reason: 'signature' });
    expect(await verify({ ...receipt, receipt: { ...receipt.receipt, log: undefined } })).toMatchObject({
      reason: 'malformed',
    });
  });

  it('keeps the receipt of a run whose texts were deleted, and nothing of its texts', async () => {
    const id = await ask();
    const before = await receiptOf(id);
    await sql(`UPDATE runs SET created_at = created_at - interval '10 years'`);
    await app.get(RunRepository).prune(365, 500);
    const run = (await student.api('GET', `/api/v1/runs/${id}`)).json;
    expect(run).toMatchObject({ status: 'completed', question: null });
    expect((await app.api('GET', `/api/v1/runs/${id}`)).json.events).toEqual([]);
    const kept = await bodies();
    expect(kept).toContain(id);
    expect([kept.includes(QUESTION), kept.includes(ANSWER)]).toEqual([false, false]);
    expect(await receiptOf(id)).toEqual(before);
    expect(await verify(before)).toEqual({ valid: true });
  });

  it('names the segment before which one was taken out, and the one whose lines were changed', async () => {
    for (let n = 0; n < 3; n++) {
      await ask();
      await app.get(RunsService).flush();
    }
    const { segments, check } = await exported();
    expect(await check()).toMatchObject({ ok: true });
    const [, taken, next] = segments;
    segments.splice(1, 1);
    expect((await check()).data.organizations[0].faults).toEqual([{ segment: next.id, fault: 'cut' }]);
    segments.splice(1, 0, taken);
    segments.at(-1).lines[0] = segments.at(-1).lines[0].replace(ANSWER, 'It reflects light.');
    const changed = await check();
    expect([changed.ok, changed.text]).toEqual([false, expect.stringContaining(`${segments.at(-1).id} holds lines`)]);
  });

  it('makes no receipt from a segment that does not fit its seal', async () => {
    const id = await ask();
    await receiptOf(id);
    await sql(`UPDATE run_segments SET root = repeat('A', 43) WHERE id = (SELECT segment_id FROM runs WHERE id = $1)`, [
      id,
    ]);
    expect((await student.api('GET', `/api/v1/runs/${id}/receipt`)).status).toBe(404);
  });
});
