/** Without the types that the build makes, and without `export` of what the component offers to those who bind it. */
const plain = (script) =>
  script.replaceAll('./$types', '$app/state').replace(/^\s*export (?=async |function|const)/gm, '');

/** A Svelte file for knip: its scripts, and what its markup imports when it is needed. */
const scriptsOf = (text) =>
  [
    ...[...text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, script]) => plain(script)),
    ...[...text.matchAll(/\bimport\(('[^']+')\)/g)].map(([, path]) => `await import(${path});`),
  ].join(';\n');

/** @type {import('knip').KnipConfig} */
module.exports = {
  ...{
    ignoreExportsUsedInFile: true,
    workspaces: {
      '.': {
        entry: [
          'src/main.ts',
          'src/cli.ts',
          'src/index.ts',
          'src/infrastructure/languages/detector-thread.ts',
          'src/auth/imported-passwords/password-comparison.worker.ts',
          'migrations/index.ts',
          'scripts/*.mjs',
          'test/**/*.spec.ts',
          '{src,extensions}/**/*.spec.ts',
          'test/support/**/*.{ts,mjs,cjs}',
          'test/cluster/cluster.mjs',
          'test/mutants/*.mjs',
          'examples/*/*.js',
        ],
        project: [
          '{src,extensions}/**/*.ts',
          'migrations/**/*.ts',
          'test/**/*.ts',
          'test/cluster/*.mjs',
          'test/mutants/*.{mjs,cjs}',
          'scripts/**/*.mjs',
          'examples/**/*.js',
        ],
        // Its runner is a file of this repository, where the plugin expects a package.
        stryker: false,
        // Imported by what test/support/kubernetes-types.ts compiles.
        ignoreDependencies: ['kubernetes-types'],
      },
      bench: {
        entry: [
          '*.bench.mjs',
          '{core,growth,migration,observe,planner,publish,retrieval,row-security,run,runs-faults}.mjs',
          'suts/*.mjs',
          'lib/{loadgen,mock-upstream}.mjs',
          'toolloop/*.mjs',
          'engine/*.mjs',
        ],
        project: ['**/*.mjs'],
        ignore: ['peers/**'],
      },
      'packages/*': {
        entry: [
          'src/index.ts',
          'src/*/index.ts',
          'src/**/*.spec.ts',
          'src/**/*-main.ts',
          'src/**/*.worker.ts',
          'src/**/*-thread.ts',
        ],
        project: ['src/**/*.ts'],
        // Packages import each other's source, which is not built yet.
        paths: { '@bellwether/*': ['../*/src'] },
        // An export of an entry that nobody imports is dead, too.
        includeEntryExports: true,
      },
      web: {
        entry: [
          'src/routes/**/+*.{ts,svelte}',
          'src/app.d.ts',
          'src/hooks.client.ts',
          // Found by a glob of import.meta.
          'src/lib/extensions/*/index.ts',
          'e2e/**/*.{ts,mjs,mts}',
          'src/**/*.spec.ts',
          '*.config.ts',
          'bench/**/*.ts',
        ],
        project: ['src/**/*.{ts,svelte}', 'e2e/**/*.{ts,mjs}', '*.ts', 'bench/**/*.ts'],
        paths: { '$app/*': ['../node_modules/@sveltejs/kit/src/runtime/app/*'] },
        // Its script is put into pages.
        ignoreDependencies: ['axe-core'],
      },
    },
  },
  compilers: { svelte: scriptsOf },
};
