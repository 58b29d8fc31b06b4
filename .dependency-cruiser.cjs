// The layers of the service (docs/contributing/architecture.md). A module imports modules of lower layers and those that
// stand before it in its own layer, only through an index.ts. Extensions stand above the core, which knows none of them.
const LAYERS = [
  ['infrastructure'],
  ['organizations', 'auth', 'metering', 'audit'],
  ['files', 'connectors', 'moodle', 'runs'],
  ['knowledge-bases', 'rubrics'],
  ['tools', 'processors', 'orchestrators'],
  ['assistants', 'classic', 'multi-tool', 'answering'],
  ['migration', 'usage'],
  ['openai-api', 'runs-api', 'chat', 'privacy', 'health', 'web-ui'],
];
/** Lowest first: an extension may use those before it, through their index.ts. */
const EXTENSIONS = ['scim', 'insights', 'evaluations', 'mcp', 'lti', 'lamb-import', 'join'];
/** Modules inside `infrastructure/`, lowest first; a line imports only lines above it. */
const INFRASTRUCTURE = [
  ['plugins'],
  ['config', 'context'],
  ['telemetry'],
  ['postgres'],
  ['database'],
  [
    'admission',
    'commands',
    'dialects',
    'findings',
    'http',
    'jobs',
    'languages',
    'mail',
    'secrets',
    'outbound',
    'signals',
    'sse',
  ],
  ['audit', 'cache', 'idempotency'],
];

/** The composition root: files that see every module. */
const COMPOSITION_ROOT = '^src/([^/]+\\.ts$|cli/)';
const MODULES = LAYERS.flat();
const module_ = (names) => `^src/(${names.join('|')})/`;
const extension = (names) => `^extensions/(${names.join('|')})/`;
const within = (names) => `^src/infrastructure/(${names.join('|')})/`;

const layerRules = LAYERS.flatMap((names, layer) =>
  names.map((name, place) => ({
    name: `layer-${name}`,
    comment: `${name} stands in layer ${layer + 1}: it may import lower layers, and what stands before it in its own`,
    severity: 'error',
    from: { path: module_([name]) },
    to: { path: [module_([...names.slice(place + 1), ...LAYERS.slice(layer + 1).flat(), 'none']), COMPOSITION_ROOT] },
  })),
);

const extensionRules = EXTENSIONS.map((name, place) => ({
  name: `extension-${name}`,
  comment: `${name} may import the core and the extensions before it`,
  severity: 'error',
  from: { path: extension([name]) },
  to: { path: [extension([...EXTENSIONS.slice(place + 1), 'none']), COMPOSITION_ROOT, '^extensions/[^/]+\\.ts$'] },
}));

const infrastructureRules = INFRASTRUCTURE.flatMap((names, level) =>
  names.map((name) => ({
    name: `infrastructure-${name}`,
    severity: 'error',
    from: { path: within([name]) },
    to: {
      path: within(
        INFRASTRUCTURE.slice(level)
          .flat()
          .filter((other) => other !== name),
      ),
    },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    ...extensionRules,
    ...infrastructureRules,
    {
      name: 'core-knows-no-extension',
      comment: 'only the composition root sees extensions',
      severity: 'error',
      from: { path: '^src/', pathNot: [COMPOSITION_ROOT] },
      to: { path: '^extensions/' },
    },
    {
      name: 'no-unlisted-module',
      severity: 'error',
      from: { path: '^src/', pathNot: [COMPOSITION_ROOT, module_(MODULES)] },
      to: {},
    },
    {
      name: 'no-unlisted-extension',
      severity: 'error',
      from: { path: '^extensions/[^/]+/', pathNot: [extension(EXTENSIONS)] },
      to: {},
    },
    {
      name: 'packages-stand-alone',
      comment: 'a package of packages/ imports the kernel and npm packages, but no Nest',
      severity: 'error',
      from: { path: '^packages/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: ['^(src|extensions|migrations|test|packages)/', '^node_modules/(@nestjs|typeorm|reflect-metadata)/'],
        pathNot: ['^packages/($1|kernel)/'],
      },
    },
    {
      name: 'packages-by-name',
      comment: 'a package is imported by its name: @bellwether/kernel',
      severity: 'error',
      // Tests of real processes name the entry that they start, and those of a protocol its parts.
      from: {
        path: '^(src|extensions|migrations|test)/',
        pathNot: '^test/(integration/(extraction|database/)|slow/|support/)',
      },
      to: { path: '^packages/', dependencyTypesNot: ['aliased-tsconfig-paths'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-through-index',
      comment: 'another module is imported through an index.ts: its own, or that of a part it shows',
      severity: 'error',
      from: { path: '^(src|extensions)/([^/]+)/' },
      to: {
        path: '^(src|extensions)/([^/]+)/',
        pathNot: ['^$1/$2/', '^(src|extensions)/[^/]+/index\\.ts$', '^(src|extensions)/[^/]+/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'lti-1-1-behind-its-token',
      comment: 'LTI 1.3 knows former links by FORMER_LINKS alone, so that legacy/ can go',
      severity: 'error',
      from: { path: '^extensions/lti/', pathNot: '^extensions/lti/legacy/' },
      to: { path: '^extensions/lti/legacy/' },
    },
    {
      name: 'infrastructure-only-through-index',
      severity: 'error',
      from: { path: '^src/infrastructure/([^/]+)/' },
      to: {
        path: '^src/infrastructure/([^/]+)/',
        pathNot: ['^src/infrastructure/$1/', '^src/infrastructure/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'own-index',
      comment: 'a module never imports its own index.ts',
      severity: 'error',
      from: { path: '^(src|extensions)/([^/]+)/', pathNot: ['^src/infrastructure/', '\\.spec\\.ts$'] },
      to: { path: '^$1/$2/index\\.ts$' },
    },
    {
      name: 'pure-files',
      comment: 'kernel, contracts, types, errors and steps know no framework and do no I/O',
      severity: 'error',
      from: {
        path: [
          '^packages/(kernel|plugin)/src/',
          '^src/assistants/definition/',
          '/contract/',
          '\\.types\\.ts$',
          '\\.errors\\.ts$',
          '\\.step\\.ts$',
        ],
        pathNot: ['\\.spec\\.ts$', '^src/infrastructure/postgres/', '^src/infrastructure/config/'],
      },
      to: { path: '^node_modules/(@nestjs|typeorm|rxjs|openai|undici|pg|express)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'typeorm-at-the-edge',
      severity: 'error',
      from: {
        path: '^(src|extensions)/',
        pathNot: [
          '\\.repository\\.ts$',
          '\\.entity\\.ts$',
          '\\.module\\.ts$',
          '^src/infrastructure/(database|postgres)/',
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
      from: { path: '^(src|extensions)/', pathNot: ['^src/connectors/catalog/', '\\.spec\\.ts$'] },
      to: { path: '^node_modules/(openai|ollama|@anthropic-ai|@google)/' },
    },
    {
      name: 's3-in-its-folder',
      comment: 'one folder knows the client of S3',
      severity: 'error',
      from: { path: '^(src|extensions)/', pathNot: ['^src/files/places/s3'] },
      to: { path: '^node_modules/(@aws-sdk|@smithy)/' },
    },
    {
      name: 'openid-in-its-files',
      comment: 'one file knows the OpenID library, few the token library',
      severity: 'error',
      from: {
        path: '^(src|extensions)/',
        pathNot: [
          '^src/auth/issuers/(openid-client|token-verifier)\\.ts$',
          '^extensions/lti/(key-pair|id-token)\\.ts$',
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
      from: { path: '^(src|extensions)/', pathNot: ['^src/infrastructure/mail/mailer\\.service\\.ts$'] },
      to: { path: '^node_modules/nodemailer/' },
    },
    {
      name: 'plugins-are-islands',
      severity: 'error',
      comment: 'a plugin is one file, or one folder where it needs more',
      from: {
        path: '^(src|extensions)/([^/]+)/(catalog|functions)/(?!index\\.ts$)([^/.]+)[/.]',
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: '^$1/$2/(catalog|functions)/', pathNot: '^$1/$2/$3/$4[/.]' },
    },
    {
      name: 'catalogues-are-private',
      severity: 'error',
      from: { path: '^(src|extensions)/([^/]+)/', pathNot: '^(src|extensions)/[^/]+/(catalog|functions)/' },
      to: { path: '^(src|extensions)/([^/]+)/(catalog|functions)/', pathNot: '^$1/$2/(catalog|functions)/' },
    },
    {
      name: 'no-test-code-in-src',
      severity: 'error',
      from: { path: '^(src|extensions)/', pathNot: ['\\.spec\\.ts$', '\\.conformance\\.ts$', '/testing/'] },
      to: { path: ['^test/', '\\.spec\\.ts$', '/testing/'] },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^(src|extensions|packages)/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^packages/[^/]+/dist/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
