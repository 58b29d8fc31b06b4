import { gzipSync } from 'node:zlib';
import { expect, test } from './support/fixtures';

const BUDGET = 60 * 1024;

const PATHS = [
  '/assistants',
  '/multi-tool-assistants',
  '/assistants/new',
  '/assistants/create',
  '/multi-tool-assistants/create',
  '/knowledge-bases',
  '/rubrics',
  '/files',
  '/prompt-templates',
  '/runs',
];

for (const path of PATHS) {
  test(`the first scripts of ${path} stay within 60 kB`, async ({ page }) => {
    const sizes: { url: string; size: number }[] = [];
    const reading: Promise<void>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return;
      reading.push(
        response.body().then((body) => {
          sizes.push({ url: new URL(response.url()).pathname, size: gzipSync(body).length });
        }),
      );
    });
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await Promise.all(reading);
    const total = sizes.reduce((sum, { size }) => sum + size, 0);
    test.info().annotations.push({ type: 'first scripts, gzipped', description: `${total} bytes` });
    console.log(`${path}: ${(total / 1024).toFixed(1)} kB in ${sizes.length} scripts`);
    expect(total).toBeLessThanOrEqual(BUDGET);
  });
}
