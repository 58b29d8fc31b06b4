import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../support/app';

const EXAMPLE = 'examples/rest-client';
const OPTIONS = ['--strict', '--module', 'node20', '--target', 'es2023', '--skipLibCheck'];
const packageAt = (path: string): string =>
  [`web/node_modules/${path}`, `node_modules/${path}`].find(existsSync) ?? path;

const manifestAt = (path: string) =>
  JSON.parse(readFileSync(path, 'utf8')) as Readonly<
    Record<'devDependencies' | 'peerDependencies', Record<string, string>>
  >;

it('the example of a typed client asks for the TypeScript that its generator takes, or npm install refuses it', () => {
  const { devDependencies } = manifestAt(join(EXAMPLE, 'package.json'));
  const { peerDependencies } = manifestAt(packageAt('openapi-typescript/package.json'));
  const majorOf = (range = '') => /\d+/.exec(range)?.[0];
  expect(majorOf(devDependencies['typescript'])).toBe(majorOf(peerDependencies['typescript']));
});

describe('the example of a typed client', () => {
  let app: TestApp;
  const folder = mkdtempSync(join(tmpdir(), 'bw-client-'));
  const compile = (...files: string[]) =>
    spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...OPTIONS, ...files], {
      cwd: folder,
      encoding: 'utf8',
    });

  beforeAll(async () => {
    for (const file of ['ask.ts', 'main.mjs', 'package.json']) copyFileSync(join(EXAMPLE, file), join(folder, file));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const generator = packageAt('openapi-typescript/bin/cli.js');
    execFileSync(process.execPath, [generator, 'docs/reference/openapi.json', '-o', join(folder, 'schema.d.ts')]);
    app = await startApp();
  }, 180_000);
  afterAll(async () => {
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('compiles without a cast, and makes, publishes and asks a multi-tool assistant over HTTP', async () => {
    expect(readFileSync(join(EXAMPLE, 'ask.ts'), 'utf8')).not.toMatch(/\sas (any|unknown|never|const)\b|: any\b|@ts-/);
    expect(compile('ask.ts')).toMatchObject({ stdout: '', status: 0 });
    const run = [join(folder, 'main.mjs'), app.url, app.adminKey, 'What is a membrane?'];
    const { stdout } = await promisify(execFile)(process.execPath, run);
    expect(stdout).toContain('What is a membrane?');
    expect((await app.api('GET', '/api/v1/assistants')).json.items).toMatchObject([
      { name: 'Cell tutor', type: 'multi_tool', published: true },
    ]);
  }, 120_000);

  it('does not compile with a setting of the wrong type, a misspelt tool or a misspelt strategy', () => {
    const right = readFileSync(join(folder, 'ask.ts'), 'utf8');
    const slips = {
      type: ['top_k: 4', "top_k: 'four'"],
      tool: ["'rubric_rag'", "'rubric_rga'"],
      strategy: ["'parallel'", "'paralel'"],
    };
    for (const [name, [from = '', to = '']] of Object.entries(slips))
      writeFileSync(join(folder, `${name}.ts`), right.replace(from, to));
    const names = Object.keys(slips).map((name) => `${name}.ts`);
    const { stdout } = compile('--noEmit', ...names);
    expect(names.filter((name) => !stdout.includes(name))).toEqual([]);
  }, 120_000);
});
