/** How modules use this: docs/contributing/jobs.md. */
export { JobQueue } from './job-queue';
export { JobAborted, type JobHandler, type NewJob, type Queue, type RunningJob, type SweepContext } from './job.types';
export { JobsModule } from './jobs.module';
export { RepeatedWork } from './job-queue';
