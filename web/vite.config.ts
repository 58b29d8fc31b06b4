import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { messages } from './messages.plugin';

/** Where `npm run dev -w web` finds the service, and a key to be signed in with. */
const { BELLWETHER_URL: service = 'http://localhost:3000', BELLWETHER_KEY: key } = process.env;
const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
const proxied = Object.fromEntries(
  ['/api', '/v1', '/lamb', '/health', '/sign-in/'].map((path) => [path, { target: service, headers }]),
);

export default defineConfig({
  plugins: [
    messages(),
    sveltekit({
      adapter: adapter({ pages: 'build', assets: 'build', fallback: 'index.html', precompress: false, strict: true }),
      // The service puts the hash of the one inline script into its Content-Security-Policy header.
      csp: { mode: 'hash', directives: { 'script-src': ['self'] } },
      output: { bundleStrategy: 'split' },
      version: { pollInterval: 300_000 },
      compilerOptions: { runes: true },
    }),
  ],
  resolve: {
    // The placeholder compiler is the service's own source; of the kernel it needs the errors, and a browser gets no more.
    alias: [{ find: /^\.\.\/kernel$/, replacement: join(import.meta.dirname, '../src/kernel/errors.ts') }],
  },
  build: { target: 'es2022' },
  server: { proxy: proxied, fs: { allow: ['..'] } },
});
