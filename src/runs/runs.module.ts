import { Module } from '@nestjs/common';
import { BackgroundRuns } from './background/background-runs';
import { RunJobs } from './background/run-jobs';
import { RunQueueRepository } from './background/run-queue.repository';
import { RunWorker } from './background/run-worker';
import { RunEndings } from './ending/run-endings';
import { RunCancelRepository } from './keeping/run-cancel.repository';
import { RunCanceller } from './keeping/run-canceller';
import { RunKeeper } from './keeping/run-keeper';
import { RunLeaseRepository } from './keeping/run-lease.repository';
import { RunMetrics } from './keeping/run.metrics';
import { RunReaper } from './keeping/run-reaper';
import { RunRetention } from './keeping/run-retention';
import { RunEventRepository } from './log/run-event.repository';
import { RunJournal } from './log/run-journal';
import { RunTails } from './log/run-tails';
import { ReceiptsModule } from './receipts';
import { RunReceipts } from './receipt/run-receipts.service';
import { RunReader } from './reading/run-reader';
import { RunRepository } from './record/run.repository';
import { ActiveRuns } from './run/active-runs';
import { RunsService } from './runs.service';

@Module({
  imports: [ReceiptsModule],
  providers: [
    RunReceipts,
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
    RunKeeper,
    RunMetrics,
    RunReaper,
    RunRetention,
    RunReader,
    RunsService,
  ],
  exports: [RunsService],
})
export class RunsModule {}
