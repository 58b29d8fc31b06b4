import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['CHROMIUM'] ?? CHROMIUM.find((path) => existsSync(path));
const inCi = process.env['CI'] !== undefined;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/support/build.ts',
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  forbidOnly: inCi,
  // On a busy machine a test may be late: the list calls it flaky then.
  retries: inCi ? 1 : 0,
  use: {
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    // It doubles the time of tests of many keys.
    trace: inCi ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--disable-background-networking', '--disable-component-update', '--no-first-run'],
    },
  },
});
