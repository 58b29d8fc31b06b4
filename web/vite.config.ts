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
  /src\/lib\/(app\/(shell\/(Header|Banners|shortcuts)|session\/session)|kit\/(ui\/(Toasts|Problem\.svelte|announcer)|i18n\/i18n))|kit\/src\/runtime\/(client\/(client|state)|app\/)|vite\/preload-helper/;

const GROUPS = [
  { name: 'shell', test: SHELL },
  {
    name: 'icons',
    test: /lucide\/svelte\/dist\/icons\/(import|library|message-square|pencil|plus|search|wrench)\.svelte/,
  },
  {
    name: 'content-icons',
    test: /lucide\/svelte\/dist\/icons\/(copy|download|eye|file-text|image|save|share-2|trash|upload)\.svelte/,
  },
  // Shared with pages that must not load the lists below for them.
  { name: 'list-icons', test: /lucide\/svelte\/dist\/icons\/(globe|power|rotate-ccw)\.svelte/ },
  {
    name: 'chat-icons',
    test: /lucide\/svelte\/dist\/icons\/(arrow-down|arrow-up|book-open|bot|image-plus|square|square-pen)\.svelte/,
  },
  {
    name: 'sign-icons',
    test: /lucide\/svelte\/dist\/icons\/(arrow-left|check|circle-check|external-link|info|list-checks|play|redo-2|split|triangle-alert|undo-2)\.svelte/,
  },
  {
    name: 'small-parts',
    test: /src\/lib\/(kit\/(ui\/(keys|keep-clear)|i18n\/(durations|language-name)|api\/(download|save-blob))|features\/(limits\/money|assistants\/form\/(form\.types|suggested-questions)))/,
  },
  { name: 'assistant-actions', test: /src\/lib\/features\/assistants\/actions\/AssistantActions/ },
  { name: 'list-foot', test: /src\/lib\/kit\/ui\/ListFoot/ },
  {
    name: 'ui',
    test: /src\/lib\/(app\/catalogues\/(fetched|assistant)|kit\/ui\/(Field|Breadcrumbs|Lazy|PageHead|paged-list))/,
  },
  { name: 'content', test: /src\/lib\/features\/content\/(Check\.|ListBody|SearchBox|ConfirmDelete)/ },
  {
    name: 'organization',
    test: /src\/lib\/(app\/shell\/AdminsOnly|features\/(organization\/(chosen-slug|ShowMore)|sign-on\/may-set|content\/unsaved)|kit\/ui\/saving)/,
  },
  { name: 'catalogues', test: /src\/lib\/app\/catalogues\/(catalogues|classic)/ },
  { name: 'assistants', test: /src\/lib\/features\/assistants\/list\/AssistantsPage/ },
  { name: 'uploads', test: /src\/lib\/kit\/uploads\/UploadBox/ },
  { name: 'files', test: /src\/lib\/features\/content\/files\/FileBrowser/ },
].map((group, index, all) => ({ ...group, priority: all.length - index }));

/** For browsers only: what kit runs itself to analyse the routes must not load components. */
const fewerFiles: Plugin = {
  name: 'bellwether-fewer-files',
  enforce: 'post',
  config: ({ build }) =>
    build?.ssr
      ? undefined
      : {
          build: {
            rolldownOptions: {
              preserveEntrySignatures: 'allow-extension',
              output: {
                codeSplitting: { groups: GROUPS },
                // Every page loads the list of all files, and their hashes are what does not compress.
                entryFileNames: '_app/immutable/[name].[hash:7].js',
                chunkFileNames: '_app/immutable/chunks/[hash:7].js',
                assetFileNames: '_app/immutable/assets/[hash:7][extname]',
              },
            },
          },
        },
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
      // Shared with the service; its index is for types only.
      alias: { '@bellwether/kernel': '../packages/kernel/src', '@bellwether/kernel/*': '../packages/kernel/src/*' },
    }),
  ],
  build: { target: 'es2022' },
  server: { proxy: proxied, fs: { allow: ['..'] } },
});
