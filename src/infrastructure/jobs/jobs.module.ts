import { Global, Module } from '@nestjs/common';
import { JobQueue } from './job-queue';
import { JobMetrics } from './job.metrics';
import { JobRepository } from './job.repository';

@Global()
@Module({ providers: [JobMetrics, JobRepository, JobQueue], exports: [JobQueue] })
export class JobsModule {}
