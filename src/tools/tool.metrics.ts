import { Injectable } from '@nestjs/common';
import { counter, DURATIONS, gauge, histogram, MetricRegistry } from '../infrastructure/telemetry';

export const TOOL_DURATION = histogram({
  name: 'gen_ai_execute_tool_duration_seconds',
  help: 'Duration of calls of tools and functions, retries included. error_type is empty for calls that succeeded.',
  labels: ['gen_ai_tool_name', 'kind', 'error_type'],
  buckets: DURATIONS,
});
export const TOOL_RETRIES = counter({
  name: 'bellwether_tool_retries',
  help: 'Tries of tool calls after the first one.',
  labels: ['gen_ai_tool_name'],
});
export const TOOL_CACHE = counter({
  name: 'bellwether_tool_cache_requests',
  help: 'Tool calls whose result may be kept: hit when it was answered from memory, else miss.',
  labels: ['gen_ai_tool_name', 'result'],
});
export const CIRCUITS_OPENED = counter({
  name: 'bellwether_tool_circuit_openings',
  help: 'Times that a target of a tool was left alone because it kept failing.',
  labels: ['gen_ai_tool_name'],
});
export const CIRCUITS_OPEN = gauge({
  name: 'bellwether_tool_circuits_open',
  help: 'Targets of tools that are left alone now because they keep failing.',
  labels: ['gen_ai_tool_name'],
});

type OpenCircuits = () => ReadonlyMap<string, number>;

/** Counts what tools do. The names of tools are those of plugins, never what a teacher or model wrote. */
@Injectable()
export class ToolMetrics {
  private readonly durations;
  private readonly retries;
  private readonly cache;
  private readonly openings;
  private readonly circuits: OpenCircuits[] = [];

  constructor(registry: MetricRegistry) {
    this.durations = registry.histogram(TOOL_DURATION);
    this.retries = registry.counter(TOOL_RETRIES);
    this.cache = registry.counter(TOOL_CACHE);
    this.openings = registry.counter(CIRCUITS_OPENED);
    registry.gauge(CIRCUITS_OPEN, () => this.openCircuits());
  }

  /** `code` null for a call that completed. */
  called(tool: string, kind: 'tool' | 'function', durationMs: number, retries: number, code: string | null): void {
    this.durations.at(tool, kind, code ?? '').observe(durationMs / 1e3);
    if (retries > 0) this.retries.at(tool).inc(retries);
  }

  cached(tool: string, result: 'hit' | 'miss'): void {
    this.cache.at(tool, result).inc();
  }

  circuitOpened(tool: string): void {
    this.openings.at(tool).inc();
  }

  /** `read` gives the number of open circuits by tool. */
  watchCircuits(read: OpenCircuits): void {
    this.circuits.push(read);
  }

  private openCircuits(): [[string], number][] {
    const sums = new Map<string, number>();
    for (const read of this.circuits) for (const [tool, open] of read()) sums.set(tool, (sums.get(tool) ?? 0) + open);
    return [...sums].map(([tool, open]) => [[tool], open]);
  }
}

/** Metrics that count nothing, for tools without a service around them. */
export const uncountedTools = (): ToolMetrics => new ToolMetrics(new MetricRegistry(false));
