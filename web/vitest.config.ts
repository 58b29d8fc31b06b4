import { svelte } from '@sveltejs/vite-plugin-svelte';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { help } from './help.plugin.ts';
import { messages } from './messages.plugin.ts';

export default defineConfig({
  plugins: [messages(), help(), svelte()],
  resolve: {
    conditions: ['browser'],
    alias: [
      { find: '$lib', replacement: join(import.meta.dirname, 'src/lib') },
      { find: '@bellwether/kernel', replacement: join(import.meta.dirname, '../packages/kernel/src') },
    ],
  },
  test: {
    include: ['src/**/*.spec.ts'],
    environment: 'happy-dom',
    setupFiles: ['./vitest.setup.ts'],
    // A busy machine is slow.
    testTimeout: 20_000,
  },
});
