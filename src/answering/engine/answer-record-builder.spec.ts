import type { PreparedPrompt } from '../../runs';
import type { FunctionOutcome } from '../../tools';
import type { Completion } from '../completion.types';
import { AnswerRecordBuilder } from './answer-record-builder';

const SOURCE = { type: 'rubric', rubric_id: 'r', title: 'R', format: 'markdown' } as const;
const found = {
  status: 'completed',
  content: '',
  sources: [{ ...SOURCE, rubric_id: 's' }],
} as unknown as FunctionOutcome;

function ledgerOf(hidesSources: boolean): AnswerRecordBuilder {
  const builder = new AnswerRecordBuilder({ hidesSources, run: { startedMono: 0 } } as unknown as Completion);
  builder.ready({ sources: [{ ...SOURCE, n: 1 }] } as unknown as PreparedPrompt);
  return builder;
}

describe('the sources of an answer', () => {
  it('are those of the prompt, then those of functions', () => {
    const builder = ledgerOf(false);
    builder.numbered([found]);
    expect(builder.sources.map(({ n }) => n)).toEqual([1, 2]);
  });

  it('are hidden from callers of another organization, whoever found them, and numbered all the same', () => {
    const builder = ledgerOf(true);
    expect(builder.numbered([found])).toMatchObject([{ sources: [{ n: 2 }] }]);
    expect(builder.sources).toEqual([]);
  });
});
