import { Injectable } from '@nestjs/common';
import { histogram, MetricRegistry } from '../telemetry';

export const JOB_DURATION = histogram({
  name: 'bellwether_job_duration_seconds',
  help: 'Duration of jobs in the background by queue, and how they ended: completed, retried, failed or released.',
  labels: ['queue', 'outcome'],
  buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
});

export type JobOutcome = 'completed' | 'retried' | 'failed' | 'released';

@Injectable()
export class JobMetrics {
  private readonly durations;

  constructor(registry: MetricRegistry) {
    this.durations = registry.histogram(JOB_DURATION);
  }

  ended(queue: string, outcome: JobOutcome, durationMs: number): void {
    this.durations.at(queue, outcome).observe(durationMs / 1e3);
  }
}

/** Metrics that count nothing, for queues without a service around them. */
export const uncountedJobs = (): JobMetrics => new JobMetrics(new MetricRegistry(false));
