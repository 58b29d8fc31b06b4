import type { ChatMessage } from '@bellwether/kernel';
import { entries, jobOf, orchestratorOf } from '../testing/scripted-job';
import { describeStrategy } from '../testing/strategy.conformance';
import { ConditionalStrategy } from './conditional.strategy';

describeStrategy('conditional', new ConditionalStrategy());

describe('conditional', () => {
  it('decides tool by tool, with the results so far', async () => {
    const tools = entries(
      { config: { content: 'found' }, when: { in: ['exam', { var: 'user_input' }] } },
      { config: { content: 'spare' }, when: { '!': { var: 'results.1_context.ok' } } },
      { config: { content: 'both' }, when: { and: [{ var: 'results.1_context.ok' }, true] } },
      { when: { var: 'results.2_context' } },
    );
    const messages: ChatMessage[] = [{ role: 'user', content: 'When is the exam?' }];
    const job = jobOf({ strategy: 'conditional', tools, messages });
    expect((await orchestratorOf().orchestrate(job)).outcomes).toMatchObject([
      { status: 'completed', content: 'found' },
      { status: 'skipped', reason: 'its condition is not met' },
      { status: 'completed', content: 'both' },
      { status: 'completed' },
    ]);
    expect(job.told().slice(0, 4)).toEqual([
      '🔄 Executing tool: echo → 1_context',
      '✅ Tool completed: echo → 5 chars to 1_context',
      '⏭️ Skipped tool: echo → 2_context - its condition is not met',
      '🔄 Executing tool: echo → 3_context',
    ]);
  });

  it('skips a tool whose condition fails, and warns', async () => {
    const tools = entries(
      { when: { '==': [{ var: 'metadata.odd' }, 'x'] } },
      { when: { reduce: [[1], { var: 'accumulator' }, 0] } },
      { when: 7 },
    );
    const metadata = { odd: { toString: 1, valueOf: 1 } };
    const job = jobOf({ strategy: 'conditional', tools, metadata });
    const { outcomes, warnings } = await orchestratorOf().orchestrate(job);
    expect(outcomes).toMatchObject([1, 2, 3].map(() => ({ status: 'skipped', reason: 'its condition failed' })));
    expect(warnings).toMatchObject([1, 2, 3].map(() => ({ code: 'condition.failed' })));
    expect(job.events.filter(({ type }) => type === 'warning')).toHaveLength(3);
  });
});
