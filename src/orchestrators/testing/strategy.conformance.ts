import fc from 'fast-check';
import { strategyChecks } from '@bellwether/plugin/conformance';
import type { ToolOutcome } from '../../tools';
import type { OrchestratorStrategy } from '../contract';
import { broken, echo, entries, jobOf, orchestratorOf, scriptedTool } from './scripted-job';

const hang = scriptedTool('hang', () => new Promise(() => undefined));

/** The conformance suite of strategies. A strategy's spec calls it once. */
export function describeStrategy(name: string, strategy: OrchestratorStrategy): void {
  const engine = (limit = 5) =>
    orchestratorOf([echo, broken, hang], {
      limit,
      strategies: [
        [name, strategy],
        ['parallel', strategy],
      ],
    });

  describe(`the strategy ${name}`, () => {
    for (const { name: obligation, check } of strategyChecks(strategy)) it(obligation, check);

    it('is called by its key', () => {
      expect(strategy.definition.name).toBe(name);
      expect(strategy.definition.description).toMatch(/\.$/);
    });

    it('yields one outcome per enabled tool in document order and puts every content into its slot', async () => {
      const tool = fc.record({ enabled: fc.boolean(), fails: fc.boolean(), ms: fc.nat(4), content: fc.string() });
      await fc.assert(
        fc.asyncProperty(fc.array(tool, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), async (tools, limit) => {
          const pipeline = entries(
            ...tools.map(({ enabled, fails, ms, content }) => ({
              enabled,
              plugin: fails ? 'broken' : 'echo',
              config: { content, ms },
            })),
          );
          const template = `${pipeline.map(({ placeholder }) => `[{${placeholder}}]`).join('')}{user_input}`;
          const job = jobOf({ strategy: name, tools: pipeline, template });
          const { outcomes, messages } = await engine(limit).orchestrate(job);

          expect(outcomes.map(({ index }) => index)).toEqual(
            pipeline.filter((each) => each.enabled).map((each) => each.index),
          );
          const shown = tools.map(({ enabled, fails, content }) =>
            enabled && !fails && content !== '' ? `[\n\n${content}\n\n]` : '[]',
          );
          expect(messages).toEqual([{ role: 'user', content: `${shown.join('')}\n\nQ\n\n` }]);
          for (const { index, status } of outcomes) {
            const ends = job.events.filter(
              (event) => 'index' in event && event.index === index && event.type !== 'tool.started',
            );
            expect(ends).toEqual([expect.objectContaining({ type: `tool.${status}` })]);
          }
        }),
        { numRuns: 40 },
      );
    });

    it('sends the question through the template when there are no tools', async () => {
      const job = jobOf({ strategy: name, template: 'Answer: {user_input}' });
      const { messages, outcomes, warnings } = await engine().orchestrate(job);
      expect(messages).toEqual([{ role: 'user', content: 'Answer: \n\nQ\n\n' }]);
      expect(outcomes).toEqual([]);
      expect(warnings).toEqual([]);
      expect(job.events).toEqual([]);
    });

    it('lets two tools with one placeholder both have an outcome', async () => {
      const tools = entries({ config: { content: 'one' } }, { config: { content: 'two' }, placeholder: '1_context' });
      const { outcomes, messages } = await engine().orchestrate(
        jobOf({ strategy: name, tools, template: '{1_context}' }),
      );
      expect(outcomes).toHaveLength(2);
      expect(messages).toEqual([{ role: 'user', content: '\n\none\n\ntwo\n\n' }]);
    });

    it('ends soon after the run is aborted, whatever its tools do', async () => {
      const controller = new AbortController();
      const tools = entries({ plugin: 'hang' }, { plugin: 'hang' });
      const running = engine().orchestrate(jobOf({ strategy: name, tools, signal: controller.signal }));
      controller.abort();
      await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    });

    it('fails the run for a tool that must not fail, and starts nothing after that', async () => {
      const tools = entries(
        { plugin: 'broken', on_error: 'fail' },
        { plugin: 'hang' },
        ...Array.from({ length: 6 }, () => ({ config: { ms: 1 } })),
      );
      const job = jobOf({ strategy: name, tools });
      await expect(engine(2).orchestrate(job)).rejects.toMatchObject({
        code: 'tool_failed',
        detail: 'The tool broken → 1_context failed: out of order',
      });
      const failed = job.events.findIndex((event) => event.type === 'tool.failed' && event.index === 0);
      const later = job.events.slice(failed).map(({ type }) => type);
      expect(later).toContain('tool.failed');
      expect(later).not.toContain('tool.started');
      const ends = job.events.filter(({ type }) => /^tool\.(completed|failed|skipped)$/.test(type));
      expect(ends.flatMap((event) => ('index' in event ? [event.index] : [])).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    });

    it('never runs more tools at once than the run may', async () => {
      let running = 0;
      let most = 0;
      const counted = scriptedTool('counted', async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        return { content: '', sources: [], confidence: null };
      });
      const limited = orchestratorOf([counted], { limit: 3, strategies: [[name, strategy]] });
      const tools = entries(...Array.from({ length: 10 }, () => ({ plugin: 'counted' })));
      const { outcomes } = await limited.orchestrate(jobOf({ strategy: name, tools }));
      expect(most).toBeLessThanOrEqual(3);
      expect(outcomes.map(({ status }: ToolOutcome) => status)).toEqual(Array.from({ length: 10 }, () => 'completed'));
    });
  });
}
