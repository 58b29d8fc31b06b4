import pages from 'virtual:help';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { helpFor } from './topics';

const ROOT = join(import.meta.dirname, '../../../../..');
const filesIn = (folder: string, end: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(end));

/** Addresses of all pages of the UI: `[id]` stands for anything. */
const ROUTES = filesIn('web/src/routes', '+page.svelte')
  .map((name) => `/${name.replace(/\/?\+page\.svelte$/, '')}`)
  .filter((path) => path !== '/' && !path.startsWith('/help'));

/** The guide's page about the UI explains them. */
const WAYS_IN = ['/sign-in', '/join', '/join/[code]', '/account/sessions'];

// `virtual:help` reads the pages as they are.
it.each(ROUTES)('leads from %s to a page and a heading of the guide', async (path) => {
  const [slug, heading] = helpFor(path).replace('/help/', '').split('#');
  const page = pages.find((each) => each.slug === slug);
  expect(page?.slug).toBe(slug);
  if (!WAYS_IN.includes(path)) expect(slug).not.toBe('web');
  const html = (await page?.load())?.default ?? '';
  if (heading !== undefined) expect(html).toContain(`id="${heading}"`);
});

it('renders tables, links between pages and links to files that are not shown', async () => {
  const html = (await pages.find(({ slug }) => slug === 'assistants')?.load())?.default ?? '';
  expect(html).toContain('<h2 id=');
  expect(html).toMatch(/href="\/help\/[a-z-]+(#[\w-]+)?"/);
  expect(html).not.toMatch(/href="[^"]*\.md/);
});

it('shows pictures that the browser tests write, and no others', () => {
  const tests = filesIn('web/e2e', '.spec.ts')
    .map((name) => readFileSync(join(ROOT, 'web/e2e', name), 'utf8'))
    .join('\n');
  const texts = ['README.md', ...filesIn('docs/guide', '.md').map((name) => `docs/guide/${name}`)]
    .map((name) => readFileSync(join(ROOT, name), 'utf8'))
    .join('\n');
  const pictures = filesIn('docs/images', '.png').map((name) => name.replace('.png', ''));
  expect(pictures.filter((name) => !new RegExp(`picture\\(\\w+, '${name}'`).test(tests))).toEqual([]);
  expect(pictures.filter((name) => !texts.includes(`images/${name}.png`))).toEqual([]);
});
