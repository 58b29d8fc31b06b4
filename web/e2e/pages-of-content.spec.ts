// Every page of content and of the institution, in every language and both colour schemes.
import { test } from './support/fixtures';
import { holdEverywhere } from './support/pages';
import { someIssuer } from './support/something';

test('pages of content and of the institution hold in every language', async ({ page, api }) => {
  test.setTimeout(220_000);
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Cells of every page' });
  await api.upload(`/api/v1/knowledge-bases/${base.id}/documents`, { 'membranes.md': '# Membranes\n\nWater moves.' });
  await api.upload('/api/v1/files', { 'syllabus.md': '# Syllabus\n\nWeek 1: cells.' });
  const issuer = await someIssuer(api);
  const pages = [
    ['knowledge-bases', '/knowledge-bases'],
    ['knowledge-base-create', '/knowledge-bases/create'],
    ['knowledge-base', `/knowledge-bases/${base.id}`],
    ['rubrics', '/rubrics'],
    ['rubric-create', '/rubrics/create'],
    ['files', '/files'],
    ['prompt-templates', '/prompt-templates'],
    ['prompt-template-create', '/prompt-templates/create'],
    ['organization', '/organization'],
    ['providers', '/organization/providers'],
    ['mcp-servers', '/organization/mcp'],
    ['members', '/organization/members'],
    ['sign-on', '/organization/sign-on'],
    ['sign-on-create', '/organization/sign-on/create'],
    ['sign-on-issuer', `/organization/sign-on/issuers/${issuer}`],
    ['audit', '/organization/audit'],
    ['organizations', '/organization/organizations'],
    ['organization-api-keys', '/organization/api-keys'],
    ['api-keys', '/account/api-keys'],
    ['sessions', '/account/sessions'],
    ['migration', '/admin/migration'],
    ['health', '/admin/health'],
  ] as const;
  for (const [name, path] of pages) await test.step(name, () => holdEverywhere(page, name, path));
});
