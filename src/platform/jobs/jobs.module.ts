import { Global, Module } from '@nestjs/common';
import { JobQueue } from './job-queue';
import { JobRepository } from './job.repository';

@Global()
@Module({ providers: [JobRepository, JobQueue], exports: [JobQueue] })
export class JobsModule {}
