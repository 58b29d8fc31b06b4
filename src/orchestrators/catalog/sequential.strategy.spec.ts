import type { ToolOutcome } from '../../tools';
import { broken, echo, entries, jobOf, orchestratorOf, scriptedTool } from '../testing/scripted-job';
import { describeStrategy } from '../testing/strategy.conformance';
import { SequentialStrategy } from './sequential.strategy';

describeStrategy('sequential', new SequentialStrategy());

describe('sequential', () => {
  it('runs one tool after another and tells so in the documented words', async () => {
    const job = jobOf({ tools: entries({ config: { content: '12345', ms: 5 } }, { plugin: 'broken' }) });
    await orchestratorOf().orchestrate(job);
    expect(job.told()).toEqual([
      '🔄 Executing tool: echo → 1_context',
      '✅ Tool completed: echo → 5 chars to 1_context',
      '🔄 Executing tool: broken → 2_context',
      '❌ Tool failed: broken - out of order',
      'merging tool outputs',
    ]);
  });

  it('shows each tool the prompt with the earlier slots filled, the failed ones empty, the later ones as written', async () => {
    const prompts: string[] = [];
    const results: ReadonlyMap<string, ToolOutcome>[] = [];
    const look = scriptedTool('look', async (_, __, context) => {
      prompts.push(context.prompt);
      results.push(context.results);
      return { content: `look ${prompts.length} {1_context}`, sources: [], confidence: null };
    });
    const tools = entries({ plugin: 'look' }, { plugin: 'broken' }, { plugin: 'look' }, { config: { content: 'end' } });
    const template = 'A:{1_context} B:{2_context} C:{3_context} D:{4_context} Q:{user_input}';
    await orchestratorOf([look, broken, echo]).orchestrate(jobOf({ tools, template }));
    expect(prompts).toEqual([template, 'A:\n\nlook 1 {1_context}\n\n B: C:{3_context} D:{4_context} Q:{user_input}']);
    expect(results.map((map) => [...map].map(([key, { status }]) => `${key} ${status}`))).toEqual([
      [],
      ['1_context completed', '2_context failed'],
    ]);
  });
});
