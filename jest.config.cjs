const { paths } = require('./tsconfig.json').compilerOptions;

const swc = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    // Packages of this repository are compiled like the rest of it: nothing has to be built before.
    baseUrl: __dirname,
    paths,
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

const shared = {
  testEnvironment: '<rootDir>/test/support/warm-environment.cjs',
  runtime: '<rootDir>/test/support/warm-runtime.cjs',
  rootDir: __dirname,
  // Elsewhere there is nothing that jest has to know of, but a hundred thousand files that it would list.
  roots: ['<rootDir>/src', '<rootDir>/extensions', '<rootDir>/packages', '<rootDir>/test'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  // Plugins are plain JavaScript, mostly ES modules, also in the folders that tests copy them to.
  transform: {
    '^.+\\.ts$|/(?:examples|bellwether-plugins-[^/]+)/.+\\.js$': ['<rootDir>/test/support/warm-transformer.cjs', swc],
  },
  // Processes and threads run compiled files, which lie elsewhere here.
  moduleNameMapper: {
    // A dynamic import names the file as it is compiled.
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '/import-module$': '<rootDir>/test/support/import-module.ts',
    '/parser-file$': '<rootDir>/test/support/parser-file.ts',
    '/password-worker-file$': '<rootDir>/test/support/password-worker-file.ts',
    '/detector-file$': '<rootDir>/test/support/detector-file.ts',
    '/embedder-file$': '<rootDir>/test/support/embedder-file.ts',
  },
};

const withDatabase = {
  ...shared,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/as-operator.ts'],
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** @type {import('jest').Config} */
module.exports = {
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/support/long-first-sequencer.cjs',
  // A busy machine is slow to start an engine or a server. Longer than what `until` waits for.
  testTimeout: 60_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,extensions,packages}/**/*.spec.ts', '<rootDir>/test/support/**/*.spec.ts'],
    },
    {
      ...withDatabase,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.spec.ts'],
    },
    {
      ...withDatabase,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.spec.ts', '<rootDir>/test/contract/**/*.spec.ts'],
    },
    {
      // Starts processes, kills them, sends bombs, walks all operations: `npm run test:slow`. `npm test` leaves it out.
      ...withDatabase,
      displayName: 'slow',
      testMatch: ['<rootDir>/test/slow/**/*.spec.ts'],
    },
  ],
};
