import type { Vendor } from '@bellwether/plugin';
import { ConfigError, loadConfig, misspeltVariables } from './load-config';
import { EXTENSIONS } from './parsers';

const ACME: Vendor = {
  name: 'acme',
  needsKey: true,
  baseUrl: 'https://acme.example',
  environment: { apiKey: 'ACME_KEY', baseUrl: 'ACME_URL' },
};
const LOCAL: Vendor = { name: 'local', needsKey: false, baseUrl: null, environment: { baseUrl: 'LOCAL_URL' } };

const failure = (env: Record<string, string>): ConfigError => {
  try {
    loadConfig(env, [ACME, LOCAL]);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error('the configuration was accepted');
};

describe('loadConfig', () => {
  it('starts with no variable at all, on the embedded database with demo data', () => {
    const config = loadConfig({}, [ACME, LOCAL]);
    expect(config.database.url).toBeNull();
    expect(config.bootstrap.seedDemo).toBe(true);
    expect(config.http.port).toBe(3000);
  });

  it('names every bad variable in one message and shows no value', () => {
    const error = failure({
      PORT: 'canary',
      LOG_LEVEL: 'canary',
      DATABASE_URL: 'mysql://canary',
      SECRETS_KEY: 'canary',
    });
    expect(error.lines).toHaveLength(4);
    expect(error.message).toMatch(/PORT[^]*LOG_LEVEL|LOG_LEVEL[^]*PORT/);
    expect(error.message).not.toContain('canary');
  });

  it('has every extension unless it is told which, in one order', () => {
    expect(loadConfig({}, []).extensions).toEqual(EXTENSIONS);
    expect(loadConfig({ BELLWETHER_EXTENSIONS: 'none' }, []).extensions).toEqual([]);
    expect(loadConfig({ BELLWETHER_EXTENSIONS: 'mcp, scim' }, []).extensions).toEqual(['scim', 'mcp']);
  });

  it.each([
    ['lti,sicm', 'all, none, or some of lti, scim, lamb-import, insights, evaluations, mcp, join, comma-separated'],
    ['none,lti', 'all, none, or some of lti, scim, lamb-import, insights, evaluations, mcp, join, comma-separated'],
    ['lamb-import', 'a list with lti where it has lamb-import'],
  ])('refuses the extensions %s', (names, allowed) =>
    expect(failure({ BELLWETHER_EXTENSIONS: names }).lines).toEqual([`BELLWETHER_EXTENSIONS must be ${allowed}`]),
  );

  it('reads levels of single modules and refuses unknown levels', () => {
    expect(loadConfig({ LOG_LEVELS: 'Http=debug, Database=error' }, []).log.modules).toEqual({
      Http: 'debug',
      Database: 'error',
    });
    expect(failure({ LOG_LEVELS: 'Http=loud' }).lines).toEqual([expect.stringContaining('LOG_LEVELS must be pairs')]);
  });

  it('refuses uploads in a bucket without one, naming everything that is missing', () => {
    const { lines } = failure({
      FILES_STORE: 's3',
      S3_ENDPOINT: 'https://store.example.edu',
      S3_ACCESS_KEY_ID: 'canary',
    });
    expect(lines).toEqual([
      'S3_BUCKET must be set when S3_ENDPOINT is',
      'S3_SECRET_ACCESS_KEY must be set when S3_ACCESS_KEY_ID is',
      'S3_BUCKET must be set when FILES_STORE=s3',
    ]);
    expect(failure({ S3_BUCKET: 'Up', S3_PREFIX: '../x' }).lines).toHaveLength(2);
    expect(loadConfig({ S3_BUCKET: 'uploads', S3_PREFIX: '/a/b' }, []).files).toMatchObject({
      store: 'disk',
      s3: { prefix: 'a/b/', region: 'us-east-1', accessKeyId: null },
    });
  });

  it('refuses production without a public address, a database and secrets, naming each', () => {
    expect(failure({ NODE_ENV: 'production' }).message).toMatch(/PUBLIC_URL[^]*DATABASE_URL[^]*SECRETS_KEY/);
  });

  it.each([
    '1:' + '0'.repeat(64),
    '1:' + 'ab'.repeat(31),
    `1:${'0123456789abcdef'.repeat(4)},1:${'0123456789abcdef'.repeat(4)}`,
  ])('refuses a sample, short or doubled secrets key', (keys) =>
    expect(failure({ SECRETS_KEY: keys }).lines).toHaveLength(1),
  );

  it.each(['bw_short', 'xx_' + 'k'.repeat(40), 'bw_' + 'k '.repeat(20)])('refuses the bootstrap key %j', (key) =>
    expect(failure({ BOOTSTRAP_ADMIN_KEY: key }).lines).toHaveLength(1),
  );

  it('demands a secret beside trusted proxies and never trusts everyone', () => {
    expect(failure({ TRUSTED_PROXY_CIDRS: '10.0.0.0/8' }).message).toContain('TRUSTED_PROXY_SECRET');
    expect(failure({ TRUSTED_PROXY_CIDRS: '0.0.0.0/0', TRUSTED_PROXY_SECRET: 's' }).message).toContain(
      'TRUSTED_PROXY_CIDRS',
    );
  });

  it('takes origins that may frame a chat, and nothing that is more than an origin', () => {
    const { http } = loadConfig({ FRAME_ANCESTORS: 'https://Moodle.example.edu, http://localhost:8080/' }, []);
    expect(http.frameAncestors).toEqual(['https://moodle.example.edu', 'http://localhost:8080']);
    expect(loadConfig({}, []).http.frameAncestors).toEqual([]);
    for (const bad of ['moodle.example.edu', 'https://a.edu/moodle', '*', 'https://*.a.edu', "https://a.edu; 'none'"]) {
      expect(failure({ FRAME_ANCESTORS: bad }).message).toContain('FRAME_ANCESTORS');
    }
  });

  it('treats an empty variable as unset', () => expect(loadConfig({ DATABASE_URL: ' ' }, []).database.url).toBeNull());

  it('refuses a public address with a path, which links and pages would drop', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://Learn.example.edu/' }, []).http.publicUrl).toBe(
      'https://learn.example.edu',
    );
    for (const url of ['https://example.edu/bellwether', 'https://example.edu?x', 'https://a:b@example.edu']) {
      expect(failure({ PUBLIC_URL: url }).lines).toEqual([expect.stringContaining('without a path')]);
    }
  });

  it('names the variables that were probably meant, and leaves those of other programs alone', () => {
    const given = {
      ACMEKEY: 'x',
      TOOL_TIMEOUT: '5',
      DATABSE_URL: 'x',
      LOG_LEVEL: 'info',
      LOCAL_UR: '',
      HOME: '/',
      TERM: 'x',
    };
    const others = {
      PATH: '/',
      HOSTNAME: 'h',
      NODE_VERSION: '20',
      npm_config_cache: '/',
      LANG: 'C',
      USER: 'x',
      PWD: '/',
    };
    expect(misspeltVariables({ ...given, ...others }, [ACME, LOCAL])).toEqual([
      { name: 'ACMEKEY', meant: ['ACME_KEY'] },
      { name: 'TOOL_TIMEOUT', meant: expect.arrayContaining(['TOOL_RUN_TIMEOUT', 'TOOL_DEFAULT_TIMEOUT']) },
      { name: 'DATABSE_URL', meant: ['DATABASE_URL'] },
    ]);
    expect(misspeltVariables({ OPENAI_KEY: 'x' }, [{ ...ACME, environment: { apiKey: 'OPENAI_API_KEY' } }])).toEqual([
      { name: 'OPENAI_KEY', meant: ['OPENAI_API_KEY'] },
    ]);
  });

  it('is frozen all the way down', () => {
    const config = loadConfig({}, [ACME, LOCAL]);
    expect(() => Object.assign(config.tools, { parallelLimit: 1 })).toThrow(TypeError);
  });
});

describe('vendors', () => {
  const read = (env: Record<string, string>) => loadConfig(env, [ACME, LOCAL]).vendors;

  it('are known with their own address, whether the environment configures them or not', () => {
    expect([...read({})]).toEqual([
      ['acme', { baseUrl: 'https://acme.example', operator: null }],
      ['local', { baseUrl: null, operator: null }],
    ]);
  });

  it('are configured by the variables that they declare', () => {
    expect(read({ ACME_KEY: 'k' }).get('acme')?.operator).toEqual({ apiKey: 'k', baseUrl: 'https://acme.example' });
    expect(read({ ACME_URL: 'https://proxy.example/' }).get('acme')?.operator).toEqual({
      apiKey: null,
      baseUrl: 'https://proxy.example',
    });
    expect(read({ ACME_URL: 'https://acme.example' }).get('acme')?.operator).toBeNull();
    expect(read({ LOCAL_URL: 'http://127.0.0.1:1' }).get('local')?.operator).toEqual({
      apiKey: null,
      baseUrl: 'http://127.0.0.1:1',
    });
  });

  it('have their bad variables named beside all others', () => {
    expect(failure({ PORT: 'canary', ACME_URL: 'canary', TOOL_PLANNER_LLM: 'canary' }).lines).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'TOOL_PLANNER_LLM must be one of heuristic, acme, local',
      'ACME_URL must be a URL starting with http:// or https://',
    ]);
    expect(loadConfig({ TOOL_PLANNER_LLM: 'acme' }, [ACME]).planner.vendor).toBe('acme');
  });

  it('are not asked for where they are not loaded', () => {
    expect(loadConfig({ TOOL_PLANNER_LLM: 'acme', ACME_URL: 'x' }, null).vendors.size).toBe(0);
  });
});
