import fc from 'fast-check';
import { runWhenReady, taskGraph } from './task-graph';

const anyGraph = fc
  .integer({ min: 0, max: 12 })
  .chain((size) => fc.array(fc.subarray([...Array(size).keys()]), { minLength: size, maxLength: size }));

describe('a graph of tasks', () => {
  it('has each task in one stage behind all that it waits for, or stuck', () => {
    fc.assert(
      fc.property(anyGraph, (dependencies) => {
        const { stages, stuck } = taskGraph(dependencies);
        const stageOf = new Map(stages.flatMap((stage, at) => stage.map((task) => [task, at] as const)));
        expect([...stageOf.keys(), ...stuck].sort((a, b) => a - b)).toEqual([...dependencies.keys()]);
        for (const [task, at] of stageOf) {
          expect(
            (dependencies[task] ?? []).map((other) => stageOf.get(other) ?? Infinity).every((other) => other < at),
          ).toBe(true);
        }
        for (const task of stuck) {
          expect((dependencies[task] ?? []).some((other) => stuck.includes(other))).toBe(true);
        }
      }),
    );
  });

  it('runs every task that is not stuck once, each after all that it waits for, at once or later', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyGraph,
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        async (dependencies, later) => {
          const graph = taskGraph(dependencies);
          const ended: number[] = [];
          await runWhenReady(graph, (task) => {
            expect((dependencies[task] ?? []).every((other) => ended.includes(other))).toBe(true);
            if (later[task] !== true) {
              ended.push(task);
              return undefined;
            }
            return new Promise((resolve) => setImmediate(resolve)).then(() => ended.push(task));
          });
          expect([...ended, ...graph.stuck].sort((a, b) => a - b)).toEqual([...dependencies.keys()]);
        },
      ),
    );
  });

  it('rejects with what a task throws, now or later', async () => {
    const graph = taskGraph([[], [0]]);
    const fail = (): never => {
      throw new Error('broken');
    };
    await expect(runWhenReady(graph, fail)).rejects.toThrow('broken');
    await expect(runWhenReady(graph, (task) => (task === 1 ? fail() : Promise.resolve()))).rejects.toThrow('broken');
    await expect(runWhenReady(graph, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
