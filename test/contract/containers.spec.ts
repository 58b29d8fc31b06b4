// The promises of the files in docker/, without a container engine. The service itself runs confined in
// test/slow/replicas.spec.ts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Client } from 'pg';
import { VENDORS } from '../../src/connectors';
import { environmentVariables, loadConfig } from '../../src/infrastructure/config';
import { imageArguments, imageEnvironment, imageStages } from '../support/containers';

const ROOT = join(__dirname, '../..');
const known = environmentVariables(VENDORS);

interface ComposeFile {
  readonly services: Record<string, any>;
}
const compose = (name: string): ComposeFile => load(readFileSync(join(ROOT, 'docker', name), 'utf8')) as ComposeFile;

describe('the image', () => {
  const run = imageStages().at(-1) ?? [];
  const all = (name: string): string[] => run.filter((each) => each.name === name).map(({ text }) => text);

  it('runs as an unprivileged user, who owns only the data', () => {
    expect(all('USER')).toEqual(['node']);
    const at = run.findIndex(({ name }) => name === 'USER');
    expect(run.slice(at).filter(({ name }) => ['RUN', 'COPY', 'ADD'].includes(name))).toEqual([]);
    const copied = all('COPY');
    expect(copied.length).toBeGreaterThan(2);
    for (const each of copied) expect(each).toMatch(/^--from=build --chown=root:root /);
    expect(all('RUN').join()).toContain('install -d -o node -g node -m 0700 /data');
    expect(all('VOLUME')).toEqual(['/data']);
  });

  it('sets only what is no secret, by names that exist', () => {
    const environment = imageEnvironment();
    const values = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000', DATA_DIR: '/data' };
    expect(environment).toEqual({ ...values, BELLWETHER_EXTENSIONS: 'all', MALLOC_ARENA_MAX: '1' });
    // The C library reads it, the service does not.
    delete environment.MALLOC_ARENA_MAX;
    for (const name of Object.keys(environment)) expect(known.map((each) => each.name)).toContain(name);
    expect(imageArguments()).toEqual({ BELLWETHER_EXTENSIONS: 'all' });
    for (const stage of imageStages().slice(0, -1)) expect(stage.map(({ name }) => name)).not.toContain('ARG');
  });

  it('keeps memory small by the settings of npm start', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
    const [, arenas, flags] = /^MALLOC_ARENA_MAX=(\d+) exec node (.*) scripts\/start\.mjs$/.exec(scripts.start) ?? [];
    expect(imageEnvironment().MALLOC_ARENA_MAX).toBe(arenas);
    expect(JSON.parse(all('CMD').join())).toEqual(['node', flags, 'dist/src/main.js']);
  });

  it('is built for the core alone, or for extensions by name', () => {
    const extensionsOf = (names: string): readonly string[] => {
      const { BELLWETHER_EXTENSIONS } = imageEnvironment({ BELLWETHER_EXTENSIONS: names });
      return loadConfig({ BELLWETHER_EXTENSIONS }, VENDORS).extensions;
    };
    expect([extensionsOf('none'), extensionsOf('lti,insights')]).toEqual([[], ['lti', 'insights']]);
  });

  it('asks a route that exists whether it is ready', () => {
    const [, path = ''] = /\$\{process\.env\.PORT\}(\/[\w/]+)`/.exec(all('HEALTHCHECK').join()) ?? [];
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toContain(path);
  });

  it('is built from files that exist, and from no others', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const name of ['.git', '.env', '**/node_modules', 'data', 'test', '**/dist', 'web/build', 'deploy']) {
      expect(ignored).toContain(name);
    }
    const [build = []] = imageStages();
    const sources = build.filter(({ name }) => name === 'COPY').flatMap(({ text }) => text.split(' ').slice(0, -1));
    for (const source of sources) {
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
      const kept = ignored.includes(`!${source.replace('./', '')}`);
      expect([source, !ignored.includes(source.replace('./', '')) || kept]).toEqual([source, true]);
    }
  });
});

describe.each(['compose.yaml', 'compose.sso.yaml'])('%s', (name) => {
  const { bellwether } = compose(name).services;

  it('confines the service as its image allows', () => {
    expect(bellwether).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['data:/data'],
    });
    expect(bellwether).not.toHaveProperty('privileged');
    expect(bellwether).not.toHaveProperty('cap_add');
  });

  it('waits as long as stopping takes', () => {
    const drain = Number(known.find((each) => each.name === 'SHUTDOWN_TIMEOUT')?.fallback) / 1_000;
    // One second for the last bytes of connections, and twice five for closing (src/serve.ts).
    expect(Number.parseInt(bellwether.stop_grace_period, 10)).toBeGreaterThanOrEqual(drain + 11);
  });

  it('gives the service settings that exist, and no secret', () => {
    for (const [setting, value] of Object.entries<string>(bellwether.environment)) {
      if (setting === 'PGPASSWORD') continue;
      expect(known.map((each) => each.name)).toContain(setting);
      if (/SECRET|KEY$/.test(setting)) expect(value).toMatch(/^\$\{[A-Z_]+:[?-]/);
    }
  });

  it('passes every other documented setting on, from the file that fills in its own variables', () => {
    expect(bellwether.env_file).toEqual([{ path: '.env', required: false }]);
  });

  it('takes a database password with any characters, which a URL would not', () => {
    const { DATABASE_URL, PGPASSWORD } = bellwether.environment;
    expect([new URL(DATABASE_URL).password, PGPASSWORD]).toEqual([
      '',
      expect.stringMatching(/^\$\{POSTGRES_PASSWORD:\?/),
    ]);
    const before = process.env.PGPASSWORD;
    process.env.PGPASSWORD = 'a@b/c#d';
    try {
      expect(new Client({ connectionString: DATABASE_URL }).password).toBe('a@b/c#d');
    } finally {
      if (before === undefined) delete process.env.PGPASSWORD;
      else process.env.PGPASSWORD = before;
    }
  });

  it('opens no port of a database, and the service to this machine only', () => {
    for (const [service, { ports = [] }] of Object.entries(compose(name).services)) {
      if (service === 'nginx') continue;
      for (const port of ports as string[]) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (service.includes('database')) expect(ports).toEqual([]);
    }
  });
});
