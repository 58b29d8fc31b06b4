import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
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

/** The code that every page loads, in one file: many small files compress worse. */
const SHELL =
  /src\/lib\/(shell\/(Header|Banners|shortcuts)|ui\/(Toasts|Problem|announcer)|session\/|i18n\/)|kit\/src\/runtime\/(client\/(client|state)|app\/)|vite\/preload-helper/;

const GROUPS = [
  { name: 'shell', test: SHELL },
  {
    name: 'icons',
    test: /lucide\/svelte\/dist\/icons\/(copy|download|eye|file-text|import|library|message-square|pencil|plus|save|search|share-2|trash|upload|wrench)\.svelte/,
  },
  // Shared with pages that must not load the lists below for them.
  { name: 'list-icons', test: /lucide\/svelte\/dist\/icons\/(globe|power|rotate-ccw)\.svelte/ },
  {
    name: 'chat-icons',
    test: /lucide\/svelte\/dist\/icons\/(arrow-down|arrow-up|book-open|bot|image-plus|square|square-pen)\.svelte/,
  },
  { name: 'assistant-actions', test: /src\/lib\/assistants\/actions\/AssistantActions/ },
  { name: 'list-foot', test: /src\/lib\/ui\/ListFoot/ },
  {
    name: 'ui',
    test: /src\/lib\/(ui\/(Field|Breadcrumbs|Lazy|PageHead|paged-list)|definition\/assistant|tools\/texts)/,
  },
  { name: 'content', test: /src\/lib\/content\/(ListBody|SearchBox|ConfirmDelete)/ },
  { name: 'assistants', test: /src\/lib\/assistants\/list\/AssistantsPage/ },
  { name: 'files', test: /src\/lib\/content\/files\/FileBrowser/ },
].map((group, index, all) => ({ ...group, priority: all.length - index }));

/** For browsers only: what kit runs itself to analyse the routes must not load components. */
const fewerFiles: Plugin = {
  name: 'bellwether-fewer-files',
  enforce: 'post',
  config: ({ build }) =>
    build?.ssr ? undefined : { build: { rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } } } },
};

export default defineConfig({
  plugins: [
    messages(),
    help(),
    icons(),
    fewerFiles,
    sveltekit({
      adapter: adapter({ pages: 'build', assets: 'build', fallback: 'index.html', precompress: false, strict: true }),
      output: { bundleStrategy: 'split' },
      version: { pollInterval: 300_000 },
      compilerOptions: { runes: true },
    }),
  ],
  resolve: {
    // The placeholder compiler is shared with the service; of the kernel it needs the errors only.
    alias: [{ find: /^\.\.\/kernel$/, replacement: join(import.meta.dirname, '../src/kernel/errors.ts') }],
  },
  build: { target: 'es2022' },
  server: { proxy: proxied, fs: { allow: ['..'] } },
});
