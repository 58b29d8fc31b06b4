import { defineConfig } from '@playwright/test';
import tests from './playwright.config';

/** `npm run bench:web`: how fast the pages answer to a hand; prints figures and fails where a goal is missed. */
export default defineConfig({
  ...tests,
  use: { ...tests.use, trace: 'off' },
  testDir: 'bench',
  testMatch: '**/*.bench.ts',
  workers: 1,
  timeout: 180_000,
});
