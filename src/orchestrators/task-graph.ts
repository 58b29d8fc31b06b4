import type { Awaitable } from '@bellwether/kernel';
import type { PipelineTool } from '../tools';

/** Positions of the tools that each one waits for. A disabled or missing tool is no dependency. */
export function dependenciesOf(tools: readonly PipelineTool[]): number[][] {
  if (tools.every(({ depends_on }) => depends_on.length === 0)) return tools.map(() => []);
  const positions = new Map<string, number[]>();
  for (const [position, { placeholder }] of tools.entries()) {
    if (placeholder !== null) positions.set(placeholder, [...(positions.get(placeholder) ?? []), position]);
  }
  return tools.map(({ depends_on }) => [...new Set(depends_on.flatMap((name) => positions.get(name) ?? []))]);
}

/** Dependencies between tasks, by position. */
export interface TaskGraph {
  /** The tasks that wait for each task, longest remaining path first. */
  readonly dependants: readonly (readonly number[])[];
  /** The number of dependencies of each task (in-degree). */
  readonly waits: readonly number[];
  /** Tasks without dependencies, longest remaining path first. */
  readonly roots: readonly number[];
  /** Each task one stage after its last dependency. For display only: nothing runs by stages. */
  readonly stages: readonly (readonly number[])[];
  /** Tasks in a cycle, and tasks that depend on them: they can never start. */
  readonly stuck: readonly number[];
}

/** `dependencies`: for each task the positions of its dependencies, without duplicates. */
export function taskGraph(dependencies: readonly (readonly number[])[]): TaskGraph {
  const dependants = reversed(dependencies);
  const order = inOrder(dependencies, dependants);
  const depth = distances(order, dependencies);
  const height = distances(order.toReversed(), dependants);
  const highestFirst = (a: number, b: number): number => (height[b] ?? 0) - (height[a] ?? 0) || a - b;
  for (const tasks of dependants) tasks.sort(highestFirst);
  const stages: number[][] = [];
  for (const task of order.toSorted((a, b) => a - b)) (stages[depth[task] ?? 0] ??= []).push(task);
  const placed = new Set(order);
  return {
    dependants,
    waits: dependencies.map(({ length }) => length),
    roots: [...(stages[0] ?? [])].sort(highestFirst),
    stages,
    stuck: placed.size === dependencies.length ? [] : [...dependencies.keys()].filter((task) => !placed.has(task)),
  };
}

function reversed(dependencies: readonly (readonly number[])[]): number[][] {
  const dependants: number[][] = dependencies.map(() => []);
  for (const [task, needed] of dependencies.entries()) for (const other of needed) dependants[other]?.push(task);
  return dependants;
}

/** Length of the longest path from each task along `edges`. `order` has the target of each edge before its source. */
function distances(order: readonly number[], edges: readonly (readonly number[])[]): number[] {
  const far = edges.map(() => 0);
  for (const task of order) {
    for (const other of edges[task] ?? []) far[task] = Math.max(far[task] ?? 0, (far[other] ?? 0) + 1);
  }
  return far;
}

function inOrder(dependencies: readonly (readonly number[])[], dependants: readonly (readonly number[])[]): number[] {
  const waits = dependencies.map(({ length }) => length);
  const order = [...waits.keys()].filter((task) => waits[task] === 0);
  for (const task of order) {
    for (const next of dependants[task] ?? []) {
      const left = (waits[next] ?? 0) - 1;
      waits[next] = left;
      if (left === 0) order.push(next);
    }
  }
  return order;
}

/** The direct and indirect dependencies of each task, ascending; empty for stuck tasks. */
export function allBehind(dependencies: readonly (readonly number[])[], { stages }: TaskGraph): number[][] {
  const known: ReadonlySet<number>[] = [];
  for (const task of stages.flat()) {
    const all = new Set<number>();
    for (const other of dependencies[task] ?? []) {
      all.add(other);
      for (const further of known[other] ?? []) all.add(further);
    }
    known[task] = all;
  }
  return dependencies.map((_, task) => [...(known[task] ?? [])].sort((a, b) => a - b));
}

/**
 * A ready-queue: starts each task when its last dependency has ended, and resolves when all have ended. A task that
 * ends at once returns no promise. Stuck tasks never start. Rejects with the first rejection.
 */
export function runWhenReady(graph: TaskGraph, begin: (task: number) => Awaitable<unknown>): Promise<void> {
  const waits = [...graph.waits];
  let open = graph.waits.length - graph.stuck.length;
  if (open === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const ended = (task: number): void => {
      open -= 1;
      if (open === 0) resolve();
      for (const next of graph.dependants[task] ?? []) {
        const left = (waits[next] ?? 0) - 1;
        waits[next] = left;
        if (left === 0) start(next);
      }
    };
    const start = (task: number): void => {
      try {
        const running = begin(task);
        if (running instanceof Promise) running.then(() => ended(task), reject);
        else ended(task);
      } catch (error) {
        reject(error instanceof Error ? error : new Error('a task threw', { cause: error }));
      }
    };
    for (const task of graph.roots) start(task);
  });
}
