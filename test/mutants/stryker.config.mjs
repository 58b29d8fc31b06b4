// Changes the pure modules one spot at a time and asks their unit specs whether they notice: docs/contributing/tests.md.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import modules from './pure-modules.cjs';

const reports = join(tmpdir(), 'bellwether-mutants');

export default {
  mutate: modules.mutate,
  plugins: ['./test/mutants/one-process-runner.mjs'],
  testRunner: 'one-process',
  coverageAnalysis: 'perTest',
  // Evaluated once, when its file is loaded: every spec would have to run for it. Most are texts for people.
  ignoreStatic: true,
  // The specs run what swc makes of the files, and swc looks at no types.
  disableTypeChecks: false,
  ignorePatterns: [
    '/bench',
    '/web',
    '/docs',
    '/deploy',
    '/docker',
    '/dist',
    '/data',
    '/test/{cluster,contract,e2e,integration}',
  ],
  // Outside of the project: jest and the linters would find the copies.
  tempDirName: join(reports, 'sandbox'),
  concurrency: 2,
  timeoutMS: 30_000,
  thresholds: { high: 95, low: 85, break: 85 },
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: join(reports, 'report.html') },
  jsonReporter: { fileName: join(reports, 'report.json') },
};
