import { Module } from '@nestjs/common';
import { BackgroundRuns, RunJobs } from './background-runs';
import { RunQueueRepository } from './run-queue.repository';
import { RunWorker } from './run-worker';
import { RunEndings } from './run-endings';
import { RunCancelRepository } from './keeping/run-cancel.repository';
import { RunCanceller } from './keeping/run-canceller';
import { RunHeartbeat, RunReaper, RunRetention } from './keeping/run-heartbeat';
import { RunLeaseRepository } from './keeping/run-lease.repository';
import { RunMetrics } from './keeping/run.metrics';
import { RunEventRepository } from './run-event.repository';
import { RunJournal } from './run-journal';
import { RunTails } from './run-tails';
import { RunReader } from './run-reader';
import { RunLines } from './run-lines';
import { RunReceipts } from './run-receipts.service';
import { RunSegmentRepository } from './run-segment.repository';
import { ReceiptsModule } from './receipts';
import { RunRepository } from './run.repository';
import { ActiveRuns } from './run';
import { RunsService } from './runs.service';

@Module({
  imports: [ReceiptsModule],
  providers: [
    RunReceipts,
    RunLines,
    RunSegmentRepository,
    RunRepository,
    RunEventRepository,
    RunQueueRepository,
    RunLeaseRepository,
    RunCancelRepository,
    ActiveRuns,
    RunTails,
    RunJournal,
    RunEndings,
    RunJobs,
    BackgroundRuns,
    RunWorker,
    RunCanceller,
    RunHeartbeat,
    RunMetrics,
    RunReaper,
    RunRetention,
    RunReader,
    RunsService,
  ],
  exports: [RunLines, RunsService],
})
export class RunsModule {}
