import { Module } from '@nestjs/common';
import { ActiveRuns } from './active-runs';
import { BackgroundRuns } from './background-runs';
import { RunCanceller } from './run-canceller';
import { RunEndings } from './run-endings';
import { RunEventRepository } from './run-event.repository';
import { RunJournal } from './run-journal';
import { RunKeeper } from './run-keeper';
import { RunLifecycleRepository } from './run-lifecycle.repository';
import { RunReader } from './run-reader';
import { RunRepository } from './run.repository';
import { RunsService } from './runs.service';
import { RunSweeper } from './run-sweeper';
import { RunTails } from './run-tails';

@Module({
  providers: [
    RunRepository,
    RunEventRepository,
    RunLifecycleRepository,
    ActiveRuns,
    RunTails,
    RunJournal,
    RunEndings,
    BackgroundRuns,
    RunKeeper,
    RunSweeper,
    RunReader,
    RunCanceller,
    RunsService,
  ],
  exports: [RunsService],
})
export class RunsModule {}
