import { defineConfig } from '@playwright/test';
import tests from './playwright.config';

/** `npm run bench:web`: how fast the pages answer to a hand; prints figures and fails on none. */
export default defineConfig({ ...tests, testDir: 'bench', testMatch: '**/*.bench.ts', workers: 1, timeout: 180_000 });
