import { openLambSource } from '@bellwether/lamb-reader';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { registerLambCommands } from '../../extensions/lamb-import/commands/lamb.commands';
import { makeSignInLinks } from '../../src/cli/people/make-sign-in-links';
import { BadUsage, SILENT } from '../../src/infrastructure/commands';
import { type ImportReport, LambImport, NO_CHOICES, reportJson } from '../../extensions/lamb-import';
import type { Config } from '../../src/infrastructure/config';
import { startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { user } from '../support/chat';
import { compile, compiledFile, SERVICE } from '../support/compiled';
import { openTestDatabase, testDatabaseUrl } from '../support/database';
import { type KbServer, startKbServer } from '../support/kb-server';
import { LAMB_ASSISTANTS, LAMB_SECRETS, lambContent } from '../support/lamb-content';
import { buildLambDatabase } from '../support/lamb-database';
import { keyOf, type Person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';

const notAsked = (): Promise<never> => Promise.reject(new Error('This command asks for no application'));

type Example = keyof typeof LAMB_ASSISTANTS;

const metadataOf = ({ metadata }: any): any => (typeof metadata === 'string' ? JSON.parse(metadata) : metadata);

const NOT_TAKEN: readonly Example[] = ['deleted', 'proto', 'nul'];

describe('moving in from LAMB', () => {
  const secretsKey = `test:${randomBytes(32).toString('hex')}`;
  let folder: string;
  let database: string;
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let dataSource: DataSource;
  /** The report of the import, as the command wrote it. */
  let told: any;
  let ana: Pick<Person, 'api'>;

  /** As the command does it, inside the test's own process. */
  const run = (dryRun: boolean): Promise<ImportReport> =>
    app.get(LambImport).run(openLambSource(database), {
      files: join(folder, 'public'),
      dryRun,
      sourceName: 'lamb',
      organization: null,
      choices: NO_CHOICES,
      progress: { report: () => undefined },
      signal: new AbortController().signal,
    });
  const command = (...args: string[]): Promise<{ code: number; output: string }> =>
    new Promise((done) => {
      const env = {
        PATH: process.env['PATH'],
        DATABASE_URL: testDatabaseUrl(),
        DATA_DIR: app.dataDir,
        SECRETS_KEY: secretsKey,
        OUTBOUND_ALLOW: '127.0.0.1',
      };
      execFile(process.execPath, [compiledFile('src/cli.js'), ...args], { env }, (error, out, err) =>
        done({ code: error === null ? 0 : Number(error.code), output: err + out }),
      );
    });
  const arts = (report: any): any => report.organizations.find(({ origin }: { origin: number }) => origin === 2);
  const ourId = (name: Example): number =>
    arts(told).assistants.find(({ origin }: { origin: number }) => origin === LAMB_ASSISTANTS[name])?.id;
  const definition = async (name: Example) => (await ana.api('GET', `/api/v1/assistants/${ourId(name)}`)).json;

  /** The question's whole prompt, runs of white space as one. */
  const ask = async (name: Example): Promise<string> => {
    upstream.reset();
    upstream.always({ content: 'An answer.' });
    const answer = await ana.api('POST', '/v1/chat/completions', {
      model: `lamb_assistant.${ourId(name)}`,
      messages: [user('What moves?')],
    });
    expect([answer.status, answer.json?.choices?.[0]?.message.content]).toEqual([200, 'An answer.']);
    const asked = upstream.requests.at(-1);
    expect(asked?.headers.authorization).toBe(`Bearer ${LAMB_SECRETS.openai}`);
    return String(asked?.body.messages?.at(-1)?.content).replaceAll(/\s+/g, ' ').trim();
  };

  beforeAll(async () => {
    compile(SERVICE);
    folder = mkdtempSync(join(tmpdir(), 'bw-moving-in-'));
    database = join(folder, 'lamb_v4.db');
    mkdirSync(join(folder, 'public', '2'), { recursive: true });
    writeFileSync(join(folder, 'public', '2', 'notes.md'), 'Notes about osmosis.');
    upstream = await startUpstream();
    kb = await startKbServer();
    app = await startApp({ env: { SECRETS_KEY: secretsKey } });
    dataSource = await openTestDatabase();
    buildLambDatabase(database, lambContent({ vendorUrl: upstream.url, kbUrl: kb.url }));
  }, 60_000);
  afterAll(async () => {
    await dataSource.destroy();
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses what cannot be read or understood before anything starts', async () => {
    const text = join(folder, 'chats.csv');
    writeFileSync(text, 'id,chat\n'.repeat(100));
    const refusal = (file: string, options: object): Promise<unknown> =>
      new Promise((done, fail) =>
        registerLambCommands(new Command(), (command, work) => {
          if (command.name() !== 'import:lamb') return;
          const context = {
            args: [file],
            environment: {},
            progress: SILENT,
            signal: new AbortController().signal,
            withApplication: notAsked,
          };
          // A configuration that no application could start with.
          work({} as Config, { source: 'lamb', ...options } as never, context).then(fail, done);
        }),
      );
    const rehearsal = { rate: '1', timeout: '60', report: 'rehearsal.md' };
    expect(await refusal(text, {})).toMatchObject({ detail: expect.stringMatching(/is not a SQLite database$/) });
    expect(await refusal(database, { source: '../x' })).toBeInstanceOf(BadUsage);
    for (const options of [
      { mapAddress: ['kb:9090=https://kb.example.edu'] },
      { mapAddress: ['http://kb=https://a.example', 'http://kb/=https://b.example'] },
      { rename: ['default=Law School'] },
      { rename: ['law'] },
      { rename: ['a=law', 'b=law'] },
      { rehearse: 'lamb.example', ...rehearsal },
      { rehearse: 'https://lamb.example', dryRun: true, ...rehearsal },
      { rehearse: 'https://lamb.example', ...rehearsal, rate: '0' },
      { rehearse: 'https://lamb.example', ...rehearsal },
      { rehearse: 'https://lamb.example', ...rehearsal, report: 'report.txt' },
    ])
      expect(await refusal(database, options)).toBeInstanceOf(BadUsage);
    expect(await refusal(database, { files: text })).toMatchObject({
      problems: [{ path: '--files', message: `${text} is not a directory` }],
    });
  });

  it('says in a dry run what it would do, and writes nothing', async () => {
    const report = await run(true);
    expect(report.organizations.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'conflict', 'created']);
    expect(arts(report).assistants.map(({ id }: { id: number | null }) => id)).toEqual(
      Array.from({ length: Object.keys(LAMB_ASSISTANTS).length - NOT_TAKEN.length - 1 }, () => null),
    );
    expect(await dataSource.query('SELECT slug FROM organizations')).toEqual([{ slug: 'default' }]);
  });

  it('takes everything over beside a running server, and tells what it could not', async () => {
    const { code, output } = await command('import:lamb', database, '--files', join(folder, 'public'), '--json');
    told = JSON.parse(output.trim().split('\n').at(-1) ?? '');
    expect(told.organizations.map(({ slug, outcome }: any) => `${slug} ${outcome}`)).toEqual([
      'lamb created',
      'arts created',
      'arts conflict',
      'physik-co created',
    ]);
    expect([code, told.ok]).toEqual([1, false]);
    expect(arts(told)).toMatchObject({
      counts: {
        member: { created: 4 },
        assistant: { created: 26, left_out: 3 },
        share: { created: 1, left_out: 1 },
        rubric: { created: 1, left_out: 2 },
        prompt_template: { created: 2 },
        collection: { created: 2 },
        file: { created: 1, left_out: 2 },
      },
      missing_files: [
        { path: '../../etc/passwd', assistants: [LAMB_ASSISTANTS.fileOutside], reason: expect.any(String) },
        { path: '2/not-there.md', assistants: [LAMB_ASSISTANTS.fileMissing], reason: expect.any(String) },
      ],
    });
    expect(arts(told).notes.map(({ code, origin }: any) => `${code} ${origin}`)).toEqual(
      expect.arrayContaining(['top_k.clamped 27', 'top_k.clamped 28', 'owner.replaced 31', 'metadata.unreadable 32']),
    );
    expect(arts(told).findings.map(({ code, origin }: any) => `${code} ${origin}`)).toEqual(
      expect.arrayContaining([
        'processor.unknown 23',
        'setting.unsupported 23',
        'tool.inaccessible 19',
        'tool.inaccessible 35',
      ]),
    );
    expect(arts(told).findings.filter(({ origin }: any) => origin === '13')).toEqual([]);
    expect(told.problems.map(({ table, row }: any) => `${table}/${row}`)).toEqual(
      expect.arrayContaining(['organizations/4', 'rubrics/3', 'Creator_users/6']),
    );
    expect(output).not.toContain('canary');
    ana = await keyOf(app, 'prof.ana@uni.example', { organization: 'arts' });
  });

  it('lets a staff without single sign-on come in by links, once each', async () => {
    const file = join(folder, 'links.csv');
    const links = () => command('sign-in:links', '--organization', 'arts', '--csv', file);
    const refusal = (options: object): Promise<unknown> =>
      makeSignInLinks({} as Config, { organization: 'arts', hours: '72', csv: file, ...options }).catch(
        (error) => error,
      );
    writeFileSync(file, 'old', { mode: 0o644 });
    expect(await refusal({})).toMatchObject({ message: expect.stringContaining('can be read by other users') });
    expect(await refusal({ csv: folder })).toBeInstanceOf(BadUsage);
    expect(await refusal({ hours: '0', role: 'boss' })).toMatchObject({
      message: expect.stringMatching(/--hours must.*\n.*--role must/),
    });
    expect(readFileSync(file, 'utf8')).toBe('old');
    chmodSync(file, 0o600);
    expect((await links()).code).toBe(0);
    const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
    expect(header).toBe('email,name,role,link,expires_at');
    const members: { email: string }[] = await dataSource.query(
      `SELECT email FROM members JOIN users ON users.id = user_id JOIN organizations ON organizations.id = organization_id
       WHERE slug = 'arts' AND NOT disabled ORDER BY email`,
    );
    expect(lines.map((line) => line.split(',')[0])).toEqual(members.map(({ email }) => email));
    const audited = await dataSource.query(
      `SELECT count(*)::int AS n FROM audit_entries WHERE action = 'sign_in_link.create'`,
    );
    expect(audited).toEqual([{ n: members.length }]);
    const row = lines.find((line) => line.startsWith('prof.ana@uni.example,')) ?? '';
    const token = /#link=([^,]+),/.exec(row)?.[1];
    const browser = new BrowserSession(app);
    expect((await browser.send('POST', '/api/v1/session/link', { token })).status).toBe(200);
    expect((await browser.send('GET', '/api/v1/me')).json.user.email).toBe('prof.ana@uni.example');
    expect((await new BrowserSession(app).send('POST', '/api/v1/session/link', { token })).status).toBe(401);
    // A second run leaves out Ana, who is in, and ends the first links of the others.
    expect((await links()).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('prof.ana@');
  });

  it('has no secret of the source in plain text anywhere', async () => {
    const tables: { name: string }[] = await dataSource.query(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'pgboss')`,
    );
    const counts = tables.map(({ name }) => `SELECT '${name}' AS name FROM ${name} AS t WHERE t::text LIKE '%canary%'`);
    expect(await dataSource.query(counts.join(' UNION ALL '))).toEqual([]);
    const { json } = await app.api('GET', '/api/v1/organizations/arts');
    expect(JSON.stringify(json)).toContain(kb.url);
  });

  const PLAIN = 'Context: Question: What moves?';
  const FOUND =
    /^Context: Osmosis moves water\. Osmosis moves water\. ## Available Sources 1\. .* Question: What moves\?$/;
  const RUBRIC = /^Context: # Essay rubric of LAMB .*Your task.*Exemplary.*Overall feedback.* Question: What moves\?$/;

  it.each<[Example, string | RegExp]>([
    ['emptyMetadata', PLAIN],
    ['nullMetadata', PLAIN],
    ['serverDefault', PLAIN],
    ['noRag', PLAIN],
    ['knowledgeBase', FOUND],
    ['file', /^Context: Notes about osmosis\. .* Question: What moves\?$/],
    ['rubric', RUBRIC],
    [
      'rubricJson',
      /^Context: \{ "rubric": \{ "rubricId": "rubric-1750000000-essay".*"evaluation".* Question: What moves\?$/,
    ],
    ['rubricByNumber', RUBRIC],
    ['rubricMissing', PLAIN],
    ['quota', PLAIN],
    ['functionNames', PLAIN],
    ['multiTool', /^C: Osmosis moves water\. R: # Essay rubric of LAMB .* Q: What moves\?$/],
    ['newerBranches', PLAIN],
    ['brokenDefaults', PLAIN],
    ['emptyRag', PLAIN],
    ['functionObjects', PLAIN],
    ['topKZero', FOUND],
    ['topKFifty', FOUND],
    ['topKNull', FOUND],
    ['ownerless', PLAIN],
    ['brokenJson', PLAIN],
    ['fileMissing', PLAIN],
    ['fileOutside', PLAIN],
    ['contextAware', FOUND],
    ['otherCase', PLAIN],
  ])('answers as the assistant “%s”', async (name, prompt) => {
    const asked = await ask(name);
    if (typeof prompt === 'string') expect(asked).toBe(prompt);
    else expect(asked).toMatch(prompt);
  });

  it('asks the knowledge-base server for as much as the columns say, within bounds', async () => {
    for (const [name, topK] of [
      ['topKZero', 1],
      ['topKFifty', 20],
      ['topKNull', 3],
    ] as const) {
      await ask(name);
      expect(kb.asked.slice(-2).map(({ path, body }) => `${path.split('?')[0]} ${body.top_k}`)).toEqual([
        `/collections/3/query ${topK}`,
        `/collections/4/query ${topK}`,
      ]);
    }
  });

  it('left out what was deleted or cannot be stored', () => {
    for (const name of NOT_TAKEN) expect(ourId(name)).toBeUndefined();
    expect(arts(told).left_out.map(({ kind, origin }: any) => `${kind} ${origin}`)).toEqual(
      expect.arrayContaining(NOT_TAKEN.map((name) => `assistant ${LAMB_ASSISTANTS[name]}`)),
    );
  });

  it('keeps documents to the letter but for names that changed, and publication', async () => {
    expect(metadataOf(await definition('newerBranches'))).toMatchObject({
      document_rag: 'library_file_rag',
      library_id: 'lib-1',
      item_id: 'item-1',
    });
    const { tools } = metadataOf(await definition('functionObjects'));
    expect(tools[0]).toEqual({ type: 'assistant', assistant_id: ourId('noRag') });
    expect([(await definition('noRag')).published, (await definition('rubric')).published]).toEqual([true, false]);
  });

  it('changes nothing the second time', async () => {
    const state = (): Promise<unknown> =>
      dataSource.query(
        `SELECT (SELECT count(*) FROM audit_entries) AS audited, (SELECT json_agg(a ORDER BY id) FROM assistants a) AS rows`,
      );
    const before = await state();
    const again = reportJson(await run(false)) as any;
    expect([again.created, again.updated, again.conflict]).toEqual([0, 0, 1]);
    expect(arts(again)).toMatchObject({ outcome: 'unchanged', assistants: arts(told).assistants });
    expect(await state()).toEqual(before);
  });
});
