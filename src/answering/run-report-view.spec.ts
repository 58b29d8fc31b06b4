import type { ShapedReport } from '../runs';
import { reportForAdministrator } from './engine/answer-pipeline.service';

const reportWith = (prompt: ShapedReport['prompt']): ShapedReport => ({
  created_at: '2026-11-22T10:00:00.000Z',
  orchestrator: 'sequential',
  assistant: { id: 1, name: 'Tutor', type: 'multi_tool' },
  request: { user_message: 'Why?', stream: false },
  tools: [],
  results: [],
  sources: [],
  messages: [],
  warnings: [],
  totals: { sources: 0, messages: 0 },
  ...(prompt === undefined ? {} : { prompt }),
});

describe('a report for an administrator who does not edit the assistant', () => {
  it('has of what tools put into the prompt as much as a preview', () => {
    const [author, fetched] = reportForAdministrator(
      reportWith([
        { text: 'a'.repeat(900), chars: 900 },
        { slot: '1_context', index: 0, text: 'b'.repeat(900), chars: 900 },
      ]),
    ).prompt!;
    expect(author?.text).toBe('a'.repeat(900));
    expect(fetched).toEqual({ slot: '1_context', index: 0, text: `${'b'.repeat(500)}...`, chars: 900 });
  });

  it('is the report where there is no template', () => {
    const report = reportWith(undefined);
    expect(reportForAdministrator(report)).toBe(report);
  });
});
