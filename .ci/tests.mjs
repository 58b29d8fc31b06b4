// Runs `npm test` or `npm run test:slow`. Asks spec files that failed once more, one at a time: those that then pass are named
// as flaky in the output, those that fail again fail the build.
//
//   node .ci/tests.mjs test|test:slow <file for Jest's JSON result> [arguments for Jest]
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** More failures than this are a defect, not a busy machine. */
const MAX_FLAKY_FILES = 3;

const [script, result, ...args] = process.argv.slice(2);

const run = (outputFile, jestArgs) => {
  rmSync(outputFile, { force: true });
  const { status } = spawnSync('npm', ['run', script, '--', ...jestArgs, '--json', `--outputFile=${outputFile}`], {
    stdio: 'inherit',
  });
  return status === 0;
};
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const failedFiles = (file) =>
  read(file)
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => relative(process.cwd(), name));

if (run(result, args)) process.exit(0);
const failed = failedFiles(result);
if (failed.length === 0 || failed.length > MAX_FLAKY_FILES) process.exit(1);

console.log(`\nFailed once, asked again: ${failed.join(', ')}`);
const again = `${result}.again`;
if (!run(again, ['-w', '1', '--runTestsByPath', ...failed])) process.exit(1);
for (const file of failed) console.log(`FLAKY: ${file} failed once and passed the second time`);
// The summary counts what passed in the end.
const first = read(result);
writeFileSync(
  result,
  JSON.stringify({ ...first, numPassedTests: first.numPassedTests + first.numFailedTests, numFailedTests: 0 }),
);
