import { Global, Module } from '@nestjs/common';
import { JobQueue } from './job-queue';
import { JobMetrics } from './queue-worker';
import { JobRepository } from './job.repository';

@Global()
@Module({ providers: [JobMetrics, JobRepository, JobQueue], exports: [JobQueue] })
export class JobsModule {}
