import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLUGIN_KINDS } from '@bellwether/plugin';
import { compile } from '../../../test/support/compiled';

const CONTRACT = `typeof definePlugin + new ToolFailure('tool.limit', 'x').code`;

/** Jest has a module system of its own, so that Node imports these files in a process. */
describe('a file of a plugin, imported by Node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-import-'));
  const compiled = compile(['packages/kernel/src', 'packages/plugin/src', 'src/infrastructure/plugins']);
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = (module: string, script: string): string => {
    const path = join(compiled, 'src/infrastructure/plugins', module);
    return execFileSync(process.execPath, ['-e', `const plugins = require(${JSON.stringify(path)}); ${script}`], {
      encoding: 'utf8',
    }).trim();
  };

  it('gets the contract without having installed it, as an ES module and as CommonJS', () => {
    const files = [
      file('esm.mjs', `import { definePlugin, ToolFailure } from '@bellwether/plugin'; export default ${CONTRACT};`),
      file(
        'cjs.cjs',
        `const { definePlugin, ToolFailure } = require('@bellwether/plugin'); module.exports = ${CONTRACT};`,
      ),
    ];
    const script = `Promise.all(${JSON.stringify(files)}.map(plugins.importModule)).then((all) => console.log(all.map((each) => each.default).join()));`;
    expect(run('import-module.js', script)).toBe('functiontool.limit,functiontool.limit');
  });

  it('is refused by name when it awaits what never comes, together with what is wrong elsewhere', () => {
    const never = file('never.mjs', 'await new Promise(() => undefined); export default {};');
    const sources = JSON.stringify([never, '/nowhere/plugin']);
    const script = `
      const own = Object.fromEntries(${JSON.stringify(PLUGIN_KINDS)}.map((kind) => [kind, new Set()]));
      plugins.loadPlugins(${sources}, { own, limitMs: 100 }).catch(({ lines }) => console.log(lines.join('\\n')));`;
    expect(run('load-plugins.js', script).split('\n')).toEqual([
      `${never}: its import did not end within 0.1 seconds; ${never} may await something that never comes`,
      '/nowhere/plugin: there is no file or folder /nowhere/plugin',
    ]);
  });
});
