import { BadUsage } from '../../../src/infrastructure/commands';
import { toolsOf } from './replay-runs';

describe('settings of tools on the command line', () => {
  it('are set as JSON where they are JSON, else as text', () =>
    expect(toolsOf(['1_context.top_k=5', '1_context.mode=hybrid', '2_rubric.note=a=b'])).toEqual({
      '1_context': { config: { top_k: 5, mode: 'hybrid' }, unset: [] },
      '2_rubric': { config: { note: 'a=b' }, unset: [] },
    }));

  it('are left out without a value', () =>
    expect(toolsOf(['1_context.mode', '1_context.top_k='])).toEqual({
      '1_context': { config: { top_k: '' }, unset: ['mode'] },
    }));

  it.each(['1_context', '=5', '.top_k=5', ''])('refuses %j', (text) => expect(() => toolsOf([text])).toThrow(BadUsage));
});
