import pages from 'virtual:help';
import { expect, it } from 'vitest';
import { helpFor } from './topics';

// `virtual:help` reads the pages as they are.
it.each([
  ['/assistants/7', '/help/assistants'],
  ['/knowledge-bases', '/help/knowledge-bases'],
  ['/organization/members', '/help/operate'],
  ['/organization/limits', '/help/limits'],
  ['/files', '/help/web'],
])('leads from %s to a page that exists: %s', (path, help) => {
  expect(helpFor(path)).toBe(help);
  expect(pages.map(({ slug }) => `/help/${slug}`)).toContain(help);
});

it('renders tables, links between pages and links to files that are not shown', async () => {
  const html = (await pages.find(({ slug }) => slug === 'assistants')?.load())?.default ?? '';
  expect(html).toContain('<h2 id=');
  expect(html).toMatch(/href="\/help\/[a-z-]+(#[\w-]+)?"/);
  expect(html).not.toMatch(/href="[^"]*\.md/);
});
