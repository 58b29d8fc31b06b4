// The house's floors (docs/contributing/rooms.md): a room imports only lower floors, only through index.ts.
const FLOORS = [
  ['kernel'],
  ['platform', 'templates'],
  ['organizations'],
  ['auth', 'extraction', 'metering', 'receipts'],
  ['files', 'connectors', 'runs', 'moodle'],
  ['knowledge-bases', 'rubrics'],
  ['tools'],
  ['planning', 'processors', 'tool-calling'],
  ['orchestrators'],
  ['definition'],
  ['assistants', 'prompt-templates', 'recipes'],
  ['classic', 'multi-tool'],
  ['answering'],
  [
    ...['audit-door', 'connections', 'conversations', 'first-steps', 'health', 'migration', 'openai-door', 'run-door'],
    ...['scim', 'usage', 'web'],
  ],
  ['assistant-tests', 'insights', 'lti', 'privacy'],
  ['demo', 'lamb-import', 'mcp'],
];
/** Rooms inside `platform/`, lowest first; a line imports only lines above it. */
const PLATFORM = [
  ['config', 'context'],
  ['logging', 'metrics'],
  ['postgres'],
  ['database'],
  [
    'admission',
    'counters',
    'findings',
    'plugins',
    'http',
    'jobs',
    'languages',
    'mail',
    'secrets',
    'outbound',
    'reranking',
    'signals',
    'sse',
  ],
  ['audit', 'idempotency', 'row-cache', 'tracing'],
];

/** Files that see every room. */
const ROOF = '^src/([^/]+\\.ts$|cli/)';
const room = (names) => `^src/(${names.join('|')})/`;
const within = (names) => `^src/platform/(${names.join('|')})/`;

const floorRules = FLOORS.flatMap((names, floor) => {
  const others = FLOORS.slice(floor).flat();
  return names.map((name) => ({
    name: `floor-${name}`,
    comment: `${name} stands on floor ${floor}: it may import lower floors only`,
    severity: 'error',
    from: { path: room([name]) },
    to: { path: [room(others.filter((other) => other !== name)), ROOF] },
  }));
});

const platformRules = PLATFORM.flatMap((names, level) =>
  names.map((name) => ({
    name: `platform-${name}`,
    severity: 'error',
    from: { path: within([name]) },
    to: {
      path: within(
        PLATFORM.slice(level)
          .flat()
          .filter((other) => other !== name),
      ),
    },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...floorRules,
    ...platformRules,
    {
      name: 'no-unlisted-room',
      severity: 'error',
      from: { path: '^src/', pathNot: [ROOF, room(FLOORS.flat())] },
      to: {},
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-through-index',
      comment: 'another room is imported through its index.ts',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/([^/]+)/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/platform/[^/]+/index\\.ts$'] },
    },
    {
      name: 'platform-only-through-index',
      severity: 'error',
      from: { path: '^src/platform/([^/]+)/' },
      to: { path: '^src/platform/([^/]+)/', pathNot: ['^src/platform/$1/', '^src/platform/[^/]+/index\\.ts$'] },
    },
    {
      name: 'own-door',
      comment: 'a room never imports its own index.ts',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['^src/platform/', '\\.spec\\.ts$'] },
      to: { path: '^src/$1/index\\.ts$' },
    },
    {
      name: 'pure-files',
      comment: 'kernel, contracts, types, errors and steps know no framework and do no I/O',
      severity: 'error',
      from: {
        path: [
          '^src/kernel/',
          '^src/templates/',
          '^src/definition/',
          '/contract/',
          '\\.types\\.ts$',
          '\\.errors\\.ts$',
          '\\.step\\.ts$',
        ],
        pathNot: ['\\.spec\\.ts$', '^src/platform/postgres/', '^src/platform/config/'],
      },
      to: { path: '^node_modules/(@nestjs|typeorm|rxjs|openai|undici|pg|express)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'typeorm-at-the-edge',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '\\.repository\\.ts$',
          '\\.entity\\.ts$',
          '\\.module\\.ts$',
          '^src/platform/(database|postgres)/',
          '\\.spec\\.ts$',
        ],
      },
      to: { path: '^node_modules/typeorm/' },
    },
    {
      name: 'controllers-see-services',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: ['\\.repository\\.ts$', '\\.entity\\.ts$'] },
    },
    {
      name: 'vendor-in-its-folder',
      comment: 'a vendor SDK only in its connector',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/connectors/catalog/', '\\.spec\\.ts$'] },
      to: { path: '^node_modules/(openai|ollama|@anthropic-ai|@google)/' },
    },
    {
      name: 's3-in-its-folder',
      comment: 'one folder knows the client of S3',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/files/places/s3/'] },
      to: { path: '^node_modules/(@aws-sdk|@smithy)/' },
    },
    {
      name: 'openid-in-its-files',
      comment: 'one file knows the OpenID library, few the token library',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/auth/issuers/(openid-client|token-verifier)\\.ts$',
          '^src/lti/(keys/key-pair|messages/id-token)\\.ts$',
          // Specifications sign the tokens of a provider.
          '\\.spec\\.ts$',
        ],
      },
      to: { path: '^node_modules/(openid-client|oauth4webapi|jose)/' },
    },
    {
      name: 'mail-in-its-file',
      comment: 'one file knows the mail library',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platform/mail/mailer\\.service\\.ts$'] },
      to: { path: '^node_modules/nodemailer/' },
    },
    {
      name: 'plugins-are-islands',
      severity: 'error',
      from: { path: '^src/([^/]+)/(catalog|functions)/([^/]+)/' },
      to: { path: '^src/$1/(catalog|functions)/([^/]+)/', pathNot: '^src/$1/$2/$3/' },
    },
    {
      name: 'catalogues-are-private',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '^src/[^/]+/(catalog|functions)/' },
      to: { path: '^src/([^/]+)/(catalog|functions)/', pathNot: '^src/$1/(catalog|functions)/' },
    },
    {
      name: 'no-test-code-in-src',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.spec\\.ts$', '\\.conformance\\.ts$', '/testing/'] },
      to: { path: ['^test/', '\\.spec\\.ts$', '/testing/'] },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
