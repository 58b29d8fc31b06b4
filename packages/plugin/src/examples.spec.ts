import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../../test/support/compiled';

const EXAMPLES = join(__dirname, '../../../examples');
const compiled = compile(['packages/kernel/src', 'packages/plugin/src', 'src/infrastructure/plugins']);

/** An example of a client stands beside those of plugins. */
const PLUGINS = readdirSync(EXAMPLES).filter((name) => !name.endsWith('-client'));

describe.each(PLUGINS)('the example %s', (name) => {
  const folder = join(EXAMPLES, name);

  it('keeps the conformance suite of its kind', () => {
    const loader = join(compiled, 'src/infrastructure/plugins/import-module.js');
    const script = `require(${JSON.stringify(loader)}).importModule(${JSON.stringify(join(folder, 'index.test.js'))})`;
    const { status, stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect({ status, told: stdout }).toEqual({ status: 0, told: expect.stringMatching(/# pass [1-9]\d*\n# fail 0/) });
  });

  it('is a package of one file that asks for the contract and nothing else', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly dependencies?: object;
      readonly peerDependencies?: object;
    };
    expect([dependencies, Object.keys(peerDependencies ?? {})]).toEqual([undefined, ['@bellwether/plugin']]);
    expect(readdirSync(folder).sort()).toEqual(['README.md', 'index.js', 'index.test.js', 'package.json']);
  });
});
