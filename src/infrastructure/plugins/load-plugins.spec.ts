import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadPlugins, type OwnNames } from './load-plugins';

const processor = (name: string, aliases: readonly string[] = []) =>
  `{ definition: { name: '${name}', aliases: ${JSON.stringify(aliases)}, description: 'Asks.' }, build() {} }`;
const OWN: OwnNames = {
  tools: new Set(),
  strategies: new Set(),
  connectors: new Set(),
  promptProcessors: new Set(['simple_augment']),
  ragProcessors: new Set(),
  functions: new Set(),
};

describe('the plugins that a deployment names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-folder-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const load = (...sources: string[]) => loadPlugins(sources, { own: OWN, from: folder });

  it('are folders, files and installed packages', async () => {
    const body = (name: string) => `module.exports = { promptProcessors: [${processor(name)}] };`;
    write('calm/package.json', '{"name":"calm","version":"1.2.3","exports":{".":{"import":"./lib.js"}}}');
    write('calm/lib.js', body('calm'));
    write('loud.js', body('loud'));
    write('node_modules/@school/terse/package.json', '{"name":"@school/terse","version":"0.1.0","main":"terse.cjs"}');
    write('node_modules/@school/terse/terse.cjs', body('terse'));
    expect(await load('./calm', join(folder, 'loud.js'), '@school/terse')).toMatchObject([
      { source: './calm', name: 'calm', version: '1.2.3' },
      { name: 'loud.js', version: null },
      { source: '@school/terse', name: '@school/terse', version: '0.1.0' },
    ]);
  });

  it('are refused together, every problem with the plugin as it is configured', async () => {
    write('empty/readme.md', '');
    write('lost/package.json', '{"main":"gone.js"}');
    write('broken.js', 'throw new Error("out of order");');
    write('wrong.js', 'module.exports = { promptProcessors: [{}] };');
    await expect(
      load('/nowhere/plugin', './empty', './lost', './broken.js', './wrong.js', 'absent'),
    ).rejects.toMatchObject({
      lines: [
        '/nowhere/plugin: there is no file or folder /nowhere/plugin',
        expect.stringMatching(/^\.\/empty: its package\.json cannot be read: ENOENT/),
        `./lost: its package.json leads to ${join(folder, 'lost/gone.js')}, which is no file`,
        './broken.js: out of order',
        './wrong.js: promptProcessors[0] has no method build',
        './wrong.js: promptProcessors[0] has no definition',
        `absent: no package of this name is installed at ${folder} or above; a path begins with ./ or /`,
      ],
    });
  });

  it('may not take a name twice, and the service’s own names only where they say so', async () => {
    const body = (aliases: string[], more = '') =>
      `module.exports = { promptProcessors: [${processor('simple_augment', aliases)}]${more} };`;
    write('taking.js', body([]));
    write('replacing.js', body([], ", replaces: ['simple_augment']"));
    write('alias.js', `module.exports = { promptProcessors: [${processor('other', ['simple_augment'])}] };`);
    await expect(load('./taking.js', './replacing.js')).rejects.toMatchObject({
      lines: [
        './taking.js: promptProcessors has simple_augment, and so has the service; list it in replaces to take its place',
        './replacing.js: promptProcessors has simple_augment, and so has ./taking.js',
      ],
    });
    await expect(load('./alias.js')).rejects.toThrow('and so has the service');
    expect(await load('./replacing.js')).toHaveLength(1);
  });

  it('are told of names that are taken beside everything else that is wrong', async () => {
    write('both.js', `module.exports = { promptProcessors: [{}, ${processor('simple_augment')}] };`);
    await expect(load('/nowhere/plugin', './both.js')).rejects.toMatchObject({
      lines: [
        '/nowhere/plugin: there is no file or folder /nowhere/plugin',
        './both.js: promptProcessors[0] has no method build',
        './both.js: promptProcessors[0] has no definition',
        './both.js: promptProcessors has simple_augment, and so has the service; list it in replaces to take its place',
      ],
    });
  });

  it('replace only what the service has, and stand in the list once', async () => {
    const body = `module.exports = { promptProcessors: [${processor('simple_augment')}]`;
    write('much.js', `${body}, replaces: ['simple_augment', 'nonsense'] };`);
    await expect(load('./much.js', join(folder, 'much.js'), './absent.js')).rejects.toMatchObject({
      lines: [
        `${join(folder, 'much.js')}: is named twice`,
        `./absent.js: there is no file or folder ${join(folder, 'absent.js')}`,
        './much.js: replaces has nonsense, but no entry of that name takes the place of one of the service',
      ],
    });
  });
});
