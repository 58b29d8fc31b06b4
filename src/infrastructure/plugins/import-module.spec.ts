import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../../../test/support/compiled';

const CONTRACT = `typeof definePlugin + new ToolFailure('tool.limit', 'x').code`;

/** Jest has a module system of its own, so that Node imports these files in a process. */
it('gives the contract to plugins that have not installed it, ES modules and CommonJS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-import-'));
  const compiled = compile(['packages/kernel/src', 'packages/plugin/src', 'src/infrastructure/plugins']);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const files = [
    file('esm.mjs', `import { definePlugin, ToolFailure } from '@bellwether/plugin'; export default ${CONTRACT};`),
    file(
      'cjs.cjs',
      `const { definePlugin, ToolFailure } = require('@bellwether/plugin'); module.exports = ${CONTRACT};`,
    ),
  ];
  const script = `
    const { importModule } = require(${JSON.stringify(join(compiled, 'src/infrastructure/plugins/import-module.js'))});
    Promise.all(${JSON.stringify(files)}.map(importModule)).then((all) => console.log(all.map((each) => each.default).join()));`;
  const told = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(told.trim()).toBe('functiontool.limit,functiontool.limit');
});
