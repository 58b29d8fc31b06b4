import { AppError } from '@bellwether/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RunsService } from '../../runs';
import type { PersonIn } from '../person-rows.repository';
import { OpenRunsRepository } from './open-runs.repository';

/**
 * Milliseconds after which no process accepts the person's credentials and every open answer has ended: caches of
 * credentials live 5 s, open work is checked every 4 s, records of runs are written within a second.
 */
const SETTLED_MS = 7_000;
const LOOK_MS = 250;
const REASON = 'The account was closed';

/** Ends the runs of a person who can start no new ones. */
@Injectable()
export class RunTermination {
  constructor(
    private readonly open: OpenRunsRepository,
    private readonly runs: RunsService,
  ) {}

  /** Resolves when no run is going and every record is written. Rejects with the signal's reason. */
  async end(person: PersonIn, deactivatedAt: Date, signal: AbortSignal): Promise<void> {
    for (;;) {
      const going = await this.open.of(person);
      for (const { id, organizationId } of going) await this.cancel(organizationId, id);
      const isSettled = Date.now() - deactivatedAt.getTime() >= SETTLED_MS;
      if (going.length === 0 && isSettled) break;
      await sleep(LOOK_MS, undefined, { signal });
    }
    await this.runs.flush();
  }

  private async cancel(organizationId: string, id: string): Promise<void> {
    try {
      await this.runs.cancel(organizationId, id, REASON);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'run_ended' && error.code !== 'not_found')) throw error;
    }
  }
}
