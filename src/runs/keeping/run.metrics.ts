import { Injectable } from '@nestjs/common';
import { counter, MetricRegistry } from '../../infrastructure/telemetry';

export const LOST_RUNS = counter({
  name: 'bellwether_runs_lost',
  help: 'Runs whose process died, by what became of them: failed, or requeued to begin again.',
  labels: ['outcome'],
});

@Injectable()
export class RunMetrics {
  private readonly lost;

  constructor(registry: MetricRegistry) {
    this.lost = registry.counter(LOST_RUNS);
  }

  reaped({ failed, requeued }: { readonly failed: readonly string[]; readonly requeued: readonly string[] }): void {
    this.lost.at('failed').inc(failed.length);
    this.lost.at('requeued').inc(requeued.length);
  }
}
