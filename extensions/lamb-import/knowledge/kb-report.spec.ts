import { kbReportText } from './kb-report';

it('tells what owners may not read under a heading that speaks of files and rubrics, too', () => {
  const message = 'file 2/gone.md is not accessible';
  const text = kbReportText({
    source: '/lamb/kb',
    dryRun: false,
    interrupted: false,
    collections: [],
    assistants: [{ origin: '12', id: 40, message }],
    problems: [],
  });
  const lines = text.split('\n');
  const heading = lines[lines.findIndex((line) => line.includes(message)) - 1];
  expect(heading).toBe('Assistants whose owners may not read something that they use, also files and rubrics');
  expect(
    kbReportText({ source: '', dryRun: true, interrupted: false, collections: [], assistants: [], problems: [] }),
  ).not.toContain('may not read');
});
