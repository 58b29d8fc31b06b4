import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { help } from './help.plugin.ts';
import { icons } from './icons.plugin.ts';
import { messages } from './messages.plugin.ts';

/** The service behind the pages of `npm run dev`. */
const { BELLWETHER_URL: service = 'http://localhost:3000' } = process.env;
const proxied = Object.fromEntries(
  ['/api', '/v1', '/lamb', '/health', '/mcp', '/sign-in/'].map((path) => [path, service]),
);

interface Graph {
  getModuleInfo(id: string): {
    readonly importers: readonly string[];
    readonly dynamicImporters: readonly string[];
    readonly importedIds: readonly string[];
    readonly code: string | null;
  } | null;
}
/** Pages of this many areas make a module part of what every page loads; a tiny one that two areas share comes along. */
const SHARED_AREAS = 4;
const TINY = 1_500;
/** A field of the kit, which pages load at once and dialogs when they open. */
const SMALL = 3_500;
/** The folder below `src/routes` whose page or layout this module is. */
const ROUTE = /\/src\/routes\/(.*?)\/?\+(?:page|layout)(?:\.svelte|\.ts)$/;
const START = /kit\/src\/runtime\/client\/entry\.js$|client-optimized\/app\.js$/;

/** The pages that load a module at once, without waiting for a sign of the visitor. The start of the UI is one, too. */
function pagesOf(id: string, graph: Graph): readonly string[] {
  const seen = new Set([id]);
  const pages = new Set<string>();
  for (const each of seen) {
    const route = ROUTE.exec(each)?.[1];
    // Both kinds of assistants have the same pages.
    if (route !== undefined) pages.add(route.replace('multi-tool-', ''));
    else if (START.test(each)) pages.add('');
    for (const importer of graph.getModuleInfo(each)?.importers ?? []) seen.add(importer);
  }
  return [...pages].sort();
}

/** A part of the kit that a page loads at once and another part of the UI when it is needed. */
function isOfLaterParts(id: string, graph: Graph): boolean {
  if (!id.includes('/lib/kit/')) return false;
  const seen = new Set([id]);
  for (const each of seen) {
    const { importers = [], dynamicImporters = [] } = graph.getModuleInfo(each) ?? {};
    if (dynamicImporters.length > 0 && !ROUTE.test(each)) return true;
    for (const importer of importers) seen.add(importer);
  }
  return false;
}

const areasOf = (pages: readonly string[]): readonly string[] => [
  ...new Set(pages.map((page) => page.split('/')[0] ?? '')),
];

function isShared(id: string, graph: Graph, above: readonly string[] = []): boolean {
  const areas = areasOf(pagesOf(id, graph));
  if (areas.includes('') || areas.length >= SHARED_AREAS) return true;
  const { code, importedIds = [] } = graph.getModuleInfo(id) ?? {};
  const isKit = isOfLaterParts(id, graph);
  if ((areas.length < 2 && !isKit) || above.includes(id) || (code ?? '').length > (isKit ? SMALL : TINY)) return false;
  return importedIds.every((each) => isShared(each, graph, [...above, id]));
}

/**
 * Files by rule, not by name: what every page needs, and what the same pages need at once. Every further file of a page
 * costs a round trip. What comes later is left to the bundler.
 */
function chunkOf(id: string, graph: Graph): string | null {
  if (id.includes('rolldown/runtime')) return 'shell';
  // The entries themselves are files of their own anyway.
  if (/\.css$|client-optimized/.test(id)) return null;
  const pages = pagesOf(id, graph);
  if (pages.length === 0) return null;
  if (isShared(id, graph)) return 'shell';
  const [area, ...others] = areasOf(pages);
  return others.length === 0 && pages.length > 2 && area !== 'assistants'
    ? `pages-${area}`
    : `pages-${pages.join('+')}`;
}

/** Plugin for browsers only: what kit runs itself to analyse the routes must not load components. */
const fewerFiles: Plugin = {
  name: 'bellwether-fewer-files',
  enforce: 'post',
  config: ({ build }) =>
    build?.ssr
      ? undefined
      : {
          build: {
            // One style sheet for all pages: cached once, and no page waits for those of its parts.
            cssCodeSplit: false,
            rolldownOptions: {
              preserveEntrySignatures: 'allow-extension',
              output: {
                // The imports of a module are needed by the same pages and more, so the files cannot import each other.
                codeSplitting: { groups: [{ name: chunkOf, includeDependenciesRecursively: false }] },
                // Every page loads the list of all files, and their hashes are what does not compress.
                entryFileNames: '_app/immutable/[name].[hash:7].js',
                chunkFileNames: '_app/immutable/chunks/[hash:7].js',
                assetFileNames: '_app/immutable/assets/[hash:7][extname]',
              },
            },
          },
        },
};

/** The style sheet's place in the page: kit links those of single pages only. */
function styleSheet(): Plugin {
  let isLast = false;
  return {
    name: 'bellwether-style-sheet',
    configResolved: ({ build }) => {
      isLast = Boolean(build.ssr);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      handler() {
        const built = join(import.meta.dirname, 'build');
        if (!isLast || !existsSync(join(built, 'index.html'))) return;
        const output = join(import.meta.dirname, '.svelte-kit/output/client/.vite/manifest.json');
        const manifest = JSON.parse(readFileSync(output, 'utf8')) as { 'style.css': { file: string } };
        const link = `<link href="/${manifest['style.css'].file}" rel="stylesheet">`;
        const page = readFileSync(join(built, 'index.html'), 'utf8');
        writeFileSync(join(built, 'index.html'), page.replace('</head>', `${link}</head>`));
      },
    },
  };
}

export default defineConfig({
  plugins: [
    messages(),
    help(),
    icons(),
    fewerFiles,
    styleSheet(),
    sveltekit({
      adapter: adapter({ pages: 'build', assets: 'build', fallback: 'index.html', precompress: false, strict: true }),
      output: { bundleStrategy: 'split' },
      version: { pollInterval: 300_000 },
      compilerOptions: { runes: true },
      // Shared with the service; its index is for types only.
      alias: { '@bellwether/kernel': '../packages/kernel/src', '@bellwether/kernel/*': '../packages/kernel/src/*' },
    }),
  ],
  build: { target: 'es2022' },
  server: { proxy: proxied, fs: { allow: ['..'] } },
});
