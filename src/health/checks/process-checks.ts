import { Injectable } from '@nestjs/common';
import { finding } from '../../infrastructure/findings';
import { JobQueue } from '../../infrastructure/jobs';
import { Signals } from '../../infrastructure/signals';
import { Tracer } from '../../infrastructure/tracing';
import type { Check } from './check.types';

/** Checks of one process: the report tells of the process that was asked. */
@Injectable()
export class ProcessChecks {
  readonly checks: readonly Check[];

  constructor(jobs: JobQueue, signals: Signals, tracer: Tracer) {
    this.checks = [
      { name: 'jobs', make: () => (jobs.state === 'ok' ? [] : finding('jobs.silent', { reason: jobs.state })) },
      {
        name: 'signals',
        make: () => (signals.state === 'ok' ? [] : finding('signals.away', { reason: signals.state })),
      },
      {
        name: 'traces',
        make: () => (tracer.droppedSpans === 0 ? [] : finding('traces.dropped', { count: tracer.droppedSpans })),
      },
    ];
  }
}
